import re
from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import touch
from tvm.support._cuda import host_headers
from tvm.support._cuda.host_headers import PRELUDE, PRELUDES, STAND_INS


def test_a_plain_kernel_gets_no_header_at_all() -> None:
    assert host_headers.for_source((), includes=False) == {}


def test_a_source_that_includes_something_gets_the_stand_ins() -> None:
    made = host_headers.for_source((), includes=True)

    assert {"stdint.h", "cstdint", "stdio.h", "assert.h", "type_traits", "cuda.h"} <= made.keys()
    assert PRELUDE not in made


@pytest.mark.parametrize("need", sorted(PRELUDES))
def test_only_what_is_needed_stands_in_front(need: str) -> None:
    assert host_headers.for_source((need,), includes=False)[PRELUDE] == f"#pragma once\n{PRELUDES[need]}"


def test_a_tensor_map_brings_the_header_that_defines_it() -> None:
    assert host_headers.for_source(("tensor_map",), includes=False)["cuda.h"] == STAND_INS["cuda.h"]


@pytest.mark.parametrize("name", sorted(STAND_INS))
def test_every_stand_in_may_be_included_twice(name: str) -> None:
    assert re.match(r"#pragma once\n|#ifndef (\w+)\n#define \1\n", STAND_INS[name])


def test_stand_ins_include_libcudacxx_or_each_other_and_nothing_else() -> None:
    included = {name for text in STAND_INS.values() for name in re.findall(r"#include <([^>]+)>", text)}

    assert {name for name in included if not name.startswith("cuda/std/")} <= STAND_INS.keys()


def test_for_nvshmem_64_bit_integers_are_long(tmp_path: Path) -> None:
    """Its library was built by a host compiler; with NVRTC's own the names of its functions do not match."""
    touch(
        tmp_path / "cuda_pipeline_helpers.h", "typedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\n"
    )
    touch(
        tmp_path / "cuda/std/cstdint",
        "using int64_t  = signed long long;\nusing uint64_t = unsigned long long;\nlong long keep;\n",
    )

    made = host_headers.with_long_integers(host_headers.for_source(("integers",), includes=True), [tmp_path])

    assert made["cuda_pipeline_helpers.h"] == "typedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\n"
    assert (
        made["cuda/std/cstdint"] == "using int64_t  = signed long;\nusing uint64_t = unsigned long;\nlong long keep;\n"
    )
    assert "typedef unsigned long uint64_t;" in made[PRELUDE]
    assert "typedef unsigned long long uint64_t;" not in made["stdint.h"]
    assert made["cuda.h"] == STAND_INS["cuda.h"]
    assert "cuda_awbarrier_helpers.h" not in made
