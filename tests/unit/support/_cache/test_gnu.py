"""A g++ that stands in for gcc makes its product of all it reads: the cache must give what the g++ would make now."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn
from tvm.support import cc

pytestmark = pytest.mark.usefixtures("folder")

Build = Callable[..., str]


@pytest.fixture
def build(tmp_path: Path, gxx: StandIn, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Return a function that builds x.obj, or what it is told, of a.cc and returns the product's text; b.h lies in inc."""
    work = tmp_path / "work"
    for name, text in {"a.cc": '#include "b.h"\n#include <sys.h>\n', "inc/b.h": "one\n"}.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="ascii")
    system = tmp_path / "system"
    (system / "include").mkdir(parents=True)
    (system / "lib").mkdir()
    (system / "include" / "sys.h").write_text("system\n", encoding="ascii")
    (system / "lib" / "libm.so").write_text("libm\n", encoding="ascii")
    monkeypatch.chdir(work)

    def made(
        *, output: str = "x.obj", sources: tuple[str, ...] = ("a.cc",), options: tuple[str, ...] = ("-Iinc",)
    ) -> str:
        cc.create_executable(output, list(sources), list(options), cc=gxx.path)
        return Path(output).read_text(encoding="latin-1")

    return made


def _compiles(gxx: StandIn) -> int:
    return sum("-###" not in call and "-E" not in call for call in gxx.calls)


def test_the_second_time_the_tool_does_not_run(build: Build, gxx: StandIn) -> None:
    first = build()
    Path("x.obj").unlink()

    assert build() == first
    assert _compiles(gxx) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.cc", '#include "b.h"\nother\n'),
        ("inc/b.h", "two and more\n"),
        ("b.h", "before the one in inc\n"),
        ("../system/include/sys.h", "another system\n"),
        ("inc/sys.h", "before the system's\n"),
    ],
)
def test_whatever_it_reads_now_is_in_the_product(path: str, text: str, build: Build, gxx: StandIn) -> None:
    build()
    Path(path).write_text(text, encoding="ascii")

    assert text in build()
    assert _compiles(gxx) == 2


@pytest.mark.parametrize("path", ["inc/b.h.gch", "b.h.gch", "../system/include/new.h", "inc/b.h.pch"])
def test_what_may_be_read_now_makes_it_run_again(path: str, build: Build, gxx: StandIn) -> None:
    build()
    Path(path).write_text("", encoding="ascii")
    build()

    assert _compiles(gxx) == 2


def test_products_beside_the_headers_do_not(build: Build, gxx: StandIn) -> None:
    build()
    Path("inc/other.o").write_text("", encoding="ascii")
    Path("unrelated.h").write_text("", encoding="ascii")
    build()

    assert _compiles(gxx) == 1


def test_a_name_that_is_asked_for_counts(build: Build, gxx: StandIn) -> None:
    Path("a.cc").write_text('#include "b.h"\n#if __has_include("maybe.h")\n#endif\n', encoding="ascii")
    build()
    build()
    assert _compiles(gxx) == 1
    Path("inc/maybe.h").write_text("", encoding="ascii")
    build()

    assert _compiles(gxx) == 2


@pytest.mark.parametrize("text", ["__DATE__", "__TIME__", "__TIMESTAMP__", ".incbin", "#if __has_include(X)"])
@pytest.mark.parametrize("path", ["a.cc", "inc/b.h"])
def test_what_depends_on_more_is_not_kept(path: str, text: str, build: Build, gxx: StandIn) -> None:
    with Path(path).open("a", encoding="ascii") as file:
        file.write(text)
    build()
    build()

    assert _compiles(gxx) == 2


