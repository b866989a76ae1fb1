"""Choose the engine by its name."""

import os
from typing import cast, get_args

from tvm.error import ConfigError
from tvm.matrix.engine import Engine, discover, local, unable
from tvm.matrix.engine.discover import NoEngineError
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.engine.layout import DEFAULT

VARIABLE = "TVM_MATRIX_ENGINE"
NAMES = (*get_args(discover.Kind), local.NAME)


def select(name: str | None) -> Engine:
    """Return the engine that `name` (--engine), else TVM_MATRIX_ENGINE asks for: auto, docker, podman or local."""
    asked = asked_for(name)
    if asked == local.NAME:
        return local.LocalEngine()
    try:
        return DockerEngine(discover.find(cast("discover.Kind", asked)))
    except NoEngineError:
        why = why_local()
        if asked != "auto" or not why:
            raise
        return local.LocalEngine(why)


def asked_for(name: str | None) -> str:
    """Return the name of the engine that is asked for; a name that none has is a ConfigError."""
    asked = name or os.environ.get(VARIABLE) or "auto"
    if asked not in NAMES:
        origin = "--engine" if name else VARIABLE
        msg = f"{origin} asks for the engine {asked!r}"
        raise ConfigError(msg, fix=f"one of {', '.join(NAMES)}")
    return asked


def why_local() -> str:
    """Return why `auto` means this machine when no engine answers, or nothing: one is installed, and must be mended."""
    if why := unable.read(DEFAULT):
        return f"dockerd cannot run here ({why})"
    return "" if discover.installed(os.environ) else "no container engine is installed"
