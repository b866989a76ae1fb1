"""Finds the implementation of a tile operation for a call on a target, and says why each of the others refused it."""

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tvm._registry import Registry
from tvm.error import DispatchError


class DispatchFail(Exception):
    """An implementation refuses a call; the text says why."""


class _Target(Protocol):
    @property
    def kind(self) -> object: ...


class Context(Protocol):
    """What an implementation is told beside the call: the target at least."""

    @property
    def target(self) -> _Target:
        """The target that the call is compiled for; its kind selects the implementations."""
        ...


class TileCall(Protocol):
    """What is dispatched: an operation, and the variant that the user insists on, if any."""

    @property
    def op(self) -> object:
        """The operation, or its name."""
        ...

    @property
    def dispatch(self) -> str | None:
        """The one variant to use; None for the best that accepts."""
        ...


Answer = bool | tuple[bool, str]
Implementation = Callable[..., object]
F = TypeVar("F", bound=Implementation)
# (operation, target kind, variant)
_Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """A named condition on a call; `options` are passed to the function as keywords."""

    name: str
    function: Callable[..., Answer]
    options: dict[str, object] = field(default_factory=dict)

    def refusal(self, call: TileCall, context: Context) -> str | None:
        """Return why the call is refused, or None. An exception counts as a refusal, with its text."""
        try:
            answer = self.function(call, context, **self.options)
        except DispatchFail as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - a condition that cannot be asked does not hold
            return f"{self.name}: {type(error).__name__}: {error}"
        accepted, reason = answer if isinstance(answer, tuple) else (answer, "")
        return None if accepted else reason or self.name


@dataclass(frozen=True, kw_only=True)
class DispatchCase:
    """One implementation of an operation on a target kind."""

    variant: str
    priority: int
    predicates: tuple[Predicate, ...]
    impl: Implementation


@dataclass(frozen=True, kw_only=True)
class _Refusal:
    variant: str
    priority: int
    reason: str
    error: Exception | None = None


_CASES: Registry[_Key, DispatchCase] = Registry("an implementation of a tile operation")


def predicate(name: str, function: Callable[..., Answer], **options: object) -> Predicate:
    """Name a condition: function(call, context, **options) returns a bool, or a bool and why not, or raises DispatchFail."""
    return Predicate(name=name, function=function, options=options)


def fail(reason: str) -> None:
    """Refuse the call that is being dispatched."""
    raise DispatchFail(reason)


def register_dispatch(
    op_name: str,
    target_kind: str,
    *,
    variant: str,
    priority: int = 0,
    when: Iterable[Predicate] = (),
    override: bool = False,
) -> Callable[[F], F]:
    """Register the decorated function as an implementation. Cases of higher priority are asked first, then by name."""

    def register(impl: F) -> F:
        case = DispatchCase(variant=variant, priority=priority, predicates=tuple(when), impl=impl)
        _CASES.register((op_name, target_kind, variant), case, override=override)
        return impl

    return register


def unregister_dispatch(op_name: str, target_kind: str, variant: str) -> None:
    """Remove an implementation."""
    _CASES.unregister((op_name, target_kind, variant))


def list_registered_schedules() -> dict[str, dict[str, list[str]]]:
    """Return the variants by operation and target kind, all sorted."""
    table: dict[str, dict[str, list[str]]] = {}
    for op_name, kind, variant in sorted(_CASES.names()):
        table.setdefault(op_name, {}).setdefault(kind, []).append(variant)
    return table


def run_dispatch(call: TileCall, context: Context) -> object:
    """Return what the first implementation gives that accepts the call.

    One accepts by returning something else than None, after its predicates hold. DispatchError lists every variant with its
    reason when none does, when there is none for this target kind, or when `call.dispatch` names an unknown one.
    """
    op_name, kind = _name(call.op), _name(context.target.kind)
    refusals: list[_Refusal] = []
    for case in _candidates(call, op_name, kind):
        outcome = _attempt(case, call, context)
        if not isinstance(outcome, _Refusal):
            return outcome
        refusals.append(outcome)
    cause = next((refusal.error for refusal in reversed(refusals) if refusal.error), None)
    raise DispatchError(_report(call, op_name, kind, refusals)) from cause


def _candidates(call: TileCall, op_name: str, kind: str) -> list[DispatchCase]:
    cases = [case for (name, where, _), case in _CASES.items() if (name, where) == (op_name, kind)]
    if not cases:
        kinds = sorted({where for name, where, _ in _CASES.names() if name == op_name})
        msg = f"{op_name} has no implementation for the target kind {kind}"
        raise DispatchError(msg, looked=[f"implemented for {where}" for where in kinds])
    if call.dispatch is not None:
        chosen = [case for case in cases if case.variant == call.dispatch]
        if not chosen:
            msg = f"{op_name} has no variant {call.dispatch!r} for the target kind {kind}"
            raise DispatchError(msg, looked=sorted(case.variant for case in cases))
        return chosen
    return sorted(cases, key=lambda case: (-case.priority, case.variant))


def _attempt(case: DispatchCase, call: TileCall, context: Context) -> object:
    def refused(reason: str, error: Exception | None = None) -> _Refusal:
        return _Refusal(variant=case.variant, priority=case.priority, reason=reason, error=error)

    for condition in case.predicates:
        if (reason := condition.refusal(call, context)) is not None:
            return refused(reason)
    try:
        result = case.impl(call, context)
    except DispatchFail as error:
        return refused(str(error))
    except Exception as error:  # noqa: BLE001 - the next variant may do; the report shows this one
        return refused(f"{type(error).__name__}: {error}", error)
    return refused("returned nothing") if result is None else result


def _report(call: TileCall, op_name: str, kind: str, refusals: list[_Refusal]) -> str:
    rows = [("variant", "priority", "refused because"), *((r.variant, str(r.priority), r.reason) for r in refusals)]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    table = "\n".join(f"  {row[0]:<{first}} | {row[1]:>{second}} | {row[2]}" for row in rows)
    traces = [
        f"{refusal.variant}:\n{''.join(traceback.format_exception(refusal.error))}"
        for refusal in refusals
        if refusal.error
    ]
    return "\n".join([f"no variant of {op_name} for {kind} accepts the call", table, f"call: {call}", *traces])


def _name(thing: object) -> str:
    return str(getattr(thing, "name", thing))
