"""Programs that stand in for compilers, engines and other tools: they record how they were called."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Protocol, TypedDict


class _Call(TypedDict):
    args: list[str]
    cwd: str
    env: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class StandIn:
    """One stand-in: the path of its script, and the log of its calls."""

    path: str
    log: Path

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of each call, in order, without the program's own name."""
        return [call["args"] for call in self._records()]

    @property
    def cwds(self) -> list[str]:
        """The folder that each call ran in."""
        return [call["cwd"] for call in self._records()]

    @property
    def environments(self) -> list[dict[str, str]]:
        """The environment of each call."""
        return [call["env"] for call in self._records()]

    def _records(self) -> list[_Call]:
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text(encoding="ascii").splitlines()]


class MakeStandIn(Protocol):
    """The type of the fixture `stand_in`."""

    def __call__(self, name: str, *, output: str = "", code: int = 0, body: str = "", makes: bool = True) -> StandIn:
        """Put a program called `name` on PATH.

        It records its call, runs `body` (Python; it sees `args`, `os` and `sys`), prints `output`, writes the file that
        `-o FILE` or an ar-style `-crs FILE` names (unless `makes` is false or `code` is not 0), and exits with `code`.
        """


# The interpreter's path is absolute and stands alone: a scrubbed PATH must not matter, and no site module is loaded.
_SCRIPT = """\
#!{interpreter} -IS
import json, os, sys
args = sys.argv[1:]
line = json.dumps({{"args": args, "cwd": os.getcwd(), "env": dict(os.environ)}}) + "\\n"
log = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
os.write(log, line.encode("ascii"))
os.close(log)
{body}
sys.stdout.write({output!r})
sys.stdout.flush()
made = []
if {makes!r}:
    made = [value for flag, value in zip(args, args[1:]) if flag == "-o"]
    made += [args[1]] if len(args) > 1 and "r" in args[0] and not args[0].strip("-cruqsSDTUP") else []
for name in made:
    with open(name, "w", encoding="ascii") as file:
        json.dump([{name!r}, *args], file)
sys.exit({code!r})
"""


def write(folder: Path, log: Path, name: str, *, output: str, code: int, body: str, makes: bool) -> StandIn:
    """Write the script of one stand-in to `folder` and return its handle."""
    path = folder / name
    script = _SCRIPT.format(
        interpreter=sys.executable,
        log=str(log),
        body=dedent(body),
        output=output,
        makes=makes and code == 0,
        name=name,
        code=code,
    )
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return StandIn(path=str(path), log=log)
