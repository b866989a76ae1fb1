import os
from pathlib import Path

import pytest

from tvm.matrix.engine import LABEL, LABEL_BOOT, LABEL_CELL, LABEL_HOST, LABEL_OWNER, LABEL_RUN, labels
from tvm.matrix.owner import owner_id


def test_a_container_says_who_made_it() -> None:
    marks = labels.owner_labels("run1", "ndk")
    assert marks == {
        LABEL: "box",
        LABEL_RUN: "run1",
        LABEL_CELL: "ndk",
        LABEL_HOST: labels.host_id(),
        LABEL_BOOT: labels.boot_id(),
        LABEL_OWNER: owner_id(),
    }


def test_two_boxes_of_one_run_have_two_names() -> None:
    assert labels.box_name("ndk", "run1") != labels.box_name("ndk", "run1")


def test_a_kept_box_has_a_name_of_its_own_kind() -> None:
    assert labels.kept_name("tvm-matrix-ndk-run1-00ff") == "tvm-matrix-kept-ndk-run1-00ff"


def test_a_container_of_this_process_is_no_orphan() -> None:
    assert not labels.is_orphan(labels.owner_labels("run1", "ndk"))


def test_a_container_of_an_ended_process_is_an_orphan() -> None:
    ended = os.posix_spawn("/proc/self/exe", ["python", "-IS", "-c", ""], {})
    os.waitpid(ended, 0)
    assert labels.is_orphan({**labels.owner_labels("run1", "ndk"), LABEL_OWNER: f"{ended}-1"})


def test_a_container_of_another_process_with_the_same_pid_is_an_orphan() -> None:
    assert labels.is_orphan({**labels.owner_labels("run1", "ndk"), LABEL_OWNER: f"{os.getpid()}-1"})


def test_a_container_of_an_earlier_boot_is_an_orphan() -> None:
    assert labels.is_orphan({**labels.owner_labels("run1", "ndk"), LABEL_BOOT: "earlier"})


def test_a_container_of_another_machine_is_no_orphan_here() -> None:
    """Its runner's pid means nothing on this machine."""
    assert not labels.is_orphan({**labels.owner_labels("run1", "ndk"), LABEL_HOST: "other.1", LABEL_OWNER: "1-1"})


def test_a_machine_without_an_id_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(labels, "_MACHINE_ID", tmp_path / "none")
    monkeypatch.setattr("platform.node", lambda: "here")
    assert labels.host_id().startswith("here.")
