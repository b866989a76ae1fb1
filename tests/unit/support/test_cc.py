from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import ToolNotFound
from tvm.support import archive, cc

_NAMES = ["g++", "gcc", "clang++", "clang", "c++", "cc"]


def test_cxx_is_the_compiler_as_it_stands_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "ccache g++")
    monkeypatch.setenv("CC", "clang")

    assert cc.get_cc() == "ccache g++"


def test_an_empty_cxx_falls_through_to_cc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("CC", "clang")

    assert cc.get_cc() == "clang"


@pytest.mark.parametrize("first", range(len(_NAMES)))
def test_names_are_tried_in_order(first: int, stand_in: MakeStandIn) -> None:
    for name in reversed(_NAMES[first:]):
        stand_in(name)

    assert Path(cc.get_cc() or "").name == _NAMES[first]


def test_names_come_before_folders(
    stand_in: MakeStandIn, tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("gcc")
    later = tmp_path / "later"
    later.mkdir()
    (later / "g++").symlink_to(bin_folder / "gcc")
    monkeypatch.setenv("PATH", f"{bin_folder}:{later}")

    assert cc.get_cc() == str(later / "g++")


def test_without_a_compiler_there_is_none() -> None:
    assert cc.get_cc() is None


def test_on_windows_get_cc_is_none(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("g++")
    monkeypatch.setattr("sys.platform", "win32")

    assert cc.get_cc() is None


def test_a_shared_library_on_linux(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    gxx = stand_in("g++")

    cc.create_shared("x.so", ["a.o", Path("b.o")], ["-O2", "-lm"], cwd=tmp_path)

    assert gxx.calls == [["-shared", "-fPIC", "-o", ".x.so.tvm/x.so", "-O2", "a.o", "b.o", "-lm"]]
    assert gxx.cwds == [str(tmp_path)]
    assert (tmp_path / "x.so").is_file()


def test_a_shared_library_on_macos(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    clang = stand_in("clang++")

    cc.create_shared("x.dylib", "a.o", ["-O2", "-framework", "Metal"], cwd=tmp_path)

    mac = ["-undefined", "dynamic_lookup", "-install_name", "x.dylib"]
    product = ["-o", ".x.dylib.tvm/x.dylib"]
    assert clang.calls == [["-shared", "-fPIC", *mac, *product, "-O2", "a.o", "-framework", "Metal"]]


def test_nvcc_by_its_full_path_gets_no_fpic(stand_in: MakeStandIn, tmp_path: Path) -> None:
    nvcc = stand_in("nvcc")

    cc.create_shared("x.so", ["a.cu"], cc=nvcc.path, cwd=tmp_path)

    assert nvcc.calls == [["-shared", "-o", ".x.so.tvm/x.so", "a.cu"]]


def test_a_compiler_with_arguments_is_split(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gxx = stand_in("g++")

    cc.create_shared("x.so", ["a.o"], cc="g++ -m32", cwd=tmp_path)

    assert gxx.calls == [["-m32", "-shared", "-fPIC", "-o", ".x.so.tvm/x.so", "a.o"]]


@pytest.mark.parametrize(
    ("output", "flags"),
    [("x", []), ("x.so", ["-shared", "-fPIC"]), ("x.dylib", ["-shared", "-fPIC"]), ("x.obj", ["-c"])],
)
def test_an_executables_suffix_decides_what_is_made(
    output: str, flags: list[str], stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    gxx = stand_in("g++")

    cc.create_executable(Path(output), ["a.c"], ["-O2"], cwd=tmp_path)

    assert gxx.calls == [[*flags, "-o", f".{output}.tvm/{output}", "-O2", "a.c"]]


@pytest.mark.parametrize(
    ("output", "flags"), [("x.exe", []), ("x.so", ["-shared"]), ("x.dll", ["-shared"]), ("x.obj", ["-c"])]
)
def test_a_windows_command_line(
    output: str, flags: list[str], stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    clang = stand_in("clang")

    cc.create_executable(output, ["a.o"], ["-g", "-lm"], cc="ignored", cwd=tmp_path)

    (call,) = clang.calls
    named = call.index("-o")
    assert call[:named] == ["-O2", "--target=x86_64", *flags]
    assert call[named + 1].endswith(f"/{output}")
    assert call[named + 2 :] == ["a.o", "-g", "-lm"]
    assert (tmp_path / output).is_file()


def test_windows_variables_name_compiler_and_target(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("TVM_WIN_CC", "clang-cl")
    monkeypatch.setenv("TVM_WIN_TARGET", "aarch64")
    clang = stand_in("clang-cl")

    cc.create_shared("x.dll", ["a.o"], cwd=tmp_path)

    assert clang.calls[0][:3] == ["-O2", "--target=aarch64", "-shared"]


def test_a_missing_compiler_on_windows_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")

    with pytest.raises(ToolNotFound, match="install LLVM clang and put it on PATH"):
        cc.create_shared(tmp_path / "x.dll", ["a.o"])


def test_the_suffix_of_products_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    posix = (cc._shared_format(), cc._executable_format())
    monkeypatch.setattr("sys.platform", "win32")

    assert posix == ("so", "")
    assert (cc._shared_format(), cc._executable_format()) == ("dll", "exe")


def test_another_platform_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "aix")
    (tmp_path / "x.a").touch()

    for call in (
        lambda: cc.create_shared(tmp_path / "x.so", ["a.o"]),
        lambda: cc.create_executable(tmp_path / "x", ["a.o"]),
        lambda: cc.create_staticlib(tmp_path / "x.a", ["a.o"]),
        lambda: cc.get_global_symbol_section_map(tmp_path / "x.a"),
    ):
        with pytest.raises(ValueError, match="Unsupported platform"):
            call()


def test_without_any_compiler_the_error_says_where_it_looked_and_what_to_set(tmp_path: Path, bin_folder: Path) -> None:
    with pytest.raises(ToolNotFound, match=r"no C\+\+ compiler found: none of g\+\+, gcc") as caught:
        cc.create_shared(tmp_path / "x.so", ["a.o"])

    assert caught.value.looked == (str(bin_folder),)
    assert "set CXX" in caught.value.fix


def test_a_compiler_that_is_named_and_missing_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ToolNotFound, match=r"program not found: 'no-such-g\+\+'"):
        cc.create_shared(tmp_path / "x.so", ["a.o"], cc="no-such-g++ -m32")


def test_options_in_one_str_are_refused_before_anything_runs(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gxx = stand_in("g++")

    with pytest.raises(TypeError, match=r"options must be a list .* pass \['-O2'\]"):
        cc.create_shared(tmp_path / "x.so", ["a.o"], "-O2")

    assert gxx.calls == []


def test_a_source_that_looks_like_an_option_is_given_as_a_path(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gxx = stand_in("g++")
    (tmp_path / "-fplugin=x.c").touch()

    cc.create_executable("x", ["-fplugin=x.c"], cwd=tmp_path)

    assert gxx.calls[0][-1] == "./-fplugin=x.c"


def test_the_hosts_triple_is_asked_at_call_time(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("g++", output="x86_64-linux-gnu\n")
    stand_in("clang", output="aarch64-linux-gnu\n")
    first = cc.create_shared.get_target_triple()
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("CC", "clang")

    assert first == "x86_64-linux-gnu\n"
    assert cc.create_shared.get_target_triple() == "aarch64-linux-gnu\n"


def test_no_compiler_has_no_triple() -> None:
    assert cc.get_target_by_dump_machine(None)() is None
    assert cc.get_target_by_dump_machine("no-such-gcc")() is None
    assert cc.create_shared.get_target_triple() is None


def test_a_compiler_by_its_path_has_its_triple(stand_in: MakeStandIn) -> None:
    arm = stand_in("arm-gcc", output="arm-none-eabi\n")

    assert cc.get_target_by_dump_machine(Path(arm.path))() == "arm-none-eabi\n"


def test_a_static_library_is_made_by_ar(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")
    archive.pack({"b.o": b"b"}, tmp_path / "b.tgz", compress=True)

    cc.create_staticlib(tmp_path / "x.a", ["a.o", tmp_path / "b.tgz"])

    assert ar.calls[0][:3] == ["-crs", str(tmp_path / ".x.a.tvm" / "libx.a"), "a.o"]
    assert Path(ar.calls[0][3]).name == "b.o"
    assert cc.create_staticlib.output_format == "a"


def test_another_ar_may_be_named(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("llvm-ar")

    cc.create_staticlib(tmp_path / "x.a", ["a.o"], Path(ar.path))

    assert len(ar.calls) == 1


def test_symbols_by_the_hosts_nm(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed's -gU means something else to GNU nm."""
    monkeypatch.setattr("sys.platform", "linux")
    nm = stand_in("nm", output="00001139 T f\n")
    (tmp_path / "x.so").touch()

    assert cc.get_global_symbol_section_map(tmp_path / "x.so") == {"f": "T"}
    assert nm.calls == [["-g", "--defined-only", str(tmp_path / "x.so")]]


def test_symbols_by_apples_nm(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    nm = stand_in("nm", output="00001139 T _f\n")
    (tmp_path / "x.dylib").touch()

    assert cc.get_global_symbol_section_map(str(tmp_path / "x.dylib")) == {"_f": "T"}
    assert nm.calls == [["-gU", str(tmp_path / "x.dylib")]]


def test_another_nm_may_be_named_on_any_platform(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    nm = stand_in("llvm-nm", output="00001139 T f\n")
    (tmp_path / "x.dll").touch()

    assert cc.get_global_symbol_section_map(tmp_path / "x.dll", nm=nm.path) == {"f": "T"}


def test_symbols_of_what_is_no_file_are_a_file_not_found_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="not a file"):
        cc.get_global_symbol_section_map(tmp_path / "x.so")
