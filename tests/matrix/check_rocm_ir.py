"""tvm.support.rocm with LLVM IR: through llvm-link, opt, llc and rocm_link to code objects for every arch."""

import shutil
from pathlib import Path

import pytest
import tvm_ffi

from tests.matrix import code_object
from tests.matrix.code_object import ABIS, LIMIT, TRIPLE, WAVES
from tests.matrix.evidence import inspected, linked
from tests.matrix.publish import Publish
from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import process, record, rocm

NAMES = ("softmax", "matmul")
SOFTMAX = Path("examples/kernels/softmax.ll")
# The device maths of each kernel: nothing of it may be left undefined.
MATHS = {"softmax": "__ocml_exp_f32", "matmul": "__ocml_fma_f32"}


@pytest.mark.parametrize("name", NAMES)
def test_ir_with_device_maths_becomes_a_code_object(arch: str, name: str, tmp_path: Path, artefact: Publish) -> None:
    source, product, calls = Path(f"examples/kernels/{name}.ll"), tmp_path / f"{name}.co", list[record.ToolCall]()
    assert f"@{MATHS[name]}(" in source.read_text(encoding="utf-8")
    with record.recording(calls.append):
        data = rocm.compile_ir(source, arch, path_target=product)
    assert product.read_bytes() == data
    seen = code_object.inspect(product, arch, name, wave=WAVES[arch][0])
    tools = [Path(call.argv[0]).name for call in calls]
    assert tools == ["llvm-link", "llvm-link", "opt", "llc", "ld.lld"]
    artefact(
        f"{arch}/{name}-ir.co",
        product,
        target=TRIPLE,
        arch=arch,
        evidence=[linked("rocm.compile_ir", f"{', '.join(tools[1:])}"), inspected("pyelftools, llvm-readelf", seen)],
    )


def test_the_widest_waves_that_the_arch_runs(arch: str, tmp_path: Path, artefact: Publish) -> None:
    """On RDNA that is not the size it runs unless it is asked for; on CDNA it is."""
    wave, product = WAVES[arch][-1], tmp_path / "softmax.co"
    data = rocm.compile_ir(SOFTMAX, arch, path_target=product, wavefront=wave)
    assert (data == rocm.compile_ir(SOFTMAX, arch)) is (wave == WAVES[arch][0])
    seen = code_object.inspect(product, arch, "softmax", wave=wave)
    artefact(
        f"{arch}/softmax-ir-wave{wave}.co",
        product,
        target=TRIPLE,
        arch=arch,
        evidence=[linked("rocm.compile_ir", f"waves of {wave}"), inspected("pyelftools, llvm-readelf", seen)],
    )


def test_a_size_of_waves_that_the_arch_does_not_run_is_refused(arch: str) -> None:
    with pytest.raises(ConfigError, match=f"{arch} runs no waves of"):
        rocm.compile_ir(SOFTMAX, arch, wavefront=32 if len(WAVES[arch]) == 1 else 128)


@pytest.mark.parametrize("version", sorted(ABIS))
def test_code_object_version_is_the_one_asked_for(version: int, tmp_path: Path) -> None:
    product = tmp_path / "a.co"
    rocm.compile_ir(SOFTMAX, "gfx942", path_target=product, code_object_version=version)
    code_object.inspect(product, "gfx942", "softmax", wave=64, version=version)


def test_features_of_the_target_id_stand_in_the_notes(tmp_path: Path) -> None:
    for feature in ("xnack+", "xnack-"):
        product = tmp_path / "a.co"
        rocm.compile_ir(SOFTMAX, f"gfx90a:{feature}", path_target=product)
        code_object.inspect(product, "gfx90a", "softmax", wave=64, features=f":{feature}")


