"""Builds calls of operations."""

from collections.abc import Mapping

from tvm.ir import Call, DType, Span, Type, has_op
from tvm.ir.op import Op

_DIALECT = "tirx."


def call_intrin(
    dtype: Type | DType | str,
    op_name: str,
    *args: object,
    attrs: Mapping[str, object] | None = None,
    span: Span | None = None,
) -> Call:
    """Return a call with a result of type `dtype`; Python values among `args` become constants.

    `op_name` may leave out "tirx.", and may be flat: cuda_cta_sync is tirx.cuda.cta_sync. RegistryError for an unknown one.
    """
    return Call(find_op(op_name), args, attrs=attrs, span=span, ret_ty=dtype)


def find_op(name: str) -> Op:
    """Return the operation that a dotted or flat name means."""
    short = name.removeprefix(_DIALECT)
    # A flat name is a namespace and a member joined by one underscore of several: ptx_legacy_mma is ptx_legacy.mma.
    places = [place for place, letter in enumerate(short) if letter == "_"]
    spellings = [short, *(f"{short[:place]}.{short[place + 1 :]}" for place in reversed(places))]
    for spelling in spellings:
        if has_op(_DIALECT + spelling):
            return Op.get(_DIALECT + spelling)
    return Op.get(_DIALECT + short)
