"""Makes the function of a row: it checks its arguments, makes them expressions and builds the call."""

import inspect
from collections.abc import Callable
from typing import TypeAlias

from tvm.error import ArgumentTypeError
from tvm.ir import Call, Expr
from tvm.script.form import Form, read
from tvm.script.kinds import Kinds
from tvm.script.member import Arguments, Member

Builder: TypeAlias = Callable[..., Expr]


def make(namespace: str, member: Member, kinds: Kinds) -> Builder:
    """Return the function of a row. Its errors are ArgumentError for a value and ArgumentTypeError for a type."""
    form = read(member, kinds)
    label = f"Tx.{namespace}.{member.name}"
    op = f"tirx.{member.op(namespace)}"

    def builder(*args: object, **keywords: object) -> Expr:
        arguments = _arguments(form, label, args, keywords)
        if member.build is not None:
            return member.build(op, arguments)
        return Call(op, form.operands(arguments), ret_ty=form.result(arguments))

    builder.__name__ = builder.__qualname__ = member.name.rpartition(".")[2]
    builder.__doc__ = document(member)
    vars(builder)["__signature__"] = form.signature
    if name := member.builder_name(namespace):
        vars(builder)["__tir_op_name__"] = name
    return builder


def document(member: Member) -> str:
    """Return the docstring of a member: what it does and the manual that says so."""
    return f"{member.doc}\n\nSource: {member.source}." if member.source else member.doc


def _arguments(form: Form, label: str, args: tuple[object, ...], keywords: dict[str, object]) -> Arguments:
    parameters = form.signature.parameters
    if "dtype" in keywords and "dtype" not in parameters:
        # Scripts write dtype= at any member: it is the first argument of those that take what comes, and no news to the others.
        dtype = keywords.pop("dtype")
        first = next(iter(parameters.values()), None)
        args = (dtype, *args) if first is not None and first.kind is first.VAR_POSITIONAL else args
    try:
        bound = form.signature.bind(*args, **keywords)
    except TypeError as error:
        msg = f"{label}{form.signature}: {error}"
        raise ArgumentTypeError(msg) from None
    bound.apply_defaults()
    return {name: _made(form, label, parameters[name], given) for name, given in bound.arguments.items()}


def _made(form: Form, label: str, parameter: inspect.Parameter, given: object) -> object:
    kind, where = form.kinds[parameter.name], f"{label}: {parameter.name}"
    if given is None and parameter.default is None:
        return None
    if parameter.kind is parameter.VAR_POSITIONAL:
        several = given if isinstance(given, tuple) else ()
        return tuple(kind.convert(item, f"{where}[{place}]") for place, item in enumerate(several))
    return kind.convert(given, where)
