import pytest

from tests import stubs


@pytest.mark.parametrize("backend", stubs.BACKENDS)
def test_the_types_say_what_the_tables_say(backend: str) -> None:
    written = stubs.path(backend).read_text(encoding="utf-8")
    assert written == stubs.stub(backend), "run `python -m tests.stubs`"
