from unittest.mock import Mock

import pytest
import tvm_ffi

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.error import DeviceError
from tvm.runtime import register_device_api
from tvm.target import (
    DeviceName,
    Target,
    TargetKind,
    detect_target_from_device,
    list_device_target_detectors,
    register_device_target_detector,
    register_target_kind,
    target_of_device,
    unregister_device_target_detector,
)


@pytest.mark.parametrize(
    ("given", "index"),
    [("ext_dev", 0), ("ext_dev:1", 1), (tvm_ffi.device("ext_dev", 2), 2), (DeviceName(type="ext_dev"), 0)],
)
def test_a_detector_gets_type_and_number(given: "str | tvm_ffi.Device | DeviceName", index: int) -> None:
    detector = Mock(return_value=Target("c"))
    with undone():
        register_device_target_detector("ext_dev", detector)
        assert detect_target_from_device(dev=given) == Target("c")
        unregister_device_target_detector("ext_dev")
        assert "ext_dev" not in list_device_target_detectors()
    detector.assert_called_once_with(DeviceName(type="ext_dev", index=index))


@pytest.mark.parametrize("given", ["", ":1", "cuda:", "cuda:x", "cuda:-1", "cuda:²"])
def test_what_is_no_device(given: str) -> None:
    with pytest.raises(DeviceError, match="is no device"):
        Target.from_device(given)


def test_a_type_without_a_detector() -> None:
    with pytest.raises(DeviceError, match=r"(?s)devices of type 'cdua'.*cpu.*cuda.*did you mean cuda") as caught:
        Target.from_device("cdua")
    assert isinstance(caught.value, ValueError)


def test_most_take_what_the_device_says() -> None:
    with undone():
        register_target_kind(TargetKind(name="shape", device_type=12, options={"tiles": "int"}))
        register_device_api("shape", Listed([{"name": "first", "tiles": 3}, {"name": "second", "tiles": 5}]))
        register_device_target_detector("shape", target_of_device)
        assert Target.from_device("shape:1").export() == {"keys": [], "kind": "shape", "tag": "", "tiles": 5}
        with pytest.raises(DeviceError, match="there is no shape device 2"):
            Target.from_device("shape:2")


def test_no_device_says_why() -> None:
    with undone():
        register_target_kind(TargetKind(name="shape", device_type=12))
        register_device_api("shape", Listed([], why="the driver is not installed"))
        with pytest.raises(DeviceError, match="there is no shape device 0: the driver is not installed"):
            Target({"kind": "shape", "from_device": 0})


def test_no_api_says_so() -> None:
    with pytest.raises(DeviceError, match="no backend that knows hexagon devices is loaded"):
        Target({"kind": "hexagon", "from_device": 0})


def test_the_arch_of_the_first_device_is_asked_for() -> None:
    with undone():
        register_device_api("cuda", Listed([{"arch": "sm_89"}]), override=True)
        register_device_api("rocm", Listed([{"mcpu": "gfx942"}]), override=True)
        assert Target("cuda").arch == "sm_89"
        assert Target("nvptx").mcpu == "sm_89"
        assert Target("rocm").mcpu == "gfx942"
