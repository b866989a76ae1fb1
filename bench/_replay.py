"""A pytest plugin for a box: each program that a check starts is started once more, by one bare shell, while its files are there.

The file that TVM_BENCH_REPLAY names gets one line of JSON a call: the seconds of the call and of the shell's.
"""

import json
import os
import shlex
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from tvm.error import CompileError
from tvm.support import process, record

_LOCK = threading.Lock()


class Shell:
    """One shell that runs one program after the other."""

    def __init__(self) -> None:
        """Start it."""
        pipe = subprocess.PIPE
        started = subprocess.Popen(["/bin/sh"], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self._asked, self._answers = cast("IO[str]", started.stdin), cast("IO[str]", started.stdout)

    def run(self, command: str) -> tuple[int, float]:
        """Return exit code and seconds of a command line."""
        begun = time.monotonic()
        self._asked.write(f"({command}) </dev/null >/dev/null 2>&1; echo $?\n")
        self._asked.flush()
        return int(self._answers.readline()), time.monotonic() - begun


def pytest_configure() -> None:
    """Put the replay behind every call."""
    run, shell = process.run, Shell()

    def replayed(argv: Any, **options: Any) -> process.Completed:
        # The process of a library call with a time limit: the call is what counts.
        if record.current() is None:
            return run(argv, **options)
        done = run(argv, **{**options, "check": False})
        with _LOCK:
            code, seconds = shell.run(_line(done.argv, options.get("cwd"), options.get("env")))
        if code == done.code:
            _note(done.seconds, seconds)
        if options.get("check", True) and done.code != 0:
            heading, fix = options.get("heading", "Tool error"), options.get("fix", "")
            raise CompileError(heading, command=done.argv, code=done.code, output=done.output, fix=fix)
        return done

    # Every wrapper calls it by its module.
    setattr(process, "run", replayed)  # noqa: B010 - a function of another type


def _line(argv: tuple[str, ...], cwd: Any, env: Mapping[str, str] | None) -> str:
    other = [] if env is None or dict(env) == dict(os.environ) else ["env", "-i", *(f"{k}={v}" for k, v in env.items())]
    return f"cd {shlex.quote(os.fspath(cwd or '.'))} && exec {shlex.join([*other, *argv])}"


def _note(seconds: float, replayed: float) -> None:
    line = json.dumps({"seconds": seconds, "replayed": replayed}) + "\n"
    with Path(os.environ["TVM_BENCH_REPLAY"]).open("a", encoding="utf-8") as file:
        file.write(line)
