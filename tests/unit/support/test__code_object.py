from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn
from tests.unit.support import rocm_home
from tests.unit.support.rocm_home import CODE_OBJECT, MAKES_CODE_OBJECT, program
from tvm.error import ConfigError
from tvm.support import rocm

Compile = Callable[..., bytes]
COMPILERS: dict[str, Compile] = {"hip": rocm.compile_hip, "cl": rocm.compile_opencl, "ll": rocm.compile_ir}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder."""
    return rocm_home.lay_out(tmp_path, monkeypatch)


@pytest.fixture
def hipcc(home: Path) -> StandIn:
    """Return a hipcc that makes a code object."""
    return program(home / "bin", "hipcc", body=MAKES_CODE_OBJECT, makes=False)


def test_source_text_is_staged_under_a_name_that_depends_on_nothing_else(hipcc: StandIn, tmp_path: Path) -> None:
    for _ in range(2):
        rocm.compile_hip("__global__ void k() {}\n", "gfx942")
    first, second = hipcc.calls
    assert first == second
    assert Path(first[-1]).name == "kernel.hip"
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("language", COMPILERS)
def test_an_unknown_code_object_version_is_refused(language: str) -> None:
    with pytest.raises(ConfigError, match="no code object version: 3"):
        COMPILERS[language]("k." + language, "gfx942", code_object_version=3)


@pytest.mark.parametrize(
    ("content", "what"), [(b"__CLANG_OFFLOAD_BUNDLE__", "an offload bundle"), (b"text", "something else")]
)
def test_what_is_no_code_object_is_not_put_in_place(content: bytes, what: str, home: Path, tmp_path: Path) -> None:
    body = MAKES_CODE_OBJECT.replace(repr(CODE_OBJECT), repr(content))
    program(home / "bin", "hipcc", body=body, makes=False)
    with pytest.raises(ConfigError, match=f"wrote {what}"):
        rocm.compile_hip("k.hip", "gfx942", ["-S"], tmp_path / "k.co")
    assert not (tmp_path / "k.co").exists()


@pytest.mark.parametrize("language", COMPILERS)
def test_no_compile_takes_the_fallback(language: str, hipcc: StandIn) -> None:
    with pytest.raises(ConfigError, match="no AMD GPU arch is known"):
        COMPILERS[language]("kernel." + language)
    assert hipcc.calls == []
