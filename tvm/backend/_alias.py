"""tvm.tirx.NAME and its submodules: the very module objects of tvm.backend.NAME."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from tvm import _journal, tirx

_REAL, _ALIAS = "tvm.backend", tirx.__name__


class _Loader:
    """Hands out a module that is imported already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the alias's spec there.
        module.__spec__ = self._spec


class _Finder:
    """Finds tvm.tirx.NAME.REST for every backend that is loaded or being loaded."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name, _, rest = fullname.removeprefix(f"{_ALIAS}.").partition(".")
        if not fullname.startswith(f"{_ALIAS}.") or not rest or name not in self.names:
            return None
        real = f"{_REAL}.{name}.{rest}"
        try:
            module = import_module(real)
        except ModuleNotFoundError as error:
            if error.name != real:
                raise
            return None
        return ModuleSpec(fullname, _Loader(module), is_package=hasattr(module, "__path__"))  # type: ignore[arg-type] # a loader by its methods


_finder = _Finder()
sys.meta_path.insert(0, _finder)


def add(name: str, module: ModuleType) -> None:
    """Make tvm.tirx.NAME the backend's package."""
    _journal.record(lambda: _remove(name, module))
    _finder.names.add(name)
    sys.modules[f"{_ALIAS}.{name}"] = module
    setattr(tirx, name, module)
    add_submodules(name)


def add_submodules(name: str) -> None:
    """Put what is imported of the backend into sys.modules under its other name; the finder does so for what comes later."""
    begin = f"{_REAL}.{name}."
    found = {key: module for key, module in list(sys.modules.items()) if key.startswith(begin)}
    sys.modules.update({f"{_ALIAS}.{name}.{key.removeprefix(begin)}": module for key, module in found.items()})


def _remove(name: str, module: ModuleType) -> None:
    full = f"{_ALIAS}.{name}"
    _finder.names.discard(name)
    for key in [key for key in sys.modules if key == full or key.startswith(f"{full}.")]:
        del sys.modules[key]
    if vars(tirx).get(name) is module:
        delattr(tirx, name)
