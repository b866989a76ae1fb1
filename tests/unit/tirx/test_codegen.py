import pytest

from tests.unit.registries import undone
from tvm.error import RegistryError
from tvm.tirx.codegen import (
    get_code_generator,
    list_code_generators,
    register_code_generator,
    unregister_code_generator,
)


def test_a_generator_is_found_by_its_target_kind() -> None:
    with undone():
        register_code_generator("shape", str)
        assert get_code_generator("shape") is str
        assert list_code_generators() == ["shape"]
        with pytest.raises(RegistryError, match="registered already as a target kind with a code generator"):
            register_code_generator("shape", repr)
        unregister_code_generator("shape")


def test_one_may_be_loaded_at_its_first_use() -> None:
    with undone():
        register_code_generator("shape", load=lambda: repr)
        assert get_code_generator("shape") is repr


def test_a_kind_without_one() -> None:
    with pytest.raises(RegistryError, match="'shape' is not a target kind with a code generator"):
        get_code_generator("shape")
