from tvm.ir import Call, IntImm, Op, Span, Var, structural_equal

OP = Op("tirx.tests.op")


def test_the_same_parts_are_the_same() -> None:
    here, there = Span(file="a", line=1, column=1), Span(file="b", line=2, column=2)
    assert structural_equal(Call(OP, [1, "x"], span=here), Call(OP, [1, "x"], span=there))
    assert structural_equal([IntImm("int32", 1)], [IntImm("int32", 1)])


def test_other_parts_are_not() -> None:
    call = Call(OP, [1], attrs={"a": 1})
    for other in (
        Call(OP, [2], attrs={"a": 1}),
        Call(OP, [1, 1], attrs={"a": 1}),
        Call(OP, [1], attrs={"a": 2}),
        Call(OP, [1]),
        Call(OP, [IntImm("int64", 1)], attrs={"a": 1}),
        Call(Op("tirx.tests.other"), [1], attrs={"a": 1}),
        Call(OP, [1], attrs={"a": 1}, ret_ty="int32"),
        IntImm("int32", 1),
    ):
        assert not structural_equal(call, other)


def test_true_is_not_one() -> None:
    assert not structural_equal({"a": True}, {"a": 1})
    assert not structural_equal((1,), [1])


def test_a_variable_is_itself() -> None:
    x, y = Var("x"), Var("x")
    assert structural_equal(Call(OP, [x]), Call(OP, [x]))
    assert not structural_equal(Call(OP, [x]), Call(OP, [y]))


def test_variables_can_be_matched_by_their_place() -> None:
    a, b, x, y = (Var(name) for name in "abxy")
    assert structural_equal(Call(OP, [a, b, a]), Call(OP, [x, y, x]), map_free_vars=True)
    assert not structural_equal(Call(OP, [a, b, a]), Call(OP, [x, y, y]), map_free_vars=True)
    assert not structural_equal(Call(OP, [a, a]), Call(OP, [x, y]), map_free_vars=True)
    assert not structural_equal(a, Var("f", "float32"), map_free_vars=True)
