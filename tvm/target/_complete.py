"""What a configuration of some kinds is completed with: the arch of this machine's device, features; and what no arch is."""

import platform
import re
import warnings
from collections.abc import Callable, Mapping
from typing import cast

from tvm.error import TargetError
from tvm.runtime.device_api import get_device_api, why_no_device
from tvm.target._arm import arm
from tvm.target.kind import Config

_CUDA = re.compile(r"sm_\d{2,3}[af]?")
_GFX = re.compile(r"gfx[0-9a-f]+(-[0-9a-z]+)*(:[a-z]+[+-])*")
# The lanes of a subgroup that code for WebGPU is written for.
_SUBGROUP = 32


def host_triple() -> str:
    """Return LLVM's name of this machine's system."""
    systems = {"Darwin": "apple-macos", "Windows": "pc-windows-msvc"}
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{systems.get(platform.system(), 'unknown-linux-gnu')}"


def _llvm(config: Config) -> Config:
    # A CPU without a triple is a CPU of whatever system it will run on; nothing at all is this machine.
    if "mcpu" not in config and "mtriple" not in config:
        return {**config, "mtriple": host_triple()}
    return arm(config)


def _webgpu(config: Config) -> Config:
    lanes = cast("int", config.get("thread_warp_size", 1))
    if lanes > 1 and not config.get("supports_subgroups"):
        msg = f"option 'thread_warp_size' of the target kind 'webgpu': {lanes} lanes work together in subgroups only"
        raise TargetError(msg, fix="add 'supports_subgroups': True, or leave thread_warp_size out")
    return {**config, "thread_warp_size": _SUBGROUP} if lanes <= 1 and config.get("supports_subgroups") else config


def _from_device(
    option: str, device_type: str, otherwise: str, *, spelling: re.Pattern[str], told: str = ""
) -> Callable[[Config], Config]:
    """Return a function that checks how an option is spelt.

    If the option is not given, the first device is asked, which may call it `told`; without a device there is a warning.
    """

    def complete(config: Config) -> Config:
        if option in config:
            return _spelt(config, option, spelling, otherwise)
        api = get_device_api(device_type)
        if api is not None and api.count():
            return {**config, option: api.attributes(0)[told or option]}
        warnings.warn(
            f"the target has no {option!r} and there is no {device_type} device to ask ({why_no_device(device_type)}): it is {otherwise}; "
            f"give it, as in {{'kind': {config['kind']!r}, {option!r}: {otherwise!r}}}",
            stacklevel=2,
        )
        return {**config, option: otherwise}

    return complete


def _spelt(config: Config, option: str, spelling: re.Pattern[str], example: str) -> Config:
    value = str(config[option])
    if spelling.fullmatch(value) is None:
        msg = f"option {option!r} of the target kind {config['kind']!r}: {value!r} is no arch"
        raise TargetError(msg, fix=f"spell it as {example}")
    return config


COMPLETE: Mapping[str, Callable[[Config], Config]] = {
    "c": arm,
    "llvm": _llvm,
    "cuda": _from_device("arch", "cuda", "sm_50", spelling=_CUDA),
    "nvptx": _from_device("mcpu", "cuda", "sm_50", spelling=_CUDA, told="arch"),
    "rocm": _from_device("mcpu", "rocm", "gfx900", spelling=_GFX),
    "webgpu": _webgpu,
}
