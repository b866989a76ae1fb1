from pathlib import Path

import pytest

from tvm.error import CompileError, ConfigError, SourceError
from tvm.matrix.builders import cuda
from tvm.matrix.builders.__main__ import main
from tvm.matrix.builders.job import Job
from tvm.support import nvcc


class Calls:
    """Stands in for tvm.support.nvcc; keeps what it was asked for."""

    def __init__(self) -> None:
        self.compiled: list[tuple[object, ...]] = []
        self.linked: list[tuple[object, ...]] = []

    def compile_cuda(
        self, code: Path, target_format: str, arch: str, options: list[str], path_target: Path | None = None
    ) -> bytearray:
        self.compiled.append((code.name, target_format, arch, options, path_target))
        return bytearray(code.name.encode())

    def link_cuda(self, objects: list[bytes], arch: str, *, path_target: Path) -> bytearray:
        self.linked.append((objects, arch, path_target))
        return bytearray()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    made = Calls()
    monkeypatch.setattr(nvcc, "compile_cuda", made.compile_cuda)
    monkeypatch.setattr(nvcc, "link_cuda", made.link_cuda)
    return made


def _job(output: Path, *sources: str) -> Job:
    return Job(arch="sm_90a", output=output, sources=tuple(map(Path, sources)), includes=("inc",), options=("-DN=1",))


@pytest.mark.parametrize("form", ["cubin", "ptx", "fatbin"])
def test_one_source_becomes_what_the_suffix_says(form: str, calls: Calls, tmp_path: Path) -> None:
    output = tmp_path / f"x.{form}"
    cuda.build(_job(output, "a.cu"))
    assert calls.compiled == [("a.cu", form, "sm_90a", ["-I", "inc", "-DN=1"], output)]
    assert calls.linked == []


def test_several_sources_are_linked_to_one_cubin(calls: Calls, tmp_path: Path) -> None:
    cuda.build(_job(tmp_path / "x.cubin", "a.cu", "b.cu"))
    options = ["-I", "inc", "-DN=1", "-rdc=true"]
    assert calls.compiled == [(name, "cubin", "sm_90a", options, None) for name in ("a.cu", "b.cu")]
    assert calls.linked == [([b"a.cu", b"b.cu"], "sm_90a", tmp_path / "x.cubin")]


@pytest.mark.parametrize("form", ["ptx", "fatbin"])
def test_only_a_cubin_is_made_of_several_sources(form: str, calls: Calls, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"a {form} is made of one source, not of 2"):
        cuda.build(_job(tmp_path / f"x.{form}", "a.cu", "b.cu"))
    assert calls.compiled == []


def test_another_product_is_refused(calls: Calls, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"(?s)libx\.so: .*\.cubin \.ptx \.fatbin"):
        cuda.build(_job(tmp_path / "libx.so", "a.cu"))
    assert calls.compiled == []


def test_another_language_is_refused(calls: Calls, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"'b\.c' is not CUDA"):
        cuda.build(_job(tmp_path / "x.cubin", "a.cu", "b.c"))
    assert calls.compiled == []


@pytest.mark.parametrize("cell", ["cuda-12", "cuda-13"])
def test_a_header_that_nvrtc_misses_is_named_with_its_fix(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = 'a.cu(1): catastrophic error: cannot open source file "my.h"'

    def fail(*_arguments: object) -> bytearray:
        heading = "Compilation error"
        raise CompileError(heading, command=["nvrtc"], code=6, output=said)

    monkeypatch.setattr(nvcc, "compile_cuda", fail)
    assert main([cell, "--arch", "sm_90a", "-o", str(tmp_path / "x.cubin"), "a.cu"]) == 1
    shown = capsys.readouterr().out
    assert said in shown
    assert shown.endswith("fix: my.h was not sent: pass -I DIR\n")
