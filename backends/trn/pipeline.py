"""The pipeline of a Trainium kernel: names of passes in their order."""

from tvm.tirx.compilation_pipeline import Pipeline

_PASSES = (
    "PrivateBufferAlloc",
    "NaiveAllocator",
    "TilePrimitiveDispatch",
    "LowerTrainiumLayout",
    "DecorateDeviceScope",
    "StmtSimplify",
    "LowerTIRxOpaque",
    "LoopPartition",
    "HoistIfThenElse",
    "StmtSimplify",
    "RemoveNoOp",
    "AnnotateEntryFunc",
    "SplitHostDevice",
    "MakePackedAPI",
)


def trn_pipeline() -> Pipeline:
    """Return the pipeline "trn"."""
    return Pipeline(passes=_PASSES, device=("StmtSimplify",))
