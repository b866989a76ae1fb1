"""Kinds of parameters of a script member: what each takes, and the expression that it makes of it."""

import json
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tvm.error import ArgumentError, ArgumentTypeError, TVMError
from tvm.ir import ConversionError, Expr, FloatImm, IntImm, PointerType, PrimType, StringImm, as_type, convert

Convert: TypeAlias = Callable[[object, str], object]


class HasData(Protocol):
    """What has a data pointer, as buffers do."""

    @property
    def data(self) -> Expr:
        """The pointer that it stands for."""
        ...


# What parameters of a kind take, for type checkers.
Value: TypeAlias = Expr | HasData | int | float
Pointer: TypeAlias = Expr | HasData


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How an argument is made an expression, and its type as a stub file writes it.

    `convert` takes the argument and where it stands ("Tx.cuda.warp_sum: width"), which its error begins with.
    """

    convert: Convert
    stub: str


Kinds: TypeAlias = Mapping[str, Callable[..., Kind]]


def wrong_type(where: str, wanted: str, value: object) -> ArgumentTypeError:
    """Return the error for an argument of another type than what is `wanted`."""
    return ArgumentTypeError(f"{where} must be {wanted}, not {describe(value)}")


def wrong_value(where: str, wanted: str, value: object, *, fix: str = "") -> ArgumentError:
    """Return the error for an argument that has the right type and a value outside of what is `wanted`."""
    return ArgumentError(f"{where} must be {wanted}, not {describe(value)}", fix=fix)


def describe(value: object) -> str:
    """Return how an error shows a value: a constant by itself, another expression by its type."""
    match value:
        case IntImm() | FloatImm() | StringImm():
            return repr(value.value)
        case Expr():
            return f"an expression of type {value.ty}"
        case None | bool() | int() | float() | str():
            return repr(value)
        case _:
            return f"a {type(value).__name__}"


def value() -> Kind:
    """Take an expression of the kernel or a Python number: int32 (int64 where it does not fit), float32, bool."""

    def make(given: object, where: str) -> Expr:
        if given is None or isinstance(given, str):
            raise wrong_type(where, "an expression or a number", given)
        return _converted(given, where, "an expression or a number")

    return Kind(convert=make, stub="Value")


def any_value() -> Kind:
    """Take what `value` does, or text."""

    def make(given: object, where: str) -> Expr:
        return _converted(given, where, "an expression, a number or text")

    return Kind(convert=make, stub="Value | str")


def pointer() -> Kind:
    """Take an expression of a pointer, or a buffer, which stands for its data pointer."""
    return Kind(convert=to_pointer, stub="Pointer")


def to_pointer(given: object, where: str) -> Expr:
    """Return the expression of a pointer."""
    wanted = "a pointer: a buffer, its ptr_to(...) or an address"
    made = _converted(given, where, wanted)
    if not isinstance(made.ty, PointerType):
        raise wrong_type(where, wanted, given)
    return made


def element() -> Kind:
    """Take an element that is read or written in place: an expression that is no constant."""

    def make(given: object, where: str) -> Expr:
        made = _converted(given, where, "an element of a buffer")
        if isinstance(made, (IntImm, FloatImm, StringImm)):
            raise wrong_type(where, "an element of a buffer", given)
        return made

    return Kind(convert=make, stub="Expr")


def text() -> Kind:
    """Take text that is known when the kernel is built."""
    return Kind(convert=lambda given, where: StringImm(constant_text(given, where, "text")), stub="str")


def identifier() -> Kind:
    """Take the name of a C function or macro."""

    def make(given: object, where: str) -> Expr:
        name = constant_text(given, where, "a name")
        if not name.isascii() or not name.isidentifier() or keyword.iskeyword(name):
            raise wrong_value(where, "a name of C: letters, digits and _", name)
        return StringImm(name)

    return Kind(convert=make, stub="str")


def integer(least: int | None = None, most: int | None = None) -> Kind:
    """Take an integer that is known when the kernel is built, within bounds that are both allowed."""

    def make(given: object, where: str) -> Expr:
        number = constant_integer(given, where)
        if (least is not None and number < least) or (most is not None and number > most):
            raise wrong_value(where, _range(least, most), number)
        return convert(number)

    return Kind(convert=make, stub="int")


def integer_value(least: int, most: int) -> Kind:
    """Take an expression of the kernel; where it is a constant, an integer within bounds that are both allowed."""

    def make(given: object, where: str) -> Expr:
        made = _converted(given, where, "an integer expression")
        if isinstance(made, (FloatImm, StringImm)):
            raise wrong_type(where, "an integer expression", given)
        if isinstance(made, IntImm) and not least <= made.value <= most:
            raise wrong_value(where, _range(least, most), made)
        return made

    return Kind(convert=make, stub="Value")


def power_of_two(least: int, most: int) -> Kind:
    """Take a power of two that is known when the kernel is built, within bounds that are both allowed."""

    def make(given: object, where: str) -> Expr:
        number = constant_integer(given, where)
        if not least <= number <= most or number & (number - 1):
            raise wrong_value(where, f"a power of two of {least} to {most}", number)
        return convert(number)

    return Kind(convert=make, stub="int")


def one(*choices: object) -> Kind:
    """Take one of some constants that are all text or all integers."""
    of_text = all(isinstance(choice, str) for choice in choices)
    wanted = f"one of {', '.join(map(repr, choices))}"

    def make(given: object, where: str) -> Expr:
        chosen = constant_text(given, where, wanted) if of_text else constant_integer(given, where)
        if chosen not in choices:
            raise wrong_value(where, wanted, chosen)
        return convert(chosen)

    return Kind(convert=make, stub=f"Literal[{', '.join(map(json.dumps, choices))}]")


def flag() -> Kind:
    """Take True or False, known when the kernel is built."""

    def make(given: object, where: str) -> Expr:
        match given:
            case bool():
                return convert(given)
            case IntImm(value=0 | 1 as bit):
                return convert(bool(bit))
            case _:
                raise wrong_type(where, "True or False", given)

    return Kind(convert=make, stub="bool")


def dtype() -> Kind:
    """Take a data type, by name or as a type."""

    def make(given: object, where: str) -> Expr:
        name = _type(given, where)
        if name in {"handle", "void"}:
            raise wrong_value(where, "a data type of values", name)
        return StringImm(name)

    return Kind(convert=make, stub="str | PrimType")


def result_type() -> Kind:
    """Take a type that a call can give: a data type, "handle" or "void"."""
    return Kind(convert=lambda given, where: StringImm(_type(given, where)), stub="str | PrimType")


def any_object() -> Kind:
    """Take anything: the member's own builder looks at it."""
    return Kind(convert=lambda given, _where: given, stub="object")


