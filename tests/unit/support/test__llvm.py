from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError, ToolNotFound
from tvm.support._llvm import find, version_setting, writer_version


def _found(tool: str = "clang", *, version: int | None = None) -> list[str]:
    return [Path(path).name for path in find(tool, version=version)]


def test_the_unversioned_name_comes_first_then_the_highest_version(stand_in: MakeStandIn) -> None:
    for name in ("clang-9", "clang-19", "clang", "clang-cl-20", "clang-format-21", "clang++-22"):
        stand_in(name)

    assert _found() == ["clang", "clang-19", "clang-9"]


def test_the_version_that_wrote_the_input_comes_before_the_unversioned_name(stand_in: MakeStandIn) -> None:
    for name in ("clang-9", "clang-19", "clang"):
        stand_in(name)

    assert _found(version=9) == ["clang-9", "clang", "clang-19"]


def test_tvm_llvm_version_comes_before_everything(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("clang-9", "clang-14.0", "clang-14", "clang"):
        stand_in(name)
    monkeypatch.setenv("TVM_LLVM_VERSION", "14.0.6")

    assert _found(version=9) == ["clang-14.0", "clang-14", "clang", "clang-9"]


def test_an_exe_is_found(stand_in: MakeStandIn) -> None:
    stand_in("clang.exe")

    assert _found() == ["clang.exe"]


def test_the_current_directory_is_never_searched(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = stand_in("clang")
    (tmp_path / "clang").symlink_to(planted.path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ":.:no-such-folder")

    assert find("clang", required=False) == []


def test_a_folder_on_path_that_cannot_be_read_is_passed_over(
    stand_in: MakeStandIn, tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("clang-19")
    monkeypatch.setenv("PATH", f"{tmp_path / 'missing'}:{bin_folder}")

    assert _found() == ["clang-19"]


def test_none_is_an_error_that_names_the_names_the_folders_and_the_fix(bin_folder: Path) -> None:
    with pytest.raises(
        ToolNotFound, match=r"cannot find clang: none of clang-17\.0, clang-17, clang, clang\.exe"
    ) as caught:
        find("clang", version=17)

    assert caught.value.looked == (str(bin_folder),)
    assert "TVM_LLVM_VERSION" in caught.value.fix


@given(st.integers(1, 999), st.sampled_from(["", ".0", ".1.7", ".0git"]))
def test_the_setting_gives_its_major_version(major: int, rest: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TVM_LLVM_VERSION", f"{major}{rest}")
        assert version_setting() == major


def test_an_empty_setting_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_LLVM_VERSION", " ")

    assert version_setting() is None


@pytest.mark.parametrize("text", ["new", "-3", "1 9", "²"])
def test_a_setting_that_is_no_version_is_a_clear_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_LLVM_VERSION", text)

    with pytest.raises(ConfigError, match="TVM_LLVM_VERSION is no version"):
        version_setting()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.ll", '!0 = !{!"Debian clang version 14.0.6"}', 14),
        ("x.bc", "\0\1clang version 19.1.7\0", 19),
        ("x.ll", "define void @f() {", None),
        ("x.cc", "// clang version 14.0.6", None),
    ],
)
def test_the_writer_of_an_llvm_file_is_read_from_it(name: str, text: str, expected: int | None, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert writer_version(tmp_path / name) == expected


def test_a_missing_file_has_no_writer(tmp_path: Path) -> None:
    assert writer_version(tmp_path / "x.ll") is None
