import pytest

from tests.unit.registries import undone
from tvm.error import RegistryError
from tvm.script.namespace import (
    get_script_namespace,
    list_script_namespaces,
    register_script_namespace,
    unregister_script_namespace,
)


def test_a_namespace_is_registered_once() -> None:
    with undone():
        thing = object()
        assert register_script_namespace("shape", thing) is thing
        assert get_script_namespace("shape") is thing
        with pytest.raises(RegistryError, match="'shape' is registered already as a script namespace"):
            register_script_namespace("shape", object())
        unregister_script_namespace("shape")
        assert "shape" not in list_script_namespaces()


@pytest.mark.parametrize("name", ["", "a.b", "_x", "class", "a b"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(RegistryError, match="cannot be the name of a script namespace"):
        register_script_namespace(name, object())


def test_one_of_object_and_load_is_given() -> None:
    with pytest.raises(RegistryError, match="give either the thing itself or load="):
        register_script_namespace("shape")
