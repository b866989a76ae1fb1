"""The same cells on other engines: Podman by its socket and by TCP, Docker by TCP with TLS and by ssh, several at once."""

import signal
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import machines
from tests.e2e.engine import base_of
from tests.e2e.machines import Host, Ssh
from tests.e2e.project import LIMIT, MATRIX, Project
from tests.e2e.terminal import processes
from tvm.error import ExitCode
from tvm.matrix import manifest
from tvm.matrix.engine import LABEL_RUN, discover

if TYPE_CHECKING:
    import subprocess

CELLS = ("one", "two", "three")
WAYS = ("podman", "podman over tcp", "docker over tcp with tls", "docker over ssh", "podman over ssh")


@pytest.fixture(scope="module")
def ssh() -> Iterator[Ssh]:
    with machines.sshd() as found:
        yield found


@pytest.fixture(scope="module")
def hosts(engine: discover.Connection, engine_socket: Path, template: Path, ssh: Ssh) -> Iterator[dict[str, Host]]:
    """Return the engines by the way they are reached; each builds the small image itself."""
    image = manifest.own(manifest_of(Project(root=template), "one"))["image"]
    base = base_of(engine.client, image["id"])
    with ExitStack() as stack:
        unix, tcp = stack.enter_context(machines.podman(base, engine.client))
        second = stack.enter_context(machines.dockerd(base, engine.client))
        podman_socket = Path(unix.address.removeprefix("unix://"))
        behind = {
            "docker over ssh": (engine_socket, "docker", engine.client),
            "podman over ssh": (podman_socket, "podman", unix.client),
        }
        yield {
            "podman": unix,
            "podman over tcp": tcp,
            "docker over tcp with tls": second,
            **{
                way: Host(address=ssh.address(socket), kind=kind, client=client, environment=ssh.environment)
                for way, (socket, kind, client) in behind.items()
            },
        }


@pytest.mark.parametrize("way", WAYS)
def test_every_engine_gives_the_same_bytes(project: Project, hosts: dict[str, Host], way: str) -> None:
    before = artefacts(project)
    host = hosts[way]
    done = project.matrix("run", *CELLS, **host.variables)
    assert done.code == 0, done.output
    assert artefacts(project) == before
    for cell in CELLS:
        builder = manifest_of(project, cell)["predicate"]["runDetails"]["builder"]
        assert builder["id"] == f"urn:tvm-matrix:builder:{host.kind}"
        # A user's name is cut out of an address.
        assert host.address.replace("root@", "") in builder["version"]["engine"]
    assert boxes(host, runs(project)) == []


def test_two_builds_on_podman_are_identical(project: Project, hosts: dict[str, Host]) -> None:
    done = project.matrix("repro", "one", **hosts["podman"].variables)
    assert done.code == 0, done.output
    assert "two builds identical" in done.output


def test_prune_and_doctor_work_on_podman(project: Project, hosts: dict[str, Host]) -> None:
    pruned = project.matrix("prune", **hosts["podman"].variables)
    assert pruned.code == 0, pruned.output
    looked = project.matrix("doctor", **hosts["podman"].variables)
    assert looked.code == 0, looked.output
    assert "engine: podman " in looked.output


def test_an_engine_that_is_podman_is_not_taken_for_docker(project: Project, hosts: dict[str, Host]) -> None:
    done = project.matrix("run", "two", "--engine", "docker", **hosts["podman"].variables)
    assert done.code == ExitCode.ENGINE
    assert "this is podman, not docker" in done.output


def test_an_interrupt_over_ssh_leaves_no_box_and_no_ssh(
    project: Project, hosts: dict[str, Host], ssh: Ssh, tmp_path: Path
) -> None:
    runner = stuck(project, hosts["docker over ssh"], tmp_path / "log")
    runner.send_signal(signal.SIGINT)
    assert runner.wait(LIMIT) == ExitCode.INTERRUPTED
    assert boxes(hosts["docker over ssh"], [f"{runner.pid}-"]) == []
    assert clients(ssh) == []


def test_ssh_ends_with_a_runner_that_is_killed(
    project: Project, hosts: dict[str, Host], ssh: Ssh, tmp_path: Path
) -> None:
    host = hosts["docker over ssh"]
    runner = stuck(project, host, tmp_path / "log")
    runner.kill()
    runner.wait(LIMIT)
    end = time.monotonic() + 30
    while clients(ssh) and time.monotonic() < end:
        time.sleep(0.1)
    assert clients(ssh) == []
    done = project.matrix("run", "two", **host.variables)
    assert done.code == 0, done.output
    assert "whose runner is gone" in done.output
    assert boxes(host, [f"{runner.pid}-"]) == []


