"""The functions that a foreign caller finds: registered with tvm_ffi when it is first imported, before anyone can ask it.

`import tvm` neither imports tvm_ffi, which takes longer than all of tvm, nor the modules of the functions.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    # Its module imports much that nothing else here needs.
    from importlib.abc import Loader

# The seed's names, each with MODULE:FUNCTION.
TABLE = {
    "s_tir.meta_schedule.builder.export_ndk": "tvm.support.ndk:_ndk_export",
    "tvm_callback_cuda_compile": "tvm.support.nvcc:tvm_callback_cuda_compile",
    "tvm_callback_libdevice_path": "tvm.support.nvcc:find_libdevice_path",
    "tvm.support.nvcc.get_compute_version": "tvm.support.nvcc:get_target_compute_version",
    "tvm.support.nvcc.supports_bf16": "tvm.support.nvcc:have_bf16",
    "tvm.support.nvcc.supports_fp8": "tvm.support.nvcc:have_fp8",
    "tvm.support.nvcc.supports_fp4": "tvm.support.nvcc:have_fp4",
    "tvm_callback_rocm_link": "tvm.support.rocm:callback_rocm_link",
    "tvm_callback_rocm_bitcode_path": "tvm.support.rocm:callback_rocm_bitcode_path",
    "tvm_callback_rocm_get_arch": "tvm.support.rocm:get_rocm_arch",
}
_FFI = "tvm_ffi"


def install() -> None:
    """See to it that tvm_ffi has the functions of TABLE: now if it is imported, else when it is."""
    if _FFI in sys.modules:
        register(sys.modules[_FFI])
    else:
        sys.meta_path.insert(0, _Finder())


def register(ffi: ModuleType) -> None:
    """Register a forwarder for each function: its module is imported at the first call. A name that is taken stays as it is."""
    taken = set(import_module(f"{_FFI}.registry").list_global_func_names())
    for name, place in TABLE.items():
        if name not in taken:
            ffi.register_global_func(name, _forwarder(place))


def _forwarder(place: str) -> Callable[..., object]:
    module, _, function = place.partition(":")

    def forward(*arguments: object) -> object:
        called = getattr(import_module(module), function)
        try:
            return called(*arguments)
        except ValueError as error:
            # tvm_ffi takes an error whose exact class it does not know for a RuntimeError.
            raise ValueError(str(error)) from error

    return forward


class _Finder:
    """Finds tvm_ffi as the import system would, and hands it over to `_Loader`, until it has been imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of tvm_ffi with our loader around its own; of no other module."""
        if name != _FFI:
            return None
        others = (finder.find_spec for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (find(name, path, target) for find in others)), None)
        if spec and spec.loader:
            spec.loader = cast("Loader", _Loader(spec.loader, self))
        return spec


class _Loader:
    """Executes the module by its own loader, which it has from then on, and registers the functions."""

    def __init__(self, own: "Loader", finder: _Finder) -> None:
        """Keep the module's own loader, and who has found it."""
        self._own = own
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the module as its own loader does."""
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, register, and be gone."""
        module.__loader__ = self._own
        if module.__spec__:
            module.__spec__.loader = self._own
        self._own.exec_module(module)
        register(module)
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
