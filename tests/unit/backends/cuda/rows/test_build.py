import pytest

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, Expr, IntImm, PointerType, PrimType, StringImm, Var, convert
from tvm.ir.structural import structural_equal
from tvm.script import tirx as tx
from tvm.tirx.expr import BitwiseAnd

POINTER = Var("p", PointerType(PrimType("uint32"), "global"))
UNTYPED = Var("q", "handle")
WORD = Var("word", "uint32")
READY = Var("ready", "bool")


def call(made: Expr) -> Call:
    assert isinstance(made, Call)
    return made


def constants(made: Expr) -> list[object]:
    return [arg.value for arg in call(made).args if isinstance(arg, (IntImm, StringImm))]


class TestLeaderAddress:
    def test_clears_the_parity_of_the_cta(self) -> None:
        made = tx.cuda.sm100_2sm_leader_smem_addr(POINTER)
        assert isinstance(made, BitwiseAnd)
        assert structural_equal(made.a, tx.cuda.cvta_generic_to_shared(POINTER))
        assert structural_equal(made.b, IntImm("uint32", 0xFFFFFFFF ^ 1 << 24))


class TestLdg:
    @pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bfloat16", "float64"])
    def test_a_value_has_the_data_type(self, dtype: str) -> None:
        made = call(tx.cuda.ldg(POINTER, dtype))
        assert made.dtype == dtype
        assert structural_equal(made.args, (POINTER, StringImm(dtype)))

    def test_a_vector_is_stored_through_pointers(self) -> None:
        made = call(tx.cuda.ldg(POINTER, "float32", dst=[POINTER, UNTYPED], vec="v2"))
        assert made.dtype == "void"
        assert structural_equal(made.args, (POINTER, StringImm("float32"), StringImm("v2"), POINTER, UNTYPED))

    @pytest.mark.parametrize(
        ("dtype", "dst", "vec", "message"),
        [
            ("float8_e5m2", None, "", "a value of float8_e5m2 cannot be loaded"),
            ("float16", [POINTER] * 2, "v2", "a vector of float16 cannot be loaded"),
            ("int32", [POINTER] * 3, "v4", "dst must be a list of 4 pointers, not of 3"),
            ("int32", [POINTER] * 2, "", "dst is for vectors"),
            ("int32", None, "v2", "dst must be a list of 2 pointers, not None"),
            ("int32", [POINTER, 1], "v2", r"dst\[1\] must be a pointer"),
        ],
    )
    def test_refuses(self, dtype: str, dst: object, vec: str, message: str) -> None:
        with pytest.raises((ArgumentError, ArgumentTypeError), match=message):
            tx.cuda.ldg(POINTER, dtype, dst=dst, vec=vec)  # type: ignore[arg-type] # what is tested


class TestFuncCall:
    def test_holds_the_name_the_arguments_and_the_source(self) -> None:
        made = call(
            tx.cuda.func_call("twice", WORD, "text", source_code="...", return_type="float32", lazy_args=[1, 0])
        )
        assert made.dtype == "float32"
        assert structural_equal(made.args, (StringImm("twice"), WORD, StringImm("text")))
        assert made.attrs == {"source_code": "...", "lazy_args": (0, 1)}

    def test_gives_nothing_unless_told(self) -> None:
        assert tx.cuda.func_call("f", source_code="void f() {}").dtype == "void"

    @pytest.mark.parametrize(
        ("lazy", "error"),
        [([True], ArgumentTypeError), (["0"], ArgumentTypeError), (0, ArgumentTypeError), ([1], ArgumentError)],
    )
    def test_lazy_arguments_are_places(self, lazy: object, error: type[Exception]) -> None:
        with pytest.raises(error, match=r"Tx.cuda.func_call: lazy_args"):
            tx.cuda.func_call("f", 1, source_code="", lazy_args=lazy)

    @pytest.mark.parametrize("name", ["", "a b", "f();", "1st", "f\n"])
    def test_the_name_is_one_of_c(self, name: str) -> None:
        with pytest.raises(ArgumentError, match="func_name must be a name of C"):
            tx.cuda.func_call(name, source_code="")


class TestWaitUntil:
    def test_the_predicate_is_called_with_the_word(self) -> None:
        seen: list[Expr] = []

        def ready(word: Expr) -> Expr:
            seen.append(word)
            return READY

        made = call(tx.cuda.wait_until(WORD, POINTER, ready))
        assert seen == [WORD]
        assert made.args[:3] == (WORD, POINTER, READY)
        assert constants(made) == ["gpu", "global", "u32", 0]

    def test_an_untyped_pointer_needs_the_type(self) -> None:
        assert constants(tx.cuda.wait_until(WORD, UNTYPED, READY, scope="sys", ptx_type="b32", backoff_ns=20)) == [
            "sys",
            "global",
            "b32",
            20,
        ]
        with pytest.raises(ArgumentTypeError, match="does not say what it points to"):
            tx.cuda.wait_until(WORD, UNTYPED, READY)

    def test_widths_agree(self) -> None:
        with pytest.raises(ArgumentTypeError, match="in bits: dst has 64, ptr has 32, ptx_type has 32"):
            tx.cuda.wait_until(Var("wide", "int64"), POINTER, READY, ptx_type="b32")
        with pytest.raises(ArgumentTypeError, match="ptx_type has 64"):
            tx.cuda.wait_until(WORD, POINTER, READY, ptx_type="u64")

    @pytest.mark.parametrize("predicate", [WORD, 1, None, lambda word: word, lambda _: True])
    def test_the_predicate_is_boolean(self, predicate: object) -> None:
        with pytest.raises(ArgumentTypeError, match="predicate must be a boolean expression"):
            tx.cuda.wait_until(WORD, POINTER, predicate)

    def test_memory_that_is_not_global_is_refused(self) -> None:
        with pytest.raises(ArgumentError, match="space must be one of 'global', not 'shared'"):
            tx.cuda.wait_until(WORD, POINTER, READY, space="shared")  # type: ignore[arg-type] # what is tested

    @pytest.mark.parametrize("dst", [1, convert(1.0), Var("half", "float16"), Var("short", "int16")])
    def test_the_word_is_an_integer(self, dst: Expr) -> None:
        with pytest.raises(ArgumentTypeError, match="dst must be an integer scalar of 32 or 64 bits"):
            tx.cuda.wait_until(dst, POINTER, READY)
