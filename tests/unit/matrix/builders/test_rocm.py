from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn
from tests.unit.support import rocm_home
from tests.unit.support.rocm_home import CODE_OBJECT, MAKES_CODE_OBJECT, program
from tvm.error import ConfigError, SourceError
from tvm.matrix.builders import rocm
from tvm.matrix.builders.__main__ import main
from tvm.matrix.builders.job import Job


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder."""
    return rocm_home.lay_out(tmp_path, monkeypatch)


@pytest.fixture
def hipcc(home: Path) -> StandIn:
    """Return a hipcc that makes a code object."""
    return program(home / "bin", "hipcc", body=MAKES_CODE_OBJECT, makes=False)


def _job(output: Path, *sources: str, options: Sequence[str] = ()) -> Job:
    return Job(
        arch="gfx942", output=output, sources=tuple(map(Path, sources)), includes=("inc",), options=tuple(options)
    )


@pytest.mark.parametrize("name", ["x.co", "x.hsaco"])
def test_hip_is_compiled_with_folders_and_options(name: str, hipcc: StandIn, tmp_path: Path) -> None:
    rocm.build(_job(tmp_path / name, "a.hip", options=["-DN=1"]))
    (call,) = hipcc.calls
    assert call[call.index("-I") + 1] == "inc"
    assert {"--offload-arch=gfx942", "-DN=1", "a.hip", f"-ffile-prefix-map={Path.cwd()}=."} <= set(call)
    assert (tmp_path / name).read_bytes() == CODE_OBJECT


def test_opencl_is_compiled_by_clang(home: Path, tmp_path: Path) -> None:
    clang = program(home / "llvm/bin", "clang", body=MAKES_CODE_OBJECT, makes=False)
    rocm.build(_job(tmp_path / "x.co", "a.cl"))
    assert "-mcpu=gfx942" in clang.calls[0]


@pytest.mark.parametrize("name", ["a.ll", "a.bc"])
def test_ir_begins_with_llvm_link_and_takes_no_folders(name: str, home: Path, tmp_path: Path) -> None:
    link = program(home / "llvm/bin", "llvm-link", output="a.ll:1:1: error: expected top-level entity\n", code=1)
    code = main(["rocm", "--arch", "gfx942", "-o", str(tmp_path / "x.co"), "-I", "inc", name])
    assert code == 1
    assert link.calls[0][:2] == ["-S", name]
    assert not (tmp_path / "x.co").exists()


def test_another_language_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"(?s)'a\.cu' is neither HIP.*\.hip \.cl \.ll \.bc"):
        rocm.build(_job(tmp_path / "x.co", "a.cu"))


def test_two_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="of one source, not of 2"):
        rocm.build(_job(tmp_path / "x.co", "a.hip", "b.hip"))


@pytest.mark.parametrize("name", ["x.so", "x.o", "x"])
def test_another_product_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{name}: ROCm's cells make code objects"):
        rocm.build(_job(tmp_path / name, "a.hip"))
