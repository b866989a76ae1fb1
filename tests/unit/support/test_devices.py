import ctypes
import sys
from pathlib import Path

import pytest

from tests.unit.backend.packages import World
from tests.unit.support import device_jobs
from tvm.error import DeviceError, ToolNotFound
from tvm.support import record
from tvm.support.devices import Devices, Found, file_of, open_first


class TestIsolated:
    def test_the_library_is_asked_once_in_another_process(self) -> None:
        devices = Devices("shape", device_jobs.two)
        calls: list[record.ToolCall] = []
        with record.recording(calls.append):
            assert [devices.count(), devices.count(), devices.why_none()] == [2, 2, ""]
        assert devices.attributes(1)["name"] == "second"
        assert devices.attributes(0)["process"] != device_jobs.own_process()
        assert [call.kind for call in calls] == ["library"]

    def test_a_driver_that_crashes_is_no_device(self) -> None:
        devices = Devices("shape", device_jobs.crash)
        assert devices.count() == 0
        assert "The shape driver failed" in devices.why_none()

    def test_why_there_is_none(self) -> None:
        assert Devices("shape", device_jobs.none).why_none() == "the driver is not installed"


class TestHere:
    def test_a_number_that_none_has(self) -> None:
        devices = Devices("shape", lambda: Found(devices=({"name": "a"},)), isolated=False)
        for index in (1, -1):
            with pytest.raises(DeviceError, match=f"there is no device shape:{index}: there are 1"):
                devices.attributes(index)

    def test_a_tool_that_is_missing_is_why(self) -> None:
        def ask() -> Found:
            msg = "there is no shapeinfo"
            raise ToolNotFound(msg)

        devices = Devices("shape", ask, isolated=False)
        assert (devices.count(), devices.why_none()) == (0, "there is no shapeinfo")
        with pytest.raises(DeviceError, match="there is no device shape:0: there is no shapeinfo"):
            devices.attributes(0)

    def test_it_is_asked_again_after_a_refresh(self) -> None:
        answers = iter([Found(), Found(devices=({"name": "a"},))])
        devices = Devices("shape", lambda: next(answers), isolated=False)
        assert devices.count() == 0
        devices.refresh()
        assert devices.count() == 1


def test_the_first_library_that_the_system_finds() -> None:
    assert open_first(["libabsent.so.1"]) is None
    name = "libc.so.6" if sys.platform.startswith("linux") else "libc.dylib"
    found = open_first(["libabsent.so.1", name])
    assert isinstance(found, ctypes.CDLL)
    assert "libc" in file_of(found, "printf")


def test_that_process_loads_no_backends(tmp_path: Path) -> None:
    """A hook that asks for devices would start one more in it, and so on."""
    world = World(root=tmp_path)
    world.module(
        "greedy", "from tvm.target import Target\ndef load():\n    print('hook'); Target.from_device('opencl')"
    )
    world.distribution("greedy", {"greedy": "greedy:load"})
    said = world.python("import warnings; warnings.simplefilter('ignore'); import tvm")
    assert said == "hook\n"
