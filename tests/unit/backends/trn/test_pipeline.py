from tvm.tirx.compilation_pipeline import get_tir_pipeline


def test_the_pipeline_splits_before_it_makes_a_packed_function() -> None:
    pipeline = get_tir_pipeline("trn")
    assert pipeline.passes[0] == "PrivateBufferAlloc"
    assert pipeline.passes[-2:] == ("SplitHostDevice", "MakePackedAPI")
    assert pipeline.device == ("StmtSimplify",)
