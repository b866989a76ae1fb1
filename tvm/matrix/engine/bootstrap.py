"""Make a Debian base where no registry answers: mmdebstrap writes its tar, the engine imports it."""

import json
import os
import tempfile
from pathlib import Path

from tvm.error import CompileError, ImageError, ToolNotFound
from tvm.matrix.engine import LABEL, Progress
from tvm.matrix.engine.client import Client, engine_errors
from tvm.matrix.engine.printed import last_lines
from tvm.support import process

# All times in the tar are cut to this one (2026-01-01), so that the same packages give the same bytes.
_EPOCH = "1767225600"
# A bootstrap takes 14 to 31 s on an idle machine; a slow mirror is waited for.
_LIMIT = 1800.0
_SHOWN_LINES = 40
_MISSING = "apt-get install -y mmdebstrap (Debian, Ubuntu); on other systems give the suite a digest of a registry that answers"
_FAILED = (
    "is a Debian mirror reachable from here (proxy, clock)? On Ubuntu also: apt-get install -y debian-archive-keyring"
)


def bootstrap(client: Client, suite: str, progress: Progress, *, rolling: bool) -> str:
    """Import a minimal Debian `suite` and return the image's ID; it has our label and no name yet."""
    progress(f"bootstrap {suite} with mmdebstrap (about 30 s)")
    with tempfile.TemporaryDirectory(prefix="tvm-matrix-") as folder:
        tarball = Path(folder) / "root.tar"
        _make(suite, tarball, rolling=rolling)
        progress(f"import {suite} ({tarball.stat().st_size >> 20} MiB)")
        return _imported(client, suite, tarball)


def arguments(suite: str, tarball: Path, *, rolling: bool) -> list[str]:
    """Return mmdebstrap's command line."""
    # A rolling suite's mirror can be past Valid-Until. Both options stay in the image's own apt.conf.d.
    options = ['--aptopt=Acquire::Retries "3"', *(['--aptopt=Acquire::Check-Valid-Until "false"'] if rolling else [])]
    fixed = ["--variant=minbase", "--include=ca-certificates", "--components=main", "--format=tar"]
    return ["mmdebstrap", *fixed, *options, suite, str(tarball)]


def _make(suite: str, tarball: Path, *, rolling: bool) -> None:
    command = arguments(suite, tarball, rolling=rolling)
    if os.geteuid() == 0:
        # Root's mmdebstrap mounts proc, sys and dev: in a mount namespace of its own they are gone with it, however it ends.
        command = ["unshare", "--mount", "--", *command]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _EPOCH, "TMPDIR": str(tarball.parent)}
    # mmdebstrap's apt runs as another user below TMPDIR.
    tarball.parent.chmod(0o755)
    try:
        process.locate("mmdebstrap", fix=_MISSING)
        process.run(command, heading="mmdebstrap failed", env=environment, timeout=_LIMIT, outputs=[tarball])
    except ToolNotFound as error:
        msg = f"no registry gives a base for suite {suite}, and it cannot be bootstrapped: {error.cause}"
        raise ImageError(msg, fix=error.fix, looked=error.looked) from error
    except CompileError as error:
        tail = last_lines(error.output, _SHOWN_LINES)
        msg = f"suite {suite} cannot be bootstrapped:\n{tail}\nCommand line: {' '.join(error.command)}"
        raise ImageError(msg, fix=_FAILED) from error


def _imported(client: Client, suite: str, tarball: Path) -> str:
    with engine_errors(f"import {suite}"):
        told = client.import_image_from_file(str(tarball), changes=[f"LABEL {LABEL}=suite"])
    last = json.loads(str(told).splitlines()[-1])
    if "error" in last:
        msg = f"suite {suite} cannot be imported: {last['error']}"
        raise ImageError(msg, fix="is the engine's disk full? nox -s doctor")
    return str(last["status"])
