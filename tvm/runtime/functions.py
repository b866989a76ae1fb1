"""Global functions of apache-tvm-ffi, registered when it is there: to import it takes as long as all the rest of `import tvm`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tvm import _journal
from tvm.error import RegistryError

if TYPE_CHECKING:
    import tvm_ffi


def register_global_func(name: str, function: Callable[..., Any], *, override: bool = False) -> None:
    """Register a global function. RegistryError for a name that is taken, unless `override`."""
    ffi = _ffi()
    before = ffi.get_global_func(name, allow_missing=True)
    if before is not None and not override:
        msg = f"the global function {name!r} is registered already"
        raise RegistryError(msg, fix="pass override=True to replace it, or choose another name")
    ffi.register_global_func(name, function, override=override)
    _journal.record(lambda: _restore(name, before))


def remove_global_func(name: str) -> None:
    """Remove a global function. RegistryError when there is none."""
    ffi = _ffi()
    before = ffi.get_global_func(name, allow_missing=True)
    if before is None:
        msg = f"no global function {name!r} is registered"
        raise RegistryError(msg)
    ffi.remove_global_func(name)
    _journal.record(lambda: _restore(name, before))


def _restore(name: str, before: "tvm_ffi.Function | None") -> None:
    if before is None:
        _ffi().remove_global_func(name)
    else:
        _ffi().register_global_func(name, before, override=True)


def _ffi() -> "Any":
    import tvm_ffi  # noqa: PLC0415 - see above

    return tvm_ffi
