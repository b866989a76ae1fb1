from tvm.backend import trn
from tvm.backend.trn.script import TABLES


def test_a_wrapper_may_be_given_by_place() -> None:
    assert trn.script_namespace(None) is trn.script_namespaces(None)["nki"] is TABLES.namespaces()["nki"]
