from pathlib import Path

import pytest

from tvm.support._cache import memo, states
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.states import State
from tvm.support._cuda import caching

_SOURCE = "__global__ void k() {}\n"


@pytest.fixture(autouse=True)
def _on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
    memo.forget()


@pytest.fixture
def library(tmp_path: Path) -> str:
    """Return NVRTC's file; a second library lies beside it."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("libnvrtc.so.12", "libnvrtc-builtins.so.12.9"):
        (folder / name).write_text(name, encoding="ascii")
    return str(folder / "libnvrtc.so.12")


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    """Return the headers of a toolkit, with a version file above them."""
    include = tmp_path / "cuda" / "include"
    include.mkdir(parents=True)
    (include / "cuda_fp16.h").write_text('#include "vector_types.h"\n', encoding="ascii")
    (include.parent / "bin").mkdir()
    (include.parent / "version.txt").write_text("12.9", encoding="ascii")
    return include


def test_the_library_is_hashed_once(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    digest = states._digest

    def counted(path: str, kind: states.Kind) -> str:
        hashed.append(path)
        return digest(path, kind)

    monkeypatch.setattr(states, "SETTLED", -(10**10))
    monkeypatch.setattr(states, "_digest", counted)
    first = _made_from(_SOURCE, [], library)

    assert _made_from(_SOURCE, [], library) == first
    assert hashed.count(library) == 1
    Path(library).write_text("a newer one", encoding="ascii")
    assert _made_from(_SOURCE, [], library) != first


def _made_from(text: str, options: list[str], library: str) -> list[State]:
    return caching.made_from([text], options, source_folder="/nowhere/tvm", library=library)


def _paths(found: list[State], kind: str) -> list[str]:
    return [state.path for state in found if state.kind == kind]


@pytest.mark.parametrize(
    "options",
    [
        ["--gpu-architecture=sm_90a", "-default-device", "--device-int128", "--use_fast_math"],
        ["-U__CUDA_NO_HALF_OPERATORS__", "-DX=1", "-D", "Y", "--std=c++20", "-G", "-lineinfo", "-I", "/inc", "-I/inc"],
        [
            "--ptxas-options=-v",
            "--ptxas-options=--register-usage-level=10",
            "--ptxas-options=--warn-on-local-memory-usage",
        ],
        ["--relocatable-device-code=true", "--pre-include=tvm_prelude.h", "-rdc=true", "--maxrregcount=64"],
    ],
)
def test_what_the_wrapper_says_is_known(options: list[str]) -> None:
    assert caching.key({"code": _SOURCE}, options, "lib") == caching.key({"code": _SOURCE}, options, "lib")
    assert caching.key({"code": _SOURCE}, options, "lib") != caching.key({"code": _SOURCE}, [*options, "-DZ"], "lib")
    assert caching.key({"code": _SOURCE}, options, "lib") != caching.key({"code": ""}, options, "lib")
    assert caching.key({"code": _SOURCE}, options, "lib") != caching.key({"code": _SOURCE}, options, "another")


@pytest.mark.parametrize(
    "option",
    [
        "--pch",
        "--create-pch=x",
        "--use-pch=x",
        "--pch-dir=x",
        "--time=x",
        "--fdevice-time-trace=x",
        "--options-file=x",
        "@x",
        "--ptxas-options=--options-file=x",
        "--ptxas-options=-optf=x",
        "-ltoir",
        "-Xptxas=@x",
        "--no-such",
        "x.cu",
    ],
)
def test_an_option_that_is_not_known_is_refused(option: str) -> None:
    with pytest.raises(NotCachedError, match="not known"):
        caching.key({}, [option], "lib")


@pytest.mark.parametrize("name", ["NVRTC_APPEND_FLAGS", "NVRTC_DISABLE_PCH", "NVVM_X", "EDG_MODULES_PATH"])
def test_a_variable_that_changes_nvrtc_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")

    with pytest.raises(NotCachedError, match=name):
        caching.key({}, [], "lib")


def test_a_plain_kernel_is_made_from_the_library_alone(library: str) -> None:
    found = _made_from(_SOURCE, [], library)

    assert _paths(found, "file") == [library, f"{Path(library).parent}/libnvrtc-builtins.so.12.9"]
    assert _paths(found, "none") == ["/nowhere"]


def test_a_toolkit_counts_by_its_version_file(library: str, toolkit: Path) -> None:
    found = _made_from("#include <cuda_fp16.h>\n", [f"-I{toolkit}"], library)

    assert _paths(found, "file")[2:] == [str(toolkit.parent / "version.txt"), str(toolkit / "cuda_fp16.h")]


def test_the_user_s_headers_are_followed(library: str, toolkit: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.h").write_text('#include "b.h"\n#include <cuda_fp16.h>\n', encoding="ascii")
    found = _made_from("#include <a.h>\n", [f"-I{mine}", f"-I{toolkit}"], library)

    assert str(mine / "a.h") in _paths(found, "file")
    assert {str(mine / "b.h"), str(mine / "cuda_fp16.h")} <= set(_paths(found, "none"))
    assert _paths(found, "headers") == [str(mine)]


@pytest.mark.parametrize("name", ["vector_types.h", "cuda_fp16.h"])
def test_a_folder_that_may_shadow_the_toolkit_s_headers_is_refused(
    name: str, library: str, toolkit: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / name).write_text("", encoding="ascii")

    with pytest.raises(NotCachedError, match="may include"):
        _made_from("#include <cuda_fp16.h>\n", [f"-I{mine}", f"-I{toolkit}"], library)


def test_what_stands_before_the_source_is_followed(library: str, tmp_path: Path) -> None:
    (tmp_path / "first.h").write_text("", encoding="ascii")
    found = _made_from(_SOURCE, [f"-I{tmp_path}", "--pre-include=first.h"], library)

    assert str(tmp_path / "first.h") in _paths(found, "file")


@pytest.mark.parametrize("options", [["-I."], ["-I", "inc"], ["--include-path=inc"]])
def test_a_relative_folder_is_refused(options: list[str], library: str) -> None:
    with pytest.raises(NotCachedError, match="relative"):
        _made_from(_SOURCE, options, library)


@pytest.mark.parametrize("text", ["#include HEADER\n", "int x = __TIME__;\n"])
def test_what_the_text_does_not_tell_is_refused(text: str, library: str) -> None:
    with pytest.raises(NotCachedError):
        _made_from(text, [], library)


def test_all_of_it_holds_until_something_changes(library: str, toolkit: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    listed = [state.as_json() for state in _made_from("#include <a.h>\n", [f"-I{mine}", f"-I{toolkit}"], library)]

    assert states.all_hold(listed)
    (mine / "vector_types.h").write_text("", encoding="ascii")
    assert not states.all_hold(listed)
