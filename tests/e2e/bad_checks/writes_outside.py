"""Writes outside of its folder: what is the image's is refused, and what is the box's goes with the box."""

from pathlib import Path

import pytest

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process

OF_THE_IMAGE = ["/etc/passwd", "/usr/bin/python3", "/opt/venv/bin/python", "/usr/share/tvm-matrix/inventory.json"]
NEW = ["/new", "/usr/lib/tvm-matrix/new", "/proc/sys/kernel/hostname", "/sys/new"]


def test_it_writes_outside(arch: str, tmp_path: Path, artefact: Publish) -> None:
    for name in (*OF_THE_IMAGE, *NEW):
        with pytest.raises(OSError, match=r"denied|Read-only|not permitted|No such file"):
            Path(name).write_text("outside\n", encoding="utf-8")
    Path("/var/tmp/outside").write_text("outside\n", encoding="utf-8")
    process.run(["cp", __file__, tmp_path / "words.py"], timeout=60, outputs=[tmp_path / "words.py"])
    artefact("words.py", tmp_path / "words.py", target="any", arch=arch, evidence=[executed("python", "prints")])
