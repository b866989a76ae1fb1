import pytest

from tests.unit.registries import undone
from tvm.error import RegistryError, TargetError
from tvm.target import (
    Target,
    TargetKind,
    get_target_kind,
    list_target_kinds,
    register_target_kind,
    unregister_target_kind,
)


def test_a_new_kind_makes_targets() -> None:
    with undone():
        options = {"tiles": "int", "names": "list[str]"}
        register_target_kind(
            TargetKind(name="shape", device_type=12, keys=("shape",), options=options, defaults={"tiles": 4})
        )
        target = Target({"kind": "shape", "names": ("a", "b")})
        assert (target.tiles, target.names, target.keys) == (4, ["a", "b"], ["shape"])
        assert "shape" in list_target_kinds()
        unregister_target_kind("shape")
        assert get_target_kind("shape") is None


def test_it_may_complete_a_configuration() -> None:
    with undone():
        register_target_kind(
            TargetKind(
                name="shape", device_type=12, options={"a": "int"}, complete=lambda config: {**config, "a": len(config)}
            )
        )
        assert Target({"kind": "shape", "model": "m"}).a == 2


def test_a_type_of_an_option_that_there_is_not_is_said() -> None:
    with undone():
        register_target_kind(TargetKind(name="shape", device_type=12, options={"a": "float"}))
        with pytest.raises(TargetError, match="declares it as 'float', which is no type of an option"):
            Target({"kind": "shape", "a": 1.0})


def test_a_kind_of_the_core_is_not_registered_twice() -> None:
    with pytest.raises(RegistryError, match="'cuda' is registered already as a target kind"):
        register_target_kind(TargetKind(name="cuda", device_type=2))


def test_the_names_of_the_seed() -> None:
    kind = Target("webgpu").kind
    assert (kind.default_keys, kind.default_device_type) == (("webgpu", "gpu"), 15)
    assert TargetKind.options_from_name("webgpu") == kind.all_options
    with pytest.raises(TargetError, match=r"(?s)'webgp' is no target kind.*did you mean webgpu"):
        TargetKind.options_from_name("webgp")
