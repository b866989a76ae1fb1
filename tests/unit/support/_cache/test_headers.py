from pathlib import Path

import pytest

from tvm.support._cache import headers
from tvm.support._cache.drivers import Search
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.headers import Compiled
from tvm.support._cache.states import State


def _compiled(root: Path, texts: dict[str, str], *, mine: tuple[str, ...], system: tuple[str, ...]) -> list[State]:
    """Return the states of a compile of a.cc that has read all other files."""
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="ascii")
    folders = [str(root / name) for name in mine]
    search = Search(
        folders=(*folders, *(str(root / name) for name in system)), absent=(str(root / "none"),), chosen_in=()
    )
    read = [str(root / name) for name in texts if name != "a.cc"]
    return headers.made_from(Compiled(sources=[str(root / "a.cc")], headers=read, folders=folders, search=search))


def _paths(found: list[State], kind: str, root: Path) -> set[str]:
    return {str(Path(state.path).relative_to(root)) for state in found if state.kind == kind}


def test_headers_and_the_places_before_them(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    found = _compiled(
        tmp_path,
        {"a.cc": "", "two/sub/b.h": "", "sys/stdio.h": "", "sys/bits/c.h": ""},
        mine=("one", "two"),
        system=("sys",),
    )

    assert _paths(found, "file", tmp_path) == {"two/sub/b.h", "sys/stdio.h", "sys/bits/c.h"}
    assert {"one/sub", "one/stdio.h", "two/stdio.h", "one/bits", "stdio.h", "two/sub/b.h.gch"} <= _paths(
        found, "none", tmp_path
    )
    assert _paths(found, "names", tmp_path) == {"sys", "sys/bits"}
    assert "none" in _paths(found, "none", tmp_path)


def test_names_that_a_header_of_the_system_asks_for_count_in_the_user_s_folders(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    found = _compiled(
        tmp_path,
        {"a.cc": "", "sys/config.h": "#if __has_include(<tbb/tbb.h>)\n#endif\n"},
        mine=("one",),
        system=("sys",),
    )

    assert {"one/tbb", "sys/tbb", "tbb"} <= _paths(found, "none", tmp_path)


def test_a_file_that_is_there_and_was_not_read_counts_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "b.h").write_text("hidden", encoding="ascii")
    found = _compiled(tmp_path, {"a.cc": "", "two/b.h": ""}, mine=("one", "two"), system=())

    assert "one/b.h" in _paths(found, "file", tmp_path)


@pytest.mark.parametrize("text", ["__DATE__", '#include "a\\b.h"\n', "#if __has_include(NAME)\n"])
@pytest.mark.parametrize("name", ["a.cc", "one/b.h"])
def test_what_cannot_be_told_is_refused(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(NotCachedError):
        _compiled(tmp_path, {"a.cc": "", "one/b.h": "", name: text}, mine=("one",), system=())


def test_a_header_of_the_system_may_have_a_clock_s_macro(tmp_path: Path) -> None:
    """Headers of a system mention them in comments; what uses them is the user's."""
    assert _compiled(tmp_path, {"a.cc": "", "sys/x.h": "// __DATE__"}, mine=(), system=("sys",))
