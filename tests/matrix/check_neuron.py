"""The vendor's compiler takes an NKI file, and what it makes is a NEFF that a device would load. No device runs it."""

import os
from pathlib import Path

from tests.matrix import neff
from tests.matrix.evidence import compiled, inspected
from tests.matrix.publish import Publish
from tvm.support import process
from tvm.support.process import Completed

COMPILER = Path("tests/matrix/neuron_compiler.py")
KERNEL = Path("examples/kernels/vector_add_nki.py")
LIMIT = 270.0


def test_an_nki_file_becomes_a_neff(arch: str, tmp_path: Path, artefact: Publish) -> None:
    product = tmp_path / "vector_add.neff"
    done = _compile(KERNEL, arch, product)
    assert done.code == 0, done.output
    seen = neff.inspect(product)
    artefact(
        f"{arch}/vector_add.neff",
        product,
        target=f"{arch}-aws-neuron",
        arch=arch,
        evidence=[compiled("nki.compiler, neuronx-cc", f"for {arch}, one core"), inspected("neff.json, tar", seen)],
    )


def test_a_wrong_kernel_is_refused_and_leaves_no_neff(archs: list[str], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong_nki.py"
    text = KERNEL.read_text(encoding="utf-8")
    assert "nisa.tensor_tensor(" in text
    wrong.write_text(text.replace("nisa.tensor_tensor(", "nisa.no_such_instruction("), encoding="utf-8")
    done = _compile(wrong, archs[0], tmp_path / "wrong.neff")
    assert done.code == 1, done.output
    assert "no_such_instruction" in done.output
    assert list(tmp_path.rglob("*.neff")) == []


def _compile(kernel: Path, arch: str, product: Path) -> Completed:
    work = product.with_suffix("")
    work.mkdir()
    environment = {
        **os.environ,
        # The vendor's Python sees the kernel's folder and nothing else of the tree.
        "PYTHONPATH": str(kernel.parent.absolute()),
        "NEURON_PLATFORM_TARGET_OVERRIDE": arch,
    }
    return process.run(
        ["neuron-python", COMPILER, kernel, "vector_add", arch, work, product],
        check=False,
        env=environment,
        timeout=LIMIT,
        inputs=[kernel, COMPILER],
        outputs=[product],
    )
