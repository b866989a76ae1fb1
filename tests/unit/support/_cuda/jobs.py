"""Jobs as the tests of the tools need them."""

from pathlib import Path
from typing import Any

from tvm.support._cuda.job import Job, job

KERNEL = 'extern "C" __global__ void k(float *x) { x[0] = 1.0f; }\n'


def make(code: str | Path = KERNEL, target_format: str | None = "cubin", arch: Any = "sm_90a", **given: Any) -> Job:
    """Return a job; what is not given is as plain as can be."""
    words = {"options": None, "default_format": "cubin", "fast_math": False, "timeout": None} | given
    return job(code, target_format, arch, **words)
