"""What `import tvm` loads: the nine backends of this distribution, then what the entry points of other ones load."""

import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tvm import _journal
from tvm.backend import _entry_points
from tvm.backend._loader import load
from tvm.base import load_optional_library, runtime_only, switched_on

BUILT_IN = ("cuda", "metal", "rocm", "trn", "opencl", "vulkan", "webgpu", "hexagon", "adreno")
SWITCH = "TVM_DEVICE_BACKEND_AUTOLOAD"
_WORKER = ("-m", "tvm.exec.popen_worker")
_DISTRIBUTION = "tvm-matrix"
_ON = frozenset({"1", "true", "on", "yes"})


def autoload() -> None:
    """Load every backend that TVM_DEVICE_BACKEND_AUTOLOAD does not exclude. What fails leaves no trace but one warning.

    The variable: 0, false, off or no for none; names with commas between them for these alone; otherwise all. With
    TVM_USE_RUNTIME_LIB set only entry points are asked.
    """
    text = os.environ.get(SWITCH, "").strip()
    if _WORKER in zip(sys.orig_argv, sys.orig_argv[1:], strict=False):
        # A program of its own that only needs the name of its package.
        return
    if text and not switched_on(text):
        return
    chosen = None if not text or text.lower() in _ON else frozenset(name.strip() for name in text.split(",")) - {""}
    problems, names = _load_all(chosen)
    problems += [
        f"{SWITCH} names {name!r}, which no distribution provides" for name in sorted((chosen or set()) - names)
    ]
    for problem in problems:
        warnings.warn(problem, stacklevel=3)


def _load_all(chosen: frozenset[str] | None) -> tuple[list[str], set[str]]:
    """Load what is chosen (None: all); return what went wrong and the names that there are."""
    built_in = () if runtime_only() else BUILT_IN
    wanted = [name for name in built_in if chosen is None or name in chosen]
    problems = [_attempt(name, _DISTRIBUTION, partial(load, name)) for name in wanted]
    load_optional_library("tvm_runtime_extra", [Path(__file__).parents[1]])
    points, broken = _entry_points.find()
    wanted_points = [point for point in points if chosen is None or point.name in chosen]
    problems += [_attempt(point.name, point.distribution, point.run) for point in wanted_points]
    return [problem for problem in problems if problem] + broken, {*BUILT_IN, *(point.name for point in points)}


def _attempt(name: str, distribution: str, action: Callable[[], object]) -> str:
    """Run a hook; return "", or what to say of its failure."""
    try:
        with _journal.transaction():
            action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a hook may even call sys.exit(): `import tvm` must not end the program
        return (
            f"the backend {name!r} of the distribution {distribution} was not loaded: {type(error).__name__}: {error}"
        )
    return ""
