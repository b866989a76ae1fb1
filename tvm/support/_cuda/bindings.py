"""NVIDIA's own Python bindings of its libraries, loaded at their first use."""

from importlib import import_module
from typing import Any

from tvm.error import ToolNotFound

_FIX = "pip install 'tvm-matrix[cuda]' (cuda-bindings, cuda-pathfinder and the NVRTC, nvJitLink and nvfatbin wheels)"


def load(name: str) -> Any:
    """Return the module cuda.bindings.NAME. ToolNotFound when it, or the library that it binds, is not there."""
    module = f"cuda.bindings.{name}"
    try:
        found = import_module(module)
        path(name)
    except ImportError as error:
        msg = f"cannot import {module}: {error}"
        raise ToolNotFound(msg, looked=["sys.path"], fix=_FIX) from error
    except RuntimeError as error:
        msg = f"cannot load the library of {module}: {error}"
        raise ToolNotFound(msg, looked=["wheels, conda and the system's libraries"], fix=_FIX) from error
    return found


def path(name: str) -> str:
    """Return the file of the library that cuda.bindings.NAME calls."""
    pathfinder = import_module("cuda.pathfinder")
    spelled = {"nvjitlink": "nvJitLink"}.get(name, name)
    found: str | None = pathfinder.load_nvidia_dynamic_lib(spelled).abs_path
    return found or spelled
