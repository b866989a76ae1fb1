from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import CUBIN, Nvjitlink, touch
from tvm.error import CompileError
from tvm.support import record
from tvm.support._cuda import nvjitlink as tool
from tvm.support._cuda.nvjitlink import Link


def _link(tmp_path: Path) -> Link:
    library = touch(tmp_path / "libx.a", "a library")
    return Link(arch="sm_90a", objects=(("a.cubin", b"a"), ("b.cubin", b"b")), libraries=(library,))


def test_objects_and_libraries_are_linked_in_their_order(nvjitlink: Nvjitlink, tmp_path: Path) -> None:
    assert tool.link(_link(tmp_path), timeout=None) == CUBIN
    assert nvjitlink.options == ["-arch=sm_90a"]
    assert nvjitlink.added == [
        ("cubin", "a.cubin", b"a"),
        ("cubin", "b.cubin", b"b"),
        ("library", "libx.a", b"a library"),
    ]
    assert nvjitlink.destroyed == 1


def test_an_error_has_the_linkers_text(nvjitlink: Nvjitlink, tmp_path: Path) -> None:
    nvjitlink.fails, nvjitlink.log = True, "undefined reference to 'f'\0"

    with pytest.raises(CompileError, match="Device link error:\nundefined reference to 'f'\n") as caught:
        tool.link(_link(tmp_path), timeout=None)

    assert caught.value.code == 7
    assert nvjitlink.destroyed == 1


def test_the_call_is_recorded_with_the_sums_of_what_was_read(nvjitlink: Nvjitlink, tmp_path: Path) -> None:
    calls: list[record.ToolCall] = []

    with record.recording(calls.append):
        tool.link(_link(tmp_path), timeout=None)

    (call,) = calls
    assert (call.kind, call.argv, call.tool.version) == ("library", ("-arch=sm_90a",), "12.9")
    assert [file.path for file in call.inputs] == ["a.cubin", "b.cubin", str(tmp_path / "libx.a")]
    assert call.inputs[2].sha256 == record.digest(tmp_path / "libx.a")
    assert nvjitlink.destroyed == 1
