import pytest

from tests.unit.registries import undone
from tvm.tirx.compilation_pipeline import (
    Pipeline,
    get_tir_pipeline,
    list_tir_pipelines,
    register_tir_pipeline,
    unregister_tir_pipeline,
)


def test_a_pipeline_is_made_with_the_options_that_are_asked_for() -> None:
    def factory(*, fast: bool = False) -> Pipeline:
        return Pipeline(passes=("A", "B") if not fast else ("A",), device=("C",))

    with undone():
        register_tir_pipeline("shape", factory)
        assert get_tir_pipeline("shape", fast=True) == Pipeline(passes=("A",), device=("C",))
        assert "shape" in list_tir_pipelines()
        unregister_tir_pipeline("shape")
        with pytest.raises(ValueError, match=r"(?s)'shape' is not a pipeline.*trn"):
            get_tir_pipeline("shape")
