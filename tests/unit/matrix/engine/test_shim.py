from pathlib import Path

import pytest

from tvm.matrix.engine import shim


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        # What podman-docker installs begins so.
        (b'#!/usr/bin/sh\n[ -e /etc/containers/nodocker ] || \\\necho "Emulate Docker CLI using podman."\n', True),
        (b'#!/bin/sh\nexec docker-real "$@"\n', False),
        (b"\x7fELF\0podman", False),
        (b"", False),
    ],
)
def test_a_script_that_hands_on_to_podman_is_podman(tmp_path: Path, content: bytes, expected: bool) -> None:  # noqa: FBT001 - a column of the table
    (tmp_path / "docker").write_bytes(content)
    assert shim.is_podman(str(tmp_path / "docker")) is expected


def test_a_program_that_cannot_be_read_is_not_claimed(tmp_path: Path) -> None:
    assert not shim.is_podman(str(tmp_path / "gone"))
