import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox
from tests.unit.matrix.world import World, bytes_of
from tvm.error import (
    CellFailedError,
    CompileError,
    ConfigError,
    EngineError,
    ImageError,
    SourceError,
    StorageError,
    TVMError,
)
from tvm.matrix import userbuild
from tvm.matrix.signals import Interrupted
from tvm.matrix.userbuild import Built, Request

BUILDERS = "tvm.matrix.builders"


def compiles(box: FakeBox, call: Call) -> Answer:
    """Play a builder: the product names the image and holds the bytes of all sources in order."""
    at = call.argv.index("--")
    sources = [(box.source / name).read_bytes() for name in call.argv[at + 1 :]]
    product = box.out / call.argv[call.argv.index("-o") + 1].removeprefix("/out/")
    product.write_bytes(b"\n".join([call.argv[3].encode(), *sources]))
    return Answer(output="built\n")


@pytest.fixture
def world(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world whose working folder is home/, with home/a.c in it."""
    world.engine.programs[BUILDERS] = compiles
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.c").write_bytes(b"int a;\n")
    monkeypatch.chdir(home)
    return world


def ask(*sources: str, output: str = "out/liba.so", folders: tuple[str, ...] = ()) -> Request:
    return Request(
        sources=tuple(map(Path, sources or ("a.c",))), folders=tuple(map(Path, folders)), output=Path(output)
    )


def build(world: World, request: Request, *cells: str) -> list[Built]:
    """Check a request and build it, as the command does."""
    userbuild.check(request)
    return userbuild.build_all(world.session(), world.plan(*(cells or ("first",))), request)


def argv(world: World) -> list[str]:
    """Return the builder's command line in the last box."""
    return list(world.engine.boxes[-1].call(BUILDERS).argv)


def test_the_product_lies_where_it_was_asked_for(world: World) -> None:
    (built,) = build(world, ask())
    assert Path("out/liba.so").read_bytes() == b"first\nint a;\n"
    assert (built.path, built.cell, built.arch, built.size) == (Path("out/liba.so"), "first", "x86_64", 13)
    assert os.listdir("out") == ["liba.so"]  # noqa: PTH208 - the working folder is what is tested


def test_an_absolute_output_works_too(world: World, tmp_path: Path) -> None:
    build(world, ask(output=str(tmp_path / "deep" / "er" / "a.o")))
    assert (tmp_path / "deep" / "er" / "a.o").is_file()


def test_an_output_in_the_working_folder_itself_works(world: World) -> None:
    build(world, ask(output="a.o"))
    assert sorted(path.name for path in Path().iterdir()) == ["a.c", "a.o"]


def test_the_builder_is_told_arch_product_options_and_sources(world: World) -> None:
    build(world, replace(ask(), arch="aarch64", options=("-O3", "-DX=a b")))
    assert argv(world) == [
        *("python", "-m", BUILDERS, "first", "--arch", "aarch64", "-o", "/out/build/liba.so"),
        *("--option=-O3", "--option=-DX=a b", "--", "user/a.c"),
    ]


def test_the_box_gets_the_library_and_the_sources_and_nothing_else(world: World) -> None:
    build(world, ask())
    assert bytes_of(world.engine.boxes[0].source) == {"tvm/a.py": b"A = 1\n", "user/a.c": b"int a;\n"}


def test_everything_in_the_box_belongs_to_its_user(world: World) -> None:
    Path("include").mkdir()
    build(world, ask(folders=("include",)))
    assert {(member.uid, member.gid) for member in world.engine.boxes[0].members} == {(1000, 1000)}


def test_several_cells_give_a_folder_each(world: World) -> None:
    built = build(world, ask(), "first", "second")
    assert [item.path for item in built] == [Path("out/first/liba.so"), Path("out/second/liba.so")]
    assert Path("out/second/liba.so").read_bytes() == b"second\nint a;\n"


def test_folders_of_headers_are_sent_with_everything_in_them(world: World) -> None:
    for name in ("inc/a.h", "inc/deep/b.inl"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(name.encode())
    build(world, ask(folders=("inc",)))
    assert argv(world)[argv(world).index("-I") + 1] == "user/inc"
    sent = bytes_of(world.engine.boxes[0].source)
    assert (sent["user/inc/a.h"], sent["user/inc/deep/b.inl"]) == (b"inc/a.h", b"inc/deep/b.inl")


def test_an_empty_folder_of_headers_is_there(world: World) -> None:
    Path("inc").mkdir()
    build(world, ask(folders=("inc",)))
    assert (world.engine.boxes[0].source / "user" / "inc").is_dir()


def test_files_keep_their_places_to_each_other(world: World) -> None:
    Path("src").mkdir()
    Path("src/b.c").write_bytes(b'#include "../common.h"\n')
    Path("common.h").write_bytes(b"#define B\n")
    build(world, ask("src/b.c"))
    sent = bytes_of(world.engine.boxes[0].source)
    assert {name: sent[name] for name in sent if name.startswith("user/")} == {
        "user/src/b.c": b'#include "../common.h"\n',
        "user/common.h": b"#define B\n",
    }


def test_sources_above_the_working_folder_work(world: World) -> None:
    Path("deep").mkdir()
    os.chdir("deep")
    build(world, ask("../a.c"))
    assert argv(world)[-1] == "user/a.c"


def test_the_order_of_sources_and_folders_is_kept(world: World) -> None:
    for name in ("z", "m"):
        Path(name).mkdir()
    Path("0.c").touch()
    build(world, ask("a.c", "0.c", folders=("z", "m")))
    assert argv(world)[-2:] == ["user/a.c", "user/0.c"]
    assert [word for word in argv(world) if word in {"user/z", "user/m"}] == ["user/z", "user/m"]


@pytest.mark.parametrize("name", ["a b.c", "it's.c", 'say "b".c', "new\nline.c", "-o.c", "--.c", "ü.c", "$(x);`y`.c"])
def test_odd_names_reach_the_box_as_they_are(world: World, name: str) -> None:
    Path(name).write_bytes(b"int odd;\n")
    build(world, ask(name))
    assert argv(world)[-2:] == ["--", f"user/{name}"]
    assert Path("out/liba.so").read_bytes() == b"first\nint odd;\n"


@pytest.mark.parametrize("name", ["a b.so", "-x.so", "new\nline.so"])
def test_odd_names_of_products_work(world: World, name: str) -> None:
    build(world, ask(output=f"out/{name}"))
    assert Path("out", name).is_file()


def test_a_source_that_is_a_link_is_sent_as_the_file_under_the_links_name(world: World) -> None:
    Path("b.c").symlink_to("a.c")
    build(world, ask("b.c"))
    assert bytes_of(world.engine.boxes[0].source)["user/b.c"] == b"int a;\n"


def refused(world: World, request: Request, *cells: str) -> TVMError:
    """Return the error of a request that is refused before anything runs or is written."""
    before = bytes_of(Path.cwd())
    with pytest.raises(TVMError) as caught:
        build(world, request, *cells)
    assert [call.argv for box in world.engine.boxes for call in box.calls if BUILDERS in call.argv] == []
    assert bytes_of(Path.cwd()) == before
    return caught.value


def test_a_missing_source_is_refused_with_the_place_that_was_looked_at(world: World) -> None:
    error = refused(world, ask("nope.c"))
    assert isinstance(error, SourceError)
    assert (error.cause, error.looked) == ("'nope.c': no such source file", (str(Path("nope.c").absolute()),))


def test_a_folder_as_source_is_refused(world: World) -> None:
    Path("src").mkdir()
    assert isinstance(refused(world, ask("src")), SourceError)


def test_a_missing_folder_of_headers_is_refused(world: World) -> None:
    error = refused(world, ask(folders=("nope",)))
    assert (error.cause, error.fix) == ("-I 'nope': no such folder", "give the path of a folder")


def test_a_name_that_is_not_utf8_is_refused(world: World) -> None:
    name = os.fsdecode(b"\xff.c")
    Path(name).touch()
    error = refused(world, ask(name))
    assert isinstance(error, SourceError)
    assert "not UTF-8" in error.cause


def test_a_header_whose_name_is_not_utf8_is_refused(world: World) -> None:
    Path("inc").mkdir()
    Path("inc", os.fsdecode(b"\xff.h")).touch()
    assert "not UTF-8" in refused(world, ask(folders=("inc",))).cause


def test_an_arch_that_the_cell_has_not_is_refused_with_those_it_has(world: World) -> None:
    error = refused(world, replace(ask(), arch="sparc"))
    assert isinstance(error, ConfigError)
    assert (error.cause, error.fix) == ("cell first has no arch 'sparc'", "one of: x86_64, aarch64")


def test_an_arch_that_a_later_cell_has_not_is_refused_before_the_first_is_built(world: World) -> None:
    refused(world, replace(ask(), arch="aarch64"), "first", "second")


@pytest.mark.parametrize("target", ["a.c", "nowhere"])
def test_an_output_that_is_a_link_is_refused(world: World, target: str) -> None:
    Path("liba.so").symlink_to(target)
    error = refused(world, ask(output="liba.so"))
    assert isinstance(error, StorageError)
    assert "the output is a link" in error.cause


def test_an_output_that_is_a_folder_is_refused(world: World) -> None:
    Path("liba.so").mkdir()
    assert "the output is not a file" in refused(world, ask(output="liba.so")).cause


def test_an_output_of_one_of_several_cells_that_is_a_link_is_refused(world: World) -> None:
    Path("out/second").mkdir(parents=True)
    Path("out/second/liba.so").symlink_to("a.c")
    assert "the output is a link" in refused(world, ask(), "first", "second").cause


def test_an_output_that_is_a_source_is_refused(world: World) -> None:
    error = refused(world, ask("a.c", output="./a.c"))
    assert isinstance(error, StorageError)
    assert "the output is a source" in error.cause


def test_a_source_that_cannot_be_read_is_a_source_error(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "a.c":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SourceError, match=r"a\.c.*Permission denied"):
        build(world, ask())


def test_a_compile_error_shows_the_tools_output_and_command(world: World) -> None:
    world.engine.programs[BUILDERS] = fake.prints("user/a.c:1:1: error: no\n", code=1)
    with pytest.raises(CompileError) as caught:
        build(world, ask())
    assert str(caught.value).startswith("build failed:\nuser/a.c:1:1: error: no\nCommand line: python -m")
    assert not Path("out").exists()


def test_a_build_that_overruns_says_its_limit(world: World) -> None:
    world.engine.programs[BUILDERS] = fake.prints("", code=124)
    with pytest.raises(CompileError, match="ended after its limit of 600 s"):
        build(world, ask())


def interrupted(_box: FakeBox, _call: Call) -> Answer:
    raise Interrupted(signal.SIGINT)


def gone(box: FakeBox, _call: Call) -> Answer:
    box.engine.dead = True
    box.engine.must_be_up()
    return Answer()


@pytest.mark.parametrize(
    ("program", "error"),
    [(fake.prints("no", code=1), CompileError), (interrupted, Interrupted), (gone, EngineError)],
)
def test_an_earlier_output_stays_when_a_build_ends_badly(
    world: World, program: fake.Program, error: type[BaseException]
) -> None:
    build(world, ask())
    before = bytes_of(Path.cwd())
    world.engine.programs[BUILDERS] = program
    with pytest.raises(error):
        build(world, ask())
    assert bytes_of(Path.cwd()) == before
    assert world.engine.boxes[-1].closed == [False]
    assert world.engine.swept == [world.engine.boxes[-1].options.run_id]


def test_an_image_that_cannot_be_built_is_an_image_error(world: World) -> None:
    world.engine.broken["first"] = ImageError("step 3 failed")
    assert isinstance(refused(world, ask()), ImageError)


def test_a_product_that_is_no_file_is_refused(world: World) -> None:
    def makes_a_folder(box: FakeBox, call: Call) -> Answer:
        folder = box.out / call.argv[call.argv.index("-o") + 1].removeprefix("/out/")
        folder.mkdir()
        (folder / "one").touch()
        (folder / "two").touch()
        return Answer()

    world.engine.programs[BUILDERS] = makes_a_folder
    with pytest.raises(TVMError, match="no single file"):
        build(world, ask())
    assert not Path("out/liba.so").exists()


def test_a_builder_that_makes_nothing_is_an_error(world: World) -> None:
    world.engine.programs[BUILDERS] = fake.prints("done\n")
    with pytest.raises(CellFailedError, match="has no /out/build/liba"):
        build(world, ask())


def test_a_hostile_tar_in_place_of_the_product_writes_nothing(world: World, tmp_path: Path) -> None:
    world.engine.gives = b"no tar" * 1000
    before = bytes_of(tmp_path / "home")
    with pytest.raises(TVMError):
        build(world, ask())
    assert bytes_of(tmp_path / "home") == before


def test_the_mode_of_an_executable_is_kept(world: World) -> None:
    def links(box: FakeBox, call: Call) -> Answer:
        answer = compiles(box, call)
        (box.out / "build" / "run").chmod(0o755)
        return answer

    world.engine.programs[BUILDERS] = links
    build(world, ask(output="run"))
    assert os.access("run", os.X_OK)
