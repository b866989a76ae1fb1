"""Operations by name: what a Call calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from tvm.ir.op_registry import get_op


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
        return get_op(name)
