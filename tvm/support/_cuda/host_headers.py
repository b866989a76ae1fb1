"""In-memory headers for NVRTC, which has none of the host's: stand-ins for what kernels include, and what it lacks itself."""

import re
from collections.abc import Sequence
from pathlib import Path

PRELUDE = "tvm_prelude.h"

_INTEGERS = """\
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
"""

# Constants, not functions of a header: they stand in constant expressions too.
_INFINITY = """\
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#endif
"""

# cuda.h itself includes host headers. CUDA 13 aligns a tensor map to 128 bytes, CUDA 12 to 64.
_DRIVER = """\
#ifndef TVM_CUDA_H
#define TVM_CUDA_H
#if __CUDACC_VER_MAJOR__ >= 13
#define TVM_CUDA_TENSOR_MAP_ALIGN 128
#else
#define TVM_CUDA_TENSOR_MAP_ALIGN 64
#endif
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef unsigned long long CUdeviceptr;
struct alignas(TVM_CUDA_TENSOR_MAP_ALIGN) CUtensorMap_st { cuuint64_t opaque[16]; };
typedef struct CUtensorMap_st CUtensorMap;
#endif
"""

# What stands in front of a source that uses these names: NVRTC knows none of them.
PRELUDES = {
    "integers": _INTEGERS,
    "infinity": _INFINITY,
    "asm": "#define __asm__ asm\n#define __volatile__ volatile\n",
    "tensor_map": "#include <cuda.h>\n",
    # NVSHMEM 3.4 uses std::is_integral without including it.
    "nvshmem": "#include <type_traits>\n",
}

_FLOAT = """\
#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.175494351e-38F
#define FLT_MAX 3.402823466e+38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
"""

_STD_INTEGERS = "".join(
    f"using ::{sign}int{kind}{bits}_t;\n"
    for sign in ("", "u")
    for kind in ("", "_least", "_fast")
    for bits in (8, 16, 32, 64)
)
_STDINT = f"#if __has_include(<cuda/std/cstdint>)\n#include <cuda/std/cstdint>\n#else\n{_INTEGERS}#endif\n"


def _std(name: str) -> str:
    """Return a header of the C++ library that is libcu++'s, seen as std."""
    return f"#pragma once\n#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"


# memcpy, printf, malloc, assert and the functions of math.h are built into NVRTC.
_BUILT_IN = "#pragma once\n"
STAND_INS = {
    "stdint.h": f"#pragma once\n{_STDINT}",
    "inttypes.h": f"#pragma once\n{_STDINT}",
    "cstdint": "#pragma once\n#include <stdint.h>\n#if __has_include(<cuda/std/cstdint>)\n"
    f"namespace std {{\n{_STD_INTEGERS}using ::intptr_t;\nusing ::uintptr_t;\n}}\n#endif\n",
    "stddef.h": _BUILT_IN,
    "cstddef": _std("cstddef"),
    "limits.h": "#pragma once\n#include <cuda/std/climits>\n",
    "climits": "#pragma once\n#include <cuda/std/climits>\n",
    "float.h": _FLOAT,
    "cfloat": _FLOAT,
    "math.h": f"#pragma once\n{_INFINITY}",
    "cmath": _std("cmath"),
    "stdio.h": _BUILT_IN,
    "cstdio": _BUILT_IN,
    "stdlib.h": _BUILT_IN,
    "cstdlib": _BUILT_IN,
    "string.h": _BUILT_IN,
    "cstring": _BUILT_IN,
    "assert.h": _BUILT_IN,
    "cassert": _BUILT_IN,
    "type_traits": _std("type_traits"),
    "limits": _std("limits"),
    "utility": _std("utility"),
    "cuda.h": _DRIVER,
}

# The headers in which CUDA 12 and 13 give NVRTC its 64-bit integers.
_INTEGER_HEADERS = (
    "cuda_awbarrier_helpers.h",
    "cuda_pipeline_helpers.h",
    "cuda/std/cstdint",
    "cuda/std/__cuda/cstdint_prelude.h",
)
_LONG_LONG = re.compile(r"(typedef\s+(?:signed |unsigned )?|using\s+u?int64_t\s*=\s*(?:signed |unsigned )?)long long\b")


def for_source(needs: Sequence[str], *, includes: bool) -> dict[str, str]:
    """Return the in-memory headers, by name, for a source with these needs that includes something or not."""
    headers = dict(STAND_INS) if includes else {}
    if "tensor_map" in needs:
        headers["cuda.h"] = STAND_INS["cuda.h"]
    if needs:
        headers[PRELUDE] = "#pragma once\n" + "".join(PRELUDES[need] for need in needs)
    return headers


def with_long_integers(headers: dict[str, str], folders: Sequence[Path]) -> dict[str, str]:
    """Return the headers, and mended ones of the toolkit's, with int64_t as `long`, as the host compiler has it.

    NVSHMEM's library was built by one: with NVRTC's own `long long` the names of its functions do not match. In-memory headers
    win over those in folders.
    """
    found = {name: path for name in _INTEGER_HEADERS if (path := _in_folders(name, folders))}
    texts = headers | {name: path.read_text(encoding="utf-8") for name, path in found.items()}
    return {name: _LONG_LONG.sub(r"\1long", text) if name != "cuda.h" else text for name, text in texts.items()}


def _in_folders(name: str, folders: Sequence[Path]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)
