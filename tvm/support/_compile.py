"""Compile and link: one command line, or one per source and one that links when a compile cache is to be of use."""

import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from tvm.error import ToolNotFound
from tvm.support import cache, process
from tvm.support._arguments import Arg, Args, paths, words
from tvm.support._options import arrange, for_compiling, is_source, links
from tvm.support._platform import is_darwin
from tvm.support._staging import Stage, staged

_HEADING = "Compilation error"
_APPLE = re.compile(r"(--target=)?\w+-(apple-\w|macos|ios).*")

_log = logging.getLogger(__name__)


class LauncherNotFound(ToolNotFound, ValueError):
    """ccache or sccache is asked for and not there."""


@dataclass(frozen=True, kw_only=True)
class Driver:
    """A compiler and the layout of its command line.

    `flags` stand before `-o` in the call that makes the product, `source_flags` in one that only compiles a source. With
    `options_last` all options stand after the objects, else only those that name libraries (`_options.arrange`).
    """

    command: tuple[str, ...]
    flags: tuple[str, ...] = ()
    source_flags: tuple[str, ...] = ()
    options_last: bool = False

    def line(self, product: str, objects: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the command line that makes `product`."""
        front, back = ((), tuple(options)) if self.options_last else arrange(options)
        return [*self.command, *self.flags, "-o", product, *front, *objects, *back]

    def source_line(self, product: str, source: str, options: Sequence[str]) -> list[str]:
        """Return the command line that compiles one source to an object."""
        return [*self.command, *self.source_flags, "-c", "-o", product, *for_compiling(options), source]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to build, where, and through which launcher. Paths are relative to `cwd`."""

    output: str
    objects: tuple[str, ...]
    options: tuple[str, ...]
    cwd: Arg | None = None
    launcher: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None
    timeout: float | None = None


def job(
    output: Arg,
    objects: Args,
    options: Sequence[Arg] | None,
    *,
    cwd: Arg | None,
    ccache_env: Mapping[str, str] | None,
    launcher: str | None,
    timeout: float | None,
) -> Job:
    """Check what a caller gave, before anything is written."""
    chosen = launcher or ("ccache" if ccache_env is not None else None)
    return Job(
        output=os.fspath(output),
        objects=paths(objects, cwd=cwd),
        options=words(options),
        cwd=cwd,
        launcher=() if chosen is None else (_launcher(chosen),),
        env=None if ccache_env is None else {**os.environ, **ccache_env},
        timeout=timeout,
    )


def build(driver: Driver, given: Job) -> None:
    """Make the output. CompileError with the compiler's own text when it fails; the output then is as it was before."""
    with staged(given.output, cwd=given.cwd) as stage:
        objects = given.objects
        if given.launcher and links((*driver.flags, *given.options)):
            objects = _compile_sources(driver, given, stage)
        _run(given, driver.line(stage.product, objects, given.options), inputs=objects, product=stage.product)


def is_nvcc(command: Sequence[str]) -> bool:
    """Tell whether a compiler's command is nvcc, by whatever path and through whatever launcher."""
    return any(PurePath(word).stem == "nvcc" for word in command)


def shared_driver(command: tuple[str, ...], *, output: str, options: Sequence[str]) -> Driver:
    """Return the driver that links a shared library by a GNU command line."""
    if is_nvcc(command):
        return Driver(command=command, flags=("-shared",))
    dynamic = ("-undefined", "dynamic_lookup") if is_darwin() else ()
    named = _install_name(output) if _makes_mach_o(command, options) else ()
    return Driver(command=command, flags=("-shared", "-fPIC", *dynamic, *named), source_flags=("-fPIC",))


def _compile_sources(driver: Driver, given: Job, stage: Stage) -> tuple[str, ...]:
    # A compile cache serves calls that make one object from one source; a call that also links passes through it.
    (stage.folder / "objects").mkdir()
    made = []
    for number, file in enumerate(given.objects):
        product = stage.spell("objects", f"{number}-{PurePath(file).stem}.o") if is_source(file) else file
        if product != file:
            _run(given, driver.source_line(product, file, given.options), inputs=[file], product=product)
        made.append(product)
    return tuple(made)


def _run(given: Job, line: Sequence[str], *, inputs: Sequence[str], product: str) -> None:
    done = cache.run(
        [*given.launcher, *line],
        heading=_HEADING,
        cwd=given.cwd,
        env=given.env,
        timeout=given.timeout,
        inputs=inputs,
        outputs=[product],
    )
    if said := done.output.strip():
        _log.info("%s", said)


def _launcher(name: str) -> str:
    try:
        return process.locate(name)
    except ToolNotFound as error:
        msg = f"{Path(name).name} not found"
        raise LauncherNotFound(msg, looked=error.looked, fix=f"install {name}, or build without it") from None


def _makes_mach_o(command: Sequence[str], options: Sequence[str]) -> bool:
    said = (PurePath(command[0]).name, *command[1:], *options)
    named = any(word.startswith(("-install_name", "-Wl,-install_name")) for word in options)
    return not named and (is_darwin() or any(map(_APPLE.fullmatch, said)))


def _install_name(output: str) -> tuple[str, ...]:
    # Without it the linker writes the path of its output into the library, and that is the stage's.
    return ("-install_name", output)
