"""The backends are loaded, whatever the environment says of autoload."""

import pytest

from tvm import backend

BUILT_IN = ("cuda", "metal", "rocm", "trn", "opencl", "vulkan", "webgpu", "hexagon", "adreno")


@pytest.fixture(autouse=True, scope="session")
def _loaded() -> None:
    for name in BUILT_IN:
        backend.load(name)