@pytest.mark.usefixtures("spared")
def test_an_ssh_server_that_is_not_known_is_refused_with_ssh_s_own_words(
    project: Project, ssh: Ssh, engine_socket: Path
) -> None:
    known = (ssh.folder / "known_hosts").read_text(encoding="utf-8")
    ssh.forget_host()
    done = project.matrix("run", "two", TVM_MATRIX_DOCKER_HOST=ssh.address(engine_socket), **ssh.environment)
    (ssh.folder / "known_hosts").write_text(known, encoding="utf-8")
    assert done.code == ExitCode.ENGINE
    assert "ssh says: Host key verification failed." in done.output
    assert f"fix: `ssh -p {ssh.port} root@127.0.0.1 true` must work without a question" in done.output


@pytest.mark.usefixtures("spared")
def test_a_machine_without_an_engine_behind_ssh_is_told(project: Project, ssh: Ssh, tmp_path: Path) -> None:
    done = project.matrix("run", "two", TVM_MATRIX_DOCKER_HOST=ssh.address(tmp_path / "none.sock"), **ssh.environment)
    assert done.code == ExitCode.ENGINE
    assert f"ssh gets there, but no engine answers at {tmp_path}/none.sock" in done.output


def test_each_cell_runs_on_the_host_that_the_matrix_names(
    project: Project, hosts: dict[str, Host], engine_socket: Path
) -> None:
    """Two private engines at once: `one` and `two` go to them, `three` to the engine of this machine."""
    second = hosts["docker over tcp with tls"]
    spread(project, {"one": second.address, "two": hosts["podman"].address})
    before = artefacts(project)
    told = {"TVM_MATRIX_DOCKER_HOST": "", "DOCKER_HOST": f"unix://{engine_socket}", **second.environment}
    # TLS is asked for by these variables, and is for TCP alone.
    done = project.nox("-j", "3", "-s", *CELLS, **told)
    assert done.code == 0, done.output
    assert artefacts(project) == before
    ran = {
        cell: manifest_of(project, cell)["predicate"]["runDetails"]["builder"]["version"]["engine"] for cell in CELLS
    }
    assert second.address in ran["one"]
    assert ran["two"].startswith("podman ")
    assert str(engine_socket) in ran["three"]
    pruned = project.matrix("prune", **told)
    assert pruned.code == 0, pruned.output
    assert [line.split()[0] for line in pruned.output.splitlines() if " storage driver " in line] == [
        "docker",
        "podman",
        "docker",
    ]


def test_one_run_takes_several_hosts_and_leaves_no_box_on_any(
    project: Project, hosts: dict[str, Host], engine_socket: Path
) -> None:
    spread(project, {"one": hosts["podman"].address})
    done = project.matrix("run", *CELLS, TVM_MATRIX_DOCKER_HOST="", DOCKER_HOST=f"unix://{engine_socket}")
    assert done.code == 0, done.output
    assert "on podman " in done.output
    assert boxes(hosts["podman"], runs(project)) == []


def test_the_engine_that_a_user_names_takes_all_cells(project: Project, hosts: dict[str, Host]) -> None:
    spread(project, {"one": "ssh://nowhere.invalid"})
    done = project.matrix("run", "one", **hosts["podman"].variables)
    assert done.code == 0, done.output


def spread(project: Project, engines: dict[str, str]) -> None:
    """Name the hosts of cells in the matrix."""
    lines = "".join(f'  {cell}: "{address}"\n' for cell, address in engines.items())
    project.edit("matrix.yaml", "cells:\n", f"engines:\n{lines}\ncells:\n")


def stuck(project: Project, host: Host, log: Path) -> "subprocess.Popen[bytes]":
    """Return a run in the middle of a check that does not end."""
    project.edit(
        "tests/matrix/check_words.py",
        "    program = tmp_path",
        '    process.run(["sleep", "600"])\n    program = tmp_path',
    )
    runner = Project(root=project.root, environment={**project.environment, **host.variables}).start(
        [*MATRIX, "run", "two"], log
    )
    end = time.monotonic() + LIMIT
    while "check words" not in log.read_text(encoding="utf-8"):
        assert time.monotonic() < end, log.read_text(encoding="utf-8")
        time.sleep(0.1)
    project.edit("tests/matrix/check_words.py", '    process.run(["sleep", "600"])\n', "")
    return runner


def boxes(host: Host, runs: Collection[str]) -> list[str]:
    """Return the boxes of some runs that are on an engine."""
    found: list[dict[str, Any]] = host.client.containers(all=True, filters={"label": [LABEL_RUN]})
    return [one["Names"][0] for one in found if one["Labels"][LABEL_RUN].startswith(tuple(runs))]


def clients(ssh: Ssh) -> list[str]:
    """Return the ssh clients that run with the test's settings."""
    return [line for line in processes(Path("/")).values() if str(ssh.folder / "ssh_config") in line]


def artefacts(project: Project) -> dict[str, list[Any]]:
    """Return name and hash of each cell's artefacts."""
    return {cell: manifest_of(project, cell)["subject"] for cell in CELLS}


def manifest_of(project: Project, cell: str) -> dict[str, Any]:
    return manifest.read(project.results / cell / "manifest.json")


def runs(project: Project) -> set[str]:
    """Return the runs that the results are of."""
    return {str(manifest_of(project, cell)["predicate"]["runDetails"]["metadata"]["invocationId"]) for cell in CELLS}
