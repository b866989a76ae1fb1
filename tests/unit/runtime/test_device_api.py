import pytest

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.error import RegistryError
from tvm.runtime import get_device_api, list_device_apis, register_device_api, unregister_device_api


def test_an_api_is_found_by_its_device_type() -> None:
    api = Listed([{"name": "one"}])
    with undone():
        register_device_api("shape", api)
        assert get_device_api("shape") is api
        assert "shape" in list_device_apis()
        unregister_device_api("shape")
        assert get_device_api("shape") is None


def test_a_lazy_one_is_made_at_its_first_use() -> None:
    with undone():
        register_device_api("shape", load=lambda: Listed([]))
        api = get_device_api("shape")
        assert api is not None
        assert api.count() == 0


def test_a_device_type_has_one() -> None:
    with undone():
        register_device_api("shape", Listed([]))
        with pytest.raises(RegistryError, match="'shape' is registered already as a device type with a device API"):
            register_device_api("shape", Listed([]))


def test_the_backends_of_the_nine_have_theirs() -> None:
    assert {"cuda", "metal", "opencl", "rocm", "vulkan", "webgpu"} <= set(list_device_apis())
