from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda.fakes import headers, program, toolkit, touch
from tvm.error import ToolNotFound
from tvm.support._cuda import paths


def _root() -> Path:
    return paths.first().root


def test_nothing_there_is_one_error_that_lists_the_search(machine: Path) -> None:
    with pytest.raises(ToolNotFound, match="cannot find CUDA") as caught:
        paths.first()

    text = "\n".join(caught.value.looked)
    for place in (
        "CUDA_PATH (not set)",
        "CUDA_HOME (not set)",
        "nvcc on PATH",
        "wheels",
        str(machine / "usr/local/cuda"),
    ):
        assert place in text
    assert "pip install" in caught.value.fix


def test_what_is_installed_later_is_found(machine: Path) -> None:
    assert list(paths.toolkits()) == []

    root = toolkit(machine / "usr/local/cuda")

    assert _root() == root


def test_the_order_of_the_search(
    machine: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each place is found when those before it are gone."""
    conda = toolkit(tmp_path / "conda")
    wheel = toolkit(machine / "site-packages/nvidia/cu13")
    on_path = toolkit(tmp_path / "on-path")
    (bin_folder / "nvcc").symlink_to(on_path / "bin" / "nvcc")
    debian, local = toolkit(machine / "usr/lib/cuda"), toolkit(machine / "usr/local/cuda")
    monkeypatch.setenv("CUDA_PATH", str(toolkit(tmp_path / "path")))
    monkeypatch.setenv("CUDA_HOME", str(toolkit(tmp_path / "home")))
    monkeypatch.setenv("CONDA_PREFIX", str(conda))

    roots = [found.root for found in paths.toolkits()]

    assert roots == [tmp_path / "path", tmp_path / "home", on_path, conda, wheel, debian, local]


@pytest.mark.parametrize("name", ["CUDA_PATH", "CUDA_HOME"])
def test_a_variable_that_is_set_wrongly_is_an_error(
    name: str, machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another toolkit must not be used without a word."""
    toolkit(machine / "usr/local/cuda")
    monkeypatch.setenv(name, str(tmp_path / "bogus"))

    with pytest.raises(ToolNotFound, match=f"{name}=.*bogus is set, but holds no CUDA toolkit"):
        paths.first()


@pytest.mark.parametrize("name", ["CUDA_PATH", "CUDA_HOME"])
def test_an_empty_variable_is_not_set(name: str, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = toolkit(machine / "usr/local/cuda")
    monkeypatch.setenv(name, "")

    assert _root() == root


@pytest.mark.parametrize("line", ['exec {nvcc} "$@"', '{nvcc} "$@"', "exec '{nvcc}' \"$@\"", 'exec "{nvcc}" "$@"'])
def test_a_wrapper_script_leads_to_the_toolkit_that_it_calls(
    line: str, machine: Path, bin_folder: Path, tmp_path: Path
) -> None:
    assert machine.is_dir()
    root = toolkit(tmp_path / "real")
    program(bin_folder / "nvcc", f"#!/bin/sh\n{line.format(nvcc=root / 'bin' / 'nvcc')}\n")

    assert _root() == root


def test_an_nvcc_that_is_elsewhere_is_asked_where_it_is_at_home(
    machine: Path, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    assert machine.is_dir()
    root = toolkit(tmp_path / "real")
    nvcc = stand_in("nvcc", output=f"#$ _SPACE_= \n#$ TOP={root}/bin/..\n#$ X=1\n")

    assert _root() == root
    assert nvcc.calls == [["--dryrun", "-E", "x.cu"]]


def test_an_nvcc_that_tells_nothing_is_no_toolkit_with_headers(machine: Path, stand_in: MakeStandIn) -> None:
    assert machine.is_dir()
    stand_in("nvcc", code=1)

    assert paths.for_version((12, 9)) is None


def test_conda_is_found_without_being_activated(machine: Path) -> None:
    root = toolkit(machine / "prefix")
    (root / "conda-meta").mkdir()

    assert _root() == root


def test_wheels_are_not_sought_in_the_current_directory(
    machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert machine.is_dir()
    toolkit(tmp_path / "work/nvidia/cu13")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("sys.path", ["", "."])

    assert list(paths.toolkits()) == []


def test_the_newest_version_in_usr_local_wins(machine: Path) -> None:
    for name in ("cuda-9.2", "cuda-12.9", "cuda-12.10", "cuda-samples"):
        toolkit(machine / "usr/local" / name)

    assert _root() == machine / "usr/local/cuda-12.10"


def test_headers_go_with_the_version_of_the_library(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVRTC 12 does not compile the headers of CUDA 13."""
    monkeypatch.setenv("CUDA_PATH", str(toolkit(tmp_path / "13", 13000)))
    old, new = toolkit(machine / "usr/local/cuda-12.4", 12040), toolkit(machine / "usr/local/cuda-12.9", 12090)

    def root(version: tuple[int, int]) -> Path | None:
        found = paths.for_version(version)
        return found.root if found else None

    assert root((12, 9)) == new
    assert root((12, 4)) == old
    assert root((12, 8)) == new
    assert root((13, 5)) == tmp_path / "13"
    assert root((11, 8)) is None


def test_a_toolkit_without_the_program_is_passed_over(machine: Path) -> None:
    headers(machine / "site-packages/nvidia/cuda_runtime/include")
    root = toolkit(machine / "usr/local/cuda")

    found, nvcc = paths.with_program("nvcc")

    assert (found.root, nvcc) == (root, root / "bin" / "nvcc")


def test_a_program_that_no_toolkit_has_is_an_error(machine: Path) -> None:
    touch(machine / "site-packages/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc")

    with pytest.raises(ToolNotFound, match="cannot find nvcc") as caught:
        paths.with_program("nvcc")

    assert "CUDA 12 wheels" in caught.value.fix


def test_nobody_looks_further_than_needed(
    machine: Path, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert machine.is_dir()
    nvcc = stand_in("nvcc")
    root = toolkit(tmp_path / "path")
    monkeypatch.setenv("CUDA_PATH", str(root))

    assert _root() == root
    assert paths.with_program("nvcc") == (paths.first(), root / "bin" / "nvcc")
    assert paths.for_version((12, 9)) == paths.first()
    assert nvcc.calls == []
