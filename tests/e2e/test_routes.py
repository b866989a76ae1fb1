"""Where images come from: a registry by digest, a vendor's host by sum. The right one, a wrong one, one that is cut off."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import registry, vendor_host
from tests.e2e.engine import Containers, base_of
from tests.e2e.project import HERE, Project
from tests.e2e.registry import Pushed
from tvm.error import ExitCode
from tvm.matrix import manifest
from tvm.matrix.engine import discover

# What is pushed holds all that images/base would install.
BASE = """\
ARG BASE
FROM ${BASE}
USER root
ARG IMAGE=base
ARG SUITE
ARG VENDOR_ROUTE=none
ARG TOOLS={}
RUN /usr/lib/tvm-matrix/inventory.py
USER tvm
"""
VENDORED = """\
  vendored:
    suite: trixie
    tools: {{python: "==3.13.*"}}
    vendor:
      url: {url}
      sha256: "{sha256}"
cells:
  vendored:
    image: vendored
    archs: {{x86_64: executed}}
    checks: {{words: [python]}}
"""
WRONG = "0" * 64


def test_a_base_is_pulled_by_its_digest(project: Project, pushed: Pushed, containers: Containers) -> None:
    _stand_on(project, pushed.repository, pushed.digest)
    done = project.matrix("run", "one")
    assert done.code == 0, done.output
    image = _image(project, "one")
    assert (image["base_route"], image["base_digest"]) == ("pulled", pushed.digest)
    assert "(pulled)" in done.output
    assert containers.left() == []


@pytest.mark.usefixtures("spared")
def test_a_digest_that_the_registry_does_not_have_is_an_error_and_no_other_route(
    project: Project, pushed: Pushed
) -> None:
    _stand_on(project, pushed.repository, f"sha256:{WRONG}")
    done = project.matrix("run", "one")
    assert done.code == ExitCode.IMAGE
    assert f"the registry answered, but does not give {pushed.repository}@sha256:{WRONG}" in done.output
    assert "fix: correct the suite's image and digest in matrix.yaml" in done.output
    assert "mmdebstrap" not in done.output


@pytest.mark.usefixtures("spared")
def test_lock_takes_the_digest_that_the_registry_has_now(project: Project, pushed: Pushed) -> None:
    _stand_on(project, pushed.repository, f"sha256:{WRONG}")
    before = (project.root / "matrix.yaml").read_text(encoding="utf-8")
    done = project.matrix("lock", "small")
    assert done.code == 0, done.output
    assert f"suites.elsewhere.digest │ sha256:{WRONG} │ {pushed.digest} " in done.output
    after = (project.root / "matrix.yaml").read_text(encoding="utf-8")
    assert after == before.replace(f"sha256:{WRONG}", pushed.digest)
    again = project.matrix("lock", "small")
    assert (again.code, again.output.splitlines()[0]) == (0, "nothing changed")


def test_a_vendors_download_with_the_right_sum_is_taken(project: Project, host: str, containers: Containers) -> None:
    done = _run_vendored(project, f"{host}{vendor_host.WHOLE}", vendor_host.SHA256)
    assert done.code == 0, done.output
    assert _image(project, "vendored")["vendor_route"] == "vendor"
    assert "(vendor, " in done.output
    assert containers.left() == []


@pytest.mark.usefixtures("spared")
def test_a_vendors_download_with_another_sum_is_refused(project: Project, host: str) -> None:
    done = _run_vendored(project, f"{host}{vendor_host.WHOLE}", WRONG)
    assert done.code == ExitCode.VENDOR
    assert f"sha256 is {vendor_host.SHA256}, the pin says {WRONG}; nothing was kept" in done.output
    assert "fix: correct the pin in matrix.yaml" in done.output


@pytest.mark.usefixtures("spared")
def test_a_vendors_download_that_is_cut_off_is_refused(project: Project, host: str) -> None:
    done = _run_vendored(project, f"{host}{vendor_host.CUT_OFF}", vendor_host.SHA256)
    assert done.code == ExitCode.VENDOR
    size = len(vendor_host.CONTENT)
    assert f"cut off after {size // 2} of {size} bytes; nothing was kept" in done.output


def test_where_the_vendor_does_not_answer_the_stand_in_is_taken_and_named(
    project: Project, containers: Containers
) -> None:
    url = f"https://127.0.0.1:{registry.free_port()}{vendor_host.WHOLE}"
    done = _run_vendored(project, url, vendor_host.SHA256)
    assert done.code == 0, done.output
    image = _image(project, "vendored")
    assert image["vendor_route"] == "stand-in"
    assert f"{url} does not answer here: " in image["route_note"]
    assert f"{url} does not answer here: " in done.output
    assert containers.left() == []


@pytest.fixture(scope="module")
def pushed(template: Path, tmp_path_factory: pytest.TempPathFactory, engine: discover.Connection) -> Iterator[Pushed]:
    """Return the base of the small image as it lies in a registry on this machine."""
    registry.install()
    port = registry.free_port()
    started = registry.serve(tmp_path_factory.mktemp("registry"), port)
    try:
        found = registry.push(
            engine.client, base_of(engine.client, str(_image(Project(root=template), "one")["id"])), port
        )
        yield found
        registry.forget(engine.client, found)
    finally:
        started.terminate()
        started.wait()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """Return the address of a vendor's host whose certificate this machine takes."""
    vendor_host.make_certificates(tmp_path)
    with vendor_host.serve(tmp_path) as address:
        yield address


def _image(project: Project, cell: str) -> dict[str, Any]:
    data = json.loads((project.results / cell / "manifest.json").read_text(encoding="utf-8"))
    return dict(manifest.own(data)["image"])


def _stand_on(project: Project, repository: str, digest: str) -> None:
    """Let the small image stand on a suite that is not on the engine by any route."""
    suite = f"suites:\n  elsewhere:\n    image: {repository}\n    digest: {digest}\n"
    project.edit("matrix.yaml", "suites:\n", suite)
    project.edit("matrix.yaml", "suite: trixie\n", "suite: elsewhere\n")
    (project.root / "images" / "base" / "Dockerfile").write_text(BASE, encoding="utf-8")


def _run_vendored(project: Project, url: str, sha256: str) -> Any:
    shutil.copytree(HERE / "images" / "vendored", project.root / "images" / "vendored")
    project.edit("matrix.yaml", "cells:\n", VENDORED.format(url=url, sha256=sha256))
    certificates = project.root.parent / "ca.crt"
    trusted = {"SSL_CERT_FILE": str(certificates)} if certificates.is_file() else {}
    return project.matrix("run", "vendored", NO_PROXY="127.0.0.1", no_proxy="127.0.0.1", **trusted)
