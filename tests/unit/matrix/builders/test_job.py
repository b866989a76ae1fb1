from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tvm.error import ConfigError, SourceError
from tvm.matrix.builders.job import Job, Product, build, is_cxx


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the test works in: an empty one."""
    made = tmp_path / "work"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@dataclass
class Recorder:
    """A toolchain that writes down what it is asked for."""

    compiled: list[tuple[Path, Path, tuple[str, ...]]] = field(default_factory=list)
    made: list[tuple[str, list[Path]]] = field(default_factory=list)

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        assert output.parent.is_dir()
        self.compiled.append((source, output, tuple(options)))

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        self.made.append((f"shared {job.output}", list(objects)))

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        self.made.append((f"static {job.output}", list(objects)))

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        self.made.append((f"executable {job.output}", list(objects)))


def job(output: str, *sources: str, includes: tuple[str, ...] = (), options: tuple[str, ...] = ()) -> Job:
    return Job(
        arch="x86_64", output=Path(output), sources=tuple(map(Path, sources)), includes=includes, options=options
    )


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("libx.so", Product.SHARED),
        ("x.dll", Product.SHARED),
        ("libx.dylib", Product.SHARED),
        ("libx.a", Product.STATIC),
        ("x.o", Product.OBJECT),
        ("x", Product.EXECUTABLE),
        ("x.bin", Product.EXECUTABLE),
    ],
)
def test_suffix_of_the_output_decides(name: str, product: Product) -> None:
    assert job(name, "a.c").product is product


@pytest.mark.parametrize(("name", "kind"), [("libx.so", "shared"), ("libx.a", "static"), ("x", "executable")])
def test_product_is_made_of_one_object_per_source(name: str, kind: str) -> None:
    recorder = Recorder()
    build(job(name, "a.c", "b.cpp"), recorder)
    (made,) = recorder.made
    assert made == (f"{kind} {name}", [output for _, output, _ in recorder.compiled])
    assert [source.name for source, _, _ in recorder.compiled] == ["a.c", "b.cpp"]


def test_nothing_but_the_output_stays_and_no_name_is_random(folder: Path) -> None:
    names = []
    for _ in range(2):
        recorder = Recorder()
        build(job("libx.so", "a.c"), recorder)
        names.append([output for _, output, _ in recorder.compiled])
    assert names[0] == names[1]
    assert list(folder.iterdir()) == []


def test_sources_of_one_base_name_keep_it() -> None:
    recorder = Recorder()
    build(job("libx.a", "one/k.c", "two/k.c"), recorder)
    outputs = [output for _, output, _ in recorder.compiled]
    assert [output.name for output in outputs] == ["k.o", "k.o"]
    assert len(set(outputs)) == 2


def test_object_is_compiled_in_place() -> None:
    recorder = Recorder()
    build(job("x.o", "a.c"), recorder)
    assert [output for _, output, _ in recorder.compiled] == [Path("x.o")]
    assert recorder.made == []


def test_object_of_two_sources_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"x\.o: an object is made of one source, not of 2"):
        build(job("x.o", "a.c", "b.c"), Recorder())


def test_users_options_come_after_ours() -> None:
    options = job("x.o", "a.c", includes=("inc", "more"), options=("-O3", "-DN=1")).compile_options
    assert options == ("-O2", "-fPIC", f"-ffile-prefix-map={Path.cwd()}=.", "-I", "inc", "-I", "more", "-O3", "-DN=1")


@pytest.mark.parametrize(("name", "cxx"), [("a.c", False), ("a.cc", True), ("a.cpp", True), ("a.C", True)])
def test_language_is_told_by_suffix(name: str, cxx: bool) -> None:  # noqa: FBT001 - a table's column
    assert is_cxx(Path(name)) is cxx


def test_one_cxx_source_makes_the_product_cxx() -> None:
    assert job("x", "a.c", "b.cc").has_cxx
    assert not job("x", "a.c", "b.c").has_cxx


def test_source_of_another_language_is_refused() -> None:
    with pytest.raises(SourceError, match=r"'a\.rs' is neither C nor C\+\+"):
        is_cxx(Path("a.rs"))
