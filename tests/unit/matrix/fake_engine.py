"""An engine in memory: its boxes unpack the tree into a folder, play scripted programs, and give back a tar of their /out."""

import hashlib
import io
import itertools
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from tvm.error import BoxGoneError, CellFailedError, EngineError
from tvm.matrix.engine import BoxOptions, Output, PreparedImage, Progress
from tvm.matrix.model import Project
from tvm.support import archive, record
from tvm.support.process import Completed

OUT = "/out"


@dataclass(frozen=True, kw_only=True)
class Call:
    """One program that a box was told to run."""

    argv: tuple[str, ...]
    timeout: float
    env: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How a scripted program ends."""

    code: int = 0
    output: str = ""


# What a scripted program does in its box before it ends.
Program = Callable[["FakeBox", Call], Answer]


@dataclass(kw_only=True)
class FakeBox:
    """See the protocol Box. `folder` holds the two places that the box can be seen through: source/ and out/."""

    name: str
    folder: Path
    options: BoxOptions
    engine: "FakeEngine"
    calls: list[Call] = field(default_factory=list)
    members: list[tarfile.TarInfo] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    gone: bool = False

    @property
    def environment(self) -> Mapping[str, str]:
        """What every program has."""
        return self.options.env

    @property
    def source(self) -> Path:
        """The folder that stands for the source folder."""
        return self.folder / "source"

    @property
    def out(self) -> Path:
        """The folder that stands for /out."""
        return self.folder / "out"

    def put(self, tree: Iterable[bytes]) -> None:
        """Unpack a tar stream, as `tar -x` of an image does."""
        content = io.BytesIO(b"".join(tree))
        with tarfile.open(fileobj=content) as tar:
            self.members = tar.getmembers()
        content.seek(0)
        self.source.mkdir(exist_ok=True)
        archive.unpack(content, self.source)
        (self.source / "out").symlink_to(self.out)

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, output: Output | None = None
    ) -> Completed:
        """Play the program that the engine has for these words."""
        self.engine.must_be_up()
        call = Call(argv=tuple(argv), timeout=timeout, env={**self.options.env, **(env or {})})
        self.calls.append(call)
        answer = self.engine.program(call)(self, call)
        if output is not None:
            output(answer.output.encode())
        return Completed(argv=call.argv, code=answer.code, output=answer.output, seconds=0.0)

    def get(self, path: str, sink: BinaryIO) -> None:
        """Write a tar of a file or folder below /out, or the bytes that the engine was told to give instead."""
        self.engine.must_be_up()
        if self.engine.gives is not None:
            sink.write(self.engine.gives)
            return
        place = self.out / PurePosixPath(path).relative_to(OUT)
        if not place.exists():
            msg = f"the box {self.name} has no {path}"
            raise CellFailedError(msg)
        with tarfile.open(fileobj=sink, mode="w") as tar:
            tar.add(place, arcname=place.name)

    def close(self, *, keep: bool = False) -> None:
        """Forget the box; a second call does nothing. One that is gone cannot be kept."""
        if not self.closed:
            self.closed.append(keep)
            self.engine.must_be_up()
            if keep and self.gone:
                msg = f"the box {self.name} is gone"
                raise BoxGoneError(msg)

    def call(self, word: str) -> Call:
        """Return the one program that was run with `word` among its arguments."""
        (found,) = (call for call in self.calls if word in call.argv)
        return found


@dataclass(kw_only=True)
class FakeEngine:
    """See the protocol Engine. `programs` maps a line, or one word of it, to what plays it; `broken` an image to its error."""

    folder: Path
    programs: dict[str, Program] = field(default_factory=dict)
    broken: dict[str, BaseException] = field(default_factory=dict)
    rebuilt: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    left_behind: list[str] = field(default_factory=list)
    gives: bytes | None = None
    dead: bool = False
    name: str = "docker"
    boxes: list[FakeBox] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def describe(self) -> str:
        """Return one line."""
        return "fake 1.0 at memory (overlay2)"

    def prepare(self, project: Project, image: str, progress: Progress) -> PreparedImage:
        """Return an image with a deterministic ID, or raise what the test wants."""
        self.must_be_up()
        progress(f"image {image} of {project.root.name}")
        if image in self.broken:
            raise self.broken[image]
        return prepared(image)

    def rebuild(self, project: Project, image: str, progress: Progress) -> Mapping[str, Any]:
        """Give what the second build of an image holds: `rebuilt`, else the same as the first."""
        progress(f"image {image} of {project.root.name} again")
        return self.rebuilt.get(image, prepared(image).inventory)

    def open(self, image: PreparedImage, options: BoxOptions) -> FakeBox:
        """Open a box with an empty /out."""
        self.must_be_up()
        folder = self.folder / f"box-{next(self.numbers)}-{image.name}"
        for name in ("source", "out"):
            (folder / name).mkdir(parents=True)
        box = FakeBox(name=folder.name, folder=folder, options=options, engine=self)
        self.boxes.append(box)
        return box

    def reap(self) -> list[str]:
        """Return what the test says a killed runner left."""
        return self.left_behind

    def sweep(self, run_id: str) -> list[str]:
        """Close every box of a run."""
        self.swept.append(run_id)
        self.must_be_up()
        return [box.name for box in self.boxes if box.options.run_id == run_id]

    def must_be_up(self) -> None:
        """Raise as an engine does that went away."""
        if self.dead:
            msg = "the engine does not answer"
            raise EngineError(msg, fix="nox -s engine")

    def program(self, call: Call) -> Program:
        """Return what plays a call: known by its whole line, or by one of its words."""
        line = " ".join(call.argv)
        for words, program in {"mkdir": make_folders, **self.programs}.items():
            if words == line or words in call.argv:
                return program
        msg = f"no program is scripted for {call.argv}"
        raise AssertionError(msg)


def prepared(image: str) -> PreparedImage:
    """Return what an engine says of an image that was built from its recipe."""
    sha256 = hashlib.sha256(image.encode()).hexdigest()
    inventory: dict[str, Any] = {
        "image": image,
        "dpkg": {"python3": "3.13.5-1"},
        "pip": {"numpy": "2.0"},
        "tools": {"python": {"path": "/usr/bin/python3", "version": "3.13.5"}},
    }
    return PreparedImage(
        name=image,
        tag="0123456789abcdef",
        image_id=f"sha256:{sha256}",
        inventory=inventory,
        inventory_sha256=hashlib.sha256(json.dumps(inventory).encode()).hexdigest(),
        base_route="bootstrapped",
        vendor_route="stand-in",
    )


def make_folders(box: FakeBox, call: Call) -> Answer:
    """Play `mkdir -p FOLDER...`; only what lies below /out can be seen."""
    for word in call.argv:
        if word.startswith(f"{OUT}/"):
            (box.out / PurePosixPath(word).relative_to(OUT)).mkdir(parents=True, exist_ok=True)
    return Answer()


def prints(text: str, code: int = 0) -> Program:
    """Return a program that prints a text."""
    return lambda _box, _call: Answer(code=code, output=text)


def raises(error: BaseException) -> Program:
    """Return a program during which something happens to the runner."""

    def play(_box: FakeBox, _call: Call) -> Answer:
        raise error

    return play


def check_of(call: Call) -> str:
    """Return the name of the check that a pytest command runs."""
    (file,) = (word for word in call.argv if word.startswith("tests/matrix/check_"))
    return PurePosixPath(file).stem.removeprefix("check_")


def junit(box: FakeBox, check: str, *, tests: int = 1, failures: int = 0, skipped: int = 0, output: str = "") -> None:
    """Write what pytest's --junitxml writes."""
    counts = f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"'
    cases = "".join(f'<testcase classname="c" name="t{number}" time="0.1"/>' for number in range(tests))
    text = f'<?xml version="1.0"?><testsuites><testsuite name="pytest" {counts} time="0.1">{cases}{output}</testsuite></testsuites>'
    (box.out / f"check_{check}.xml").write_text(text, encoding="utf-8")


