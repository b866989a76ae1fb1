"""Link WebAssembly modules, and run them in node and in wasmtime."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import tvm_ffi
import wasmtime

from tests.matrix.kernels import Array, Kernel, Word, save
from tvm.support import emcc, process

if TYPE_CHECKING:
    from typing_extensions import Unpack

LIMIT = 240.0
TARGET = "wasm32-unknown-emscripten"
# The default, -O3, takes tens of seconds for a module with the whole runtime; only what is published is linked so.
FAST = ("-O0", "-s", "ASSERTIONS=0")
LIBRARIES = ("wasm_runtime.bc", "tvmjs_support.bc", "webgpu_runtime.bc")
LAYER_NORM = "examples/kernels/layer_norm.c"
_PACKAGE = Path(tvm_ffi.__file__).parent
# Of the C interface of apache-tvm-ffi.
INCLUDES = tuple(f"-I{_PACKAGE / folder}" for folder in ("include", "3rdparty/dlpack/include"))
CHECK = "tests/matrix/data/wasm_check.c"


class Grown(TypedDict, total=False):
    """What memory.mjs prints: bytes of memory before and after, the last number of the array, or the error."""

    before: int
    after: int
    last: float
    kind: str
    message: str


class Link(TypedDict, total=False):
    """Settings of create_tvmjs_wasm."""

    memory: int
    memory_growth: bool
    maximum_memory: int
    exceptions: bool
    asyncify: bool
    exports: Sequence[str]
    imports: Sequence[str]


def fast(output: Path, objects: Sequence[Path | str], **settings: "Unpack[Link]") -> Path:
    """Link a module quickly and return its path."""
    emcc.create_tvmjs_wasm(output, objects, options=[*FAST, *INCLUDES], timeout=LIMIT, **settings)
    return output


def bitcode(source: str, output: Path) -> Path:
    """Compile a source to LLVM bitcode."""
    tool(["emcc", "-O3", "-c", "-emit-llvm", *INCLUDES, "-o", output, source])
    return output


def bare(folder: Path) -> list[Path]:
    """Return empty modules with the names of the runtime libraries: they take their places, and linking is quick."""
    (folder / "empty.c").write_text("", encoding="utf-8")
    return [bitcode(str(folder / "empty.c"), folder / name) for name in LIBRARIES]


def tool(argv: Sequence[Path | str]) -> str:
    """Run a program and return what it printed."""
    return process.run(argv, timeout=LIMIT).output


def node(script: str, *arguments: Path | str) -> str:
    """Run a script of tests/matrix/wasm in node and return what it printed. CompileError when it fails."""
    return process.run(["node", f"tests/matrix/wasm/{script}.mjs", *arguments], heading=script, timeout=LIMIT).output


def run_in_node(module: Path, kernel: Kernel, folder: Path) -> Array:
    """Call a kernel through web/tvm.mjs and return what it computed."""
    result = folder / f"{kernel.name}.result"
    words = [_word(word, kernel, result, folder / f"{kernel.name}.{n}") for n, word in enumerate(kernel.words)]
    call = folder / f"{kernel.name}.json"
    call.write_text(json.dumps({"name": kernel.name, "words": words}), encoding="utf-8")
    node("kernel", module, call)
    return np.fromfile(result, dtype=np.float32).reshape(kernel.expected.shape)


def _word(word: Word, kernel: Kernel, result: Path, file: Path) -> object:
    match word:
        case None:
            return {"result": str(result), "size": kernel.expected.size}
        case int() | float():
            return word
        case _:
            return {"input": str(save(word, file))}


class Instance:
    """A module in wasmtime. What the page provides is answered with -1; WASI is wasmtime's own."""

    def __init__(self, module: Path) -> None:
        """Compile and start it."""
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        self._store.set_wasi(wasmtime.WasiConfig())
        compiled = wasmtime.Module.from_file(engine, str(module))
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        for wanted in compiled.imports:
            if wanted.module != "wasi_snapshot_preview1":
                assert isinstance(wanted.type, wasmtime.FuncType)
                results = len(wanted.type.results)
                answer = wasmtime.Func(self._store, wanted.type, lambda *_, n=results: -1 if n else None)
                linker.define(self._store, wanted.module, str(wanted.name), answer)
        self._exports = linker.instantiate(self._store, compiled).exports(self._store)
        self.call("_initialize")

    @property
    def memory(self) -> wasmtime.Memory:
        """The module's memory."""
        found = self._exports["memory"]
        assert isinstance(found, wasmtime.Memory)
        return found

    @property
    def size(self) -> int:
        """The size of the memory in bytes."""
        return int(self.memory.data_len(self._store))

    def call(self, name: str, *words: float) -> int | float | None:
        """Call an exported function."""
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        result = function(self._store, *words)
        assert result is None or isinstance(result, int | float)
        return result

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory, 0 if there is none."""
        address = self.call("tvm_bytes_alloc", nbytes)
        assert isinstance(address, int)
        return address & 0xFFFFFFFF

    def fill(self, address: int, values: Array) -> None:
        """Write an array to the memory."""
        self.memory.write(self._store, values.tobytes(), address)

    def run(self, kernel: Kernel) -> Array:
        """Call a kernel and return what it computed."""
        nbytes = kernel.expected.nbytes
        target = self.allocate(nbytes)
        self.call(kernel.name, *(self._place(word, target) for word in kernel.words))
        data = bytes(self.memory.read(self._store, target, target + nbytes))
        return np.frombuffer(data, dtype=np.float32).reshape(kernel.expected.shape)

    def _place(self, word: Word, target: int) -> float:
        match word:
            case None:
                return target
            case int() | float():
                return word
            case _:
                address = self.allocate(word.nbytes)
                self.fill(address, word)
                return address
