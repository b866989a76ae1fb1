"""What an Arm processor can, as features of a target: from its triple, its name and the attributes that are given."""

from collections.abc import Iterable, Mapping

from tvm.target.kind import Config

_KEYS = ("arm_cpu", "cpu")
_FEATURES = {
    "has_asimd": "neon",
    "has_dotprod": "dotprod",
    "has_fp16_simd": "fullfp16",
    "has_matmul_i8": "i8mm",
    "has_sme": "sme",
    "has_sve": "sve",
}

# What each attribute of LLVM switches on with it. Source: LLVM, AArch64Features.td and ARMFeatures.td.
_IMPLIED: Mapping[str, tuple[str, ...]] = {
    "neon": ("fp-armv8",),
    "fullfp16": ("fp-armv8",),
    "fp16fml": ("fullfp16",),
    "dotprod": ("neon",),
    "sve": ("fullfp16",),
    "sve2": ("sve",),
    "sve2p1": ("sve2",),
    "sme": ("fullfp16",),
    "sme2": ("sme",),
    "v8.4a": ("dotprod",),
    "v8.5a": ("v8.4a",),
    "v8.6a": ("v8.5a", "i8mm"),
    "v8.7a": ("v8.6a",),
    "v8.8a": ("v8.7a",),
    "v8.9a": ("v8.8a",),
    "v9a": ("v8.5a",),
    "v9.1a": ("v9a", "v8.6a"),
    "v9.2a": ("v9.1a",),
    "v9.3a": ("v9.2a",),
    "v9.4a": ("v9.3a",),
}
# What 32-bit code has not got, or (fp-armv8) does not need for the rest.
_64_BIT_ONLY = frozenset({"fp-armv8", "sme", "sme2", "sve", "sve2", "sve2p1"})

# What Arm CPUs have beyond Advanced SIMD, by LLVM's names. Source: LLVM, AArch64Processors.td; Arm's product pages.
_V8_2 = ("dotprod", "fullfp16")
_V9 = (*_V8_2, "i8mm", "sve")
_CPUS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("cortex-a55", "cortex-a75", "cortex-a76", "cortex-a77", "cortex-a78", "cortex-x1"), _V8_2),
    **dict.fromkeys(("cortex-a78c", "cortex-a78ae", "neoverse-n1", "apple-a13", "apple-a14", "apple-m1"), _V8_2),
    **dict.fromkeys(("cortex-a510", "cortex-a520", "cortex-a710", "cortex-a715", "cortex-a720", "cortex-a725"), _V9),
    **dict.fromkeys(("cortex-x2", "cortex-x3", "cortex-x4", "cortex-x925", "grace"), _V9),
    **dict.fromkeys(("neoverse-n2", "neoverse-n3", "neoverse-v1", "neoverse-v2", "neoverse-v3", "neoverse-v3ae"), _V9),
    **dict.fromkeys(("ampere1", "apple-a15", "apple-a16", "apple-m2", "apple-m3"), (*_V8_2, "i8mm")),
    "apple-m4": (*_V8_2, "i8mm", "sme"),
    "carmel": ("fullfp16",),
    "a64fx": ("fullfp16", "sve"),
}
# Processors that have Advanced SIMD in 32-bit mode too. Source: LLVM, ARMProcessors.td.
_NEON_32 = frozenset(
    {
        *(f"cortex-a{number}" for number in (5, 7, 8, 9, 12, 15, 17, 32, 35, 53, 55, 57, 72, 73, 75, 76, 77, 78)),
        *("cortex-a78ae", "cortex-a78c", "cortex-x1", "neoverse-n1", "neoverse-n2", "neoverse-v1"),
    }
)

# The microcontrollers, and which of them have the DSP extension and the vector extension MVE. Source: Arm's product pages.
_M_MVE = frozenset({"cortex-m52", "cortex-m55", "cortex-m85"})
_M_DSP = _M_MVE | {"cortex-m4", "cortex-m7", "cortex-m33", "cortex-m35p"}
_M_CPUS = _M_DSP | {"cortex-m0", "cortex-m0plus", "cortex-m1", "cortex-m3", "cortex-m23"}


def arm(config: Config) -> Config:
    """Return the configuration with the features and the keys of an Arm processor, or as it is for another one."""
    cpu, *extensions = str(config.get("mcpu", "")).split("+")
    triple = str(config.get("mtriple", ""))
    if cpu in _M_CPUS:
        return _with(config, _of_m_profile(cpu, extensions))
    if triple.startswith(("arm", "aarch64")):
        return _with(config, _of_a_profile(triple, cpu, config.get("mattr", [])))
    return config


def _with(config: Config, features: Mapping[str, bool]) -> Config:
    keys = config.get("keys", [])
    named = {f"feature.{name}": value for name, value in features.items()}
    return {**config, **named, "keys": [*(keys if isinstance(keys, list) else []), *_KEYS]}


def _of_m_profile(cpu: str, extensions: Iterable[str]) -> dict[str, bool]:
    """Return the features of a microcontroller; `extensions` are those of its name: "nodsp", "nomve", "nomve.fp"."""
    off = {word.partition(".")[0] for word in extensions}
    return {"has_dsp": cpu in _M_DSP and "nodsp" not in off, "has_mve": cpu in _M_MVE and "nomve" not in off}


def _of_a_profile(triple: str, cpu: str, attributes: object) -> dict[str, bool]:
    architecture = triple.partition("-")[0]
    wide = architecture.startswith(("aarch64", "arm64", "armv8", "armv9"))
    on = _added(_CPUS.get(cpu, ()))
    if wide or cpu in _NEON_32 or architecture.startswith(("armv7", "armebv7")):
        on |= _added(["neon"])
    if architecture.startswith("armv9"):
        on |= _added(["v9a"])
    words = attributes if isinstance(attributes, list) else []
    on = _switched(on, [word for word in words if wide or word[1:] not in _64_BIT_ONLY])
    # Only this spelling counts: a triple that says arm64 has always had the 32-bit answer here.
    features = {"is_aarch64": architecture.startswith("aarch64")}
    return features | {
        name: attribute in on and (wide or attribute not in _64_BIT_ONLY) for name, attribute in _FEATURES.items()
    }


def _switched(on: set[str], attributes: Iterable[str]) -> set[str]:
    """Return what is on after "+name" and "-name" were read from left to right, as LLVM does."""
    for attribute in attributes:
        name = attribute[1:]
        if attribute.startswith("+"):
            on |= _added([name])
        elif attribute.startswith("-"):
            # What needs it goes with it.
            on = {other for other in on if name not in _added([other])}
    return on


def _added(names: Iterable[str]) -> set[str]:
    """Return attributes with all that they switch on."""
    found: set[str] = set()
    for name in names:
        found |= {name} | _added(_IMPLIED.get(name, ()))
    return found
