import pytest

from tests.unit.registries import undone
from tests.unit.target.tags import TAGS
from tvm.error import RegistryError, TargetError
from tvm.target import (
    Target,
    list_tags,
    register_tag,
    register_tag_table,
    unregister_tag,
    unregister_tag_table,
)


def test_a_tag_is_registered_with_its_target() -> None:
    with undone():
        target = register_tag("shape/one", {"kind": "c", "mcpu": "m"})
        assert target == Target("shape/one") == list_tags()["shape/one"]
        unregister_tag("shape/one")
        with pytest.raises(TargetError):
            Target("shape/one")


def test_a_wrong_configuration_is_not_registered() -> None:
    with undone():
        with pytest.raises(TargetError, match="'x' is no option"):
            register_tag("shape/one", {"kind": "c", "x": 1})
        with pytest.raises(TargetError, match="neither"):
            Target("shape/one")


@pytest.mark.parametrize("name", ["arm/rasp4b", "nvidia/nvidia-h100"])
def test_a_name_is_taken_once(name: str) -> None:
    with undone():
        with pytest.raises(RegistryError, match=f"'{name}' is registered already as a target tag"):
            register_tag(name, {"kind": "c"})
        register_tag(name, {"kind": "webgpu"}, override=True)
        register_tag(name, {"kind": "c"}, True)  # noqa: FBT003 - the seed's signature
        assert Target(name) == Target("c")
    assert Target(name) != Target("c")


def test_a_tag_has_a_name() -> None:
    with pytest.raises(TargetError, match="a tag has a name"):
        register_tag("", {"kind": "c"})


def test_a_table_of_tags() -> None:
    with undone():
        register_tag_table("shape/", lambda: {"shape/one": {"kind": "c"}})
        assert Target("shape/one") == Target("c")
        unregister_tag_table("shape/")


def test_all_tags_of_the_inventory_and_no_others() -> None:
    assert sorted(list_tags()) == sorted(TAGS)
    assert len(TAGS) == 287
