"""Tags of Qualcomm Adreno GPUs, which OpenCL or Vulkan drives. Keys say what a kernel may use beside buffers: clml, textures."""

from collections.abc import Mapping


def _adreno(kind: str, *keys: str) -> Mapping[str, object]:
    return {"kind": kind, "device": "adreno", "keys": ["adreno", kind, "gpu", *keys]}


TAGS: Mapping[str, Mapping[str, object]] = {
    "qcom/adreno-opencl": _adreno("opencl"),
    "qcom/adreno-opencl-clml": _adreno("opencl", "clml"),
    "qcom/adreno-opencl-texture": _adreno("opencl", "texture"),
    "qcom/adreno-vulkan": _adreno("vulkan"),
    "qcom/adreno-vulkan-texture": _adreno("vulkan", "texture"),
}
