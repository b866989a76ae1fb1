import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.ir import IntImm, PrimType, StringImm, Var, convert
from tvm.ir.structural import structural_equal
from tvm.script import kinds
from tvm.script.form import Form, read
from tvm.script.member import Member

A, B = Var("a", "float16"), Var("b", "int8")


def form(signature: str, calls: str = "") -> Form:
    return read(Member(signature, "", calls=calls), {})


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("f()", "()"),
        ("f(a, b: pointer(), c: integer(1) = 3)", "(a, b, c=3)"),
        ("f(a, *args: text(), key: flag() = False)", "(a, *args, key=False)"),
        ("inner.f(a, *, key: one('x', 'y') = 'x') -> 'int32'", "(a, *, key='x')"),
        ("__f(a = None, b = 0.0, c: any_object() = ())", "(a=None, b=0.0, c=())"),
    ],
)
def test_the_signature_is_the_rows_without_its_kinds(text: str, signature: str) -> None:
    assert str(form(text).signature) == signature


names = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=5)


@given(names, st.integers(0, 5))
def test_any_list_of_parameters_is_read_as_python_reads_it(parameters: list[str], defaults: int) -> None:
    plain = len(parameters) - min(defaults, len(parameters))
    texts = [name if place < plain else f"{name}={place}" for place, name in enumerate(parameters)]
    made = form(f"f({', '.join(texts)})")
    assert str(made.signature) == f"({', '.join(texts)})"
    arguments = {name: Var(name) for name in parameters}
    assert made.operands(arguments) == tuple(arguments.values())


@pytest.mark.parametrize(
    ("result", "dtype"),
    [
        ("", "void"),
        (" -> 'uint32'", "uint32"),
        (" -> a.ty", "float16"),
        (" -> int[n]", "int64"),
        (" -> type[t]", "float32"),
    ],
)
def test_the_result_is_what_stands_after_the_arrow(result: str, dtype: str) -> None:
    arguments = {"a": A, "n": IntImm("int32", 64), "t": StringImm("float32")}
    assert form(f"f(a, n, t){result}").result(arguments) == PrimType(dtype)


def test_another_result_is_an_error_of_the_row() -> None:
    with pytest.raises(ValueError, match=r"a row cannot give a \+ 1"):
        form("f(a) -> a + 1")


def test_an_unknown_kind_is_an_error_of_the_row() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        form("f(a: nonsense())")


def test_a_table_may_have_kinds_of_its_own() -> None:
    own = kinds.Kind(convert=lambda given, _where: given, stub="object")
    assert read(Member("f(a: own())", ""), {"own": lambda: own}).kinds == {"a": own}


class TestOperands:
    def test_are_the_parameters_in_order(self) -> None:
        assert form("f(a, b)").operands({"b": B, "a": A}) == (A, B)

    def test_are_those_that_the_call_names(self) -> None:
        made = form("f(a, b)", calls="ns.g(b, 'text', -1, a)").operands({"a": A, "b": B})
        assert structural_equal(made, (B, convert("text"), convert(-1), A))

    def test_leave_out_what_was_left_out(self) -> None:
        assert form("f(a, b = None)").operands({"a": A, "b": None}) == (A,)

    def test_hold_each_of_several(self) -> None:
        assert form("f(a, *args)").operands({"a": A, "args": (B, A)}) == (A, B, A)
        assert form("f(*args, key)").operands({"args": (), "key": B}) == (B,)