def test_bitcode_is_taken_as_well(arch: str, tmp_path: Path) -> None:
    source, bitcode, product = tmp_path / "f.cl", tmp_path / "f.bc", tmp_path / "f.co"
    source.write_text(
        "float __ocml_exp_f32(float);\nkernel void f(global float *x) { x[0] = __ocml_exp_f32(x[0]); }\n",
        encoding="utf-8",
    )
    options = ["--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", "-mcode-object-version=5", "-emit-llvm"]
    process.run(["clang", *options, "-O1", "-c", source, "-o", bitcode], timeout=LIMIT)
    rocm.compile_ir(bitcode, arch, path_target=product)
    code_object.inspect(product, arch, "f", wave=WAVES[arch][0])


def test_another_folder_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = rocm.compile_ir(SOFTMAX.absolute(), "gfx1201")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    copy = shutil.copy(SOFTMAX, tmp_path / "renamed.ll")
    assert rocm.compile_ir(copy, "gfx1201") == first
    assert rocm.compile_ir(SOFTMAX.read_text(encoding="utf-8"), "gfx1201") == first
    assert list((tmp_path / "temporary").iterdir()) == []


def test_each_maths_option_chooses_one_file_of_a_pair(arch: str) -> None:
    plain = _names(rocm.callback_rocm_bitcode_path(arch=arch))
    other = _names(
        rocm.callback_rocm_bitcode_path(
            arch=arch, abi=600, daz=True, finite_only=True, unsafe_math=True, correctly_rounded_sqrt=False
        )
    )
    assert {"ocml", "ockl", "oclc_daz_opt_off", f"oclc_isa_version_{arch[3:]}", "oclc_abi_version_500"} <= plain
    assert {"oclc_daz_opt_on", "oclc_finite_only_on", "oclc_unsafe_math_on", "oclc_abi_version_600"} <= other
    assert "oclc_correctly_rounded_sqrt_off" in other
    assert len(plain) == len(other) == 9
    assert plain & other == {
        "ocml",
        "ockl",
        f"oclc_isa_version_{arch[3:]}",
        f"oclc_wavefrontsize64_{_on(WAVES[arch][0])}",
    }


def test_the_link_callback_links_bytes(arch: str, tmp_path: Path) -> None:
    made, product = _object(arch, tmp_path), tmp_path / "a.co"
    rocm.rocm_link(made, product)
    code_object.inspect(product, arch, "f", wave=WAVES[arch][0])
    assert rocm.callback_rocm_link(obj_bin=made.read_bytes()) == product.read_bytes()
    linked_by_ffi = tvm_ffi.get_global_func("tvm_callback_rocm_link")(made.read_bytes())
    assert bytes(linked_by_ffi) == product.read_bytes()


def test_undefined_symbol_is_the_linkers_error(tmp_path: Path) -> None:
    made = _object("gfx942", tmp_path, body="call void @absent()", more="declare void @absent()")
    with pytest.raises(CompileError, match=r"Linking error using ld\.lld:\n.*undefined symbol: absent"):
        rocm.rocm_link(made, tmp_path / "a.co")
    assert not (tmp_path / "a.co").exists()


def test_module_for_another_target_is_refused_with_what_llvm_says(tmp_path: Path) -> None:
    source = tmp_path / "x86.ll"
    text = SOFTMAX.read_text(encoding="utf-8")
    source.write_text(text.replace(TRIPLE, "x86_64-pc-linux-gnu").replace("amdgpu_kernel ", ""), encoding="utf-8")
    with pytest.raises(CompileError, match="not for AMD GPUs but for x86_64-pc-linux-gnu") as caught:
        rocm.compile_ir(source, "gfx942", path_target=tmp_path / "a.co")
    assert "different target triples" in caught.value.output
    assert "amdgcn-amd-amdhsa" in caught.value.fix
    assert [path.name for path in tmp_path.iterdir()] == ["x86.ll"]


def test_module_for_another_processor_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.ll"
    source.write_text(
        f'target triple = "{TRIPLE}"\n'
        'define amdgpu_kernel void @f() #0 {\n  ret void\n}\nattributes #0 = { "target-cpu"="gfx906" }\n',
        encoding="utf-8",
    )
    with pytest.raises(ConfigError, match="the module is for processor gfx906, and this call for gfx942"):
        rocm.compile_ir(source, "gfx942")


