"""explain says what run does; list says what there is."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.matrix.explain import explain, list_text
from tvm.matrix.model import Project
from tvm.matrix.plan import plan

_PINNED = "  trixie: {image: debian, digest: 'sha256:%s', source: 'a published place'}" % ("b" * 64)
_REPOSITORY = Path(__file__).parents[3]


def text_of(project: Project) -> str:
    return explain(plan(project, ["all"]))


def test_every_command_that_runs_is_printed(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    lines = text_of(project).split("\n")
    for check in plan(project, ["host"]).cells[0].checks:
        assert f"    run {' '.join(check.command)}" in lines
        for probe in check.probes:
            assert f"    probe {probe.tool} {probe.specifier}: {' '.join(probe.argv)}" in lines


def test_the_box_is_described(tmp_path: Path) -> None:
    text = text_of(make_project(tmp_path))
    assert "container: network none, user 1000, init, tmpfs /src of user 1000" in text
    assert "container runs timeout -k 5 420 sleep infinity" in text
    assert "environment TVM_MATRIX_ARCHS=x86_64,riscv64" in text
    assert "environment TVM_COMPILE_CACHE=off" in text


def test_every_file_of_the_recipes_is_printed(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "images" / "host" / "step\n2").touch()
    text = text_of(project)
    assert text.count(" - Dockerfile\n") == 2
    assert r" - 'step\n2'" in text


def test_a_pinned_suite_names_its_digest_and_where_it_was_read(tmp_path: Path) -> None:
    text = text_of(make_project(tmp_path, TEXT.replace("  trixie: {}", _PINNED)))
    assert f"route 1: pull debian@sha256:{'b' * 64}\n    pin read from a published place\n" in text


def test_a_suite_without_a_pin_is_not_pulled(tmp_path: Path) -> None:
    assert "route 1: pull: not pinned: refused" in text_of(make_project(tmp_path))


@pytest.mark.parametrize(
    ("sha256", "line", "routes"),
    [(f", sha256: '{'a' * 64}'", f"sha256 {'a' * 64}", 2), ("", "not pinned: refused", 1)],
)
def test_a_vendor_s_download_is_pinned_or_refused(tmp_path: Path, sha256: str, line: str, routes: int) -> None:
    vendor = f"    suite: trixie\n    vendor: {{url: 'https://host/x.zip'{sha256}, source: 'a page'}}\n"
    text = text_of(make_project(tmp_path, TEXT.replace("    suite: trixie\n", vendor)))
    assert f"  vendor's download https://host/x.zip\n    {line}\n    pin read from a page\n" in text
    assert text.count("by vendor route") == routes


def test_a_vendor_s_index_is_shown_with_its_packages(tmp_path: Path) -> None:
    vendor = "    suite: trixie\n    vendor: {index: 'https://host', packages: {nki: '0.6.0'}, source: 'a page'}\n"
    text = text_of(make_project(tmp_path, TEXT.replace("    suite: trixie\n", vendor)))
    assert "  vendor's package index https://host\n    package nki==0.6.0\n" in text
    assert text.count("by vendor route") == 1


def test_a_cell_with_a_host_names_it(tmp_path: Path) -> None:
    assert "  engine of this machine\n" in text_of(make_project(tmp_path))
    text = text_of(make_project(tmp_path, f"{TEXT}engines: {{host: big}}\n"))
    assert "  engine big (engines in matrix.yaml; not with --engine)\n" in text


def test_emulation_is_warned_of(tmp_path: Path) -> None:
    slow = TEXT.replace("tools: {", 'tools: {qemu-arm: ">=10", ').replace("tar: [tar]", "tar: [tar, qemu-arm]")
    text = text_of(make_project(tmp_path, slow))
    assert text.count("    runs foreign programs by qemu-arm: emulated, slow\n") == 1
    assert "on an engine of another architecture than the image's: emulated and slow, each run warns" in text


def test_the_text_is_the_same_in_any_process(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    code = (
        "import sys; from pathlib import Path; from tvm.matrix import explain, loader, plan;"
        "print(explain.explain(plan.plan(loader.load(Path(sys.argv[1])), ['all'])), end='')"
    )
    environment = {"PYTHONPATH": str(_REPOSITORY), "PYTHONHASHSEED": "7"}
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, capture_output=True, check=True, text=True
    )
    assert said.stdout == text_of(project)


def test_list_is_a_table_of_the_cells(tmp_path: Path) -> None:
    second = "  other:\n    image: host\n    checks: {tar: []}\n    ci: true\n"
    assert list_text(make_project(tmp_path, TEXT + second)).split("\n") == [
        "cell   image  checks  archs                             ci   repro  tags",
        "host   host   cc tar  x86_64:executed riscv64:compiled  -    -      native",
        "other  host   tar     -                                 yes  -      -",
        "",
    ]


def test_neither_loads_what_is_slow() -> None:
    code = "import sys, tvm.matrix.explain, tvm.matrix.loader; print(sorted({'docker', 'rich', 'junitparser'} & set(sys.modules)))"
    environment = {"PYTHONPATH": str(_REPOSITORY)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)
    assert said.stdout == "[]\n"
