"""Programs: which ones are known to do what their command line says, and the files that each is made of."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tvm.error import TVMError
from tvm.support import process, record
from tvm.support._cache.flow import NotCachedError
from tvm.support.process import Completed

_NATIVE = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_ELF = b"\x7fELF"
_COMPILERS = re.compile(r"([\w.+]+-)*(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-\d+(\.\d+)*)?(\.exe)?")
# The NDK's script beside its clang: it adds --target, and starts the clang in its own folder.
_NDK = re.compile(rb"#!/usr/bin/env bash\n.{0,600}?\$bin_dir/clang(\+\+)?\"? .{0,900}\Z", re.DOTALL)
# What gcc and clang call what lies between two of their programs.
_TEMPORARY = re.compile(rf"{re.escape(tempfile.gettempdir())}/(cc\w{{6}}|[\w.+-]+-[0-9a-f]{{6}})\.\w+")
_HEAD = 2048
_LIMIT = 20.0
_LISTED = re.compile(r"(?:=> )?(/\S.*?) \(0x[0-9a-f]+\)$", re.MULTILINE)


def require_plain(program: str) -> None:
    """Refuse what is not known as gcc or clang: a launcher, a compiler for another language, a script, which may read anything."""
    if not all(_COMPILERS.fullmatch(Path(name).name) for name in (program, os.path.realpath(program))):
        msg = f"{program} is not known as gcc or clang"
        raise NotCachedError(msg)
    if not is_native(program) and not (_NDK.match(_head(program)) and (Path(program).parent / "clang").is_file()):
        msg = f"{program} is a script"
        raise NotCachedError(msg)


def is_native(program: str) -> bool:
    """Tell whether a program is no script."""
    return _head(program).startswith(_NATIVE)


def parts(programs: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the files of programs: themselves and the shared libraries that they are loaded with, each once."""
    search = tuple(sorted((name, value) for name, value in environment.items() if name.startswith("LD_")))
    found: dict[str, None] = {}
    for program in programs:
        found[program] = None
        status = Path(program).stat()
        found.update(dict.fromkeys(_libraries(program, status.st_size, status.st_mtime_ns, search)))
    return list(found)


def ask(argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> Completed:
    """Run a tool that is asked about itself: no recorder sees it. NotCachedError when it fails."""
    try:
        with record.unrecorded():
            # What it says is read: it must not be translated.
            done = process.run(argv, check=False, cwd=cwd, env={**environment, "LC_ALL": "C"}, timeout=_LIMIT)
    except TVMError as error:
        raise NotCachedError(error.cause) from error
    if done.code != 0:
        msg = f"{argv[0]} does not say what it does: {done.output.strip()[-200:]}"
        raise NotCachedError(msg)
    return done


@lru_cache(maxsize=256)
def _libraries(program: str, _size: int, _mtime: int, search: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    # What a loader lists without starting the program; a static program has no loader.
    loader = _loader(program) if sys.platform == "linux" else ""
    if not loader:
        return ()
    listed = ask([loader, "--list", program], cwd=os.sep, environment=dict(search)).output
    return tuple(_LISTED.findall(listed))


def _loader(program: str) -> str:
    """Return the path of an ELF file's program interpreter, "" for none."""
    head = _head(program)
    hit = re.search(rb"/[\w./+-]*/ld[\w.+-]*\.so[\w.]*(?=\0)", head) if head.startswith(_ELF) else None
    return os.fsdecode(hit[0]) if hit else ""


def _head(program: str) -> bytes:
    with Path(program).open("rb") as stream:
        return stream.read(_HEAD)


def named(words: Iterator[str] | Sequence[str]) -> list[str]:
    """Return every file that words name by its absolute path, alone or behind an equals sign."""
    tails = (word if word.startswith(os.sep) else word.partition("=")[2] for word in words)
    absolute = (tail for tail in dict.fromkeys(tails) if tail.startswith(os.sep))
    return [tail for tail in absolute if Path(tail).is_file() and not _TEMPORARY.fullmatch(tail)]
