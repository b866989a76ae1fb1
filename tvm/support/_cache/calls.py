"""Programs' calls from the cache: the product is put where the program would have written it."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from tvm.error import ToolNotFound
from tvm.support import process, record
from tvm.support._cache import flow
from tvm.support._cache.flow import Made, NotCachedError
from tvm.support._cache.states import State
from tvm.support._cache.store import File, Product, Store
from tvm.support.process import Arg, Completed


class Call(Protocol):
    """A program's call that is wholly understood."""

    @property
    def output(self) -> str:
        """The output, as the command line names it."""

    def key(self, argv: Sequence[str]) -> str:
        """Return the hash of everything that the call is told."""

    def beside(self, scratch: Path) -> tuple[list[str], dict[str, str]]:
        """Return words and variables that make the tool list what it reads in files beside `scratch`."""

    def made_from(self, scratch: Path) -> Sequence[State]:
        """Return the state of everything that the call has read or looked for, after it."""


class Read(Protocol):
    """Reads a command line. NotCachedError where it is not wholly understood."""

    def __call__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Call:
        """Return the call."""


# How much a tool may say beside its product for both to be kept, in bytes.
_LONGEST = 1 << 20

# Runs the program itself, with further words and variables.
Direct = Callable[[Sequence[str], Mapping[str, str]], Completed]


def run(
    opened: Store,
    argv: Sequence[Arg],
    *,
    cwd: Arg | None,
    env: Mapping[str, str] | None,
    inputs: Sequence[Arg],
    outputs: Sequence[Arg],
    direct: Direct,
    read: Read,
) -> Completed:
    """Return what the program printed when it made the product, which is in its place afterwards."""
    folder = Path(cwd or ".").absolute()
    environment = dict(os.environ if env is None else env)
    began = time.monotonic()
    try:
        program = process.locate(argv[0], path=environment.get("PATH", os.defpath), cwd=cwd)
        words = [program, *(os.fspath(word) for word in argv[1:])]
        given = read(words, cwd=str(folder), env=environment)
        product = _output(given, folder, outputs)
        key = given.key(words)
    except (NotCachedError, ToolNotFound, OSError) as error:
        flow.not_kept(error)
        return direct((), {})
    done: list[Completed] = []

    def build(scratch: Path | None) -> Made:
        try:
            further, variables = given.beside(scratch) if scratch else ([], {})
        except (NotCachedError, OSError) as error:
            flow.not_kept(error)
            scratch, further, variables = None, [], {}
        done.append(direct(further, variables))
        made = _product(done[0], product)
        return Made(product=made, made_from=lambda: _made_from(given, scratch, made))

    fetched = flow.fetch(opened, key, build)
    if not fetched.hit:
        return done[0]
    try:
        _place(fetched.product.files["product"], product)
    except OSError as error:
        # The tool says better what is wrong with the place of its output.
        flow.not_kept(error)
        return direct((), {})
    return _replayed(words, fetched.product, time.monotonic() - began, environment, folder, inputs, outputs)


def _output(given: Call, folder: Path, outputs: Sequence[Arg]) -> Path:
    product = folder / given.output
    if [folder / output for output in outputs] != [product]:
        msg = "the product is not what the command line names"
        raise NotCachedError(msg)
    return product


def _made_from(given: Call, scratch: Path | None, made: Product) -> Sequence[State]:
    if scratch is None or not made.files or len(made.about["output"]) > _LONGEST:
        msg = "the tool was not asked what it reads, made nothing, or said too much"
        raise NotCachedError(msg)
    return given.made_from(scratch)


def _product(done: Completed, path: Path) -> Product:
    try:
        file = File(data=path.read_bytes(), executable=os.access(path, os.X_OK))
    except OSError:
        # The wrapper says what is wrong.
        return Product(files={})
    return Product(files={"product": file}, about={"output": done.raw.decode("latin-1")})


def _place(file: File, path: Path) -> None:
    """Write a product as a tool does: a new file, with the mode that the process's umask leaves."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags, 0o777 if file.executable else 0o666), "wb") as stream:
            stream.write(file.data)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def _replayed(
    words: Sequence[str],
    product: Product,
    seconds: float,
    environment: Mapping[str, str],
    folder: Path,
    inputs: Sequence[Arg],
    outputs: Sequence[Arg],
) -> Completed:
    raw = str(product.about["output"]).encode("latin-1")
    done = Completed(argv=tuple(words), code=0, output=raw.decode(errors="replace"), seconds=seconds, raw=raw)
    if recorder := record.current():
        recorder(
            record.ToolCall(
                kind="process",
                argv=tuple(map(record.strip_credentials, words)),
                tool=process.identify(words[0]),
                cwd=str(folder),
                seconds=seconds,
                exit=0,
                inputs=record.digests(inputs, cwd=folder),
                outputs=record.digests(outputs, cwd=folder),
                environment=record.allowed_environment(environment),
                cached=True,
            )
        )
    return done