KINDS: Kinds = {
    kind.__name__: kind
    for kind in (
        value, any_value, pointer, element, text, identifier, integer, integer_value, power_of_two, one, flag, dtype, result_type, any_object,
    )
}  # fmt: skip


def _range(least: int | None, most: int | None) -> str:
    match least, most:
        case int(), int():
            return f"{least} to {most}"
        case int(), None:
            return f"at least {least}"
        case _:
            return f"at most {most}"


def _converted(given: object, where: str, wanted: str) -> Expr:
    try:
        return convert(given)
    except ConversionError:
        raise wrong_type(where, wanted, given) from None


def constant_text(given: object, where: str, wanted: str) -> str:
    """Return text that is given as such or as a constant."""
    match given:
        case str():
            return given
        case StringImm():
            return given.value
        case _:
            raise wrong_type(where, f"{wanted} that is known when the kernel is built", given)


def constant_integer(given: object, where: str) -> int:
    """Return an integer that is given as such or as a constant; True is none."""
    match given:
        case int() if not isinstance(given, bool):
            return given
        case IntImm() if given.dtype != "bool":
            return given.value
        case _:
            raise wrong_type(where, "an integer that is known when the kernel is built", given)


def _type(given: object, where: str) -> str:
    if isinstance(given, PrimType):
        return given.name
    name = constant_text(given, where, "the name of a type")
    try:
        as_type(name)
    except TVMError as error:
        raise wrong_value(where, "the name of a type", name, fix=error.fix) from None
    return name
