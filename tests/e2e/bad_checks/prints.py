"""Prints 100 MB past pytest, and passes."""

import os
from pathlib import Path

import pytest

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process

BLOCK = (b"x" * 99 + b"\n") * 10_000


def test_it_prints_100_mb(arch: str, tmp_path: Path, artefact: Publish, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():
        for _ in range(100):
            os.write(1, BLOCK)
    process.run(["cp", __file__, tmp_path / "words.py"], timeout=60, outputs=[tmp_path / "words.py"])
    artefact("words.py", tmp_path / "words.py", target="any", arch=arch, evidence=[executed("python", "prints")])
