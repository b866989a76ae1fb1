# /// script
# requires-python = ">=3.10"
# dependencies = [
#   "apache-tvm-ffi>=0.1.15",
#   "cloudpickle>=3.1",
#   "docker>=7.1",
#   "filelock>=3.30",
#   "junitparser>=4.0",
#   "nox[uv]>=2026.10",
#   "packaging>=24.0",
#   "platformdirs>=4.3",
#   "psutil>=6.1",
#   "pydantic>=2.9",
#   "pyyaml>=6.0.2",
#   "rich>=13.9",
#   "tomli>=2.0; python_version<'3.11'",
# ]
# ///
"""One session per cell of matrix.yaml, and the sessions that look after the project."""

import contextlib
import os
import signal
import sys
from pathlib import Path
from types import FrameType

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tvm.error import ConfigError  # noqa: E402 - the tree is not installed where nox runs
from tvm.matrix import loader  # noqa: E402
from tvm.matrix.model import Project  # noqa: E402

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "uv"
nox.options.sessions = ["lint", "types", "tests"]

# What nox waits for a runner that was told to end, in seconds: it has a container to remove (nox's own default is 0.3).
INTERRUPT, TERMINATE = 20.0, 10.0


def _project() -> Project:
    try:
        return loader.load(ROOT / loader.FILE)
    except ConfigError as error:
        print(f"tvm-matrix: error: {error}", file=sys.stderr)
        raise SystemExit(int(error.exit_code)) from None


def _terminate(number: int, _frame: FrameType | None) -> None:
    """Pass SIGTERM on to what nox has started, and end as at Ctrl-C: nox has no handler and would leave its children."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text(errors="replace").rpartition(")")[2].split()[1] == str(os.getpid()):
                os.kill(int(stat.parent.name), number)
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, _terminate)


def _matrix(session: nox.Session, *arguments: str) -> None:
    session.run(
        sys.executable,
        "-m",
        "tvm.matrix",
        *arguments,
        external=True,
        interrupt_timeout=INTERRUPT,
        terminate_timeout=TERMINATE,
    )


def _cell(name: str, tags: list[str]) -> None:
    @nox.session(name=name, python=False, tags=["cells", *tags], allow_parallel=True)
    def cell(session: nox.Session) -> None:
        """Run this cell; `-- build SRC... -o OUT` builds your own sources with its toolchain."""
        match session.posargs:
            case ["build", *arguments]:
                _matrix(session, "build", "--cell", name, *arguments)
            case arguments:
                _matrix(session, "run", name, *arguments)


PROJECT = _project()
for _name, _model in PROJECT.matrix.cells.items():
    _cell(_name, [*_model.tags, *(["ci"] if _model.ci else [])])


@nox.session(python=False)
def engine(session: nox.Session) -> None:
    """Find a container engine, or start one of our own; `-- status`, `-- stop`."""
    _matrix(session, "engine", *session.posargs)


@nox.session(python=False, allow_parallel=True)
def repro(session: nox.Session) -> None:
    """Build cells twice, differently, and compare the bytes; `-- CELL...`."""
    cells = [name for name, cell in PROJECT.matrix.cells.items() if cell.repro]
    _matrix(session, "repro", *(session.posargs or cells))


def _command(name: str, text: str) -> None:
    def command(session: nox.Session) -> None:
        _matrix(session, name, *session.posargs)

    command.__doc__ = text
    nox.session(name=name, python=False)(command)


_command("coverage", "Hardware x depth: what each arch reached, and the why of each gap.")
_command("report", "Rewrite the report from all results and print its table.")
_command("doctor", "Look for what is wrong on this machine.")
_command("prune", "Remove our images of old recipes, and what killed runs left.")
_command("lock", "Refresh the locks and pins of all images and show what changed; `-- IMAGE...`.")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit tests, and compare names and values with the inventory: no engine, no compiler, no network."""
    session.install("-e", ".[dev]")
    session.run("pytest", *session.posargs)
    if not session.posargs:
        session.run("python", "-m", "tests.inventory")


@nox.session
def e2e(session: nox.Session) -> None:
    """Drive nox and the engine over the small matrix of tests/e2e, faults included."""
    session.install("-e", ".[dev]")
    session.run(
        "pytest",
        "--timeout=900",
        "--durations=25",
        *(session.posargs or ["tests/e2e"]),
        interrupt_timeout=INTERRUPT,
        terminate_timeout=TERMINATE,
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Lint and check the format."""
    session.install("ruff>=0.17")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types."""
    session.install("-e", ".[dev]")
    session.run("mypy", "tvm", "tests", "bench", "noxfile.py")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error."""
    session.install("-e", ".[matrix,docs]")
    # The theme's banner about the next mkdocs is no warning about our pages.
    session.run("mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session
def bench(session: nox.Session) -> None:
    """Print the speed ratios."""
    # Two of them compare with NVRTC, whose wheels need no GPU.
    session.install("-e", ".[dev,cuda]")
    for script in session.posargs or sorted(path.as_posix() for path in Path("bench").glob("[!_]*.py")):
        session.run("python", script, env={"TVM_COMPILE_CACHE": "off"})
