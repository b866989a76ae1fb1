import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tvm.matrix.includes import reachable


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def found(folder: Path, *sources: str, folders: tuple[str, ...] = ()) -> list[str]:
    """Return what the sources reach, by normalised names."""
    seen = reachable([folder / name for name in sources], [folder / name for name in folders])
    return sorted({os.path.relpath(path, folder) for path in seen})


def test_a_source_reaches_itself(tmp_path: Path) -> None:
    write(tmp_path, {"a.c": "int a;\n"})
    assert found(tmp_path, "a.c") == ["a.c"]


def test_headers_are_followed_to_their_own_headers(tmp_path: Path) -> None:
    write(tmp_path, {"a.c": '#include "b.h"\n', "b.h": '  #  include\t"c.h" // why\n', "c.h": ""})
    assert found(tmp_path, "a.c") == ["a.c", "b.h", "c.h"]


def test_a_circle_of_includes_ends(tmp_path: Path) -> None:
    write(tmp_path, {"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'})
    assert found(tmp_path, "a.h") == ["a.h", "b.h"]


def test_a_header_is_sought_beside_its_includer_first(tmp_path: Path) -> None:
    write(tmp_path, {"src/a.c": '#include "x.h"\n', "src/x.h": "", "inc/x.h": ""})
    assert found(tmp_path, "src/a.c", folders=("inc",)) == ["src/a.c", "src/x.h"]


def test_a_header_is_sought_in_the_folders_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, {"a.c": '#include "x.h"\n', "one/x.h": "", "two/x.h": ""})
    assert found(tmp_path, "a.c", folders=("two", "one")) == ["a.c", "two/x.h"]


def test_a_header_above_the_source_is_reached(tmp_path: Path) -> None:
    write(tmp_path, {"src/a.c": '#include "../common.h"\n', "common.h": ""})
    assert found(tmp_path, "src/a.c") == ["common.h", "src/a.c"]


@pytest.mark.parametrize(
    "text", ["#include <b.h>\n", '// #include "b.h"\n', 'char s[] = "#include";\n', '#include "missing.h"\n']
)
def test_what_is_no_quoted_include_of_a_file_reaches_nothing(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.c": text, "b.h": ""})
    assert found(tmp_path, "a.c") == ["a.c"]


def test_a_folder_of_that_name_is_no_header(tmp_path: Path) -> None:
    write(tmp_path, {"a.c": '#include "x.h"\n'})
    (tmp_path / "x.h").mkdir()
    assert found(tmp_path, "a.c") == ["a.c"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_any_bytes_between_the_quotes_are_taken_without_an_error(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "a.c").write_bytes(b'#include "' + name + b'"\n')
    assert tmp_path / "a.c" in reachable([tmp_path / "a.c"], [])


def test_a_name_that_is_longer_than_file_systems_take_is_left_to_the_compiler(tmp_path: Path) -> None:
    write(tmp_path, {"a.c": f'#include "{"x" * 5000}"\n'})
    assert found(tmp_path, "a.c") == ["a.c"]
