from pathlib import Path

import pytest

from tvm.support._cache import memo, states


def test_an_answer_is_found_once(folder: Path, tmp_path: Path, old_files: None) -> None:
    assert old_files is None
    watched = tmp_path / "watched"
    watched.write_text("one", encoding="ascii")
    asked = []

    def compute() -> tuple[object, list[states.State]]:
        asked.append(1)
        return [len(asked)], [states.file(str(watched))]

    assert memo.remembered("where", ["x"], compute) == [1]
    assert memo.remembered("where", ["x"], compute) == [1]
    memo.forget()
    assert memo.remembered("where", ["x"], compute) == [1]
    assert memo.remembered("where", ["y"], compute) == [2]
    memo.forget()
    watched.write_text("other", encoding="ascii")
    assert memo.remembered("where", ["x"], compute) == [3]
    assert list((folder / "building").iterdir()) == []


def test_an_answer_that_nothing_stands_for_is_sought_again(folder: Path) -> None:
    asked: list[int] = []

    def compute() -> tuple[object, None]:
        asked.append(1)
        return 1, None

    for _ in range(2):
        memo.remembered("where", [], compute)

    assert len(asked) == 2
    assert list((folder / "memos").iterdir()) == []


@pytest.mark.parametrize("mode", ["off", "read"])
def test_nothing_is_kept_unless_the_cache_is_on(mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE", mode)

    assert memo.remembered("where", [], lambda: (1, [])) == 1
    assert not folder.exists()
