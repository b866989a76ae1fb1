"""The toolchain of the image `wasm`: emscripten."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError
from tvm.matrix.builders.job import Job, is_cxx
from tvm.support import cc, emcc

# The engines that a module is run by. It is the same for all of them.
_ARCHS = ("wasm32-node", "wasm32-wasmtime")
_MODULE = ".wasm"


@dataclass(frozen=True, kw_only=True)
class WasmToolchain:
    """emcc for C, em++ for C++; a module exports every function that its sources define."""

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """See Toolchain."""
        # Position independent code is for emscripten's dynamic linking, which nothing here uses.
        chosen = [option for option in options if option != "-fPIC"]
        cc.create_executable(output, [source], options=["-c", *chosen], cc="em++" if is_cxx(source) else "emcc")

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """Refuse: WebAssembly has modules."""
        msg = f"{job.output.name}: WebAssembly has no shared library of {len(objects)} objects"
        raise ConfigError(msg, fix="give an output that ends in .wasm, .a or .o")

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_staticlib(job.output, objects, ar="emar")

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """Link a module with the runtime libraries."""
        if job.output.suffix != _MODULE:
            msg = f"{job.output.name}: a module of {len(objects)} objects ends in {_MODULE}"
            raise ConfigError(msg, fix="give an output that ends in .wasm, .a or .o")
        emcc.create_tvmjs_wasm(job.output, objects, options=job.options, exports=_functions(objects))


def toolchain(arch: str) -> WasmToolchain:
    """Return the toolchain. ConfigError for an engine that is not known."""
    if arch not in _ARCHS:
        msg = f"no WebAssembly engine: {arch!r}"
        raise ConfigError(msg, fix=f"one of: {', '.join(_ARCHS)}")
    return WasmToolchain()


def _functions(objects: Sequence[Path]) -> list[str]:
    found = (cc.get_global_symbol_section_map(path, nm="emnm") for path in objects)
    return sorted({name for symbols in found for name, section in symbols.items() if section == "T"})
