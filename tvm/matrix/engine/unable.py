"""Why dockerd cannot run on this machine: written by `nox -s engine` where it died, read by whoever looks for an engine."""

import json
from contextlib import suppress

from tvm.matrix.engine.labels import boot_id
from tvm.matrix.engine.layout import Layout

_LONGEST = 300


def record(layout: Layout, why: str) -> None:
    """Write down why dockerd cannot run; the last line of `why` is what the system said. Holds until the next boot."""
    said = next(line for line in reversed(why.splitlines()) if line.strip())
    draft = layout.unable.with_suffix(".new")
    draft.write_text(json.dumps({"boot": boot_id(), "why": said.strip()[:_LONGEST]}) + "\n", encoding="utf-8")
    # Any user of the machine may know it; the folder lets nobody list it.
    draft.chmod(0o644)
    draft.replace(layout.unable)


def read(layout: Layout) -> str:
    """Return why dockerd cannot run here, or nothing: then nobody has tried since the machine was started."""
    try:
        content = json.loads(layout.unable.read_text(encoding="utf-8"))
        return str(content["why"]) if content["boot"] == boot_id() else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def forget(layout: Layout) -> None:
    """Remove what was written down: an engine answers."""
    # Only root has written it, and only root can remove it.
    with suppress(OSError):
        layout.unable.unlink()
