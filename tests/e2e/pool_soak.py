"""A program of the soak test: it runs tasks that start tools, in a pool, until it is killed. `python pool_soak.py READY SEED`."""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tvm.support.popen_pool import PopenPoolExecutor

_TOOL = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-ISc', 'import os, time; os.setsid(); time.sleep(30)']); time.sleep({0})"


def compile_something(seconds: float) -> str:
    """Do as a compile does: write to a temporary folder, run a tool that has a child, and clean up."""
    with tempfile.TemporaryDirectory() as folder:
        half = Path(folder, "half")
        half.write_bytes(b"half" * 1000)
        subprocess.run([sys.executable, "-ISc", _TOOL.format(seconds)], check=True)
        return half.name


def main(ready: str, seed: str) -> None:
    chance = random.Random(seed)  # noqa: S311 - a soak must be repeatable
    with PopenPoolExecutor(2, timeout=chance.uniform(0.1, 1.0)) as pool:
        pool.submit(abs, -1).result()
        Path(ready).touch()
        while True:
            futures = [pool.submit(compile_something, chance.uniform(0.0, 0.4)) for _ in range(4)]
            for future in futures:
                # Its tools and workers are killed from outside: any error is right, no end is not.
                future.exception(timeout=20)
            time.sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
