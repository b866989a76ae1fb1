from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn
from tests.unit.support import rocm_home
from tests.unit.support.rocm_home import CODE_OBJECT, MAKES_CODE_OBJECT, program
from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import rocm

COMPILERS = {"hip": rocm.compile_hip, "cl": rocm.compile_opencl}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder."""
    return rocm_home.lay_out(tmp_path, monkeypatch)


@pytest.fixture
def hipcc(home: Path) -> StandIn:
    """Return a hipcc that makes a code object."""
    return program(home / "bin", "hipcc", body=MAKES_CODE_OBJECT, makes=False)


@pytest.fixture
def clang(home: Path) -> StandIn:
    """Return ROCm's clang, which makes a code object."""
    return program(home / "llvm/bin", "clang", body=MAKES_CODE_OBJECT, makes=False)


def test_hip_is_compiled_for_one_arch_to_a_bare_code_object(hipcc: StandIn, home: Path, tmp_path: Path) -> None:
    data = rocm.compile_hip("k.hip", "gfx90a:xnack+", ["-DN=1"], tmp_path / "k.co", timeout=60)
    (call,) = hipcc.calls
    work = next(word.split("=", 1)[1].removesuffix("=.") for word in call if word.startswith("-ffile-prefix-map"))
    assert Path(work).parent == tmp_path / "temporary"
    assert call == [
        "-x",
        "hip",
        "--genco",
        "--offload-arch=gfx90a:xnack+",
        "--no-gpu-bundle-output",
        "-fuse-cuid=none",
        f"--rocm-device-lib-path={home / 'amdgcn/bitcode'}",
        "-O3",
        "-mcode-object-version=5",
        f"-ffile-prefix-map={work}=.",
        "-DN=1",
        f"-o{tmp_path / '.k.co.tvm/k.co'}",
        "k.hip",
    ]
    assert hipcc.environments[0]["ROCM_PATH"] == str(home)
    assert data == (tmp_path / "k.co").read_bytes() == CODE_OBJECT


def test_opencl_is_compiled_by_clang_with_rocms_device_libraries(clang: StandIn, home: Path) -> None:
    assert rocm.compile_opencl("k.cl", "gfx1100", wavefront=64, code_object_version=6) == CODE_OBJECT
    (call,) = clang.calls
    assert call[:5] == [
        "-x",
        "cl",
        "--target=amdgcn-amd-amdhsa",
        "-mcpu=gfx1100",
        f"--rocm-device-lib-path={home / 'amdgcn/bitcode'}",
    ]
    assert {"-mwavefrontsize64", "-mcode-object-version=6", "k.cl"} <= set(call)


@pytest.mark.parametrize("option", ["-o", "-oother.co", "--offload-arch=gfx906", "-mcpu=gfx906", "--target=x86_64"])
@pytest.mark.parametrize("language", ["hip", "cl"])
def test_options_that_say_what_the_call_says_are_refused(
    option: str, language: str, hipcc: StandIn, clang: StandIn
) -> None:
    with pytest.raises(ConfigError, match="arguments of the call"):
        COMPILERS[language]("k." + language, "gfx942", [option])
    assert hipcc.calls == clang.calls == []


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("clang: error: invalid target ID 'gfx9999'", "choose another arch"),
        ("clang: error: cannot find ROCm device library for gfx1250", "install newer device libraries"),
        ("#error HIP is not supported on the specified GPU ARCH with wavefront size 64", "leave wavefront out"),
        ("k.hip:1:1: error: unknown type name 'x'", ""),
    ],
)
def test_the_compilers_words_and_ours(said: str, advice: str, home: Path, tmp_path: Path) -> None:
    program(home / "bin", "hipcc", output=said, code=1)
    with pytest.raises(CompileError, match="Compilation error") as caught:
        rocm.compile_hip("k.hip", "gfx942", path_target=tmp_path / "k.co")
    assert caught.value.output == said
    assert advice in caught.value.fix
    assert bool(caught.value.fix) is bool(advice)
    assert not (tmp_path / "k.co").exists()


def test_without_hipcc_its_place_is_named(home: Path) -> None:
    with pytest.raises(ToolNotFound, match="no hipcc in ROCm's folder") as caught:
        rocm.compile_hip("k.hip", "gfx942")
    assert caught.value.looked == (str(home / "bin/hipcc"),)
