import io
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.matrix.projects import TEXT, make_project
from tests.unit.stand_in import MakeStandIn
from tvm.error import ExitCode
from tvm.matrix import doctor
from tvm.matrix.doctor import Finding, Level, diagnose, show
from tvm.matrix.engine import LABEL, context, discover, images, install
from tvm.matrix.engine.discover import Endpoint
from tvm.matrix.engine.layout import Layout
from tvm.matrix.model import Project


class Usage(NamedTuple):
    """What shutil.disk_usage gives."""

    total: int
    used: int
    free: int


pytestmark = pytest.mark.usefixtures("no_sockets")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project")


@pytest.fixture(autouse=True)
def _healthy(docker: FakeDocker, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything be well; tests spoil one thing each."""
    (tmp_path / "project").mkdir()
    bundle = tmp_path / "ca.pem"
    bundle.touch()
    for name in ("git", "mmdebstrap", "nox"):
        stand_in(name)
    monkeypatch.setenv("DOCKER_HOST", docker.address)
    monkeypatch.setattr(context, "_CA_FILES", (bundle,))
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: Usage(1 << 40, 0, 1 << 40))


def _findings(project: Project) -> dict[str, Finding]:
    layout = Layout(run=project.root / "none", home=project.root / "none")
    return {one.subject: one for one in diagnose(project, layout=layout)}


def test_on_a_healthy_machine_all_is_well(project: Project) -> None:
    assert {one.level for one in _findings(project).values()} == {Level.OK}


def test_every_finding_that_is_not_well_has_a_fix(
    docker: FakeDocker, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.info.update(Driver="vfs", MemTotal=1)
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: Usage(1, 1, 0))
    ill = [one for one in _findings(project).values() if one.level is not Level.OK]
    assert len(ill) >= 3
    assert all(one.fix for one in ill)


def test_the_driver_vfs_is_a_warning(docker: FakeDocker, project: Project) -> None:
    docker.info["Driver"] = "vfs"
    assert _findings(project)["storage driver"].level is Level.WARN


def test_little_memory_is_a_warning(docker: FakeDocker, project: Project) -> None:
    docker.info["MemTotal"] = 1 << 30
    assert _findings(project)["memory"].level is Level.WARN


@pytest.mark.parametrize(("free", "level"), [(1 << 30, Level.BAD), (5 << 30, Level.WARN), (50 << 30, Level.OK)])
def test_the_disk_is_looked_at(project: Project, monkeypatch: pytest.MonkeyPatch, free: int, level: Level) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: Usage(1 << 40, 0, free))
    assert _findings(project)["build folder"].level is level


def test_the_engines_own_disk_is_looked_at_where_it_is_ours(docker: FakeDocker, project: Project) -> None:
    assert "engine's disk" not in _findings(project)
    docker.info["DockerRootDir"] = str(project.root)
    assert str(project.root) in _findings(project)["engine's disk"].seen


@pytest.mark.parametrize("year", [1970, 2200])
def test_an_absurd_clock_is_a_warning(project: Project, monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    class Clock:
        @staticmethod
        def now(_zone: timezone) -> datetime:
            return datetime(year, 1, 1, tzinfo=timezone.utc)

    monkeypatch.setattr(doctor, "datetime", Clock)
    assert _findings(project)["clock"].level is Level.WARN


def test_a_bundle_that_is_named_and_missing_is_bad(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/none.pem")
    assert _findings(project)["certificates"].level is Level.BAD


def test_no_bundle_at_all_is_a_warning(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_CA_FILES", ())
    assert _findings(project)["certificates"].level is Level.WARN


def test_proxies_are_shown_without_credentials(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy:1")
    seen = _findings(project)["proxies"].seen
    assert "HTTPS_PROXY=http://proxy:1" in seen
    assert "secret" not in seen


def test_both_distributions_in_one_environment_are_bad(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tvm._peer.installed", lambda: Path("/site/apache_tvm-1.dist-info"))
    assert _findings(project)["apache-tvm"].level is Level.BAD


def test_a_missing_git_is_bad(project: Project, bin_folder: Path) -> None:
    (bin_folder / "git").unlink()
    assert _findings(project)["git"].level is Level.BAD


def test_a_missing_mmdebstrap_matters_only_until_the_base_is_there(
    docker: FakeDocker, project: Project, bin_folder: Path
) -> None:
    (bin_folder / "mmdebstrap").unlink()
    assert _findings(project)["base of trixie"].level is Level.WARN
    docker.add_image(next(iter(images.base_recipes(project, "trixie"))).reference, {LABEL: "image"})
    assert _findings(project)["base of trixie"].level is Level.OK


def test_a_private_engine_that_has_ended_is_a_warning(project: Project, tmp_path: Path) -> None:
    layout = Layout(run=tmp_path, home=tmp_path)
    layout.state.write_text('{"pid": 1, "start": 999999999}')
    found = {one.subject: one for one in diagnose(project, layout=layout)}
    assert found["private engine"].level is Level.WARN


def _shown(project: Project, engine: str | None = None) -> tuple[ExitCode, str]:
    sink = io.StringIO()
    code = show(project, engine, Console(file=sink, width=300))
    return code, sink.getvalue()


def test_a_healthy_machine_ends_with_0(project: Project) -> None:
    assert _shown(project)[0] is ExitCode.OK


def test_without_an_engine_it_ends_with_4(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    code, text = _shown(project)
    assert code is ExitCode.ENGINE
    assert "bad      engine: DOCKER_HOST names an engine" in text
    assert "fix: start that engine" in text


def test_an_unknown_engine_ends_with_4(project: Project) -> None:
    assert _shown(project, "kvm")[0] is ExitCode.ENGINE


def test_anything_else_that_is_bad_ends_with_1(project: Project, bin_folder: Path) -> None:
    (bin_folder / "git").unlink()
    assert _shown(project)[0] is ExitCode.FAILED


def test_a_warning_ends_with_0(docker: FakeDocker, project: Project) -> None:
    docker.info["Driver"] = "vfs"
    assert _shown(project)[0] is ExitCode.OK


def test_this_machine_alone_is_well_where_it_was_asked_for(project: Project) -> None:
    code, text = _shown(project, "local")
    assert code is ExitCode.OK
    assert "ok       engine: local, network not isolated" in text


@pytest.fixture
def _silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing answer, and nothing be named."""
    monkeypatch.delenv("DOCKER_HOST")
    gone = Endpoint(address=f"unix://{tmp_path}/none.sock", origin="our private engine")
    monkeypatch.setattr(discover, "endpoints", lambda *_: [gone])


@pytest.mark.usefixtures("_silent")
def test_a_machine_without_an_engine_is_warned_that_it_runs_alone(project: Project) -> None:
    code, text = _shown(project)
    assert code is ExitCode.OK
    assert "warning  engine: local, network not isolated" in text
    assert "no container engine is installed" in text


@pytest.mark.usefixtures("_silent")
def test_an_installed_engine_that_does_not_answer_is_bad(project: Project, stand_in: MakeStandIn) -> None:
    stand_in("docker")
    assert _shown(project)[0] is ExitCode.ENGINE


def test_each_host_of_the_matrix_is_looked_at(docker: FakeDocker, tmp_path: Path) -> None:
    others = "".join(f"  {name}:\n    image: host\n    checks: {{tar: []}}\n" for name in ("far", "gone"))
    engines = f'engines: {{host: "{docker.address}", far: "{docker.address}", gone: "unix:///nowhere/x.sock"}}\n'
    found = _findings(make_project(tmp_path / "project", f"{TEXT}{others}{engines}"))
    assert found["host of host, far"].level is Level.OK
    assert found["host of gone"].level is Level.BAD
    assert "no socket is there" in found["host of gone"].seen
    assert found["host of gone"].fix


def test_one_engine_for_all_cells_leaves_the_hosts_out(
    docker: FakeDocker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TVM_MATRIX_DOCKER_HOST", docker.address)
    found = _findings(make_project(tmp_path / "project", f'{TEXT}engines: {{host: "unix:///nowhere/x.sock"}}\n'))
    assert not [subject for subject in found if subject.startswith("host of")]


def test_a_docker_that_is_podman_by_another_name_is_told(project: Project, bin_folder: Path) -> None:
    assert "docker" not in _findings(project)
    (bin_folder / "docker").write_text('#!/bin/sh\nexec /usr/bin/podman "$@"\n')
    (bin_folder / "docker").chmod(0o755)
    finding = _findings(project)["docker"]
    assert (finding.level, finding.seen.split()[1:3]) == (Level.OK, ["is", "Podman's"])


def test_a_real_docker_is_not_taken_for_it(project: Project, bin_folder: Path) -> None:
    (bin_folder / "docker").write_bytes(b"\x7fELF podman is a word in it")
    (bin_folder / "docker").chmod(0o755)
    assert "docker" not in _findings(project)
