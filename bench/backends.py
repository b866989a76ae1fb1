"""How long the nine backends take to load, and what a backend of another distribution adds to `import tvm`."""

import functools
import os
import sys
import tempfile
from pathlib import Path

from _ratio import median, report

from tvm.support import process

ROOT = Path(__file__).resolve().parents[1]
RUNS = 9
# Bounds: seconds for the nine backends together; what finding an entry point may cost beside its hook, as a part of `import tvm`.
LOAD_LIMIT = 0.030
HOOK_RATIO = 0.4
HOOK_SECONDS = 0.050
SWITCH = "TVM_DEVICE_BACKEND_AUTOLOAD"

_LOAD = """
import time, tvm
from tvm.backend import load
begun = time.perf_counter()
for name in ("cuda", "metal", "rocm", "trn", "opencl", "vulkan", "webgpu", "hexagon", "adreno"):
    load(name)
print(time.perf_counter() - begun)
"""
_IMPORT = "import time; begun = time.perf_counter(); import {module}; print(time.perf_counter() - begun)"
_HOOK = f"import time\n\n\ndef hook() -> None:\n    time.sleep({HOOK_SECONDS})\n"


def main() -> int:
    """Print every figure; 1 if a bound is missed."""
    ffi = median(functools.partial(_seconds, _IMPORT.format(module="tvm_ffi")), runs=RUNS)
    nine = median(functools.partial(_seconds, _LOAD, autoload="0"), runs=RUNS)
    kept = [report("load of nine backends", nine, against="import tvm_ffi", base=ffi, limit=LOAD_LIMIT)]
    own = median(functools.partial(_seconds, _IMPORT.format(module="tvm")), runs=RUNS)
    with tempfile.TemporaryDirectory() as folder:
        _write_distribution(Path(folder))
        added = median(functools.partial(_added, folder), runs=RUNS)
    limit = HOOK_SECONDS + HOOK_RATIO * own
    kept.append(report(f"a hook of {HOOK_SECONDS} s adds", added, against="import tvm", base=own, limit=limit))
    return 0 if all(kept) else 1


def _added(folder: str) -> float:
    # One after the other, so that both see the machine equally busy.
    code = _IMPORT.format(module="tvm")
    return _seconds(code, folder) - _seconds(code)


def _write_distribution(folder: Path) -> None:
    """Write what an installed distribution with a hook looks like."""
    metadata = folder / "tvm_bench_hook-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tvm-bench-hook\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[tvm.backends]\nbench = tvm_bench_hook:hook\n", encoding="utf-8")
    (folder / "tvm_bench_hook.py").write_text(_HOOK, encoding="utf-8")


def _seconds(code: str, *path: str, autoload: str = "1") -> float:
    """Return what a new process prints: the seconds that it measured itself."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *path]), SWITCH: autoload}
    return float(process.run([sys.executable, "-c", code], cwd=ROOT, env=environment, timeout=60.0).output)


if __name__ == "__main__":
    sys.exit(main())
