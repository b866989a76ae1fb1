from collections.abc import Callable

from tvm.backend.cuda import script
from tvm.ir import Expr


def test_the_namespaces_are_made_once() -> None:
    first, second = script.namespaces(), script.namespaces()
    assert list(first) == list(script.NAMES)
    assert all(first[name] is second[name] for name in script.NAMES)


def test_those_with_a_wrapper_are_new_ones() -> None:
    def wrap(builder: Callable[..., Expr]) -> Callable[..., Expr]:
        return builder

    first, second = script.namespaces(wrap), script.namespaces(wrap)
    assert all(first[name] is not second[name] for name in script.NAMES)


def test_every_operation_is_found_by_its_prefix() -> None:
    found = script.TABLES.operations("tirx.")
    assert {"tirx.cuda.warp_reduce", "tirx.mma_fill", "tirx.timer_init_cuda", "tirx.s_tir.ldg32"} <= set(found)
    assert "tirx.cuda.warp_sum" not in found
