"""Emscripten: WebAssembly modules out of objects, LLVM bitcode and C or C++ sources, and the libraries they are linked with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tvm.error import CompileError
from tvm.support import _wasm, process
from tvm.support._arguments import Arg, Args, command, paths, words
from tvm.support._exporter import object_exporter
from tvm.support._options import for_compiling, is_source
from tvm.support._staging import Stage, staged

_FIX = "install emscripten (Debian package emscripten), or pass cc= with the path of emcc"
_MEMORY = 160 << 20
_CXX = frozenset({".cc", ".cpp", ".cxx", ".c++", ".C"})


def find_wasm_lib(name: str, optional: bool = False) -> list[str] | None:  # noqa: FBT001, FBT002 - the seed's signature
    """Return every library of that name in web/dist/wasm and web/dist of TVM_HOME, the one to use first.

    Without TVM_HOME, of the checkout that this package lies in. If there is none: None if it is optional, else ToolNotFound
    with the places and how to get one.
    """
    if found := _wasm.find(name):
        return found
    if optional:
        return None
    raise _wasm.missing(name)


@object_exporter(object_format="bc")
def create_tvmjs_wasm(
    output: Arg,
    objects: Args,
    options: Sequence[Arg] | None = None,
    cc: Arg = "emcc",
    libs: Sequence[Arg] | None = None,
    *,
    memory: int = _MEMORY,
    memory_growth: bool = True,
    maximum_memory: int | None = None,
    exceptions: bool = False,
    asyncify: bool = False,
    exports: Sequence[str] = (),
    imports: Sequence[str] = (),
    timeout: float | None = None,
) -> None:
    """Link objects, bitcode and sources into a WebAssembly module that runs without emscripten's own JavaScript.

    wasm_runtime.bc, tvmjs_support.bc and webgpu_runtime.bc (`find_wasm_lib`) are linked in, each unless an object has that
    name; then `libs`. Options come last, so they win. `memory` and `maximum_memory` are in bytes, multiples of 65536.
    Without `exceptions` a C++ throw traps; with them it becomes the error that the caller reads. `asyncify` lets the
    `imports` suspend the module. `exports` names further functions that can be called from outside, `imports` those that the
    page provides (module env); any other symbol that nothing defines is an error. `timeout` is in seconds and for each call.
    CompileError when emcc fails, ToolNotFound without it or without a library, SourceError for a file that is no library,
    ConfigError for sizes and settings that do not fit together.
    """
    settings = _wasm.Settings(
        memory=memory,
        growth=memory_growth,
        maximum=maximum_memory,
        exceptions=exceptions,
        asyncify=asyncify,
        exports=words(exports, name="exports"),
        imports=words(imports, name="imports"),
    )
    files, flags, compiler = paths(objects), words(options), command(cc)
    libraries = [*_runtime(files), *_further(libs)]
    process.locate(compiler[0], fix=_FIX)
    tool = _Emcc(
        command=(*compiler, "-O3", _wasm.other_target(files)),
        settings=settings,
        options=flags,
        timeout=timeout,
    )
    with staged(output) as stage:
        made = [tool.compile(file, stage, number) if is_source(file) else file for number, file in enumerate(files)]
        tool.link([*libraries, *made], stage)


@dataclass(frozen=True, kw_only=True)
class _Emcc:
    """emcc with the words of every call, the settings of the module and the user's options."""

    command: tuple[str, ...]
    settings: _wasm.Settings
    options: tuple[str, ...]
    timeout: float | None

    def compile(self, source: str, stage: Stage, number: int) -> str:
        """Compile one source and return its object.

        On its own: a C source refuses -std=c++17, and an object of emcc's own has a random name.
        """
        product = stage.spell("objects", f"{number}-{PurePath(source).stem}.o")
        (stage.folder / "objects").mkdir(exist_ok=True)
        standard = ["-std=c++17"] if PurePath(source).suffix in _CXX else []
        thrown = ["-fwasm-exceptions"] if self.settings.exceptions else []
        line = [*standard, *thrown, "-c", "-o", product, *for_compiling(_joined(self.options)), source]
        self._run(line, inputs=[source], product=product)
        return product

    def link(self, files: Sequence[str], stage: Stage) -> None:
        """Link the stage's product."""
        line = ["-std=c++17", "--no-entry", *self.settings.flags(), *_allowed(self.settings.imports, stage)]
        self._run([*line, "-o", stage.product, *files, *self.options], inputs=files, product=stage.product)

    def _run(self, line: Sequence[str], *, inputs: Sequence[str], product: str) -> None:
        argv = [*self.command, *line]
        done = process.run(argv, check=False, timeout=self.timeout, inputs=inputs, outputs=[product], fix=_FIX)
        if done.code != 0:
            heading, fix = "Compilation error", _wasm.advice(done.output)
            raise CompileError(heading, command=done.argv, code=done.code, output=done.output, fix=fix)


def _joined(options: Sequence[str]) -> list[str]:
    """Return options with emcc's settings as one word each: to every other compiler, -s is a word of its own."""
    rest = iter(options)
    return [word + next(rest, "") if word == "-s" else word for word in rest]


def _runtime(objects: Sequence[str]) -> list[str]:
    """Return the libraries that every module gets, without those that are among the objects."""
    given = [PurePath(file).name for file in objects]
    wanted = [name for name in _wasm.LIBRARIES if not any(name in file for file in given)]
    return [_wasm.check_library(_first(name)) for name in wanted]


def _first(name: str) -> str:
    found = _wasm.find(name)
    if not found:
        raise _wasm.missing(name)
    return found[0]


def _further(libs: Sequence[Arg] | None) -> list[str]:
    if libs is not None and not isinstance(libs, list | tuple):
        msg = f"libs must be a list of paths, not {libs!r}"
        raise ValueError(msg)
    return [_wasm.check_library(path) for path in paths(libs or [], name="libs")]


def _allowed(imports: Sequence[str], stage: Stage) -> list[str]:
    """Return the words that let `imports` stay undefined. The linker wants them in a file."""
    if not imports:
        return []
    file = stage.folder / "imports" / "names"
    file.parent.mkdir()
    file.write_text("".join(f"{name}\n" for name in imports), encoding="utf-8")
    return [f"-Wl,--allow-undefined-file={stage.spell('imports', 'names')}"]
