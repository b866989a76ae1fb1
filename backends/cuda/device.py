"""NVIDIA GPUs of this machine, asked of the driver's library.

Numbers are those of the CUDA driver API, CUdevice_attribute.
"""

import ctypes
from collections.abc import Mapping

from tvm.runtime.device_api import Attribute
from tvm.support.devices import Devices, Found, file_of, open_first

_LIBRARIES = ("libcuda.so.1", "nvcuda.dll")
_NO_DEVICE = 100
_NAME_BYTES = 256
_MAJOR, _MINOR = 75, 76
_ATTRIBUTES = {
    "max_threads_per_block": 1,
    "max_num_threads": 1,
    "max_shared_memory_per_block": 8,
    "thread_warp_size": 10,
    "registers_per_block": 12,
    "l2_cache_size_bytes": 38,
}


class _Failed(Exception):
    """A call gave an error; the text says which."""


def ask() -> Found:
    """Return every GPU that the driver shows this process, in its order."""
    library = open_first(_LIBRARIES)
    if library is None:
        return Found(why=f"no NVIDIA driver is installed ({', '.join(_LIBRARIES)})")
    path = file_of(library, "cuInit")
    try:
        devices = tuple(_device(library, index) for index in range(_count(library)))
    except _Failed as error:
        return Found(why=f"{path}: {error}", asked=path)
    return Found(devices=devices, why=f"{path} shows no GPU", asked=path, version=_version(library))


API = Devices("cuda", ask)


def _count(library: ctypes.CDLL) -> int:
    code = library.cuInit(0)
    if code == _NO_DEVICE:
        return 0
    _check(library, "cuInit", code)
    return _integer(library, "cuDeviceGetCount")


def _device(library: ctypes.CDLL, index: int) -> Mapping[str, Attribute]:
    device = _integer(library, "cuDeviceGet", index)
    name = ctypes.create_string_buffer(_NAME_BYTES)
    _check(library, "cuDeviceGetName", library.cuDeviceGetName(name, _NAME_BYTES, device))
    values = {option: _integer(library, "cuDeviceGetAttribute", what, device) for option, what in _ATTRIBUTES.items()}
    major, minor = (_integer(library, "cuDeviceGetAttribute", what, device) for what in (_MAJOR, _MINOR))
    return {"name": name.value.decode(errors="replace"), "arch": f"sm_{major}{minor}", **values}


def _version(library: ctypes.CDLL) -> str:
    number = _integer(library, "cuDriverGetVersion")
    return f"{number // 1000}.{number % 1000 // 10}"


def _integer(library: ctypes.CDLL, function: str, *arguments: int) -> int:
    value = ctypes.c_int()
    _check(library, function, getattr(library, function)(ctypes.byref(value), *arguments))
    return value.value


def _check(library: ctypes.CDLL, function: str, code: int) -> None:
    if code == 0:
        return
    text = ctypes.c_char_p()
    library.cuGetErrorString(code, ctypes.byref(text))
    msg = f"{function} gave the error {code}: {(text.value or b'unknown').decode(errors='replace')}"
    raise _Failed(msg)