def test_mistake_in_a_module_is_shown_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "wrong.ll"
    source.write_text("define void @f() {\n  ret wrong\n}\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.ll:2:7: error: expected type"):
        rocm.compile_ir(source, "gfx942", path_target=tmp_path / "a.co")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.ll"]


def test_arch_that_llvm_does_not_know_is_refused_with_what_it_says(tmp_path: Path) -> None:
    """LLVM itself only warns, and makes code for another processor."""
    libraries = tmp_path / "bitcode"
    shutil.copytree("/opt/rocm/amdgcn/bitcode", libraries)
    shutil.copy(libraries / "oclc_isa_version_1201.bc", libraries / "oclc_isa_version_1299.bc")
    with pytest.raises(CompileError, match="This LLVM does not know gfx1299") as caught:
        rocm.compile_ir(SOFTMAX, "gfx1299", path_target=tmp_path / "a.co", rocdl_dir=libraries)
    assert "'gfx1299' is not a recognized processor" in caught.value.output
    assert not (tmp_path / "a.co").exists()


def test_missing_isa_file_is_named_with_the_archs_that_are_there(arch: str, tmp_path: Path) -> None:
    libraries = tmp_path / "bitcode"
    shutil.copytree("/opt/rocm/amdgcn/bitcode", libraries)
    (libraries / f"oclc_isa_version_{arch[3:]}.bc").unlink()
    with pytest.raises(ToolNotFound, match=f"could not find bitcode oclc_isa_version_{arch[3:]}") as caught:
        rocm.compile_ir(SOFTMAX, arch, path_target=tmp_path / "a.co", rocdl_dir=libraries)
    assert caught.value.looked == (str(libraries),)
    assert "gfx906" in caught.value.fix
    assert [path.name for path in tmp_path.iterdir()] == ["bitcode"]


def test_object_for_another_machine_is_refused_with_what_the_linker_says(tmp_path: Path) -> None:
    made = tmp_path / "host.o"
    (tmp_path / "host.c").write_text("int f(int x) { return x; }\n", encoding="utf-8")
    process.run(["clang", "-c", tmp_path / "host.c", "-o", made], timeout=LIMIT)
    with pytest.raises(CompileError, match="incompatible with elf64_amdgpu") as caught:
        rocm.rocm_link(made, tmp_path / "a.co")
    assert "another machine" in caught.value.fix
    assert not (tmp_path / "a.co").exists()


def test_offload_bundle_is_refused_with_what_the_linker_says(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.o"
    process.run(
        ["hipcc", "--genco", "--offload-arch=gfx942", "-o", bundle, "examples/kernels/matmul.hip"], timeout=LIMIT
    )
    with pytest.raises(CompileError, match="unknown file type") as caught:
        rocm.rocm_link(bundle, tmp_path / "a.co")
    assert "offload bundle" in caught.value.fix
    assert "--no-gpu-bundle-output" in caught.value.fix
    assert not (tmp_path / "a.co").exists()


def _object(arch: str, folder: Path, *, body: str = "", more: str = "") -> Path:
    source, made = folder / "f.ll", folder / "f.o"
    source.write_text(
        f'target triple = "{TRIPLE}"\ndefine amdgpu_kernel void @f() {{\n{body}\nret void\n}}\n{more}\n',
        encoding="utf-8",
    )
    options = [f"-mcpu={arch}", "--amdhsa-code-object-version=5", "-filetype=obj"]
    process.run(["llc", *options, source, "-o", made], timeout=LIMIT)
    return made


def _names(files: list[str]) -> set[str]:
    assert all(Path(file).is_file() for file in files)
    return {Path(file).stem for file in files}


def _on(wave: int) -> str:
    return "on" if wave == 64 else "off"