def line_of(name: str, content: bytes, /, **changes: Any) -> dict[str, Any]:
    """Return the line that the artefact fixture writes; `changes` replace single fields."""
    line = {
        "name": name,
        "path": f"artefacts/{name}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "target": "llvm",
        "arch": "x86_64",
        "check": "cc",
        "test": "tests/matrix/check_cc.py::test_shared",
        "evidence": [{"depth": "executed", "by": "x86_64", "detail": "numbers agree"}],
    }
    return {**line, **changes}


def made(box: FakeBox, name: str, content: bytes) -> None:
    """Do what a recorder does when a tool has written a file."""
    call = record.ToolCall(
        kind="process",
        argv=("cc", "-o", name),
        tool=record.ToolIdentity(path="/usr/bin/cc", version="cc 1.0", sha256="0" * 64),
        cwd="/src",
        seconds=0.1,
        exit=0,
        outputs=(record.FileDigest(path=name, sha256=hashlib.sha256(content).hexdigest()),),
    )
    with (box.out / "calls-cc.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(call)) + "\n")


def publish(box: FakeBox, name: str, content: bytes, /, **changes: Any) -> None:
    """Do what the artefact fixture does in a passed test, with a file that a tool has made."""
    made(box, name, content)
    place = box.out / "artefacts" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    with (box.out / "artefacts.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line_of(name, content, **changes)) + "\n")


def passes(content: bytes = b"machine code", name: str = "libkernel.so") -> Program:
    """Return a check that publishes one artefact and passes."""

    def play(box: FakeBox, call: Call) -> Answer:
        junit(box, check_of(call), tests=2)
        publish(box, name, content, check=check_of(call))
        return Answer(output="2 passed\n")

    return play


def fails(text: str = "1 failed\n", code: int = 1) -> Program:
    """Return a check with one failing test of two."""

    def play(box: FakeBox, call: Call) -> Answer:
        junit(box, check_of(call), tests=2, failures=1)
        return Answer(code=code, output=text)

    return play


def dies(box: FakeBox, call: Call) -> Answer:
    """Play a check during which the engine goes away."""
    passes(b"other code")(box, call)
    box.engine.dead = True
    box.engine.must_be_up()
    return Answer()
