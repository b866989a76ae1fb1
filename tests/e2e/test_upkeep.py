"""doctor and prune: they look after what is ours, and after nothing else."""

from typing import Any

from tests.e2e.project import Project
from tvm.error import ExitCode
from tvm.matrix import loader, prune
from tvm.matrix.engine import discover

FOREIGN = ("e2e-foreign", "kept")


def test_doctor_looks_at_this_machine(project: Project, engine: discover.Connection) -> None:
    done = project.nox("-s", "doctor")
    assert done.code == 0, done.output
    for subject in ("engine: ", "storage driver: ", "build folder: ", "base of trixie: is here", "git: "):
        assert f" {subject}" in done.output
    assert engine.version in done.output


def test_doctor_says_that_no_engine_answers(project: Project) -> None:
    done = project.matrix("doctor", TVM_MATRIX_DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.code == ExitCode.ENGINE
    assert "unix:///nowhere/docker.sock" in done.output


def test_prune_removes_images_of_old_recipes_and_no_others(project: Project, engine: discover.Connection) -> None:
    untyped: Any = engine.client
    recipe = "USER root\n", "USER root\n# Another recipe.\n"
    current = prune.current(loader.load(project.root))
    project.edit("images/small/Dockerfile", *recipe)
    assert project.matrix("run", "one").code == 0
    old = (prune.current(loader.load(project.root)) - current) & _names(untyped)
    project.edit("images/small/Dockerfile", *reversed(recipe))
    # A user's own image that stands on ours carries our label too.
    untyped.tag(*old, *FOREIGN)
    before = _names(untyped)
    done = project.nox("-s", "prune")
    after = _names(untyped)
    untyped.remove_image(":".join(FOREIGN))
    assert done.code == 0, done.output
    assert len(old) == 1
    assert all(f"removed {name}" in done.output for name in old)
    assert old <= before - after
    assert {":".join(FOREIGN), *(current & before)} <= after


def _names(client: Any) -> set[str]:
    return {name for image in client.images() for name in image["RepoTags"] or ()}
