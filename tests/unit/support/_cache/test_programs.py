import sys
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.support import record
from tvm.support._cache import programs
from tvm.support._cache.flow import NotCachedError

_NDK = """#!/usr/bin/env bash
bin_dir=`dirname "$0"`
if [ "$1" != "-cc1" ]; then
    "$bin_dir/clang" --target=aarch64-linux-android24 "$@"
else
    # Target is already an argument.
    "$bin_dir/clang" "$@"
fi
"""


def _native(folder: Path, name: str) -> str:
    path = folder / name
    path.write_bytes(b"\x7fELF" + bytes(60))
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "name", ["gcc", "g++", "cc", "clang++-17", "x86_64-linux-gnu-g++-12", "aarch64-linux-android24-clang"]
)
def test_a_native_gcc_or_clang_is_plain(name: str, tmp_path: Path) -> None:
    programs.require_plain(_native(tmp_path, name))


@pytest.mark.parametrize(
    "name", ["ccache", "sccache", "distcc", "hipcc", "nvcc", "emcc", "icpx", "tcc-wrapper", "gcc-proxy"]
)
def test_any_other_program_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotCachedError, match="not known"):
        programs.require_plain(_native(tmp_path, name))


def test_a_gcc_that_is_a_link_to_a_launcher_is_refused(tmp_path: Path) -> None:
    _native(tmp_path, "ccache")
    (tmp_path / "g++").symlink_to("ccache")

    with pytest.raises(NotCachedError, match="not known"):
        programs.require_plain(str(tmp_path / "g++"))


def test_a_script_is_refused(stand_in: MakeStandIn) -> None:
    with pytest.raises(NotCachedError, match="a script"):
        programs.require_plain(stand_in("g++").path)


def test_the_ndk_s_script_beside_its_clang_is_taken(tmp_path: Path) -> None:
    script = tmp_path / "aarch64-linux-android24-clang"
    script.write_text(_NDK, encoding="ascii")
    with pytest.raises(NotCachedError):
        programs.require_plain(str(script))
    _native(tmp_path, "clang")
    programs.require_plain(str(script))


@pytest.mark.parametrize("added", ["source /etc/flags\n" * 80, 'eval "$FLAGS"\n' * 80])
def test_a_longer_script_is_not(added: str, tmp_path: Path) -> None:
    _native(tmp_path, "clang")
    script = tmp_path / "aarch64-linux-android24-clang"
    script.write_text(_NDK + added, encoding="ascii")

    with pytest.raises(NotCachedError):
        programs.require_plain(str(script))


def test_a_program_comes_with_its_libraries() -> None:
    found = programs.parts([sys.executable], {})

    assert found[0] == sys.executable
    assert all(Path(file).is_file() for file in found)


def test_no_recorder_sees_what_a_tool_is_asked(stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("g++", output="said")
    seen: list[record.ToolCall] = []

    with record.recording(seen.append):
        assert programs.ask([tool.path, "-v"], cwd=str(tmp_path), environment={}).output == "said"

    assert seen == []
    assert tool.environments[0]["LC_ALL"] == "C"


def test_a_tool_that_fails_when_asked_is_refused(stand_in: MakeStandIn, tmp_path: Path) -> None:
    with pytest.raises(NotCachedError, match="does not say"):
        programs.ask([stand_in("g++", code=1).path], cwd=str(tmp_path), environment={})
    with pytest.raises(NotCachedError, match="not found"):
        programs.ask(["nowhere"], cwd=str(tmp_path), environment={})


def test_files_are_named_alone_or_behind_an_equals_sign(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("", encoding="ascii")
    file = str(tmp_path / "x")

    assert programs.named([file, f"-plugin-opt={file}", "-o", str(tmp_path), "/nowhere/x"]) == [file]
