from tvm.backend.metal import script


def test_the_namespace_is_made_once() -> None:
    assert script.TABLES.namespaces()["metal"] is script.TABLES.namespaces()["metal"]


def test_one_with_a_wrapper_is_a_new_one() -> None:
    assert script.TABLES.namespaces(lambda builder: builder)["metal"] is not script.TABLES.namespaces()["metal"]
