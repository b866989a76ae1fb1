"""tvm.support.cache with real compilers: whatever changes, a product with the cache is the product without it."""

import os
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tvm.support import cc, clang, process, record

_SOURCE = """\
#include <vector>
#include "one.h"
#include <two.h>
#if __has_include("maybe.h")
#include "maybe.h"
#endif
extern "C" int f() { return std::vector<int>(ONE, TWO).size() + MAYBE; }
"""
_TEXTS = {
    "a.cc": _SOURCE,
    "inc/one.h": "#define ONE 1\n#ifndef MAYBE\n#define MAYBE 0\n#endif\n",
    "sys/two.h": "#define TWO 2\n",
}
# What may be written, and where; None removes it.
_EDITS: tuple[tuple[str, str | None], ...] = (
    ("a.cc", _SOURCE.replace("size()", "size() * 3")),
    ("a.cc", _SOURCE),
    ("inc/one.h", "#define ONE 11\n#define MAYBE 4\n"),
    ("inc/one.h", _TEXTS["inc/one.h"]),
    ("one.h", "#define ONE 7\n#define MAYBE 1\n"),
    ("one.h", None),
    ("inc/two.h", "#define TWO 22\n"),
    ("inc/two.h", None),
    ("inc/vector", "#pragma GCC system_header\n#include_next <vector>\n#define ONE_MORE 1\n"),
    ("inc/vector", None),
    ("inc/maybe.h", "#undef MAYBE\n#define MAYBE 100\n"),
    ("inc/maybe.h", None),
    ("sys/two.h", "#define TWO 9\n"),
    ("sys/two.h", _TEXTS["sys/two.h"]),
)
_COMPILERS = ("g++", "clang++")
_OPTIONS = (["-O2"], ["-O2", "-g"], ["-O0", "-DNDEBUG"], ["-O2", "-fvisibility=hidden"])
_FOLDERS = ["-Iinc", "-isystem", "sys"]
# A file younger than this may have changed while a compiler read it: what was made of it is not kept.
_SETTLED = 2.2
_BUILDS = tuple((kind, compiler) for kind in ("object", "library", "two sources") for compiler in _COMPILERS)

# Builds one kind of product by one compiler with some options, and tells whether it came from the cache.
Build = Callable[[str, str, list[str]], bool]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with two sources and their headers, and turn on a cache that is empty."""
    for name, text in _TEXTS.items():
        _write(tmp_path / "work" / name, text)
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def build(work: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Return a function that builds with and without the cache, compares the two, and tells whether the cache was hit."""
    _write(work / "b.cc", 'extern "C" int g() { return 5; }\n')

    def once(kind: str, compiler: str, options: list[str]) -> tuple[bytes, bool]:
        calls: list[record.ToolCall] = []
        with record.recording(calls.append):
            match kind:
                case "object":
                    cc.create_executable("x.obj", ["a.cc"], [*_FOLDERS, *options], cc=compiler)
                case "library":
                    cc.create_shared("x.obj", ["a.cc"], [*_FOLDERS, *options, "-lm"], cc=compiler)
                case _:
                    cc.create_shared("x.obj", ["a.cc", "b.cc"], [*_FOLDERS, *options, "-lm"], cc=compiler)
        return Path("x.obj").read_bytes(), calls[-1].cached

    def compared(kind: str, compiler: str, options: list[str]) -> bool:
        monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
        product, cached = once(kind, compiler, options)
        monkeypatch.setenv("TVM_COMPILE_CACHE", "off")
        assert product == once(kind, compiler, options)[0]
        return cached

    return compared


def test_a_product_that_was_made_before_comes_from_the_cache(build: Build) -> None:
    time.sleep(_SETTLED)
    assert [name for name in _BUILDS if build(*name, ["-O2"])] == []
    # clang has no way to list what it reads of two sources in one call.
    assert [name for name in _BUILDS if not build(*name, ["-O2"])] == [("two sources", "clang++")]


def test_no_edit_brings_an_old_product_back(build: Build, work: Path) -> None:
    dice = random.Random(1)  # noqa: S311 - which edits are made, not a secret
    for step in range(8):
        name, text = dice.choice(_EDITS)
        _write(work / name, text)
        if step % 4 == 0:
            # All that is there by then may be kept.
            time.sleep(_SETTLED)
        for kind, compiler in _BUILDS:
            build(kind, compiler, dice.choice(_OPTIONS))


def test_an_edit_of_settled_files_is_seen(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state that an edit leads away from is in the cache."""
    folders = [work / str(number) for number in range(len(_EDITS))]
    for number, folder in enumerate(folders):
        for name, text in (*_TEXTS.items(), *_EDITS[:number]):
            _write(folder / name, text)
    time.sleep(_SETTLED)
    for folder, (name, text) in zip(folders, _EDITS, strict=True):
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
        old = _texts()
        assert _texts() == old
        _write(Path(name), text)
        new = _texts()
        monkeypatch.setenv("TVM_COMPILE_CACHE", "off")
        assert new == _texts()


def test_llvm_text_comes_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "cache"))
    texts: list[str] = []
    calls: list[record.ToolCall] = []
    for mode in ("off", "on", "on"):
        monkeypatch.setenv("TVM_COMPILE_CACHE", mode)
        with record.recording(calls.append):
            texts.append(clang.create_llvm("int f() { return 3; }\n"))

    assert len(set(texts)) == 1
    assert [call.cached for call in calls] == [False, False, True]


def test_no_jump_of_the_clock_makes_an_old_product_new(root: Path, tmp_path: Path) -> None:
    (tmp_path / "offset").write_text("+0", encoding="ascii")
    environment = {
        **os.environ,
        "FAKETIME_TIMESTAMP_FILE": str(tmp_path / "offset"),
        "FAKETIME_NO_CACHE": "1",
        "TVM_COMPILE_CACHE": "on",
        "TVM_COMPILE_CACHE_DIR": str(tmp_path / "cache"),
    }
    # The wrapper sets FAKETIME, which would win over the file.
    said = process.run(["faketime", "-f", "+0", "env"]).output
    (library,) = re.findall(r"^LD_PRELOAD=(.+)$", said, re.MULTILINE)
    script = root / "tests/matrix/cache_clock.py"
    done = process.run([sys.executable, script, tmp_path], env={**environment, "LD_PRELOAD": library}, timeout=120.0)

    assert done.output.count(": ok") == 125


def _texts() -> list[bytes]:
    return [_text(compiler) for compiler in _COMPILERS]


def _text(compiler: str) -> bytes:
    cc.create_executable("x.obj", ["a.cc"], [*_FOLDERS, "-O2"], cc=compiler)
    return Path("x.obj").read_bytes()


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
