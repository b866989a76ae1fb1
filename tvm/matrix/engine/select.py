"""Choose the engine by its name."""

import os
from typing import cast, get_args

from tvm.error import ConfigError
from tvm.matrix.engine import Engine, discover
from tvm.matrix.engine.docker import DockerEngine

_VARIABLE = "TVM_MATRIX_ENGINE"


def select(name: str | None) -> Engine:
    """Return the engine that `name` (--engine), else TVM_MATRIX_ENGINE asks for: auto, docker or podman."""
    asked = name or os.environ.get(_VARIABLE) or "auto"
    kinds = get_args(discover.Kind)
    if asked not in kinds:
        origin = "--engine" if name else _VARIABLE
        msg = f"{origin} asks for the engine {asked!r}"
        raise ConfigError(msg, fix=f"one of {', '.join(kinds)}")
    return DockerEngine(discover.find(cast("discover.Kind", asked)))
