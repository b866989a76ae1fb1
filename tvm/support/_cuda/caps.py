"""What each compute capability can do, and how a capability may be given."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from tvm.error import TVMError
from tvm.runtime import get_device_api
from tvm.support._cuda import arch as archs
from tvm.support._cuda.errors import CudaArgumentError
from tvm.target import Target

# The lowest compute capability that has it (CUDA C++ programming guide, "Compute capabilities"; PTX ISA: dp4a needs sm_61).
FP16 = (5, 3)
INT8 = (6, 1)
TENSORCORE = (7, 0)
BF16 = (8, 0)
FP8 = (8, 9)
FP4 = (10, 0)

# From here on an int is the number of an sm_XX name, below it a major version.
_SM_NUMBERS = 50
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.?[a-z])?")
_FIX = 'pass target= an arch such as "sm_90a", or an object whose attribute `arch` or attrs["arch"] is one'


def version_of(target: object) -> str:
    """Return "major.minor" or "major.minor.suffix" of an arch name, or of an object with `arch` or `attrs`."""
    name = arch_name(target)
    if name is None:
        given = "no target" if target is None else f"the target {target!r} names none"
        msg = f"no CUDA architecture: {given}, and no CUDA device is known"
        raise CudaArgumentError(msg, fix=_FIX)
    return archs.parse(name).version


def arch_name(target: object) -> str | None:
    """Return the arch that a target names: a str itself, an attribute `arch`, an entry "arch" of a mapping or of `attrs`.

    Without a target it is that of the current one, else that of the first GPU of this machine.
    """
    if target is None:
        return _named(Target.current()) or _of_device()
    return _named(target)


def _named(target: object) -> str | None:
    attrs = getattr(target, "attrs", None)
    places = (target, getattr(target, "arch", None), _entry(target), _entry(attrs))
    return next((place for place in places if isinstance(place, str) and place), None)


def parse_compute_version(compute_version: str) -> tuple[int, int]:
    """Return major and minor of "9.0" or "9.0.a". TVMError (a RuntimeError) when it is no version."""
    hit = _VERSION.fullmatch(compute_version.strip()) if isinstance(compute_version, str) else None
    if hit is None:
        msg = f"compute version parsing error: {compute_version!r}"
        raise TVMError(msg, fix='spell it "9.0" or "9.0.a"')
    return int(hit[1]), int(hit[2])


def capability(given: object) -> tuple[int, int]:
    """Return major and minor of a version ("9.0.a", 9.0, 90, 9, (9, 0)), of an arch name, or of a target."""
    match given:
        case bool():
            pass
        case int():
            return divmod(given, 10) if given >= _SM_NUMBERS else (given, 0)
        case float():
            return parse_compute_version(str(given))
        case str() if "." in given:
            return parse_compute_version(given)
        case _ if _is_pair(given):
            return int(given[0]), int(given[1])
        case _:
            return parse_compute_version(version_of(given))
    msg = f"no compute version: {given!r}"
    raise CudaArgumentError(msg, fix='pass "9.0", 9.0, 90, (9, 0) or "sm_90"')


def _is_pair(given: object) -> TypeGuard[Sequence[int | str]]:
    return isinstance(given, Sequence) and not isinstance(given, str) and len(given) in {2, 3}


def _of_device() -> str | None:
    api = get_device_api("cuda")
    return str(api.attributes(0)["arch"]) if api is not None and api.count() else None


def _entry(attrs: object) -> object:
    # attrs of a target may be a tvm_ffi.Map, which is no dict but has its methods.
    get = attrs.get if isinstance(attrs, Mapping) else getattr(attrs, "get", None)
    return get("arch") if callable(get) else None
