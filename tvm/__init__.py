"""Build and check ML kernels with every toolchain: the API of Apache TVM's `tvm.support`, one image per toolchain."""

import warnings
from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING

__path__ = extend_path(__path__, __name__)

from tvm import _foreign, _peer
from tvm.backend import _autoload

if TYPE_CHECKING:
    from types import ModuleType

__version__ = "0.1.0"
__all__ = ["__version__", "backend", "error", "ir", "runtime", "script", "support", "target", "tirx"]

_LAZY = frozenset(__all__) - {"__version__"}


def __getattr__(name: str) -> "ModuleType":
    """Import a public subpackage at its first use, so that `import tvm` stays cheap."""
    if name in _LAZY:
        return import_module(f"{__name__}.{name}")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


_foreign.install()
if _found := _peer.installed():
    warnings.warn(_peer.sentence(_found), stacklevel=2)

_autoload.autoload()
