"""Apple's tools, found by xcrun: dylibs for macOS, iOS and the simulator, Metal libraries, Core ML models."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Protocol

from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import _apple, _triple, process
from tvm.support._arguments import Arg, Args
from tvm.support._compile import Driver, build, job
from tvm.support._exporter import exporter
from tvm.support._staging import private, staged

_FIX = "install Xcode (Metal and Core ML need it) or its command line tools (xcode-select --install)"
_ARCH = re.compile(r"\w+")


def xcrun(cmd: Sequence[Arg], *, timeout: float | None = None) -> bytes:
    """Run `xcrun CMD...` and return what it printed, without the space around it.

    CompileError when it ends with another exit code than 0, ToolNotFound without xcrun. `timeout` is in seconds.
    """
    return process.run(["xcrun", *cmd], heading="xcrun error", timeout=timeout, fix=_FIX).raw.strip()


def _triple_of_clang() -> str | None:
    try:
        return _triple.ask([_path("-sdk", "macosx", "-find", "clang")])
    except (CompileError, ToolNotFound):
        return None


@exporter(output_format="dylib", get_target_triple=_triple_of_clang)
def create_dylib(
    output: Arg,
    objects: Args,
    arch: str,
    sdk: str = "macosx",
    min_os_version: str | None = None,
    options: Sequence[Arg] | None = None,
    *,
    timeout: float | None = None,
) -> None:
    """Link objects and sources into a dylib for an arch ("arm64", "x86_64") of an SDK (macosx, iphoneos, iphonesimulator).

    Without `min_os_version` it runs on the SDK's own macOS, on iOS from 13.0 on. Its install name is @rpath/NAME, unless the
    options say otherwise. `timeout` is in seconds and for each call. CompileError when clang or xcrun fails.
    """
    least = _apple.find(sdk).least(min_os_version)
    if not _ARCH.fullmatch(arch):
        msg = f"no arch: {arch!r}"
        raise ConfigError(msg, fix="name one, such as arm64 or x86_64")
    given = job(output, objects, options, cwd=None, ccache_env=None, launcher=None, timeout=timeout)
    clang = _path("-sdk", sdk, "-find", "clang", timeout=timeout)
    root = _path("-sdk", sdk, "-show-sdk-path", timeout=timeout)
    target = ("-arch", arch, "-isysroot", root, *least)
    build(Driver(command=(clang,), flags=("-dynamiclib", *target, *_install_name(given.output, given.options))), given)


def compile_metal(
    code: str | bytes,
    path_target: Arg | None = None,
    sdk: str = "macosx",
    min_os_version: str | None = None,
    *,
    language: str | None = None,
    timeout: float | None = None,
) -> bytearray:
    """Compile Metal source to a library and return its bytes; `path_target` names a file that gets them too.

    `language` is Metal's version ("2.3", "3.1"); without it 2.3, or the newest that `min_os_version` has if that is older.
    Without `min_os_version`, iOS has the language's first version. CompileError when metal or metallib fails, ToolNotFound
    without xcrun, ConfigError for a language that the system has not. `timeout` is in seconds and for each call.
    """
    flags = _apple.find(sdk).metal(min_os_version, language)
    text = code.encode(errors="surrogateescape") if isinstance(code, str) else bytes(code)
    with private(_folder(text, sdk, flags)) as work:
        source, air = work / "my_lib.metal", work / "my_lib.air"
        source.write_bytes(text)
        target = Path(path_target) if path_target is not None else work / "my_lib.metallib"
        with staged(target) as stage:
            compiled: list[Arg] = ["metal", *flags, "-O3", "-c", source, "-o", air]
            _tool("Compilation error", sdk, compiled, inputs=[source], product=air, timeout=timeout)
            linked: list[Arg] = ["metallib", air, "-o", stage.product]
            _tool("Linking error", sdk, linked, inputs=[air], product=stage.product, timeout=timeout)
        return bytearray(target.read_bytes())


class CoreMLModel(Protocol):
    """What is used of coremltools' MLModel: descriptions by the names of inputs and outputs, and a way to save."""

    short_description: str

    @property
    def input_description(self) -> Iterable[str]:
        """The names of the inputs."""

    @property
    def output_description(self) -> Iterable[str]:
        """The names of the outputs."""

    def save(self, path: str, /) -> object:
        """Write a .mlmodel."""


def compile_coreml(
    model: CoreMLModel, model_name: str = "main", out_dir: Arg = ".", *, timeout: float | None = None
) -> str:
    """Save a model as OUT_DIR/MODEL_NAME.mlmodel, compile it and return the path of MODEL_NAME.mlmodelc, which is a folder.

    The model's short description becomes JSON with the names of its inputs and outputs. An earlier folder is replaced when
    the new one is whole. CompileError when coremlcompiler fails or makes no folder.
    """
    if PurePath(model_name).name != model_name:
        msg = f"no name of a model: {model_name!r}"
        raise ConfigError(msg, fix="give a name without folders, and the folder as out_dir")
    folder = Path(out_dir)
    described = {"inputs": list(model.input_description), "outputs": list(model.output_description)}
    model.short_description = json.dumps(described)
    saved, made = folder / f"{model_name}.mlmodel", folder / f"{model_name}.mlmodelc"
    with private((folder / f".{made.name}.tvm").absolute()) as work:
        draft = work / saved.name
        model.save(str(draft))
        argv: list[Arg] = ["xcrun", "coremlcompiler", "compile", draft, work]
        heading = "Compile failed"
        done = process.run(argv, heading=heading, timeout=timeout, inputs=[draft], fix=_FIX)
        if not (work / made.name).is_dir():
            said = f"{done.output.strip()}\nit made no {made.name}"
            raise CompileError(heading, command=done.argv, code=done.code, output=said)
        draft.replace(saved)
        shutil.rmtree(made, ignore_errors=True)
        (work / made.name).replace(made)
    return os.fspath(made)


def _tool(
    heading: str,
    sdk: str,
    line: Sequence[Arg],
    *,
    inputs: Sequence[Arg],
    product: Arg,
    timeout: float | None,
) -> None:
    argv = ["xcrun", "-sdk", sdk, *line]
    process.run(argv, heading=heading, timeout=timeout, inputs=inputs, outputs=[product], fix=_FIX)


def _path(*question: str, timeout: float | None = None) -> str:
    """Return the path that xcrun answers with; warnings may stand above it."""
    lines = os.fsdecode(xcrun(question, timeout=timeout)).splitlines()
    if not lines or not lines[-1].startswith("/"):
        msg = f"xcrun {' '.join(question)} named no path, but {' '.join(lines)!r}"
        raise ToolNotFound(msg, fix=_FIX)
    return lines[-1]


def _install_name(output: str, options: Sequence[str]) -> tuple[str, ...]:
    # Without it the linker writes the path of its output into the library, and that is the stage's.
    if any(word.startswith(("-install_name", "-Wl,-install_name")) for word in options):
        return ()
    return ("-install_name", f"@rpath/{PurePath(output).name}")


def _folder(code: bytes, sdk: str, flags: Sequence[str]) -> Path:
    said = code + json.dumps([sdk, *flags]).encode()
    return Path(tempfile.gettempdir(), f"tvm-{hashlib.sha256(said).hexdigest()[:16]}")
