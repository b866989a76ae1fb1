"""NVRTC on our path against NVRTC called by hand, and against a peer if one is named: seconds to a cubin, and ratios.

`python bench/nvrtc.py [--peer PYTHON] [--arch sm_90a]`; PYTHON is an interpreter that has apache-tvm and its extra `cuda`.
"""

import argparse
import functools
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from _ratio import report

from tvm.support import nvcc, process
from tvm.support._cuda import bindings, paths

KERNELS = Path(__file__).resolve().parents[1] / "examples" / "kernels"
NAMES = ("vector_add", "softmax", "matmul_mma", "histogram")
RUNS = 15
RATIO = 1.1

# Run by the peer's interpreter: warm seconds of each source, as JSON. It is used as a black box, through its public function.
PEER = """
import json, sys, time
from tvm.support import nvcc
sources, arch, runs = json.loads(sys.argv[1])
def once(code):
    begun = time.process_time()
    nvcc.compile_cuda(code, target_format="cubin", arch=arch, compiler="nvrtc")
    return time.process_time() - begun
def least(code):
    once(code)
    return min(once(code) for _ in range(runs))
print(json.dumps({name: least(code) for name, code in sources.items()}))
"""


def main() -> int:
    """Print every ratio; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", metavar="PYTHON", type=Path)
    parser.add_argument("--arch", default="sm_90a")
    given = parser.parse_args()
    sources = {name: (KERNELS / f"{name}.cu").read_text(encoding="utf-8") for name in NAMES}
    peer = _peer(given.peer, sources, given.arch) if given.peer else {}
    kept = [_compare(name, code, given.arch, peer.get(name)) for name, code in sources.items()]
    return 0 if all(kept) else 1


def _compare(name: str, code: str, arch: str, peer: float | None) -> bool:
    ours, hand = _in_turn(functools.partial(_ours, code, arch), functools.partial(_by_hand, code, arch))
    kept = report(name, ours, against="NVRTC by hand", base=hand, limit=RATIO * hand)
    if peer is not None:
        print(f"{name}: {ours / peer:.2f} x the peer ({peer:.3f} s)")
    return kept


def _in_turn(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the least seconds of both, run in turn: whatever else this machine does only adds to them."""
    first(), second()
    pairs = [(_seconds(first), _seconds(second)) for _ in range(RUNS)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def _seconds(call: Callable[[], object]) -> float:
    # Of the processor: all of the work is in this process, and what others do here must not count.
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _ours(code: str, arch: str) -> bytearray:
    return nvcc.compile_cuda(code, "cubin", arch)


def _by_hand(code: str, arch: str) -> bytes:
    """Return the cubin by the fewest calls, with the headers that NVRTC does not find itself."""
    nvrtc = bindings.load("nvrtc")
    toolkit = paths.for_version(nvrtc.nvrtcVersion()[1:])
    folders = toolkit.includes if toolkit and "#include" in code else ()
    words = [f"--gpu-architecture={arch}".encode(), b"--use_fast_math", *(f"-I{folder}".encode() for folder in folders)]
    if "INFINITY" in code:
        words.append(b"-DINFINITY=__int_as_float(0x7f800000)")
    names = [b"stdint.h", b"stddef.h"]
    texts = [b"#include <cuda/std/cstdint>\n", b""]
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), b"kernel.cu", len(names), texts, names)
    (status,) = nvrtc.nvrtcCompileProgram(program, len(words), words)
    if int(status) != 0:
        msg = f"NVRTC by hand failed: {status!r}"
        raise RuntimeError(msg)
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    cubin = bytearray(size)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(program)
    return bytes(cubin)


def _peer(python: Path, sources: dict[str, str], arch: str) -> dict[str, float]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # The peer finds CUDA by this variable alone.
    environment.setdefault("CUDA_PATH", nvcc.find_cuda_path())
    # It has no stdint.h and no stddef.h, and puts their types in front itself.
    known = {name: re.sub(r"#include <std\w+\.h>\n", "", code) for name, code in sources.items()}
    job = json.dumps([known, arch, RUNS])
    # In another folder: `-c` searches the current one first, and this tree has a package of that name.
    done = process.run(
        [python, "-c", PEER, job], cwd=python.parent, env=environment, timeout=300.0, heading="The peer failed"
    )
    return dict(json.loads(done.output.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
