import inspect
from pathlib import Path

import pytest
import tvm_ffi

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import ToolNotFound
from tvm.support import cc, ndk

_CLANG = "aarch64-linux-android24-clang"
_EXPORT = "s_tir.meta_schedule.builder.export_ndk"
# llvm-ar's "qcs LIBRARY": makes the library.
_MAKES_LIBRARY = "open(args[1], 'w').close()"


@pytest.fixture
def clang(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return the NDK's compiler."""
    made = stand_in(_CLANG, output="aarch64-unknown-linux-android24\n")
    monkeypatch.setenv("TVM_NDK_CC", made.path)
    return made


def test_the_defaults_are_there_without_options(clang: StandIn, tmp_path: Path) -> None:
    ndk.create_shared("x.so", ["a.o", Path("b.o")], cwd=tmp_path)

    assert clang.calls == [["-o", ".x.so.tvm/x.so", "a.o", "b.o", "-shared", "-fPIC", "-lm"]]
    assert (tmp_path / "x.so").is_file()


def test_options_are_added_to_the_defaults(clang: StandIn, tmp_path: Path) -> None:
    """In the seed they replace them, so that an exported C module does not link."""
    ndk.create_shared("x.so", "a.c", ["-Iinc", "-lfoo"], cwd=tmp_path)

    assert clang.calls == [["-o", ".x.so.tvm/x.so", "a.c", "-shared", "-fPIC", "-Iinc", "-lfoo", "-lm"]]


def test_a_default_that_is_given_is_not_doubled(clang: StandIn, tmp_path: Path) -> None:
    ndk.create_shared("x.so", "a.c", ["-lm", "-O2", "-shared"], cwd=tmp_path)

    assert clang.calls == [["-o", ".x.so.tvm/x.so", "a.c", "-fPIC", "-lm", "-O2", "-shared"]]


def test_a_compiler_with_arguments_is_split(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clang = stand_in("clang")
    monkeypatch.setenv("TVM_NDK_CC", "clang --target=aarch64-linux-android24")

    ndk.create_shared("x.so", "a.c", cwd=tmp_path)

    assert clang.calls[0][:2] == ["--target=aarch64-linux-android24", "-o"]


@pytest.mark.parametrize("value", [None, "", " "])
def test_without_a_compiler_every_function_names_the_variable(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is not None:
        monkeypatch.setenv("TVM_NDK_CC", value)
    (tmp_path / "x.so").touch()

    for call in (
        lambda: ndk.create_shared(tmp_path / "y.so", ["a.o"]),
        lambda: ndk.create_staticlib(tmp_path / "y.a", ["a.o"]),
        lambda: ndk.get_global_symbol_section_map(tmp_path / "x.so"),
    ):
        with pytest.raises(ToolNotFound, match="TVM_NDK_CC is not set or empty"):
            call()


def test_a_compiler_that_is_not_there_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_NDK_CC", str(tmp_path / _CLANG))

    with pytest.raises(ToolNotFound, match="program not found") as caught:
        ndk.create_shared(tmp_path / "x.so", ["a.o"])

    assert caught.value.looked == (str(tmp_path / _CLANG),)
    assert "TVM_NDK_CC" in caught.value.fix


@pytest.mark.parametrize("suffix", [".exe", ".cmd"])
def test_on_windows_the_suffixes_of_programs_are_tried(
    suffix: str, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clang = stand_in(_CLANG + suffix)
    nm = stand_in("llvm-nm.exe", output="0001 T f\n")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("TVM_NDK_CC", clang.path.removesuffix(suffix))

    ndk.create_shared(tmp_path / "x.so", ["a.o"])

    assert len(clang.calls) == 1
    assert ndk.get_global_symbol_section_map(tmp_path / "x.so") == {"f": "T"}
    assert len(nm.calls) == 1


def test_a_static_library_is_made_by_the_tools_beside_the_compiler(
    clang: StandIn, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ar, ranlib = stand_in("llvm-ar", body=_MAKES_LIBRARY), stand_in("llvm-ranlib")
    monkeypatch.setenv("PATH", "")

    ndk.create_staticlib(tmp_path / "x.a", ["a.o"])

    made = str(tmp_path / ".x.a.tvm" / "libx.a")
    assert ar.calls == [["qcs", made, "a.o"]]
    assert ranlib.calls == [[made]]
    assert clang.calls == []
    assert (tmp_path / "x.a").is_file()


@pytest.mark.parametrize("missing", ["llvm-ar", "llvm-ranlib"])
def test_a_missing_tool_is_named_before_anything_runs(
    missing: str, clang: StandIn, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    (there,) = {"llvm-ar", "llvm-ranlib"} - {missing}
    other = stand_in(there, body=_MAKES_LIBRARY)

    with pytest.raises(ToolNotFound, match=f"{missing} is not beside the NDK's compiler") as caught:
        ndk.create_staticlib(tmp_path / "x.a", ["a.o"])

    assert caught.value.looked == (str(Path(clang.path).with_name(missing)),)
    assert other.calls == []


def test_tools_are_found_beside_the_file_that_the_compiler_links_to(
    clang: StandIn, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nm = stand_in("llvm-nm", output="0001 T f\n")
    (tmp_path / "clang").symlink_to(clang.path)
    (tmp_path / "x.so").touch()
    monkeypatch.setenv("TVM_NDK_CC", str(tmp_path / "clang"))

    assert ndk.get_global_symbol_section_map(tmp_path / "x.so") == {"f": "T"}
    assert nm.calls == [["-g", "--defined-only", str(tmp_path / "x.so")]]


def test_another_nm_may_be_named(stand_in: MakeStandIn, tmp_path: Path) -> None:
    nm = stand_in("my-nm", output="0001 D g\n")
    (tmp_path / "x.so").touch()

    assert ndk.get_global_symbol_section_map(tmp_path / "x.so", nm=nm.path) == {"g": "D"}


def test_the_triple_is_asked_at_call_time(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ndk.create_shared.get_target_triple()
    monkeypatch.setenv("TVM_NDK_CC", stand_in(_CLANG, output="aarch64-unknown-linux-android24\n").path)

    assert before is None
    assert ndk.create_shared.get_target_triple() == "aarch64-unknown-linux-android24\n"


def test_suffixes_of_products() -> None:
    assert ndk.create_shared.output_format == "so"
    assert ndk.create_staticlib.output_format == "a"


def test_it_serves_a_cross_compiler(clang: StandIn, tmp_path: Path) -> None:
    compile_all = cc.cross_compiler(ndk.create_shared, ["-O1"])

    compile_all("x.so", ["a.o"], cwd=tmp_path)

    assert clang.calls == [["-o", ".x.so.tvm/x.so", "a.o", "-shared", "-fPIC", "-O1", "-lm"]]
    assert compile_all.get_target_triple() == "aarch64-unknown-linux-android24\n"


class _Module:
    """A module that exports one object."""

    def export_library(self, file_name: str, *, fcompile: object) -> None:
        assert callable(fcompile)
        fcompile(file_name, ["a.o"])


def test_a_module_is_exported_into_a_folder_of_its_own(
    clang: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    path = Path(ndk._ndk_export(mod=_Module()))

    assert path.name == "tmp_binary.so"
    assert path.is_file()
    assert len(clang.calls) == 1


@pytest.mark.usefixtures("clang")
def test_a_failing_export_leaves_no_folder(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(_CLANG, code=1)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    with pytest.raises(RuntimeError, match="Compilation error"):
        ndk._ndk_export(_Module())

    assert list(temporary.iterdir()) == []


def test_the_registered_function_is_the_python_function_which_stays_one(
    clang: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    path = tvm_ffi.get_global_func(_EXPORT)(_Module())

    assert Path(path).is_file()
    assert len(clang.calls) == 1
    assert list(inspect.signature(ndk._ndk_export).parameters) == ["mod"]
