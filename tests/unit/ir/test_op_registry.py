"""Operations by name."""

import pytest

from tests.unit.registries import undone
from tvm.error import RegistryError
from tvm.ir import (
    CallEffectKind,
    Op,
    has_op,
    list_ops,
    register_op,
    register_op_table,
    unregister_op,
    unregister_op_table,
)


def test_an_operation_is_registered_under_its_name() -> None:
    with undone():
        op = register_op(Op("tirx.tests.a", effect=CallEffectKind.Pure, script_name="tests.a"))
        assert Op.get("tirx.tests.a") is op
        assert list_ops("tirx.tests.") == ["tirx.tests.a"]
        unregister_op("tirx.tests.a")
        assert not has_op("tirx.tests.a")


def test_a_table_is_read_at_its_first_use() -> None:
    with undone():
        register_op_table("tirx.tests.", lambda: {"tirx.tests.b": Op("tirx.tests.b")})
        assert Op.get("tirx.tests.b").effect is CallEffectKind.Opaque
        unregister_op_table("tirx.tests.")
        assert not has_op("tirx.tests.b")


def test_an_unknown_one_is_an_error() -> None:
    with pytest.raises(RegistryError, match=r"'tirx\.tests\.c' is not an operation"):
        Op.get("tirx.tests.c")


def test_a_call_of_which_nothing_is_known_may_do_anything() -> None:
    assert CallEffectKind["Opaque"].name == "UpdateState"
