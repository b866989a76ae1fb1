"""Run a cubin on the machine's GPU, where the box was given one (`--gpu`)."""

import ctypes
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.matrix.cuda import Source, number
from tests.matrix.evidence import Evidence, compiled, executed
from tests.matrix.launches import LAUNCHES, AnyArray, Launch, Word, compare

# The bindings are in the images, not where the tree is type-checked.
driver: Any = import_module("cuda.bindings.driver")


def run(product: Path, source: Source, arch: str) -> Evidence:
    """Run a kernel and compare its result, if there is a GPU that the cubin is for; else say why it was not run."""
    capability = _capability()
    if capability is None:
        # It was made, and that is all that is known here: nothing was read or run.
        return compiled("no GPU", "not run: no device")
    if not _runs(arch, capability):
        return compiled(
            "no GPU for it", f"not run: the device is of compute capability {capability // 10}.{capability % 10}"
        )
    launch = LAUNCHES[source.name]()
    return executed("CUDA driver", compare(launch, _launched(product, source.name, launch)))


@lru_cache(maxsize=1)
def _capability() -> int | None:
    """Return the device's compute capability, 90 for 9.0, or None where there is no driver or no device."""
    try:
        (code,) = driver.cuInit(0)
    except RuntimeError:
        # What cuda-bindings raises where libcuda is not there.
        return None
    if code != driver.CUresult.CUDA_SUCCESS:
        return None
    device = _done(driver.cuDeviceGet(0))
    _done(driver.cuCtxSetCurrent(_done(driver.cuDevicePrimaryCtxRetain(device))))
    names = driver.CUdevice_attribute
    major = _done(driver.cuDeviceGetAttribute(names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = _done(driver.cuDeviceGetAttribute(names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    return int(major) * 10 + int(minor)


def _runs(arch: str, capability: int) -> bool:
    """Code of a suffix runs on its own arch only, other code on later ones of the same major version too."""
    wanted = number(arch)
    if arch[-1] == "a":
        return wanted == capability
    return wanted // 10 == capability // 10 and wanted <= capability


def _launched(product: Path, kernel: str, launch: Launch) -> AnyArray:
    module = _done(driver.cuModuleLoadData(product.read_bytes()))
    result = np.zeros_like(launch.expected)
    buffers = [_buffer(result if word is None else word) for word in launch.words if not _is_number(word)]
    try:
        function = _done(driver.cuModuleGetFunction(module, kernel.encode()))
        addresses = iter(buffers)
        values = [_value(word, addresses) for word in launch.words]
        arguments = (tuple(value.value for value in values), tuple(type(value) for value in values))
        _done(driver.cuLaunchKernel(function, *launch.blocks, 1, launch.threads, 1, 1, 0, 0, arguments, 0))
        _done(driver.cuCtxSynchronize())
        place = next(address for address, word in zip(buffers, _arrays(launch), strict=True) if word is None)
        _done(driver.cuMemcpyDtoH(result.ctypes.data, place, result.nbytes))
    finally:
        for address in buffers:
            _done(driver.cuMemFree(address))
        _done(driver.cuModuleUnload(module))
    return result


def _arrays(launch: Launch) -> list[Word]:
    return [word for word in launch.words if not _is_number(word)]


def _is_number(word: Word) -> bool:
    return isinstance(word, ctypes.c_int | ctypes.c_size_t)


def _value(word: Word, addresses: Any) -> Any:
    return word if _is_number(word) else ctypes.c_void_p(int(next(addresses)))


def _buffer(array: Any) -> Any:
    address = _done(driver.cuMemAlloc(array.nbytes))
    _done(driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes))
    return address


def _done(answer: tuple[Any, ...]) -> Any:
    """Return what a call of the driver gave; fail by the driver's own name for an error."""
    code, *given = answer
    assert code == driver.CUresult.CUDA_SUCCESS, code
    return given[0] if given else None
