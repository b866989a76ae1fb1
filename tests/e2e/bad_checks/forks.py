"""Leaves daemons behind that hold its output open, in sessions of their own."""

import subprocess
from pathlib import Path

import pytest

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process


def test_it_leaves_daemons(arch: str, tmp_path: Path, artefact: Publish, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():
        for _ in range(3):
            subprocess.run(["setsid", "--fork", "sleep", "600"], check=True)
    process.run(["cp", __file__, tmp_path / "words.py"], timeout=60, outputs=[tmp_path / "words.py"])
    artefact("words.py", tmp_path / "words.py", target="any", arch=arch, evidence=[executed("python", "prints")])
