"""The compile cache under kill, crowds and broken disks."""

import os
import sys
from pathlib import Path

import pytest

import tvm
from tvm.support import process

_WORK = Path(__file__).with_name("cache_work.py")
_ROOT = Path(tvm.__file__).parents[1]
_LIMIT = 240.0


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("soak", "soak: 200 kills, seed 20240: 24 products right, 0 tools, locks or half files left"),
        ("crowd", "crowd: 64 processes, 4 products, 4 runs of the tool"),
    ],
)
def test_processes(job: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = _run([sys.executable, str(_WORK), job, str(tmp_path)])

    assert said in output
    assert "0 damaged" in output
    with capsys.disabled():
        print(f"\n{said}")


@pytest.mark.parametrize(
    ("job", "said"),
    [("full", "full: 48 products right"), ("frozen", "frozen: 1 product from the cache, 1 made each time")],
)
def test_disks(job: str, said: str, tmp_path: Path) -> None:
    """Each in a mount namespace of its own, which goes with the process."""
    root = [] if os.getuid() == 0 else ["--map-root-user", "--user"]
    output = _run(["unshare", *root, "--mount", sys.executable, str(_WORK), job, str(tmp_path)])

    assert said in output
    assert "0 damaged" in output


def _run(argv: list[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    return process.run(argv, env=environment, timeout=_LIMIT, heading="The work failed").output
