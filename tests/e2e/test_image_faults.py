"""Images that cannot be built: the failing step's own words, exit code 5, the images and results before as they were."""

import pytest

from tests.e2e.project import Project
from tvm.error import ExitCode

pytestmark = pytest.mark.usefixtures("spared")
# Nothing listens there: a machine without a network, as an image build sees it.
DEAD = "http://127.0.0.1:9"


def test_a_step_that_fails_is_shown_with_its_own_output(project: Project) -> None:
    project.edit("images/small/Dockerfile", "USER root\n", "USER root\nRUN echo the step says $((6 * 7)); exit 3\n")
    done = project.matrix("run", "one", "two")
    assert done.code == ExitCode.IMAGE
    assert "image small cannot be built; it failed at step" in done.output
    assert "the step says 42" in done.output
    assert "returned a non-zero code: 3" in done.output
    assert "fix: " in done.output
    assert "Traceback" not in done.output


def test_a_tool_that_the_image_does_not_hold_is_named(project: Project) -> None:
    project.edit("matrix.yaml", 'tar: ">=1.35"', 'tar: ">=1.35"\n      sccache: ">=0.10"')
    done = project.matrix("run", "one")
    assert done.code == ExitCode.IMAGE
    assert "sccache: matrix.yaml lists it for this image, but there is no sccache on PATH" in done.output


def test_a_tool_of_another_version_fails_the_cell(project: Project) -> None:
    project.edit("matrix.yaml", 'tar: ">=1.35"', 'tar: ">=99"')
    done = project.matrix("run", "one")
    assert done.code == ExitCode.FAILED
    assert ">=99" in done.output
    assert "nox -s lock -- small takes it into matrix.yaml" in done.output


def test_a_step_that_needs_the_network_where_there_is_none(project: Project) -> None:
    # As images/base/install-packages does it, but for its ten retries, which take minutes.
    install = "RUN apt-get update -q -o Acquire::Retries=0 -o APT::Update::Error-Mode=any\n"
    project.edit("images/small/Dockerfile", "USER root\n", f"USER root\n{install}")
    done = project.matrix("run", "one", http_proxy=DEAD, https_proxy=DEAD, HTTP_PROXY=DEAD, HTTPS_PROXY=DEAD)
    assert done.code == ExitCode.IMAGE
    assert "127.0.0.1:9" in done.output
    assert (
        "fix: the lines above are the step's own; correct the recipe, or the network if a download failed"
        in done.output
    )


def test_an_image_that_says_nothing_about_itself_is_refused(project: Project) -> None:
    project.edit("images/small/Dockerfile", "RUN /usr/lib/tvm-matrix/inventory.py\n", "")
    done = project.matrix("run", "one")
    assert done.code == ExitCode.IMAGE
    assert "is not the inventory of this image" in done.output
    assert "RUN /usr/lib/tvm-matrix/inventory.py" in done.output
