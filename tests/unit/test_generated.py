from pathlib import Path

import pytest

from tests import generated

FILES = generated.files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_generated_file_says_what_the_tables_say(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path], "run `python -m tests.generated`"


def test_there_is_a_page_for_each_table() -> None:
    pages = {path.stem for path in FILES if path.suffix == ".md"}
    assert pages == {"cuda", "nvshmem", "ptx_legacy", "s_tir", "metal", "nki"}
