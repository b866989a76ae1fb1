"""Operations by name: what a Call calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from tvm._registry import Registry


class CallEffectKind(IntEnum):
    """What a call does beside giving a value: what passes may move, merge or drop."""

    ExprAnnotation = 0
    Pure = 1
    ReadState = 2
    UpdateState = 3
    SpecialCallArg = 4
    EmbedInfo = 5
    ControlJump = 6
    # A call of which nothing is known may do anything.
    Opaque = UpdateState


@dataclass(frozen=True)
class Op:
    """An operation. `script_name` is how a script writes it after Tx. ("cuda.cta_sync"); None: as `name` without its first part."""

    name: str
    effect: CallEffectKind = field(default=CallEffectKind.Opaque, kw_only=True)
    script_name: str | None = field(default=None, kw_only=True)
    attrs: Mapping[str, object] = field(default_factory=dict, kw_only=True, hash=False)

    @staticmethod
    def get(name: str) -> "Op":
        """Return the operation of this name. RegistryError with names that look like it when there is none."""
        return _OPS[name]


_OPS: Registry[str, Op] = Registry("an operation")


def register_op(op: Op, *, override: bool = False) -> Op:
    """Register an operation under its name and return it."""
    return _OPS.register(op.name, op, override=override)


def register_op_table(prefix: str, load: Callable[[], Mapping[str, Op]]) -> None:
    """Register operations whose names begin with `prefix`, read at the first use of one."""
    _OPS.register_table(prefix, load)


def unregister_op(name: str) -> None:
    """Remove an operation."""
    _OPS.unregister(name)


def unregister_op_table(prefix: str) -> None:
    """Remove a table of operations."""
    _OPS.unregister_table(prefix)


def has_op(name: str) -> bool:
    """Say whether an operation of this name is registered."""
    return name in _OPS


def list_ops(prefix: str = "") -> list[str]:
    """Return the names of all operations that begin with `prefix`, sorted."""
    return [name for name in _OPS.names() if name.startswith(prefix)]
