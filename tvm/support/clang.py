"""clang as a compiler from C++ to LLVM text."""

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tvm.support import _llvm, cache
from tvm.support._arguments import Arg, Args, command, listed, paths, words
from tvm.support._staging import private, staged
from tvm.support.utils import is_source_path


def find_clang(required: bool = True) -> list[str]:  # noqa: FBT001, FBT002 - the seed's signature
    """Return the paths of every clang, the one to use first (`_llvm.find` has the order).

    ToolNotFound with the names and folders that were tried if there is none and it is required.
    """
    return _llvm.find("clang", required=required)


def create_llvm(
    inputs: Args,
    output: Arg | None = None,
    options: Sequence[Arg] | None = None,
    cc: Arg | None = None,
    *,
    timeout: float | None = None,
) -> str:
    """Compile C++ to LLVM text and return it; `output` names a file that gets it too.

    Each input is a path or the source itself. Source is staged under a fixed name, because its path stands in the text.
    CompileError when clang (`cc`, else the first of `find_clang`) fails, ToolNotFound without one; `timeout` is in seconds.
    """
    given, flags = listed(inputs), words(options)
    compiler = command(cc) if cc else (_llvm.find("clang", version=_written_by(given))[0],)
    with private(_folder(given, flags)) as work:
        files = [_file(entry, work / f"input{number}.cc") for number, entry in enumerate(given)]
        target = Path(output) if output is not None else work / "output.ll"
        with staged(target) as stage:
            argv = [*compiler, "-S", "-emit-llvm", *flags, "-o", stage.product, *files]
            cache.run(argv, heading="Compilation error", timeout=timeout, inputs=files, outputs=[stage.product])
        return target.read_text(encoding="utf-8")


def _file(entry: Arg, staged_at: Path) -> str:
    if is_source_path(entry):
        return paths(entry, name="inputs")[0]
    staged_at.write_text(str(entry), encoding="utf-8", errors="surrogateescape")
    return str(staged_at)


def _folder(inputs: Sequence[Arg], flags: Sequence[str]) -> Path:
    said = json.dumps([[os.fspath(entry) for entry in inputs], list(flags)])
    return Path(tempfile.gettempdir(), f"tvm-{hashlib.sha256(said.encode()).hexdigest()[:16]}")


def _written_by(inputs: Sequence[Arg]) -> int | None:
    versions = (_llvm.writer_version(Path(entry)) for entry in inputs if is_source_path(entry))
    return max((version for version in versions if version is not None), default=None)
