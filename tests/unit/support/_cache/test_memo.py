from pathlib import Path

import pytest

from tvm.support._cache import memo, states, store


def test_an_answer_is_found_once(folder: Path, tmp_path: Path, old_files: None) -> None:
    assert old_files is None
    watched = tmp_path / "watched"
    watched.write_text("one", encoding="ascii")
    asked = []

    def compute() -> tuple[object, memo.Watched]:
        asked.append(1)
        return [len(asked)], lambda: [states.file(str(watched))]

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
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_kept_or_looked_at_unless_the_cache_is_on(
    mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    if there:
        store.opened(folder, write=True)
    monkeypatch.setenv("TVM_COMPILE_CACHE", mode)
    looks: list[int] = []

    def watched() -> list[states.State]:
        looks.append(1)
        return []

    assert memo.remembered("where", [], lambda: (1, watched)) == 1
    assert looks == []
    assert folder.exists() == there
    assert not list(folder.glob("memos/*/*"))


def test_an_answer_whose_grounds_cannot_be_read_is_not_kept(folder: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    assert memo.remembered("where", [], lambda: (1, lambda: [states.file(str(gone))])) == 1
    assert not list(folder.glob("memos/*/*"))
    assert list((folder / "building").iterdir()) == []
