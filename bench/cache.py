"""The compile cache: hits against compiles, and what a miss costs; NVRTC kernels and C++ objects.

Seconds are the processor's, of this process and of the programs that it starts: what others do here must not count.

`python bench/cache.py [--cxx COMPILER]`. NVRTC is measured where cuda.bindings is installed (extra cuda), and without it the run fails:
`pip install -e '.[cuda]'`.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from _ratio import report

from tvm.support import cc, nvcc, process

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "examples" / "kernels"
NAMES = ("vector_add", "softmax", "matmul_mma", "histogram")
ARCH = "sm_90a"
RUNS = 7
HITS = 200
OBJECTS = 8
ROUNDS = 3
# Seconds, and ratios.
WARM, FRESH, FASTER, MISS, OBJECTS_FASTER = 0.001, 0.010, 100.0, 1.05, 50.0
# A tool, or a header, that is younger may have changed while it was read.
SETTLED = 2.2

# Run in a fresh process: seconds from the call to the cubin, once everything that it imports is imported.
ONCE = """
import json, sys, time
from tvm.support import nvcc
code, arch = json.loads(sys.argv[1])
begun = time.process_time()
nvcc.compile_cuda(code, "cubin", arch)
print(time.process_time() - begun)
"""
CXX = """\
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>
std::map<std::string, std::vector<int>> table_{number};
int f_{number}(const std::string &name) {{
  auto &row = table_{number}[name];
  row.push_back({number});
  std::sort(row.begin(), row.end());
  return *std::make_unique<int>(row.front());
}}
"""


def main() -> int:
    """Print every ratio; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cxx", default="g++", metavar="COMPILER")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TVM_COMPILE_CACHE_DIR"] = f"{folder}/cache"
        kept = [*_kernels(), *_objects(Path(folder), given.cxx)]
    return 0 if all(kept) else 1


def _kernels() -> list[bool]:
    sources = {name: (KERNELS / f"{name}.cu").read_text(encoding="utf-8") for name in NAMES}
    kept = []
    for name, code in sources.items():
        compile_seconds = _median(partial(_compile, code, "off"))
        warm = statistics.median(_compile(code, "on") for _ in range(HITS))
        fresh = statistics.median(_in_fresh_process(code) for _ in range(RUNS))
        kept += [
            _at_most(f"{name}: hit, warm", warm, WARM),
            _at_most(f"{name}: hit, fresh process", fresh, FRESH),
            _at_least(f"{name}: hit", compile_seconds / warm, FASTER),
        ]
    return [*kept, _miss(sources["matmul_mma"])]


def _miss(code: str) -> bool:
    """Compare compiles with and without the cache, in turn, each of another kernel."""
    pairs = []
    for number in range(RUNS * 3):
        plain, kept = (f"{code}\n// {number} {mode}\n" for mode in ("off", "on"))
        pairs.append((_compile(plain, "off"), _compile(kept, "on")))
    base, seconds = (min(pair[at] for pair in pairs) for at in (0, 1))
    return report("matmul_mma: miss", seconds, against="a compile without the cache", base=base, limit=MISS * base)


def _compile(code: str, mode: str) -> float:
    os.environ["TVM_COMPILE_CACHE"] = mode
    begun = _spent()
    nvcc.compile_cuda(code, "cubin", ARCH)
    return _spent() - begun


def _in_fresh_process(code: str) -> float:
    environment = {**os.environ, "TVM_COMPILE_CACHE": "on", "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", ONCE, json.dumps([code, ARCH])]
    return float(process.run(argv, env=environment, timeout=120.0).output)


def _objects(folder: Path, compiler: str) -> list[bool]:
    first, *rounds = [_sources(folder, number) for number in range(ROUNDS + 1)]
    time.sleep(SETTLED)
    # The compiler's own files are hashed once, by the first compile of a process.
    cold, alone = _build(first[:1], compiler, "on"), _build(first[:1], compiler, "off")
    print(f"first C++ object: miss: {cold:.3f} s, {cold - alone:.3f} s more than without the cache")
    plain = min(_build(sources, compiler, "off") for sources in rounds)
    miss = min(_build(sources, compiler, "on") for sources in rounds)
    hit = statistics.median(_build(rounds[0], compiler, "on") for _ in range(RUNS))
    shown = report(
        f"{OBJECTS} C++ objects: miss", miss, against="compiles without the cache", base=plain, limit=MISS * plain
    )
    return [shown, _at_least(f"{OBJECTS} C++ objects: second time ({hit:.3f} s)", plain / hit, OBJECTS_FASTER)]


def _sources(folder: Path, group: int) -> list[Path]:
    made = [folder / f"{group}-{number}.cc" for number in range(OBJECTS)]
    for number, source in enumerate(made):
        source.write_text(CXX.format(number=100 * group + number), encoding="ascii")
    return made


def _build(sources: list[Path], compiler: str, mode: str) -> float:
    os.environ["TVM_COMPILE_CACHE"] = mode
    begun = _spent()
    for source in sources:
        cc.create_executable(source.with_suffix(".obj"), [source], ["-O2"], cc=compiler)
    return _spent() - begun


def _spent() -> float:
    """Return the processor's seconds so far, of this process and of all children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _median(measure: Callable[[], float]) -> float:
    measure()
    return statistics.median(measure() for _ in range(RUNS))


def _at_most(what: str, seconds: float, limit: float) -> bool:
    kept = seconds <= limit
    print(f"{what}: {seconds * 1000:.2f} ms, limit {limit * 1000:.0f} ms: {'ok' if kept else 'MISSED'}")
    return kept


def _at_least(what: str, ratio: float, limit: float) -> bool:
    kept = ratio >= limit
    print(f"{what}: {ratio:.0f} x as fast as a compile, at least {limit:.0f}: {'ok' if kept else 'MISSED'}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
