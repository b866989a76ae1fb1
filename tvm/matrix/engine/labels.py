"""What is written on everything that is made on an engine, and how names are formed from it."""

import platform
import secrets
from pathlib import Path

from tvm.matrix.engine import LABEL, LABEL_BOOT, LABEL_CELL, LABEL_HOST, LABEL_OWNER, LABEL_RUN
from tvm.matrix.owner import is_alive, owner_id

LABEL_SUITE = f"{LABEL}.suite"
LABEL_BASE_ROUTE = f"{LABEL}.base-route"
LABEL_BASE_DIGEST = f"{LABEL}.base-digest"
LABEL_VENDOR_ROUTE = f"{LABEL}.vendor-route"
LABEL_NOTE = f"{LABEL}.note"

# Every image of ours is called so; a name outside of it is a user's, even on an image that inherited our labels.
REPOSITORY = "tvm-matrix"
# A box that is kept for a look has another name, which the reaper knows.
_BOX = "tvm-matrix-"
KEPT = "tvm-matrix-kept-"

_MACHINE_ID = Path("/etc/machine-id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def owner_labels(run_id: str, cell: str) -> dict[str, str]:
    """Return the labels of a container that this process makes."""
    return {
        LABEL: "box",
        LABEL_RUN: run_id,
        LABEL_CELL: cell,
        LABEL_HOST: host_id(),
        LABEL_BOOT: boot_id(),
        LABEL_OWNER: owner_id(),
    }


def box_name(cell: str, run_id: str) -> str:
    """Return a name for a new box; a run may open several of one cell."""
    return f"{_BOX}{cell}-{run_id}-{secrets.token_hex(2)}"


def kept_name(name: str) -> str:
    """Return what a box is called once it is kept."""
    return KEPT + name.removeprefix(_BOX)


def host_id() -> str:
    """Return what a pid is unique in: the machine (its id, else its name) and the pid namespace."""
    machine = _text(_MACHINE_ID) or platform.node()
    namespace = _PID_NAMESPACE.stat().st_ino if _PID_NAMESPACE.exists() else 0
    return f"{machine}.{namespace}"


def boot_id() -> str:
    """Return the identity of this boot of the machine; empty where the kernel tells none."""
    return _text(_BOOT_ID)


def is_orphan(labels: dict[str, str]) -> bool:
    """Say whether a container's runner was of this machine and is gone."""
    if labels.get(LABEL_HOST) != host_id():
        return False
    return labels.get(LABEL_BOOT) != boot_id() or not is_alive(labels.get(LABEL_OWNER, ""))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
