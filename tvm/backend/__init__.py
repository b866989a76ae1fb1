"""Backends: cuda, metal, rocm, trn, opencl, vulkan, webgpu, hexagon, adreno, and those of other distributions."""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)

from tvm.backend._loader import is_loaded, load

__all__ = ["is_loaded", "load"]
