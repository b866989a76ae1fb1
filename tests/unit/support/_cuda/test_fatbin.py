from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support._cuda.fakes import FATBIN, Nvfatbin, fat_archive
from tvm.error import CompileError
from tvm.support._cuda import fatbin
from tvm.support._cuda.fatbin import Entry, Held

_ENTRIES = (
    Entry(arch="80", kind="cubin", data=b"code", name="k"),
    Entry(arch="80", kind="ptx", data=b"text", name="k"),
)


def test_entries_are_packed_in_their_order(nvfatbin: Nvfatbin) -> None:
    assert fatbin.pack(_ENTRIES, timeout=None) == FATBIN
    assert nvfatbin.added == [("cubin", "80", b"code"), ("ptx", "80", b"text")]
    assert nvfatbin.destroyed == 1


def test_a_failure_is_an_error_with_the_librarys_words(nvfatbin: Nvfatbin) -> None:
    nvfatbin.fails = True

    with pytest.raises(CompileError, match="no room"):
        fatbin.pack(_ENTRIES, timeout=None)

    assert nvfatbin.destroyed == 1


def test_what_an_archive_holds(tmp_path: Path) -> None:
    archive = tmp_path / "lib.a"
    archive.write_bytes(fat_archive([70, 80, 90], [90]))

    assert fatbin.held(archive) == Held(code=frozenset({70, 80, 90}), ptx=frozenset({90}))


@given(st.binary(max_size=200))
def test_any_bytes_behind_the_magic_end_the_reading(data: bytes) -> None:
    list(fatbin._entries((0xBA55ED50).to_bytes(4, "little") + b"\1\0\x10\0" + (64).to_bytes(8, "little") + data))
    list(fatbin._entries(data))
