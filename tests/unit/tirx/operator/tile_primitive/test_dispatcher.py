from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.unit.registries import undone
from tvm.error import DispatchError, RegistryError
from tvm.target import Target
from tvm.tirx.operator.tile_primitive.dispatcher import (
    DispatchFail,
    fail,
    list_registered_schedules,
    predicate,
    register_dispatch,
    run_dispatch,
    unregister_dispatch,
)


@dataclass(frozen=True)
class Call:
    op: str = "copy"
    dispatch: str | None = None


@dataclass(frozen=True)
class Context:
    target: Target = Target("webgpu")  # noqa: RUF009 - a target does not change


@pytest.fixture(autouse=True)
def _undone() -> Iterator[None]:
    with undone():
        yield


def case(variant: str, result: object, *, priority: int = 0, **options: object) -> None:
    def impl(_call: Call, _context: Context) -> object:
        if isinstance(result, Exception):
            raise result
        return result

    register_dispatch("copy", "webgpu", variant=variant, priority=priority, **options)(impl)  # type: ignore[arg-type] # `when`


def dispatch(variant: str | None = None, op: str = "copy") -> object:
    return run_dispatch(Call(op, variant), Context())


class TestOrder:
    def test_the_highest_priority_is_asked_first_then_the_first_name(self) -> None:
        case("b", "b", priority=10)
        case("a", "a", priority=10)
        case("c", "c", priority=20)
        assert dispatch() == "c"
        unregister_dispatch("copy", "webgpu", "c")
        assert dispatch() == "a"

    def test_one_that_refuses_makes_way(self) -> None:
        case("first", None, priority=3)
        case("second", DispatchFail("not today"), priority=2)
        case("third", ValueError("broken"), priority=1)
        case("last", "last")
        assert dispatch() == "last"

    def test_one_that_is_asked_for_is_the_only_one(self) -> None:
        case("first", "first", priority=3)
        case("second", "second")
        assert dispatch("second") == "second"

    def test_another_target_kind_has_its_own(self) -> None:
        case("first", "first")
        with pytest.raises(DispatchError, match="copy has no implementation for the target kind c"):
            run_dispatch(Call(), Context(Target("c")))


class TestPredicates:
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (lambda *_: False, "wide"),
            (lambda *_: (False, "8 is no power of 3"), "8 is no power of 3"),
            (lambda *_: fail("no shared memory"), "no shared memory"),
            (lambda *_: 1 / 0, "wide: ZeroDivisionError: division by zero"),
        ],
    )
    def test_one_that_does_not_hold_is_the_reason(self, answer: object, reason: str) -> None:
        case("only", "only", when=[predicate("wide", answer)])  # type: ignore[arg-type] # what it answers differs
        with pytest.raises(DispatchError, match=rf"only +\| +0 \| {reason}\n"):
            dispatch()

    @pytest.mark.parametrize("answer", [True, (True, "because")])
    def test_one_that_holds(self, *, answer: bool | tuple[bool, str]) -> None:
        case("only", "only", when=[predicate("wide", lambda *_: answer)])
        assert dispatch() == "only"

    def test_options_are_passed_on(self) -> None:
        case("only", "only", when=[predicate("wide", lambda _call, _context, *, least: least == 4, least=4)])
        assert dispatch() == "only"


class TestReports:
    def test_every_variant_with_its_reason(self) -> None:
        case("vectors", None, priority=10)
        case("threads", DispatchFail("one thread alone"))
        broken = ValueError("no such scope")
        case("broken", broken, priority=5)
        with pytest.raises(DispatchError) as caught:
            dispatch()
        lines = str(caught.value).splitlines()
        assert lines[:6] == [
            "no variant of copy for webgpu accepts the call",
            "  variant | priority | refused because",
            "  vectors |       10 | returned nothing",
            "  broken  |        5 | ValueError: no such scope",
            "  threads |        0 | one thread alone",
            "call: Call(op='copy', dispatch=None)",
        ]
        assert "Traceback" in str(caught.value)
        assert caught.value.__cause__ is broken

    def test_an_unknown_variant_lists_the_known_ones(self) -> None:
        case("vectors", "x")
        with pytest.raises(DispatchError, match=r"(?s)no variant 'vector' for the target kind webgpu.*vectors"):
            dispatch("vector")

    def test_an_operation_without_any(self) -> None:
        with pytest.raises(DispatchError, match="absent has no implementation for the target kind webgpu"):
            dispatch(op="absent")


def test_a_variant_is_registered_once() -> None:
    case("vectors", "x")
    with pytest.raises(RegistryError, match="registered already as an implementation of a tile operation"):
        case("vectors", "y")


def test_all_are_listed() -> None:
    case("b", "x")
    case("a", "x")
    assert list_registered_schedules()["copy"]["webgpu"] == ["a", "b"]
