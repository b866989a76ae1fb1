"""tvm.support.rocm with HIP: hipcc makes bare ELF code objects for every arch."""

import shutil
from pathlib import Path

import pytest

from tests.matrix import code_object
from tests.matrix.code_object import TRIPLE, WAVES
from tests.matrix.evidence import inspected, linked
from tests.matrix.publish import Publish
from tvm.error import CompileError, ConfigError
from tvm.support import record, rocm

NAMES = ("softmax", "matmul")
MATMUL = Path("examples/kernels/matmul.hip")


@pytest.mark.parametrize("name", NAMES)
def test_hip_becomes_a_bare_code_object(arch: str, name: str, tmp_path: Path, artefact: Publish) -> None:
    product, calls = tmp_path / f"{name}.co", list[record.ToolCall]()
    with record.recording(calls.append):
        data = rocm.compile_hip(f"examples/kernels/{name}.hip", arch, path_target=product)
    (call,) = calls
    assert product.read_bytes() == data
    assert {"--genco", "--no-gpu-bundle-output", f"--offload-arch={arch}"} <= set(call.argv)
    seen = code_object.inspect(product, arch, name, wave=WAVES[arch][0])
    artefact(
        f"{arch}/{name}-hip.co",
        product,
        target=TRIPLE,
        arch=arch,
        evidence=[linked("rocm.compile_hip", "hipcc --genco"), inspected("pyelftools, llvm-readelf", seen)],
    )


def test_shared_memory_is_what_the_source_declares(tmp_path: Path) -> None:
    rocm.compile_hip(MATMUL, "gfx942", path_target=tmp_path / "a.co")
    assert code_object.read(tmp_path / "a.co").shared == {"matmul": 4 * (16 * 16 + 16 * 17)}


def test_code_object_version_is_the_one_asked_for(tmp_path: Path) -> None:
    rocm.compile_hip(MATMUL, "gfx1100", path_target=tmp_path / "a.co", code_object_version=6)
    code_object.inspect(tmp_path / "a.co", "gfx1100", "matmul", wave=32, version=6)


def test_features_of_the_target_id_stand_in_the_notes(tmp_path: Path) -> None:
    rocm.compile_hip(MATMUL, "gfx942:xnack+", path_target=tmp_path / "a.co")
    code_object.inspect(tmp_path / "a.co", "gfx942", "matmul", wave=64, features=":xnack+")


def test_another_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    """By itself clang puts a hash of the source's absolute path into the file."""
    copy = shutil.copy(MATMUL, tmp_path / "matmul.hip")
    assert rocm.compile_hip(copy, "gfx942") == rocm.compile_hip(MATMUL, "gfx942")


def test_staged_source_names_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even with debug information, which holds the source's path."""
    text, made = MATMUL.read_text(encoding="utf-8"), list[bytes]()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
        made.append(rocm.compile_hip(text, "gfx942", ["-g"]))
        assert list((tmp_path / name).iterdir()) == []
    assert b".debug_info" in made[0]
    assert made[0] == made[1]


def test_names_are_only_names(tmp_path: Path) -> None:
    """A shell gets the word after -o from hipcc."""
    odd = tmp_path / "a b;\"$(touch pwned)`touch pwned`'"
    odd.mkdir()
    source = shutil.copy(MATMUL, odd / "-x $(touch pwned).hip")
    before = sorted(Path().iterdir())
    rocm.compile_hip(source, "gfx942", path_target=odd / "$(touch pwned).co")
    code_object.inspect(odd / "$(touch pwned).co", "gfx942", "matmul", wave=64)
    assert sorted(Path().iterdir()) == before
    assert sorted(path.name for path in odd.iterdir()) == ["$(touch pwned).co", "-x $(touch pwned).hip"]


def test_options_reach_the_compiler(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text('#include <hip/hip_runtime.h>\nextern "C" __global__ void NAME() {}\n', encoding="utf-8")
    rocm.compile_hip(source, "gfx1100", ["-DNAME=chosen"], path_target=tmp_path / "a.co")
    code_object.inspect(tmp_path / "a.co", "gfx1100", "chosen", wave=32)


def test_compile_error_names_file_and_line_and_leaves_no_output(tmp_path: Path) -> None:
    source = tmp_path / "wrong.hip"
    source.write_text("int right;\nint wrong() { return unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.hip:2:\d+: error: .*unknown_name"):
        rocm.compile_hip(source, "gfx942", path_target=tmp_path / "a.co")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.hip"]


def test_arch_that_the_compiler_does_not_know_is_refused_with_what_it_says(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="invalid target ID 'gfx1299'") as caught:
        rocm.compile_hip(MATMUL, "gfx1299", path_target=tmp_path / "a.co")
    assert "choose another arch" in caught.value.fix
    assert list(tmp_path.iterdir()) == []


def test_bundle_where_an_elf_file_is_wanted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="wrote an offload bundle"):
        rocm.compile_hip(MATMUL, "gfx942", ["--gpu-bundle-output"], path_target=tmp_path / "a.co")
    assert list(tmp_path.iterdir()) == []


def test_wave_that_the_headers_refuse_is_their_error_and_our_advice(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="not supported on the specified GPU ARCH with wavefront size 64") as caught:
        rocm.compile_hip(MATMUL, "gfx1100", path_target=tmp_path / "a.co", wavefront=64)
    assert "LLVM IR" in caught.value.fix
