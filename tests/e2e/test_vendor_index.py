"""An image of a vendor's packages: the real recipe and check of the cell `neuron`, its index on this machine."""

import json
import os
import re
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e import registry, vendor_host, vendor_index
from tests.e2e.engine import Containers
from tests.e2e.project import ROOT, Project
from tests.e2e.vendor_index import Index
from tests.matrix import neff
from tvm.error import ExitCode
from tvm.matrix import manifest
from tvm.matrix.engine.context import ca_bundle

# Seconds that a cell may take where its vendor's index does not answer.
LIMIT = 15.0
LOCK = "images/neuron/vendor/requirements.txt"
COPIED = (
    "images/neuron",
    "tests/matrix/check_neuron.py",
    "tests/matrix/neff.py",
    "tests/matrix/neuron_compiler.py",
    "examples/kernels/vector_add_nki.py",
)
REAL = yaml.safe_load((ROOT / "matrix.yaml").read_text(encoding="utf-8"))
PACKAGES: dict[str, str] = REAL["images"]["neuron"]["vendor"]["packages"]


def test_from_the_index_to_the_artefact(project: Project, index: Index, containers: Containers) -> None:
    """Hashes are locked from the index, the image is built by them, the check runs, its artefact is published."""
    _lay(project, index.address)
    locked = _run(project, "lock", "neuron")
    assert locked.code == 0, locked.output
    text = (project.root / LOCK).read_text(encoding="utf-8")
    for name, version in PACKAGES.items():
        assert f"{name}=={version} \\\n    --hash=sha256:{index.sha256(name)}\n" in text
        assert re.search(rf"{LOCK} *│ {name} *│ - *│ {re.escape(version)} ", locked.output)

    index.asked.clear()
    done = _run(project, "run", "neuron")
    assert done.code == 0, done.output
    # The question whether the index answers comes first; then pip, in the image's build, asks it by itself.
    assert index.asked[0] == "/simple/neuronx-cc/"
    assert {f"/wheels/{name}" for name in index.wheels} <= set(index.asked[1:])

    own = manifest.own(json.loads((project.results / "neuron" / "manifest.json").read_text(encoding="utf-8")))
    assert own["image"]["vendor_route"] == "vendor"
    for arch in ("trn2", "trn3"):
        assert _calls(project.results / "neuron" / "artefacts" / arch / "vector_add.neff") == _expected(arch)
    covered = _run(project, "coverage", "neuron")
    assert (covered.code, "2 of 2 archs reach" in covered.output) == (0, True)
    assert containers.left() == []


@pytest.mark.usefixtures("spared")
def test_a_wheel_with_another_sum_than_its_lock_is_refused(project: Project, index: Index) -> None:
    _lay(project, index.address)
    assert _run(project, "lock", "neuron").code == 0
    project.edit(LOCK, index.sha256("nki"), "0" * 64)
    done = _run(project, "run", "neuron")
    assert done.code == ExitCode.VENDOR
    assert f"the vendor's download failed: {index.address}: THESE PACKAGES DO NOT MATCH THE HASHES" in done.output


@pytest.mark.usefixtures("spared")
def test_an_index_that_answers_is_not_used_without_locked_hashes(project: Project, index: Index) -> None:
    _lay(project, index.address)
    done = _run(project, "run", "neuron")
    assert done.code == ExitCode.VENDOR
    assert f"no hash is known of neuronx-cc=={PACKAGES['neuronx-cc']}" in done.output
    assert "fix: nox -s lock -- neuron" in done.output


@pytest.mark.usefixtures("spared")
@pytest.mark.parametrize("silent", [False, True])
def test_an_index_that_does_not_answer_ends_the_cell_in_time(project: Project, silent: bool) -> None:  # noqa: FBT001 - a parameter
    """Nobody listens there, or somebody who never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1] if silent else registry.free_port()
        _lay(project, f"https://127.0.0.1:{port}/simple")
        begun = time.monotonic()
        done = _run(project, "run", "neuron")
        seconds = time.monotonic() - begun
    assert done.code == ExitCode.VENDOR
    assert f"https://127.0.0.1:{port}/simple/neuronx-cc/ does not answer here: " in done.output
    assert "fix: run this cell on a machine that reaches that address" in done.output
    assert seconds < LIMIT
    covered = _run(project, "coverage", "neuron")
    assert (covered.code, "0 of 2 archs reach" in covered.output) == (ExitCode.COVERAGE, True)
    assert (
        f"only their vendor has, and https://127.0.0.1:{port}/simple/neuronx-cc/ does not answer here: "
        in covered.output
    )


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Return an index whose certificate this machine takes."""
    vendor_host.make_certificates(tmp_path)
    with vendor_index.serve(tmp_path, PACKAGES) as served:
        yield served


def _lay(project: Project, address: str) -> None:
    """Put the real cell into the small project, with another address of its index."""
    for name in COPIED:
        source, target = ROOT / name, project.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        copy: Any = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, target)
    (project.root / LOCK).unlink(missing_ok=True)
    image, cell = REAL["images"]["neuron"], REAL["cells"]["neuron"]
    image["vendor"]["index"] = address
    # JSON is YAML, with every text in quotes.
    project.edit(
        "matrix.yaml", "\ncells:\n", f"\n  neuron: {json.dumps(image)}\ncells:\n  neuron: {json.dumps(cell)}\n"
    )


def _run(project: Project, *arguments: str) -> Any:
    """Run a subcommand that trusts the index beside what this machine trusts: other wheels come from elsewhere."""
    trusted = project.root.parent / "trusted.crt"
    own, bundle = project.root.parent / "ca.crt", ca_bundle(os.environ)
    parts = [path.read_bytes() for path in (own, bundle) if path and path.is_file()]
    trusted.write_bytes(b"\n".join(parts))
    direct = "127.0.0.1,localhost"
    return project.matrix(*arguments, SSL_CERT_FILE=str(trusted), NO_PROXY=direct, no_proxy=direct)


def _calls(path: Path) -> list[str]:
    calls: list[str] = json.loads(neff.read(path).members["calls.json"])
    return calls


def _expected(arch: str) -> list[str]:
    """Return what the two wheels record of the example: its three tiles, its four instructions, the program."""
    return [
        f"parallel_compile {arch} 1",
        *["ndarray [128, 512] float32 sbuf"] * 3,
        "dma_copy sbuf <- a",
        "dma_copy sbuf <- b",
        "tensor_tensor sbuf <- add sbuf sbuf",
        "dma_copy result <- sbuf",
        f"neuronx-cc compile {arch}",
    ]
