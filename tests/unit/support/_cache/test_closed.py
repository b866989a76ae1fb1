from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.support import cache
from tvm.support._cache import closed, programs
from tvm.support._cache.flow import NotCachedError

pytestmark = pytest.mark.usefixtures("folder", "old_files")


@pytest.fixture
def lld(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return ld.lld, taken for a program; the current folder holds a.o."""
    monkeypatch.setattr(programs, "is_native", lambda _program: True)
    (tmp_path / "a.o").write_text("one", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    return stand_in("ld.lld")


def _link(lld: StandIn, *words: str) -> str:
    argv = [lld.path, "-m", "elf64_amdgpu", "-shared", *words, "a.o", "-o", "x.co"]
    cache.run(argv, outputs=["x.co"], inputs=["a.o"], tool=cache.Tool.CLOSED)
    return Path("x.co").read_text(encoding="ascii")


def test_a_link_of_the_same_object_is_done_once(lld: StandIn) -> None:
    first = _link(lld)
    assert _link(lld) == first
    assert len(lld.calls) == 1
    Path("a.o").write_text("two", encoding="ascii")
    _link(lld)

    assert len(lld.calls) == 2


def test_another_linker_links_again(lld: StandIn) -> None:
    _link(lld)
    with Path(lld.path).open("a", encoding="ascii") as file:
        file.write("# newer\n")
    _link(lld)

    assert len(lld.calls) == 2


@pytest.mark.parametrize(
    "word", ["-T", "--script=x", "-L.", "-lm", "--plugin=x", "-load=x.so", "@words", "-Map=x", "--no-such"]
)
def test_a_word_that_is_not_known_is_refused(word: str, lld: StandIn) -> None:
    with pytest.raises(NotCachedError):
        closed.read([lld.path, word, "a.o", "-o", "x"], cwd=".", env={})


def test_an_archive_of_other_files_is_refused(lld: StandIn) -> None:
    Path("a.o").write_bytes(b"!<thin>\n")

    with pytest.raises(NotCachedError, match="archive"):
        closed.read([lld.path, "a.o", "-o", "x"], cwd=".", env={})


@pytest.mark.parametrize("words", [["a.o"], ["a.o", "-o", "x", "-o", "y"]])
def test_one_output_is_needed(words: list[str], lld: StandIn) -> None:
    with pytest.raises(NotCachedError, match="one output"):
        closed.read([lld.path, *words], cwd=".", env={})


def test_another_program_is_refused(lld: StandIn, stand_in: MakeStandIn) -> None:
    assert lld.calls == []
    with pytest.raises(NotCachedError, match="not known"):
        closed.read([stand_in("tool").path, "a.o", "-o", "x"], cwd=".", env={})