def test_other_options_and_other_folders_are_other_products(
    build: Build, gxx: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(options=("-Iinc", "-O2")) != build(options=("-Iinc", "-O3"))
    monkeypatch.setenv("CPATH", "/somewhere")
    build(options=("-Iinc", "-O2"))

    assert _compiles(gxx) == 3


@pytest.mark.parametrize("option", ["-save-temps", "-march=native", "-fplugin=x.so", "-Wp,-MD,x.d"])
def test_an_option_that_is_not_known_goes_to_the_tool_each_time(option: str, build: Build, gxx: StandIn) -> None:
    build(options=("-Iinc", option))
    build(options=("-Iinc", option))

    assert [call for call in gxx.calls if "-MD" in call] == []
    assert _compiles(gxx) == 2


def test_another_compiler_is_another_product(build: Build, gxx: StandIn) -> None:
    build()
    with Path(gxx.path).open("a", encoding="utf-8") as file:
        file.write("# newer\n")
    build()

    assert _compiles(gxx) == 2


@pytest.mark.parametrize("program", ["cc1plus", "ld"])
def test_another_program_behind_the_compiler_is_another_product(program: str, build: Build, gxx: StandIn) -> None:
    build()
    with Path(gxx.path).with_name(program).open("a", encoding="utf-8") as file:
        file.write("# newer\n")
    build()

    assert _compiles(gxx) == 2


def test_a_link_depends_on_the_bytes_of_its_objects_not_on_where_they_lie(build: Build, gxx: StandIn) -> None:
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "a.o").write_bytes(b"\x7fELF object")

    first = build(output="x", sources=("one/a.o",), options=("-lm",))
    assert build(output="two/x", sources=("two/a.o",), options=("-lm",)) == first
    assert _compiles(gxx) == 1
    Path("two/a.o").write_bytes(b"\x7fELF another")
    assert build(output="x", sources=("two/a.o",), options=("-lm",)) != first


def test_a_library_that_comes_first_now_is_found(build: Build, gxx: StandIn) -> None:
    Path("a.o").write_bytes(b"\x7fELF object")
    Path("lib").mkdir()
    build(output="x", sources=("a.o",), options=("-Llib", "-lm"))
    build(output="x", sources=("a.o",), options=("-Llib", "-lm"))
    assert _compiles(gxx) == 1
    Path("lib/libm.so").write_text("my own libm\n", encoding="ascii")

    assert "my own libm" in build(output="x", sources=("a.o",), options=("-Llib", "-lm"))


@pytest.mark.parametrize("data", [b"text", b"!<thin>\n", b"\x7fELF .gnu.lto_main", b"BC\xc0\xde"])
def test_an_object_that_is_more_than_an_object_is_not_kept(data: bytes, build: Build, gxx: StandIn) -> None:
    Path("a.o").write_bytes(data)
    for _ in range(2):
        build(output="x", sources=("a.o",))

    assert _compiles(gxx) == 2


def test_a_header_s_name_may_hold_any_printable_character(build: Build, gxx: StandIn) -> None:
    # A quote ends the name, a slash makes a folder of it, and a backslash is refused, since gcc's list does not tell it.
    names = [f"x{chr(number)}y.h" for number in range(32, 127) if chr(number) not in '/"\\']
    for name in names:
        Path("inc", name).write_text(f"text of {name}\n", encoding="ascii")
    Path("a.cc").write_text("".join(f'#include "{name}"\n' for name in names), encoding="ascii")
    first = build()
    assert build() == first
    assert _compiles(gxx) == 1

    for number, name in enumerate(names[:16], start=2):
        Path("inc", name).write_text(f"another text of {name}\n", encoding="ascii")
        assert f"another text of {name}" in build()
        assert _compiles(gxx) == number


@pytest.mark.parametrize("name", ["new\nline.cc", "b\udcff.cc", "a b.cc", "-x.cc", "@x.cc", "~.cc", "$HOME.cc"])
def test_a_source_may_have_any_name(name: str, build: Build, gxx: StandIn) -> None:
    Path(name).write_text("text of it\n", encoding="ascii")

    for _ in range(2):
        assert "text of it" in build(sources=(name,))
    assert _compiles(gxx) in {1, 2}


def test_a_file_that_changes_while_the_tool_runs_is_not_taken_for_what_it_read(
    build: Build, gxx: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvm.support._cache.states.SETTLED", 2_000_000_000)
    build()
    build()

    # The headers of this test are younger than two seconds.
    assert _compiles(gxx) == 2


def test_the_product_has_the_mode_that_the_umask_leaves(build: Build) -> None:
    before = os.umask(0o027)
    try:
        build()
        Path("x.obj").unlink()
        build()
    finally:
        os.umask(before)

    assert Path("x.obj").stat().st_mode & 0o777 == 0o640
