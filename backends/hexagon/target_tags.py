"""Tags of Qualcomm Hexagon processors. Source: Hexagon HVX Programmer's Reference Manuals; VTCM sizes are bytes."""

from collections.abc import Mapping

_VECTORS = "+hvx-length128b"
# From v68 on HVX computes floats in a format of its own.
_FLOATS = ("+hvx-qfloat", "-hvx-ieee-fp")


def _hexagon(version: str, vtcm: int, *features: str) -> dict[str, object]:
    return {
        "kind": "hexagon",
        "mtriple": "hexagon",
        "mcpu": f"hexagon{version}",
        "mattr": [f"+hvx{version}", _VECTORS, *features],
        "num-cores": 4,
        "vtcm-capacity": vtcm,
    }


TAGS: Mapping[str, Mapping[str, object]] = {
    "qcom/hexagon-v65": _hexagon("v65", 256 << 10),
    "qcom/hexagon-v66": _hexagon("v66", 256 << 10),
    "qcom/hexagon-v68": {**_hexagon("v68", 4 << 20, *_FLOATS), "llvm-options": ["-force-hvx-float"]},
    "qcom/hexagon-v69": _hexagon("v69", 8 << 20, *_FLOATS),
    "qcom/hexagon-v73": _hexagon("v73", 8 << 20, *_FLOATS),
    "qcom/hexagon-v75": _hexagon("v75", 8 << 20, *_FLOATS),
}
