from tvm.matrix.schema import FILE, schema_text


def test_the_committed_schema_is_the_generated_one() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), (
        "python -m tvm.matrix schema > tvm/matrix/matrix.schema.json"
    )
