"""Pipelines: which passes a kernel goes through, by name."""

from collections.abc import Callable
from typing import NamedTuple

from tvm._registry import Registry


class Pipeline(NamedTuple):
    """Names of passes in their order: of the whole module, then of what runs on the host and on the device."""

    passes: tuple[str, ...]
    host: tuple[str, ...] = ()
    device: tuple[str, ...] = ()


PipelineFactory = Callable[..., Pipeline]

_PIPELINES: Registry[str, PipelineFactory] = Registry("a pipeline")


def register_tir_pipeline(name: str, factory: PipelineFactory, *, override: bool = False) -> PipelineFactory:
    """Register what makes a pipeline; it is called with the options of get_tir_pipeline."""
    return _PIPELINES.register(name, factory, override=override)


def unregister_tir_pipeline(name: str) -> None:
    """Remove a pipeline."""
    _PIPELINES.unregister(name)


def get_tir_pipeline(name: str, **options: object) -> Pipeline:
    """Make the pipeline of this name. RegistryError, which is a ValueError, lists the known ones."""
    return _PIPELINES[name](**options)


def list_tir_pipelines() -> list[str]:
    """Return the names of all pipelines, sorted."""
    return _PIPELINES.names()
