"""What the text of a row says: the parameters with their kinds, the result, and the arguments of the call."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from tvm.ir import Expr, IntImm, StringImm, Type, as_type, convert
from tvm.script import kinds
from tvm.script.kinds import Kind, Kinds
from tvm.script.member import Arguments, Member

Result: TypeAlias = Callable[[Arguments], Type]
Pick: TypeAlias = Callable[[Arguments], tuple[Expr, ...]]


@dataclass(frozen=True, kw_only=True)
class Form:
    """A row that has been read."""

    signature: inspect.Signature
    kinds: dict[str, Kind]
    result: Result
    picks: tuple[Pick, ...]
    """Each gives some of the call's arguments: one, all of *args, or none where a parameter was left out."""

    def operands(self, arguments: Arguments) -> tuple[Expr, ...]:
        """Return the arguments of the call."""
        return tuple(operand for pick in self.picks for operand in pick(arguments))


def read(member: Member, more: Kinds) -> Form:
    """Read a row; `more` are the kinds that its table has of its own."""
    function = _parsed(member.signature.replace(".", "_", member.name.count(".")))
    table = {**kinds.KINDS, **more}
    parameters = _parameters(function.args)
    return Form(
        signature=inspect.Signature([parameter for parameter, _ in parameters]),
        kinds={parameter.name: _kind(annotation, table) for parameter, annotation in parameters},
        result=_result(function.returns),
        picks=_picks(member.calls, [parameter.name for parameter, _ in parameters]),
    )


def _parsed(text: str) -> ast.FunctionDef:
    return cast("ast.FunctionDef", ast.parse(f"def {text}: ...").body[0])


def _parameters(arguments: ast.arguments) -> list[tuple[inspect.Parameter, ast.expr | None]]:
    lacking: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    plain = zip(arguments.args, [*lacking, *arguments.defaults], strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found = [_parameter(arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, default) for arg, default in plain]
    if arguments.vararg:
        found.append(_parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL, None))
    return found + [_parameter(arg, inspect.Parameter.KEYWORD_ONLY, default) for arg, default in named]


def _parameter(
    arg: ast.arg, kind: "inspect._ParameterKind", default: ast.expr | None
) -> tuple[inspect.Parameter, ast.expr | None]:
    value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
    return inspect.Parameter(arg.arg, kind, default=value), arg.annotation


def _kind(annotation: ast.expr | None, table: Kinds) -> Kind:
    if annotation is None:
        return table["value"]()
    call = cast("ast.Call", annotation)
    return table[ast.unparse(call.func)](*map(ast.literal_eval, call.args))


def _result(returns: ast.expr | None) -> Result:
    match returns:
        case None:
            return lambda _: as_type("void")
        case ast.Constant(value=str(name)):
            return lambda _: as_type(name)
        case ast.Attribute(value=ast.Name(id=name)):
            return lambda arguments: cast("Expr", arguments[name]).ty
        case ast.Subscript(value=ast.Name(id="int"), slice=ast.Name(id=name)):
            return lambda arguments: as_type(f"int{cast('IntImm', arguments[name]).value}")
        case ast.Subscript(value=ast.Name(id="type"), slice=ast.Name(id=name)):
            return lambda arguments: as_type(cast("StringImm", arguments[name]).value)
        case _:
            msg = f"a row cannot give {ast.unparse(returns)}"
            raise ValueError(msg)


def _picks(calls: str, names: list[str]) -> tuple[Pick, ...]:
    if "(" not in calls:
        return tuple(_argument(name) for name in names)
    call = cast("ast.Call", ast.parse(calls, mode="eval").body)
    return tuple(
        _argument(arg.id) if isinstance(arg, ast.Name) else _constant(ast.literal_eval(arg)) for arg in call.args
    )


def _argument(name: str) -> Pick:
    def pick(arguments: Arguments) -> tuple[Expr, ...]:
        match arguments[name]:
            case None:
                return ()
            case tuple() as several:
                return several
            case made:
                return (cast("Expr", made),)

    return pick


def _constant(value: object) -> Pick:
    made = (convert(value),)
    return lambda _: made
