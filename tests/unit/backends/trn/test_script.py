from tvm.backend.trn import script


def test_the_namespace_is_made_once() -> None:
    assert script.TABLES.namespaces()["nki"] is script.TABLES.namespaces()["nki"]


def test_one_with_a_wrapper_is_a_new_one() -> None:
    assert script.TABLES.namespaces(lambda builder: builder)["nki"] is not script.TABLES.namespaces()["nki"]
