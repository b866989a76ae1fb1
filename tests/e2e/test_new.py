"""A new cell from the template: it passes as it is."""

from tests.e2e.engine import Containers
from tests.e2e.project import Project


def test_a_new_cell_passes_at_once(project: Project, containers: Containers) -> None:
    written = project.matrix("new", "my-chip")
    assert written.code == 0, written.output
    done = project.nox("-s", "my-chip")
    assert done.code == 0, done.output
    result = project.kept()["my-chip"]
    assert result["artefacts/libaxpy.so"].startswith(b"\x7fELF")
    assert containers.left() == []
    covered = project.matrix("coverage", "my-chip")
    assert (covered.code, "1 of 1 archs reach" in covered.output) == (0, True)
