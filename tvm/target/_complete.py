"""What a configuration of some kinds is completed with: the arch of this machine's device, the features of an Arm CPU."""

import platform
import warnings
from collections.abc import Callable, Mapping

from tvm.runtime.device_api import get_device_api, why_no_device
from tvm.target.kind import Config

# What Arm CPUs have beyond Advanced SIMD, by LLVM's names. Source: LLVM, AArch64Processors.td; Arm's product pages.
_V8_2 = ("dotprod", "fp16_simd")
_V9 = (*_V8_2, "matmul_i8", "sve")
_ARM_CPUS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("cortex-a55", "cortex-a75", "cortex-a76", "cortex-a77", "cortex-a78", "cortex-x1"), _V8_2),
    **dict.fromkeys(("cortex-a78c", "cortex-a78ae", "neoverse-n1", "apple-a13", "apple-a14", "apple-m1"), _V8_2),
    **dict.fromkeys(("cortex-a510", "cortex-a520", "cortex-a710", "cortex-a715", "cortex-a720", "cortex-a725"), _V9),
    **dict.fromkeys(("cortex-x2", "cortex-x3", "cortex-x4", "cortex-x925", "grace"), _V9),
    **dict.fromkeys(("neoverse-n2", "neoverse-n3", "neoverse-v1", "neoverse-v2", "neoverse-v3", "neoverse-v3ae"), _V9),
    **dict.fromkeys(("ampere1", "apple-a15", "apple-a16", "apple-m2", "apple-m3"), (*_V8_2, "matmul_i8")),
    "apple-m4": (*_V8_2, "matmul_i8", "sme"),
    "carmel": ("fp16_simd",),
    "a64fx": ("fp16_simd", "sve"),
}
# Attributes of LLVM that say the same.
_ARM_ATTRIBUTES = {
    "+neon": "asimd",
    "+dotprod": "dotprod",
    "+fullfp16": "fp16_simd",
    "+i8mm": "matmul_i8",
    "+sve": "sve",
    "+sve2": "sve",
    "+sme": "sme",
}
_ARM_FEATURES = ("asimd", "dotprod", "fp16_simd", "matmul_i8", "sme", "sve")
_64_BIT = ("aarch64", "arm64", "armv8", "armv9")


def host_triple() -> str:
    """Return LLVM's name of this machine's system."""
    systems = {"Darwin": "apple-macos", "Windows": "pc-windows-msvc"}
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{systems.get(platform.system(), 'unknown-linux-gnu')}"


def _llvm(config: Config) -> Config:
    # A CPU without a triple is a CPU of whatever system it will run on; nothing at all is this machine.
    if "mcpu" not in config and "mtriple" not in config:
        return {**config, "mtriple": host_triple()}
    triple = str(config.get("mtriple", ""))
    return _arm(config, triple) if triple.startswith(("arm", "aarch64", "thumb")) else config


def _arm(config: Config, triple: str) -> Config:
    attributes = config.get("mattr", [])
    stated = {_ARM_ATTRIBUTES.get(text) for text in attributes} if isinstance(attributes, list) else set()
    found = {*_ARM_CPUS.get(str(config.get("mcpu", "")), ()), *stated}
    if triple.startswith(_64_BIT):
        found.add("asimd")
    features: Config = {f"feature.has_{name}": name in found for name in _ARM_FEATURES}
    # Only this spelling counts: a triple that says arm64 has always had the 32-bit answer here.
    features["feature.is_aarch64"] = triple.startswith("aarch64")
    return {"keys": ["arm_cpu", "cpu"], **config, **features}


def _from_device(option: str, device_type: str, otherwise: str, *, told: str = "") -> Callable[[Config], Config]:
    """Return a function that asks the first device for an option, which it may call `told`, and warns when there is none to ask."""

    def complete(config: Config) -> Config:
        if option in config:
            return config
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


COMPLETE: Mapping[str, Callable[[Config], Config]] = {
    "llvm": _llvm,
    "cuda": _from_device("arch", "cuda", "sm_50"),
    "nvptx": _from_device("mcpu", "cuda", "sm_50", told="arch"),
    "rocm": _from_device("mcpu", "rocm", "gfx900"),
}
