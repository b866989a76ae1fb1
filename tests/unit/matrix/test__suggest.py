from tvm.matrix._suggest import suggest


def test_a_near_word_is_suggested() -> None:
    assert suggest("clnag", ["gcc", "clang"]) == "; did you mean 'clang'?"


def test_without_a_near_word_all_are_listed_in_order() -> None:
    assert suggest("x", ["gcc", "clang"]) == "; known are clang, gcc"


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert suggest("x", []) == ""
