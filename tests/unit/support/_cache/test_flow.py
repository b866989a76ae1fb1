import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tvm.support._cache import flow, states
from tvm.support._cache.flow import Made, NotCachedError
from tvm.support._cache.states import State
from tvm.support._cache.store import File, Product

_KEY = "cd" * 32
_PRODUCT = Product(files={"product": File(data=b"made")})

Build = Callable[[Path | None], Made]


def _builder(calls: list[Path | None], made_from: Callable[[], list[State]] = list) -> Build:
    def build(scratch: Path | None) -> Made:
        calls.append(scratch)
        return Made(product=_PRODUCT, made_from=made_from)

    return build


def test_a_product_is_built_once(folder: Path) -> None:
    calls: list[Path | None] = []

    assert not flow.fetch(flow.current(), _KEY, _builder(calls)).hit
    assert flow.fetch(flow.current(), _KEY, _builder(calls)) == flow.Fetched(product=_PRODUCT, hit=True)
    assert [path.parent for path in calls if path] == [folder / "building"]
    assert list((folder / "building").iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_off_neither_takes_nor_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path | None] = []
    flow.fetch(flow.current(), _KEY, _builder(calls))
    monkeypatch.setenv("TVM_COMPILE_CACHE", "off")

    assert not flow.fetch(flow.current(), _KEY, _builder(calls)).hit
    assert [path is None for path in calls] == [False, True]


def test_read_takes_and_does_not_keep(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path | None] = []
    flow.fetch(flow.current(), _KEY, _builder(calls))
    monkeypatch.setenv("TVM_COMPILE_CACHE", "read")

    assert flow.fetch(flow.current(), _KEY, _builder(calls)).hit
    assert not flow.fetch(flow.current(), "ef" * 32, _builder(calls)).hit
    assert len(list((folder / "manifests").glob("*/*"))) == 1


def test_what_is_not_known_for_certain_is_not_kept(folder: Path) -> None:
    def made_from() -> list[State]:
        raise NotCachedError

    calls: list[Path | None] = []
    for _ in range(2):
        assert flow.fetch(flow.current(), _KEY, _builder(calls, made_from)).product == _PRODUCT

    assert len(calls) == 2
    assert list((folder / "blobs").iterdir()) == []


def test_a_file_younger_than_two_seconds_may_have_changed_under_the_tool(folder: Path, tmp_path: Path) -> None:
    assert not folder.exists()
    (tmp_path / "x.h").write_text("one", encoding="ascii")
    calls: list[Path | None] = []
    for _ in range(2):
        flow.fetch(flow.current(), _KEY, _builder(calls, lambda: [states.file(str(tmp_path / "x.h"))]))

    assert len(calls) == 2


@pytest.mark.parametrize("jump", [-3_600, -2, 2, 10**9])
@pytest.mark.usefixtures("folder")
def test_nothing_is_kept_when_the_clock_jumps(jump: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path | None] = []
    true = time.time_ns

    def build(scratch: Path | None) -> Made:
        calls.append(scratch)
        monkeypatch.setattr(time, "time_ns", lambda: true() + jump * 10**9)
        return Made(product=_PRODUCT, made_from=list)

    flow.fetch(flow.current(), _KEY, build)
    monkeypatch.setattr(time, "time_ns", true)
    flow.fetch(flow.current(), _KEY, build)

    assert len(calls) == 2


def test_a_clock_far_off_makes_no_old_product_new(
    folder: Path, tmp_path: Path, old_files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old_files is None
    assert not folder.exists()
    header = tmp_path / "x.h"
    header.write_text("one", encoding="ascii")
    calls: list[Path | None] = []
    flow.fetch(flow.current(), _KEY, _builder(calls, lambda: [states.file(str(header))]))
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    header.write_text("another", encoding="ascii")

    assert not flow.fetch(flow.current(), _KEY, _builder(calls, lambda: [states.file(str(header))])).hit


def test_a_cache_that_cannot_be_used_is_none(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.write_text("no folder", encoding="ascii")
    calls: list[Path | None] = []

    assert flow.fetch(flow.current(), _KEY, _builder(calls)).product == _PRODUCT
    assert flow.fetch(flow.current(), _KEY, _builder(calls)).product == _PRODUCT
    assert calls == [None, None]
    # Once, however often something is compiled.
    assert [record.message for record in caplog.records if "no compile cache" in record.message] == [caplog.messages[0]]


@pytest.mark.parametrize("name", ["building", "blobs", "results", "manifests"])
def test_a_disk_that_is_full_costs_the_cache_not_the_product(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Path | None] = []
    flow.fetch(flow.current(), "00" * 32, _builder(calls))
    true, opens = Path.write_bytes, os.open

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path), len(data))

    def no_inode(path: str, *rest: int, **named: int) -> int:
        if str(path).endswith(".lock"):
            raise OSError(28, "No space left on device")
        return opens(path, *rest, **named)

    with monkeypatch.context() as patch:
        if name == "building":
            patch.setattr(os, "open", no_inode)
        else:
            patch.setattr(Path, "write_bytes", full)
        assert flow.fetch(flow.current(), _KEY, _builder(calls)).product == _PRODUCT

    assert Path.write_bytes is true
    assert list((folder / "building").iterdir()) == []
    assert not flow.fetch(flow.current(), _KEY, _builder(calls)).hit
    assert flow.fetch(flow.current(), _KEY, _builder(calls)).hit


@pytest.mark.usefixtures("folder")
def test_an_error_of_the_tool_is_the_caller_s(folder: Path) -> None:
    def build(_scratch: Path | None) -> Made:
        raise OSError(28, "of the tool")

    with pytest.raises(OSError, match="of the tool"):
        flow.fetch(flow.current(), _KEY, build)

    assert list((folder / "building").iterdir()) == []
