import pytest

from tvm.support._cuda import source

_PLAIN = 'extern "C" __global__ void k(float *x) { x[0] = 1.0f; }'


def test_a_plain_kernel_needs_nothing() -> None:
    assert source.needs(_PLAIN) == ()
    assert not source.has_includes(_PLAIN)
    assert not source.uses_nvshmem(_PLAIN)


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        ("uint8_t x;", ("integers",)),
        ("int64_t x;", ("integers",)),
        ("my_uint8_type x; uint8_tt y;", ()),
        ("#include <stdint.h>\nuint8_t x;", ()),
        ("#include <cuda/std/cstdint>\nuint8_t x;", ()),
        ("float x = INFINITY;", ("infinity",)),
        ("float x = NAN;", ("infinity",)),
        ("#include <cmath>\nfloat x = INFINITY;", ()),
        ("#include <cuda/std/cmath>\nfloat x = INFINITY;", ()),
        ('__asm__ __volatile__("");', ("asm",)),
        ('asm volatile("");', ()),
        ("CUtensorMap m;", ("tensor_map",)),
        ("#include <nvshmem.h>", ("nvshmem",)),
        ("uint8_t x; float y = INFINITY;", ("integers", "infinity")),
    ],
)
def test_what_nvrtc_lacks_is_seen_in_the_text(code: str, needs: tuple[str, ...]) -> None:
    assert source.needs(code) == needs


@pytest.mark.parametrize("line", ["#include <x>", '  #  include "x.h"', "\t#include<x>"])
def test_includes_are_seen(line: str) -> None:
    assert source.has_includes(f"// first\n{line}\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#include <nvshmem.h>", True),
        ('# include "nvshmemx.h"', True),
        ("// #include <nvshmem.h>", False),
        ("#include <nvshmem_host.h>", False),
        ("#include <my/nvshmem.h>", False),
    ],
)
def test_nvshmem_is_seen_by_its_include(line: str, expected: bool) -> None:  # noqa: FBT001 - a row of a table
    assert source.uses_nvshmem(line) is expected
