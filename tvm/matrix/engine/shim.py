"""Tell a `docker` that is Podman's: the package podman-docker installs a script of that name, and a link at docker's socket."""

from pathlib import Path

_HEAD = 4096


def is_podman(program: str) -> bool:
    """Say whether a program called docker only hands its words on to Podman. A socket is told by what answers on it."""
    try:
        with Path(program).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(b"#!") and b"podman" in head
