"""How long `list`, `explain` and `import tvm` take: medians, and ratios to what Python, tvm_ffi and a peer take in the same run.

`python bench/start.py [--peer PYTHON]`; PYTHON is an interpreter that has apache-tvm, in an environment of its own.
"""

import argparse
import functools
import os
import sys
from pathlib import Path

from _ratio import median, report

from tvm.support import process

ROOT = Path(__file__).resolve().parents[1]
RUNS = 7
# Bounds: seconds for a command, and `import tvm` as a multiple of `import tvm_ffi` and of the peer's `import tvm`.
COMMAND_LIMIT = 0.5
IMPORT_RATIO = 2.0
PEER_RATIO = 0.35


def main() -> int:
    """Print every ratio; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", metavar="PYTHON", type=Path)
    peer: Path | None = parser.parse_args().peer
    bare = median(functools.partial(_program, "-c", "pass"), runs=RUNS)
    kept = [_command(arguments, bare) for arguments in (("list",), ("explain", "ndk"))]
    ffi = median(functools.partial(_import, "tvm_ffi"), runs=RUNS)
    own = median(functools.partial(_import, "tvm"), runs=RUNS)
    kept.append(report("import tvm", own, against="import tvm_ffi", base=ffi, limit=IMPORT_RATIO * ffi))
    if peer is not None:
        theirs = median(functools.partial(_import, "tvm", peer), runs=RUNS)
        kept.append(report("import tvm", own, against="the peer's import tvm", base=theirs, limit=PEER_RATIO * theirs))
    return 0 if all(kept) else 1


def _command(arguments: tuple[str, ...], bare: float) -> bool:
    seconds = median(functools.partial(_program, "-m", "tvm.matrix", *arguments), runs=RUNS)
    return report(" ".join(arguments), seconds, against="python -c pass", base=bare, limit=COMMAND_LIMIT)


def _program(*arguments: str) -> float:
    return _python(*arguments).seconds


def _import(module: str, python: Path = Path(sys.executable)) -> float:
    """Return the seconds of an import alone, as the new process itself measures them."""
    code = f"import time; begun = time.perf_counter(); import {module}; print(time.perf_counter() - begun)"
    return float(_python("-c", code, python=python).output)


def _python(*arguments: str, python: Path = Path(sys.executable)) -> process.Completed:
    # The peer must not find this tree, neither by PYTHONPATH nor in the current folder.
    ours = python == Path(sys.executable)
    environment = {**os.environ, "PYTHONPATH": str(ROOT) if ours else ""}
    return process.run([python, *arguments], cwd=ROOT if ours else python.parent, env=environment, timeout=60.0)


if __name__ == "__main__":
    sys.exit(main())
