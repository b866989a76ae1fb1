import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cache import includes
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.includes import Scan, Search

_NAME = st.text(alphabet="abc/._-", min_size=1, max_size=8)
_GAPS = st.lists(st.sampled_from([" ", "\t", "/**/", "/* x */", "\\\n", "/*\n*/"]), max_size=3).map("".join)
_FILLER = st.sampled_from(
    [
        "",
        "int x;\n",
        "/* #include\n */",
        "// a comment\n",
        '"/*"\n',
        'R"(\n)"\n',
        "#if 0\n",
        "#endif\n",
        "#define A 1\n",
    ]
)


@given(st.lists(st.tuples(_FILLER, _GAPS, _GAPS, _GAPS, _NAME, st.booleans()), max_size=5))
def test_every_directive_is_found_however_it_is_written(parts: list[tuple[str, str, str, str, str, bool]]) -> None:
    text, names = "", []
    for filler, before, within, after, name, quoted in parts:
        spelled = f'"{name}"' if quoted else f"<{name}>"
        text += f"{filler}\n{before}#{within}include{after}{spelled}\n"
        names.append(name)

    try:
        found = includes.names(text.encode())
    except NotCachedError:
        return
    assert set(names) <= set(found)


@pytest.mark.parametrize(
    "text",
    [
        "#include HEADER\n",
        "#include MACRO(x)\n",
        "# /* */ include /* \n */ HEADER\n",
        "#if __has_include(HEADER)\n",
        "#embed <x>\n",
        "__DATE__",
        "__TI\\\nME__ __TIME__",
        "__TIMESTAMP__",
        'asm(".incbin \\"x\\"");',
        'asm(".include \\"x\\"");',
        '#pragma GCC dependency "x"',
        "??=include <x>\n",
        "x \\ \n#include <a>\n",
        "x\r#include <a>",
        "\0",
    ],
)
def test_what_cannot_be_told_is_refused(text: str) -> None:
    with pytest.raises(NotCachedError):
        includes.names(text.encode())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('#if __has_include(<a>) && __has_include("b")\n', ["a", "b"]),
        ("#if defined(__has_include)\n", []),
        ("#ifdef __has_include\n", []),
        ("// what #include does\n", []),
        ("  * #include in a comment\n", []),
        ("*/ #include <a>\n", ["a"]),
        ("%:include <a>\n", ["a"]),
        ('#include_next <a>\n#import "b"\n', ["a", "b"]),
        ("#if 0\n#include <a>\n#endif\n", ["a"]),
        ("#inc\\\nlude <a>\n", ["a"]),
        ("'#include' */ #include <a>\n", ["a"]),
    ],
)
def test_names_are_a_superset(text: str, names: list[str]) -> None:
    assert includes.names(text.encode()) == names


def test_headers_are_followed_through_every_folder(tmp_path: Path) -> None:
    for name, text in {
        "one/a.h": '#include "b.h"\n',
        "one/b.h": "",
        "two/b.h": "#include <c.h>\n",
        "two/c.h": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    scan = Scan(search=Search(folders=[str(tmp_path / "one"), str(tmp_path / "two")]))

    scan.follow([b"#include <a.h>\n"])

    assert sorted(os.path.relpath(path, tmp_path) for path in scan.files) == [
        "one/a.h",
        "one/b.h",
        "two/b.h",
        "two/c.h",
    ]
    assert sorted(os.path.relpath(path, tmp_path) for path in scan.absent) == ["one/c.h", "two/a.h"]


def test_a_circle_ends(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "a.h"\n#include "sub/../a.h"\n', encoding="ascii")
    (tmp_path / "sub").mkdir()
    scan = Scan(search=Search(folders=[str(tmp_path)]))

    scan.follow([b"#include <a.h>\n"])

    assert sorted(os.path.relpath(path, tmp_path) for path in scan.files) == ["a.h", "a.h"]


def test_there_is_an_end_to_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(includes, "_MOST_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.h").write_text("", encoding="ascii")

    with pytest.raises(NotCachedError, match="more than 2"):
        Scan(search=Search(folders=[str(tmp_path)])).follow([b"#include <a.h>\n#include <b.h>\n#include <c.h>\n"])


def test_headers_of_a_toolkit_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#include COMPUTED\n", encoding="ascii")
    scan = Scan(search=Search(folders=[], roots=[str(tmp_path)]))

    scan.follow([b"#include <a.h>\n#include <gone.h>\n"])

    assert [state.path for state in scan.states] == [str(tmp_path / "a.h")]
