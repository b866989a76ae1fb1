import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import cc, xcode

# What Xcode's own says before the answer when it was just updated.
_WARNING = "xcrun: warning: something was rebuilt"
_SDK = "/Applications/Some SDK"


@pytest.fixture
def clang(stand_in: MakeStandIn) -> StandIn:
    """Return the clang that `xcrun` finds."""
    return stand_in("clang")


@pytest.fixture
def xcrun(stand_in: MakeStandIn, clang: StandIn) -> StandIn:
    """Return an xcrun that finds clang and SDKs, and whose other tools only record."""
    body = f"""
print({_WARNING!r})
if "-find" in args:
    print({clang.path!r})
elif "-show-sdk-path" in args:
    print({_SDK!r})
"""
    return stand_in("xcrun", body=body)


def test_xcrun_returns_bytes_without_the_space_around_them(stand_in: MakeStandIn) -> None:
    tool = stand_in("xcrun", output="  /a path\n\n")
    assert xcode.xcrun(["-sdk", "macosx", "-find", Path("clang")]) == b"/a path"
    assert tool.calls == [["-sdk", "macosx", "-find", "clang"]]


def test_xcrun_s_exit_code_is_an_error(stand_in: MakeStandIn) -> None:
    """In the seed it is ignored, and the message becomes the path of a program."""
    stand_in("xcrun", output="oops", code=7)
    with pytest.raises(CompileError, match="oops") as error:
        xcode.xcrun(["-find", "clang"])
    assert error.value.code == 7


def test_without_xcrun_the_error_says_what_to_install() -> None:
    with pytest.raises(ToolNotFound, match="install Xcode"):
        xcode.xcrun(["-find", "clang"])


def test_a_dylib_is_linked_by_the_clang_and_sdk_that_xcrun_finds(
    xcrun: StandIn, clang: StandIn, tmp_path: Path
) -> None:
    output = tmp_path / "libx.dylib"
    xcode.create_dylib(output, ["a.o", Path("b.o")], "arm64")
    assert xcrun.calls == [["-sdk", "macosx", "-find", "clang"], ["-sdk", "macosx", "-show-sdk-path"]]
    made = str(tmp_path / ".libx.dylib.tvm" / "libx.dylib")
    target = ["-dynamiclib", "-arch", "arm64", "-isysroot", _SDK]
    assert clang.calls == [[*target, "-install_name", "@rpath/libx.dylib", "-o", made, "a.o", "b.o"]]
    assert output.is_file()


def test_no_word_of_the_command_line_is_empty(xcrun: StandIn, clang: StandIn, tmp_path: Path) -> None:
    """In the seed one is, for macOS without a version, and clang takes it for a file."""
    xcode.create_dylib(tmp_path / "libx.dylib", "a.o", "x86_64", "macosx", None)
    assert "" not in clang.calls[0]
    assert len(xcrun.calls) == 2


@pytest.mark.parametrize(
    ("sdk", "version", "option"),
    [
        ("macosx", "11.0", "-mmacosx-version-min=11.0"),
        ("iphoneos", None, "-mios-version-min=13.0"),
        ("iphonesimulator", None, "-mios-simulator-version-min=13.0"),
        ("iphonesimulator", "15.0", "-mios-simulator-version-min=15.0"),
    ],
)
def test_each_sdk_has_its_own_option(
    sdk: str, version: str | None, option: str, xcrun: StandIn, clang: StandIn, tmp_path: Path
) -> None:
    xcode.create_dylib(tmp_path / "libx.dylib", ["a.o"], "arm64", sdk, version)
    assert option in clang.calls[0]
    assert {call[1] for call in xcrun.calls} == {sdk}


@pytest.mark.usefixtures("xcrun")
def test_options_and_an_install_name_of_the_caller_s_are_kept(clang: StandIn, tmp_path: Path) -> None:
    options = ["-O3", "-lz", "-install_name", "/usr/local/lib/libx.dylib"]
    xcode.create_dylib(tmp_path / "libx.dylib", ["a.c"], "arm64", options=options)
    (call,) = clang.calls
    assert call.count("-install_name") == 1
    assert "-O3" in call[: call.index("a.c")]
    assert "-lz" in call[call.index("a.c") :]
    assert options == ["-O3", "-lz", "-install_name", "/usr/local/lib/libx.dylib"]


@pytest.mark.usefixtures("xcrun")
def test_it_is_a_compile_function_once_the_arch_is_bound(clang: StandIn, tmp_path: Path) -> None:
    def for_phones(output: str, objects: Sequence[str], options: Sequence[str]) -> None:
        xcode.create_dylib(output, objects, "arm64", "iphoneos", options=options)

    fcompile = cc.cross_compiler(for_phones, output_format=xcode.create_dylib.output_format, options=["-O3"])
    fcompile(str(tmp_path / "libx.dylib"), ["a.o"], options=["-lz"])
    assert fcompile.output_format == "dylib"
    assert {"-O3", "-lz"} <= set(clang.calls[0])


