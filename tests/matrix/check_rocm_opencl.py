"""tvm.support.rocm with OpenCL C: clang makes code objects for every arch."""

from pathlib import Path

import pytest

from tests.matrix import code_object
from tests.matrix.code_object import TRIPLE, WAVES
from tests.matrix.evidence import inspected, linked
from tests.matrix.publish import Publish
from tvm.error import CompileError
from tvm.support import rocm

SOFTMAX = Path("examples/kernels/softmax.cl")


def test_opencl_becomes_a_code_object_in_each_size_of_waves(arch: str, tmp_path: Path, artefact: Publish) -> None:
    for wave in WAVES[arch]:
        product = tmp_path / f"wave{wave}.co"
        data = rocm.compile_opencl(SOFTMAX, arch, path_target=product, wavefront=wave)
        assert product.read_bytes() == data
        seen = code_object.inspect(product, arch, "softmax", wave=wave)
        artefact(
            f"{arch}/softmax-cl-wave{wave}.co",
            product,
            target=TRIPLE,
            arch=arch,
            evidence=[linked("rocm.compile_opencl", "clang and ld.lld"), inspected("pyelftools, llvm-readelf", seen)],
        )


def test_source_as_text_gives_the_same_bytes_as_its_file() -> None:
    text = SOFTMAX.read_text(encoding="utf-8")
    assert rocm.compile_opencl(text, "gfx1201") == rocm.compile_opencl(SOFTMAX, "gfx1201")


def test_compile_error_names_file_and_line_and_leaves_no_output(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cl"
    source.write_text("kernel void right() {}\nkernel void wrong() { unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.cl:2:\d+: error: .*unknown_name"):
        rocm.compile_opencl(source, "gfx942", path_target=tmp_path / "a.co")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.cl"]
