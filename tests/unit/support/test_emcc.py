"""Command lines of emcc, the libraries that go in, and what is refused before it runs."""

import os
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tests.unit.support.wasm_home import BITCODE, make_home
from tvm.error import CompileError, ConfigError, SourceError, ToolNotFound
from tvm.support import emcc

_GROWING = [
    *("-s", "WASM_BIGINT=1", "-s", "ERROR_ON_UNDEFINED_SYMBOLS=1", "-s", "STANDALONE_WASM=1"),
    *("-s", "ALLOW_MEMORY_GROWTH=1", "-s", "INITIAL_MEMORY=167772160"),
]
_FRONT = ["-O3", "-Wno-override-module", "-std=c++17", "--no-entry"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the three libraries of a TVM_HOME."""
    return make_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def tool(stand_in: MakeStandIn) -> StandIn:
    """Return emcc."""
    return stand_in("emcc")


def link(tool: StandIn) -> list[str]:
    """Return the last call: the one that links."""
    return tool.calls[-1]


def test_a_module_is_linked_with_the_three_libraries(tool: StandIn, home: list[str], tmp_path: Path) -> None:
    output = tmp_path / "x.wasm"
    emcc.create_tvmjs_wasm(output, ["a.o", Path("b.bc")], ["-g0"])
    staged = str(tmp_path / ".x.wasm.tvm" / "x.wasm")
    assert tool.calls == [[*_FRONT, *_GROWING, "-o", staged, *home, "a.o", "b.bc", "-g0"]]
    assert [entry.name for entry in tmp_path.iterdir() if "x.wasm" in entry.name] == ["x.wasm"]


def test_one_path_is_one_object(tool: StandIn, home: list[str], tmp_path: Path) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", Path("a.o"))
    assert link(tool)[-4:] == [*home, "a.o"]


def test_objects_and_options_may_be_tuples(tool: StandIn, home: list[str], tmp_path: Path) -> None:
    """In the seed a tuple is a TypeError."""
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ("a.o", Path("b.o")), ("-g0", "-v"))
    assert link(tool)[-7:] == [*home, "a.o", "b.o", "-g0", "-v"]


def test_sources_are_compiled_on_their_own_under_fixed_names(
    tool: StandIn, home: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A C source refuses -std=c++17; what only the linker reads stays out of it."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.c", "b.cc"):
        Path(name).touch()
    options = ["-Iinc", "-Wl,--gc-sections", "-s", "STRICT=1"]
    emcc.create_tvmjs_wasm("x.wasm", ["a.c", "b.cc"], options, exceptions=True)
    c, cxx, linked = tool.calls
    objects = [str(Path(".x.wasm.tvm", "objects", name)) for name in ("0-a.o", "1-b.o")]
    front = ["-O3", "-Wno-override-module"]
    assert c == [*front, "-fwasm-exceptions", "-c", "-o", objects[0], "-Iinc", "-sSTRICT=1", "a.c"]
    assert cxx == [*front, "-std=c++17", "-fwasm-exceptions", "-c", "-o", objects[1], "-Iinc", "-sSTRICT=1", "b.cc"]
    assert linked[-9:] == [*home, *objects, *options]


@pytest.mark.parametrize("name", ["wasm_runtime.bc", "tvmjs_support.bc", "webgpu_runtime.bc"])
def test_an_object_of_the_name_takes_the_library_s_place(
    name: str, tool: StandIn, home: list[str], tmp_path: Path
) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", [f"mine/{name}"])
    others = [path for path in home if not path.endswith(name)]
    assert [word for word in link(tool) if word.endswith(".bc")] == [*others, f"mine/{name}"]


def test_a_folder_of_that_name_does_not(tool: StandIn, home: list[str], tmp_path: Path) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["wasm_runtime.bc.d/a.o"])
    assert home[0] in link(tool)


def test_libs_follow_the_runtime(tool: StandIn, home: list[str], tmp_path: Path) -> None:
    (tmp_path / "libx.a").write_bytes(b"!<arch>\n")
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], libs=[tmp_path / "libx.a"])
    assert link(tool)[-5:] == [*home, str(tmp_path / "libx.a"), "a.o"]


@pytest.mark.parametrize("libs", ["libx.a", Path("libx.a")])
def test_libs_must_be_a_list(libs: str | Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="libs must be a list"):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], libs=libs)  # type: ignore[arg-type] # the mistake


def test_a_missing_lib_is_named(tool: StandIn, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot read the library .*no\.bc"):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], libs=[tmp_path / "no.bc"])
    assert tool.calls == []


@pytest.mark.parametrize(("content", "said"), [(b"\x7fELF", "7f 45 4c 46"), (b"", "of an empty file")])
def test_a_library_with_a_wrong_magic_is_refused_before_emcc_runs(
    content: bytes, said: str, tool: StandIn, home: list[str], tmp_path: Path
) -> None:
    Path(home[1]).write_bytes(content)
    with pytest.raises(SourceError, match=f"tvmjs_support.bc.*{said}"):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"])
    assert tool.calls == []


def test_static_memory_has_no_maximum(tool: StandIn, tmp_path: Path) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], memory=1 << 20, memory_growth=False)
    assert {"ALLOW_MEMORY_GROWTH=0", "INITIAL_MEMORY=1048576"} <= set(link(tool))
    assert not [word for word in link(tool) if word.startswith("MAXIMUM_MEMORY")]


def test_growth_may_be_bounded(tool: StandIn, tmp_path: Path) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], memory=1 << 20, maximum_memory=2 << 20)
    assert "MAXIMUM_MEMORY=2097152" in link(tool)


def test_exceptions_exports_and_asyncify_are_selected(tool: StandIn, tmp_path: Path) -> None:
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], exceptions=True, exports=["f", "g"])
    assert {"-fwasm-exceptions", "-Wl,--export=f", "-Wl,--export=g"} <= set(link(tool))
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], asyncify=True, imports=["wait"])
    assert {"ASYNCIFY=1", 'ASYNCIFY_IMPORTS=["env.wait"]'} <= set(link(tool))
    assert "-fwasm-exceptions" not in link(tool)


def test_only_named_imports_may_stay_undefined(stand_in: MakeStandIn, tmp_path: Path) -> None:
    body = "print(open(next(a for a in args if 'undefined-file' in a).split('=')[1]).read())\nsys.exit(1)"
    stand_in("emcc", body=body)
    with pytest.raises(CompileError) as error:
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], imports=["wait", "ask"])
    assert error.value.output == "wait\nask\n\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"memory": 100}, "memory=100"),
        ({"memory": 0}, "memory=0"),
        ({"memory": 8 << 30}, "up to 4294967296 bytes"),
        ({"maximum_memory": 65537}, "maximum_memory=65537"),
        ({"memory": 2 << 20, "maximum_memory": 1 << 20}, "grows to it from memory=2097152"),
        ({"maximum_memory": 1 << 30, "memory_growth": False}, "memory_growth on"),
        ({"exceptions": True, "asyncify": True}, "exceptions and asyncify"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    settings: dict[str, int], said: str, tool: StandIn, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], **settings)  # type: ignore[arg-type] # a table of mistakes
    assert tool.calls == []


@pytest.mark.parametrize("name", ["options", "exports", "imports"])
def test_a_str_for_a_list_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a list"):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], **{name: "-O1"})  # type: ignore[arg-type] # the mistake


@pytest.mark.parametrize(
    ("said", "fix"),
    [
        ("wasm-ld: error: a.o: undefined symbol: f", "define f, give the library"),
        ("wasm-ld: error: initial memory too small, 200065536 bytes needed", "memory= of at least 200065536 bytes"),
        ("wasm-ld: error: maximum memory too small, 200065536 bytes needed", "maximum_memory= of at least 200065536"),
        ("wasm-ld: error: symbol exported via --export not found: z", "no object defines z"),
        ("wasm-ld: error: unknown file type: x.o", "x.o is no object for WebAssembly"),
        ("error: overriding the module target triple with wasm32-unknown-emscripten", "for another target"),
        ("error: Invalid bitcode signature", "the bitcode is damaged"),
        ("a.c:1:1: error: unknown type name", ""),
    ],
)
def test_a_failure_has_the_tool_s_words_and_what_to_do(
    said: str, fix: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    stand_in("emcc", output=said, code=1)
    (tmp_path / "x.wasm").write_text("old", encoding="utf-8")
    with pytest.raises(CompileError, match=f"Compilation error:\n{said}") as error:
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"])
    assert error.value.fix.startswith(fix) or fix in error.value.fix
    assert bool(error.value.fix) == bool(fix)
    assert (tmp_path / "x.wasm").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.bc", BITCODE, "-Wno-override-module"),
        ("a.bc", b"BC\xc0\xdex86_64-pc-linux-gnu", "-Werror=override-module"),
        ("a.ll", b'target triple = "x86_64-pc-linux-gnu"', "-Werror=override-module"),
        ("a.ll", b'target triple = "wasm32-unknown-unknown-wasm"', "-Wno-override-module"),
        ("a.o", b"\0asm", "-Wno-override-module"),
    ],
)
def test_ir_for_another_target_is_refused(name: str, content: bytes, word: str, tool: StandIn, tmp_path: Path) -> None:
    """Alone, emcc turns it into a module with pointers of the wrong size, with a warning."""
    (tmp_path / name).write_bytes(content)
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", [tmp_path / name])
    assert {word} == {call[1] for call in tool.calls}


def test_another_emcc_may_be_named_with_arguments(stand_in: MakeStandIn, tmp_path: Path) -> None:
    other = stand_in("my-emcc")
    emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"], cc=f"{other.path} -v")
    assert other.calls[0][:2] == ["-v", "-O3"]


def test_a_missing_emcc_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ToolNotFound, match="'emcc'") as error:
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", ["a.o"])
    assert "emscripten" in error.value.fix


def test_the_object_format_is_bitcode() -> None:
    assert emcc.create_tvmjs_wasm.object_format == "bc"


def test_libraries_are_found_in_both_folders(home: list[str], tmp_path: Path) -> None:
    second = tmp_path / "home" / "web" / "dist" / "wasm_runtime.bc"
    second.write_bytes(BITCODE)
    assert emcc.find_wasm_lib("wasm_runtime.bc") == [home[0], str(second)]


def test_a_missing_library_says_where_and_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_HOME", str(tmp_path))
    assert emcc.find_wasm_lib("x.bc", optional=True) is None
    with pytest.raises(ToolNotFound, match=r"Cannot find x\.bc") as error:
        emcc.find_wasm_lib("x.bc")
    folders = [os.path.dirname(place) for place in error.value.looked]  # noqa: PTH120 - texts
    assert folders == [str(tmp_path / "web" / "dist" / "wasm"), str(tmp_path / "web" / "dist")]
    assert "TVM_HOME" in error.value.fix


@pytest.mark.parametrize("value", [None, ""])
def test_without_tvm_home_the_checkout_is_searched(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("TVM_HOME", value)
    with pytest.raises(ToolNotFound, match=r"Cannot find no-such\.bc; TVM_HOME is not set") as error:
        emcc.find_wasm_lib("no-such.bc")
    assert all(".." not in place for place in error.value.looked)


@pytest.mark.parametrize("name", ["../x.bc", "/etc/passwd", "a/x.bc"])
def test_a_library_is_a_name_not_a_path(name: str) -> None:
    with pytest.raises(ConfigError, match="has a folder"):
        emcc.find_wasm_lib(name, optional=True)