@pytest.mark.parametrize(
    ("arch", "sdk", "version", "said"),
    [
        ("arm64", "appletvos", None, "Unsupported sdk: appletvos"),
        ("arm64 -o x", "macosx", None, "no arch"),
        ("", "macosx", None, "no arch"),
        ("arm64", "macosx", "1;2", "no system version"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(
    arch: str, sdk: str, version: str | None, said: str, xcrun: StandIn, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        xcode.create_dylib(tmp_path / "libx.dylib", ["a.o"], arch, sdk, version)
    assert xcrun.calls == []


def test_a_failing_clang_leaves_the_earlier_dylib(stand_in: MakeStandIn, xcrun: StandIn, tmp_path: Path) -> None:
    output = tmp_path / "libx.dylib"
    output.write_text("earlier", encoding="ascii")
    stand_in("clang", output="ld: symbol not found", code=1)
    with pytest.raises(CompileError, match="symbol not found"):
        xcode.create_dylib(output, ["a.o"], "arm64")
    assert output.read_text(encoding="ascii") == "earlier"
    assert len(xcrun.calls) == 2


def test_an_answer_that_is_no_path_is_an_error_that_quotes_it(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("xcrun", output="nothing here\n")
    with pytest.raises(ToolNotFound, match="named no path, but 'nothing here'"):
        xcode.create_dylib(tmp_path / "libx.dylib", ["a.o"], "arm64")


@pytest.mark.usefixtures("xcrun")
def test_the_triple_is_that_of_clang(stand_in: MakeStandIn) -> None:
    stand_in("clang", output="arm64-apple-darwin24.0.0\n")
    assert xcode.create_dylib.get_target_triple() == "arm64-apple-darwin24.0.0\n"


def test_the_triple_is_unknown_without_xcode() -> None:
    assert xcode.create_dylib.get_target_triple() is None


def test_metal_is_two_calls_without_a_shell(xcrun: StandIn) -> None:
    made = xcode.compile_metal("kernel void f() {}")
    compiled, linked = xcrun.calls
    assert compiled[:6] == ["-sdk", "macosx", "metal", "-std=macos-metal2.3", "-O3", "-c"]
    assert [Path(word).name for word in (compiled[6], compiled[8])] == ["my_lib.metal", "my_lib.air"]
    assert linked[:4] == ["-sdk", "macosx", "metallib", compiled[8]]
    assert isinstance(made, bytearray)
    # What the stand-in writes: its name and how it was called.
    assert json.loads(made) == ["xcrun", *linked]


@pytest.mark.parametrize("name", ["a b.metallib", "x; touch INJECTED.metallib", "$(touch INJECTED).metallib", "-o"])
def test_a_target_may_have_any_name(name: str, xcrun: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the seed it is part of a shell's command line."""
    monkeypatch.chdir(tmp_path)
    made = xcode.compile_metal("kernel void f() {}", name, sdk="iphoneos")
    assert Path(name).read_bytes() == bytes(made)
    assert not Path("INJECTED").exists()
    assert len(xcrun.calls) == 2


def test_the_source_s_folder_depends_on_the_source_alone(xcrun: StandIn) -> None:
    for code in ("kernel void f() {}", "kernel void f() {}", "kernel void g() {}"):
        xcode.compile_metal(code)
    one, again, other = (call[6] for call in xcrun.calls if "metal" in call)
    assert one == again != other
    assert not Path(one).parent.exists()


@pytest.mark.parametrize("failing", ["metal", "metallib"])
def test_a_failing_step_is_an_error_with_its_words_and_leaves_no_target(
    failing: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    """In the seed the first step's code is lost, and the result is None."""
    body = f"if args[2] == {failing!r}:\n    print('error: wrong')\n    sys.exit(1)"
    tool = stand_in("xcrun", body=body)
    with pytest.raises(CompileError, match="error: wrong") as error:
        xcode.compile_metal("kernel", tmp_path / "x.metallib")
    assert (error.value.code, error.value.command[3]) == (1, failing)
    assert len(tool.calls) == ["metal", "metallib"].index(failing) + 1
    assert not (tmp_path / "x.metallib").exists()


def test_metal_s_language_is_refused_before_anything_runs(xcrun: StandIn) -> None:
    with pytest.raises(ConfigError, match="needs iOS 16"):
        xcode.compile_metal("kernel void f() {}", sdk="iphonesimulator", min_os_version="15.0", language="3.0")
    assert xcrun.calls == []


class Model:
    """A Core ML model as coremltools gives it."""

    def __init__(self) -> None:
        self.short_description = ""
        self.input_description = {"data": "the input"}
        self.output_description = {"result": "the output", "extra": ""}

    def save(self, path: str, /) -> None:
        Path(path).write_text(self.short_description, encoding="utf-8")


_COMPILES = "os.mkdir(os.path.join(args[3], os.path.basename(args[2]) + 'c'))"


def test_a_core_ml_model_is_described_saved_and_compiled(stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("xcrun", body=_COMPILES, makes=False)
    earlier = tmp_path / "net.mlmodelc"
    earlier.mkdir()
    (earlier / "old").touch()
    made = xcode.compile_coreml(Model(), "net", tmp_path)
    assert made == os.fspath(tmp_path / "net.mlmodelc")
    assert json.loads((tmp_path / "net.mlmodel").read_text(encoding="utf-8")) == {
        "inputs": ["data"],
        "outputs": ["result", "extra"],
    }
    assert tool.calls[0][:2] == ["coremlcompiler", "compile"]
    assert list(earlier.iterdir()) == []
    assert sorted(path.name for path in tmp_path.glob("*net*")) == ["net.mlmodel", "net.mlmodelc"]


@pytest.mark.parametrize(("code", "said"), [(0, "it made no main.mlmodelc"), (3, "error: no model")])
def test_a_model_that_is_not_compiled_is_an_error_and_nothing_stays(
    code: int, said: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    stand_in("xcrun", output="error: no model", code=code, makes=False)
    folder = tmp_path / "models"
    folder.mkdir()
    with pytest.raises(CompileError, match=f"Compile failed(?s:.*){said}"):
        xcode.compile_coreml(Model(), out_dir=folder)
    assert list(folder.iterdir()) == []


def test_a_model_s_name_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no name of a model"):
        xcode.compile_coreml(Model(), "../main", tmp_path)
