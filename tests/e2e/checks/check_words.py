"""A program of one line that the image's Python runs."""

from pathlib import Path

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process


def test_the_program_says_its_words(arch: str, tmp_path: Path, artefact: Publish) -> None:
    program = tmp_path / "words.py"
    source = tmp_path / "source.txt"
    source.write_text("print('three words long')\n", encoding="utf-8")
    process.run(["cp", source, program], timeout=60, inputs=[source], outputs=[program])
    done = process.run(["python", program], timeout=60)
    assert done.output == "three words long\n"
    artefact("words.py", program, target="any", arch=arch, evidence=[executed("python", "prints its three words")])
