import sys
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import ImageError, ToolNotFound, VendorError
from tvm.matrix.engine import vendor
from tvm.matrix.lock.change import Change
from tvm.matrix.lock.requirements import LockSet, changes, resolve, sets, versions
from tvm.matrix.model import Project

LOCK = """\
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:00
    # via -r requirements.in
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:11
tar-reader==1.0+local \\
    --hash=sha256:22
"""
INDEX = "    suite: trixie\n    vendor: {index: 'https://v.example/simple', packages: {nki: '0.6.0+g8'}}\n"
# Writes the lock that it is asked for, out of what it reads.
UV = """
out = args[args.index("--output-file") + 1]
with open(out, "w") as file:
    for name in args[args.index("--output-file") + 2:]:
        if name.endswith(".in"):
            file.write(open(name).read())
"""


@pytest.fixture
def uv(stand_in: MakeStandIn, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return the uv that lies beside the Python that runs."""
    made = stand_in("uv", body=UV)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python"))
    return made


def _with_sources(root: Path, text: str = TEXT, folders: tuple[str, ...] = ("",)) -> Project:
    project = make_project(root, text)
    for folder in folders:
        place = project.image_folder("host") / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "requirements.in").write_text(f"wheel-{folder or 'own'}==1\n")
    return project


def test_every_folder_with_a_source_is_a_set(tmp_path: Path) -> None:
    project = _with_sources(tmp_path, folders=("", "headers", "tools/old"))
    assert [one.name for one in sets(project, "host")] == [
        "images/host/headers/requirements.txt",
        "images/host/requirements.txt",
        "images/host/tools/old/requirements.txt",
    ]
    assert list(sets(project, "base")) == []


def test_uv_runs_where_the_lock_lies_and_names_no_folder_of_this_machine(tmp_path: Path, uv: StandIn) -> None:
    (one,) = sets(_with_sources(tmp_path), "host")
    assert resolve(one) == "wheel-own==1\n"
    assert uv.cwds == [str(tmp_path / "images" / "host")]
    (call,) = uv.calls
    assert call[:2] == ["pip", "compile"]
    assert {"--universal", "--generate-hashes", "--no-header"} <= set(call)
    assert call[call.index("--python-version") + 1] == "3.11"
    assert call[-1] == "requirements.in"
    assert not one.lock.exists()


def test_what_would_choose_older_versions_does_not_reach_uv(
    tmp_path: Path, uv: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_EXCLUDE_NEWER", "2020-01-01")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example")
    (one,) = sets(_with_sources(tmp_path), "host")
    resolve(one)
    assert "UV_EXCLUDE_NEWER" not in uv.environments[0]
    assert uv.environments[0]["UV_DEFAULT_INDEX"] == "https://mirror.example"


def test_a_vendors_packages_are_locked_from_its_index(
    tmp_path: Path, uv: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what must go beside them, and without the name of the file that says so."""
    monkeypatch.setattr(vendor, "ask", lambda _url: "")
    project = _with_sources(tmp_path, TEXT.replace("    suite: trixie\n", INDEX), folders=("", "vendor"))
    plain, own = sets(project, "host")
    assert (plain.name, own.name) == ("images/host/requirements.txt", "images/host/vendor/requirements.txt")
    assert resolve(own) == "nki==0.6.0+g8\nwheel-vendor==1\n"
    (call,) = uv.calls
    assert call[call.index("--index") + 1] == "https://v.example/simple"
    assert "--no-annotate" in call


def test_a_vendors_packages_need_no_source_and_no_folder_of_their_own(
    tmp_path: Path, uv: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor, "ask", lambda _url: "")
    project = make_project(tmp_path, TEXT.replace("    suite: trixie\n", INDEX))
    (own,) = sets(project, "host")
    assert resolve(own) == "nki==0.6.0+g8\n"
    assert uv.cwds == [str(project.image_folder("host"))]


def test_an_index_out_of_reach_says_so_and_uv_is_not_asked(
    tmp_path: Path, uv: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor, "ask", lambda url: f"no such host for {url}")
    (own,) = sets(make_project(tmp_path, TEXT.replace("    suite: trixie\n", INDEX)), "host")
    with pytest.raises(VendorError, match=r"does not answer here: no such host for https://v\.example/simple/nki/"):
        resolve(own)
    assert uv.calls == []


def test_what_uv_says_is_shown(
    tmp_path: Path, stand_in: MakeStandIn, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("uv", output="error: no version of wheel-own fits\n", code=1)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python"))
    (one,) = sets(_with_sources(tmp_path), "host")
    with pytest.raises(
        ImageError, match=r"requirements\.txt cannot be made; uv says:\nerror: no version of wheel-own fits"
    ):
        resolve(one)


def test_without_uv_it_says_what_to_install(tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python"))
    (one,) = sets(_with_sources(tmp_path), "host")
    with pytest.raises(ToolNotFound) as caught:
        resolve(one)
    assert caught.value.fix == "pip install uv"


def test_versions_of_a_package_that_differ_by_platform_stand_together() -> None:
    assert versions(LOCK) == {"numpy": "2.4.6, 2.5.5", "tar-reader": "1.0+local"}


@pytest.fixture
def locked(tmp_path: Path) -> LockSet:
    (one,) = sets(_with_sources(tmp_path), "host")
    one.lock.write_text(LOCK)
    return one


def test_new_old_and_other_versions_are_changes(locked: LockSet) -> None:
    text = LOCK.replace("numpy==2.5.5", "numpy==2.6.0").replace("tar-reader==1.0+local", "zip==1")
    assert changes(locked, text) == [
        Change(place=locked.name, name="numpy", old="2.4.6, 2.5.5", new="2.4.6, 2.6.0"),
        Change(place=locked.name, name="tar-reader", old="1.0+local", new=""),
        Change(place=locked.name, name="zip", old="", new="1"),
    ]


def test_other_files_of_the_same_versions_are_a_change(locked: LockSet) -> None:
    (found,) = changes(locked, LOCK.replace("sha256:22", "sha256:33"))
    assert (found.name, found.new) == ("(hashes or markers)", "other files of the same versions")


@pytest.mark.parametrize("text", [LOCK, LOCK.replace("    # via -r requirements.in\n", "")])
def test_comments_alone_are_no_change(locked: LockSet, text: str) -> None:
    assert changes(locked, text) == []
