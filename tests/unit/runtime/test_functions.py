import pytest
import tvm_ffi

from tests.unit.registries import failing, undone
from tvm.error import RegistryError
from tvm.runtime import register_global_func, remove_global_func


def test_a_function_is_found_by_tvm_ffi() -> None:
    with undone():
        register_global_func("tests.twice", lambda x: 2 * x)
        assert tvm_ffi.get_global_func("tests.twice")(3) == 6


def test_a_name_is_registered_once() -> None:
    with undone():
        register_global_func("tests.twice", lambda x: x)
        with pytest.raises(RegistryError, match=r"'tests\.twice' is registered already"):
            register_global_func("tests.twice", lambda x: x)


def test_an_undone_override_brings_the_old_one_back() -> None:
    with undone():
        register_global_func("tests.twice", lambda x: 2 * x)
        with failing():
            register_global_func("tests.twice", lambda x: 20 * x, override=True)
        assert tvm_ffi.get_global_func("tests.twice")(3) == 6


def test_an_undone_removal_brings_it_back() -> None:
    with undone():
        register_global_func("tests.twice", lambda x: 2 * x)
        with failing():
            remove_global_func("tests.twice")
            assert tvm_ffi.get_global_func("tests.twice", allow_missing=True) is None
        assert tvm_ffi.get_global_func("tests.twice")(3) == 6


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(RegistryError, match=r"no global function 'tests\.absent'"):
        remove_global_func("tests.absent")
