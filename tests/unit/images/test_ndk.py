"""The parts of the NDK image that need no compiler: the list of symbols, and the wrappers of the stand-in."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.images import scripts

emulation = scripts.load("ndk/emulation.py")
standin = scripts.load("ndk/standin.py")
SYMBOLS = scripts.IMAGES / "ndk" / "symbols.txt"


def test_the_stand_in_exports_what_the_emulation_gives() -> None:
    given: dict[str, list[str]] = {}
    for line in emulation.read_symbols(SYMBOLS):
        given.setdefault(line.library, []).extend(line.names)
    assert {library: names for library, (_, names) in standin.read_exports(SYMBOLS).items()} == given
    assert "expf" in given["libm.so"]


def test_no_symbol_is_listed_twice() -> None:
    names = [name for line in emulation.read_symbols(SYMBOLS) for name in line.names]
    assert len(names) == len(set(names))


def test_a_symbol_jumps_to_the_one_without_androids_version() -> None:
    line = emulation.Symbols(library="libm.so", version="LIBC", bionic=False, names=("expf",))
    text = emulation.source(emulation.MACHINES["x86_64"], line)
    assert "tvm_expf: jmp expf@PLT\n" in text
    assert ".symver tvm_expf, expf@LIBC\n" in text


def test_a_symbol_of_android_alone_is_defined_elsewhere() -> None:
    line = emulation.Symbols(library="libc.so", version="LIBC", bionic=True, names=("__errno",))
    text = emulation.source(emulation.MACHINES["aarch64"], line)
    assert ".symver tvm___errno, __errno@LIBC\n" in text
    assert "tvm___errno:" not in text


@pytest.mark.parametrize("abi", standin.ABIS, ids=[abi.triple for abi in standin.ABIS])
def test_wrappers_have_the_ndks_names_and_say_what_they_are(abi: Any, tmp_path: Path) -> None:
    folder, target = tmp_path / "bin", f"{abi.triple}{abi.api}"
    folder.mkdir()
    standin.write_wrappers(folder, abi, "19")
    assert sorted(path.name for path in folder.iterdir()) == [f"{target}-clang", f"{target}-clang++"]
    wrapper = (folder / f"{target}-clang").read_text(encoding="utf-8")
    assert "not the vendor's NDK" in wrapper
    assert f"--target={target} " in wrapper
