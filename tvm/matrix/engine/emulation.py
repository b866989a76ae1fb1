"""Tell whether the engine's machine has to emulate an image: that works, and is slow."""

from typing import Any

from tvm.matrix.engine import PreparedImage
from tvm.matrix.engine.client import Client, engine_errors, inspect_image

# What the kernel calls an architecture -> what engines call it.
_ENGINES_NAMES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}
# A machine runs the programs of its smaller sister itself, as a rule.
_KNOWN_TOGETHER = (frozenset(("amd64", "386")), frozenset(("arm64", "arm")))


def why(client: Client, image: PreparedImage) -> str:
    """Return the sentence that warns of emulation, or nothing: the machine runs the image's programs itself."""
    with engine_errors("describe itself"):
        told: dict[str, Any] = client.info()
    machine = _name(str(told.get("Architecture") or ""))
    found = inspect_image(client, image.image_id) or {}
    wanted = _name(str(found.get("Architecture") or ""))
    # An engine that does not tell is no reason to claim anything.
    if not machine or not wanted or machine == wanted or {machine, wanted} in _KNOWN_TOGETHER:
        return ""
    return f"image {image.name} is for {wanted} and the engine's machine is {machine}: emulated, many times slower"


def _name(architecture: str) -> str:
    return _ENGINES_NAMES.get(architecture, architecture)
