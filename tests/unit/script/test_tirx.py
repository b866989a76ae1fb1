import pytest

from tests.unit.registries import undone
from tvm.script import tirx as tx
from tvm.script.namespace import register_script_namespace


def test_a_namespace_is_an_attribute_as_long_as_it_is_registered() -> None:
    thing = object()
    with undone():
        register_script_namespace("shape", load=lambda: thing)
        assert tx.shape is thing
        assert "shape" in dir(tx)
        names: dict[str, object] = {}
        exec("from tvm.script.tirx import *", names)  # noqa: S102 - what a user writes
        assert names["shape"] is thing
    with pytest.raises(AttributeError, match="has no attribute 'shape'"):
        tx.shape  # noqa: B018 - the access is what fails


def test_a_name_that_is_nearly_one_is_suggested() -> None:
    with pytest.raises(AttributeError, match="did you mean cuda"):
        tx.cdua  # noqa: B018 - the access is what fails
