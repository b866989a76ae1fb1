"""Leaves links, a pipe and a name that no result has in its folder for results."""

import os
from pathlib import Path


def test_it_litters() -> None:
    out = Path(os.environ["TVM_MATRIX_OUT"])
    (out / "artefacts").mkdir(exist_ok=True)
    (out / "artefacts" / "passwd").symlink_to("/etc/passwd")
    (out / "artefacts" / "up").symlink_to("../../..")
    os.mkfifo(out / "pipe")
