from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ConfigError, ImageError, VendorError
from tvm.matrix import lock
from tvm.matrix.engine import vendor
from tvm.matrix.lock import pins, requirements
from tvm.matrix.lock.change import Change, Kept
from tvm.matrix.lock.requirements import LockSet
from tvm.matrix.model import Project

INDEX = "    suite: trixie\n    vendor: {index: 'https://v.example/simple', packages: {nki: '0.6.0'}}\n"


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Let uv give what stands here by the name of a lock, no vendor answer, and no engine be asked."""
    texts: dict[str, str] = {}

    def resolve(one: LockSet) -> str:
        if one.vendor:
            msg = f"{vendor.page(one.vendor)} does not answer here: no such host"
            raise VendorError(msg)
        if one.name not in texts:
            msg = f"{one.name} cannot be made"
            raise ImageError(msg)
        return texts[one.name]

    def refresh(_project: Project, _names: list[str]) -> Iterator[pins.Edit | Kept]:
        yield from ()

    monkeypatch.setattr(requirements, "resolve", resolve)
    monkeypatch.setattr(pins, "refresh", refresh)
    return texts


def _project(root: Path, text: str = TEXT) -> Project:
    project = make_project(root, text)
    for image in ("base", "host"):
        (project.image_folder(image) / "requirements.in").write_text("wheel\n")
    return project


def _silent(_text: str) -> None:
    """Take a line of progress and say nothing."""


def test_all_images_and_the_base_are_locked(tmp_path: Path, world: dict[str, str]) -> None:
    world |= {"images/base/requirements.txt": "wheel==1\n", "images/host/requirements.txt": "wheel==2\n"}
    told: list[str] = []
    outcome = lock.lock(_project(tmp_path), [], told.append)
    assert told == list(world)
    assert [(one.place, one.new) for one in outcome.changes] == [(told[0], "1"), (told[1], "2")]
    assert {name: (tmp_path / name).read_text() for name in world} == world


def test_one_image_is_locked_alone(tmp_path: Path, world: dict[str, str]) -> None:
    world["images/host/requirements.txt"] = "wheel==2\n"
    lock.lock(_project(tmp_path), ["host"], _silent)
    assert not (tmp_path / "images" / "base" / "requirements.txt").exists()


def test_an_unchanged_lock_is_not_written(tmp_path: Path, world: dict[str, str]) -> None:
    project = _project(tmp_path)
    path = tmp_path / "images" / "host" / "requirements.txt"
    path.write_text("wheel==2\n    # via an older uv\n")
    before = path.stat()
    world["images/host/requirements.txt"] = "wheel==2\n"
    assert lock.lock(project, ["host"], _silent).changes == []
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_unknown_image_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no image 'hots' in matrix\.yaml; did you mean 'host'"):
        lock.lock(_project(tmp_path), ["hots"], _silent)


def test_what_fails_does_not_stop_the_rest(tmp_path: Path, world: dict[str, str]) -> None:
    world["images/host/requirements.txt"] = "wheel==2\n"
    outcome = lock.lock(_project(tmp_path), [], _silent)
    assert [str(error) for error in outcome.errors] == ["images/base/requirements.txt cannot be made"]
    assert (tmp_path / "images" / "host" / "requirements.txt").read_text() == "wheel==2\n"


@pytest.mark.parametrize(("names", "errors"), [([], 0), (["host"], 1)])
def test_a_vendor_out_of_reach_is_an_error_for_who_asked_for_it(
    tmp_path: Path, world: dict[str, str], names: list[str], errors: int
) -> None:
    world |= {f"images/{image}/requirements.txt": "wheel==2\n" for image in ("base", "host")}
    outcome = lock.lock(_project(tmp_path, TEXT.replace("    suite: trixie\n", INDEX)), names, _silent)
    why = "https://v.example/simple/nki/ does not answer here: no such host"
    assert outcome.kept == [Kept(place="images/host/vendor/requirements.txt", why=why)]
    assert [type(error) for error in outcome.errors] == [VendorError] * errors


def test_pins_of_the_matrix_are_written_last_and_with_its_comments(
    tmp_path: Path, world: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world["images/host/requirements.txt"] = "wheel==2\n"
    edit = pins.Edit(path=("images", "host", "tools", "gcc"), old="==14.*", new="==15.*")
    monkeypatch.setattr(pins, "refresh", lambda _project, _names: iter([edit]))
    text = f"# A comment.\n{TEXT}"
    outcome = lock.lock(_project(tmp_path, text), ["host"], _silent)
    assert outcome.changes[0] == Change(place="matrix.yaml", name="images.host.tools.gcc", old="==14.*", new="==15.*")
    assert (tmp_path / "matrix.yaml").read_text() == text.replace("==14.*", "==15.*")
