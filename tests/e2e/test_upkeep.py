"""doctor and prune: they look after what is ours, and after nothing else."""

from typing import Any

from tests.e2e.project import Project
from tvm.error import ExitCode
from tvm.matrix import loader, prune
from tvm.matrix.engine import discover


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
    """In a suite of its own, so that no image of another project on this engine is old for it."""
    untyped: Any = engine.client
    (image,) = prune.current(loader.load(project.root)) & _names(untyped, "tvm-matrix/small")
    project.edit("matrix.yaml", "  trixie:\n", "  elsewhere:\n")
    project.edit("matrix.yaml", "suite: trixie\n", "suite: elsewhere\n")
    current = next(name for name in prune.current(loader.load(project.root)) if name.startswith("tvm-matrix/small:"))
    old, foreign = "tvm-matrix/small:0123456789abcdef", "e2e-foreign:0123456789abcdef"
    for name in (old, current, foreign):
        untyped.tag(image, *name.split(":"))
    done = project.nox("-s", "prune")
    after = _names(untyped)
    for name in (current, foreign):
        untyped.remove_image(name)
    assert done.code == 0, done.output
    assert f"removed {old}" in done.output
    assert old not in after
    # A user's own name for an image of ours is not ours, though the image carries our label.
    assert {current, foreign} <= after


def _names(client: Any, repository: str | None = None) -> set[str]:
    return {name for image in client.images(repository) for name in image["RepoTags"] or ()}
