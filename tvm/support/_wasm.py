"""What a WebAssembly module is linked with: memory, exceptions, exports, imports, and the libraries in TVM_HOME."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tvm
from tvm.error import ConfigError, SourceError, ToolNotFound
from tvm.support.utils import is_file

RUNTIME = "wasm_runtime.bc"
# What every module gets beside it: calls by name, and WebGPU.
LIBRARIES = (RUNTIME, "tvmjs_support.bc", "webgpu_runtime.bc")

PAGE = 65536
LARGEST = 1 << 32
# Of LLVM bitcode, of the same in a wrapper, of a WebAssembly object, of an archive of either.
_MAGICS = {b"BC\xc0\xde": "bitcode", b"\xde\xc0\x17\x0b": "bitcode", b"\0asm": "object", b"!<ar": "archive"}
_FIX = (
    "set TVM_HOME to a folder whose web/dist/wasm holds wasm_runtime.bc, tvmjs_support.bc and webgpu_runtime.bc; "
    "images/wasm/build-libraries builds them with emscripten (the image wasm has them in /opt/tvm-web)"
)

# What the linker says, and what to do about it.
_ADVICE = (
    (
        r"undefined symbol: (?P<what>\S+)",
        "define {what}, give the library that does in libs=, or name it in imports= if the page is to provide it",
    ),
    (
        r"initial memory too small, (?P<what>\d+) bytes needed",
        "give memory= of at least {what} bytes, a multiple of 65536",
    ),
    (r"maximum memory too small, (?P<what>\d+) bytes needed", "give maximum_memory= of at least {what} bytes"),
    (r"symbol exported via --export not found: (?P<what>\S+)", "no object defines {what}: correct exports="),
    (
        r"unknown file type: (?P<what>\S+)",
        "{what} is no object for WebAssembly: compile it again with emcc -c, or with clang --target=wasm32-unknown-emscripten",
    ),
    (
        r"(?P<what>overriding the module target triple)",
        "a .bc or .ll file is for another target: write it again for wasm32-unknown-emscripten",
    ),
    (
        r"(?P<what>Invalid bitcode signature|Unknown attribute kind|Invalid record|Unsupported version)",
        "the bitcode is damaged, or by an LLVM that is newer than emscripten's: write it again with emcc -c -emit-llvm",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a module is linked. Memory is in bytes; `maximum` None means emscripten's own, 2 GiB."""

    memory: int
    growth: bool
    maximum: int | None
    exceptions: bool
    asyncify: bool
    exports: tuple[str, ...]
    imports: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be linked, or would not run."""
        _check_size("memory", self.memory)
        if self.maximum is not None:
            _check_size("maximum_memory", self.maximum)
            if not self.growth or self.maximum < self.memory:
                msg = f"maximum_memory={self.maximum} is for a memory that grows to it from memory={self.memory}"
                raise ConfigError(msg, fix="leave memory_growth on, and give a maximum that is not below memory")
        if self.asyncify and self.exceptions:
            msg = "exceptions and asyncify do not go together: emscripten cannot unwind a stack through handlers"
            raise ConfigError(msg, fix="choose one of the two")

    def flags(self) -> list[str]:
        """Return emcc's words for it."""
        words = [
            *_setting("WASM_BIGINT", 1),
            *_setting("ERROR_ON_UNDEFINED_SYMBOLS", 1),
            *_setting("STANDALONE_WASM", 1),
            *_setting("ALLOW_MEMORY_GROWTH", int(self.growth)),
            *_setting("INITIAL_MEMORY", self.memory),
        ]
        if self.maximum is not None:
            words += _setting("MAXIMUM_MEMORY", self.maximum)
        if self.exceptions:
            words.append("-fwasm-exceptions")
        if self.asyncify:
            words += [
                *_setting("ASYNCIFY", 1),
                *_setting("ASYNCIFY_IMPORTS", json.dumps([f"env.{name}" for name in self.imports])),
            ]
        return [*words, *(f"-Wl,--export={name}" for name in self.exports)]


def find(name: str) -> list[str]:
    """Return each file `name` in web/dist/wasm and web/dist of TVM_HOME, or of the checkout that holds this package."""
    return [str(place) for place in _places(name) if is_file(place)]


def missing(name: str) -> ToolNotFound:
    """Return the error for a library that is not there."""
    unset = "" if os.environ.get("TVM_HOME") else "; TVM_HOME is not set"
    return ToolNotFound(f"Cannot find {name}{unset}", looked=[str(place) for place in _places(name)], fix=_FIX)


def check_library(path: str) -> str:
    """Return the path of a library. SourceError if it is no file, or does not begin as bitcode, an object or an archive does."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(4)
    except OSError as error:
        msg = f"cannot read the library {path!r}: {error.strerror}"
        raise SourceError(msg, fix="give the path of a .bc, .o or .a file that emscripten made") from error
    if start not in _MAGICS:
        msg = f"{path!r} is no library for WebAssembly: it begins with the bytes {start.hex(' ') or 'of an empty file'}"
        raise SourceError(
            msg, fix="LLVM bitcode begins with 42 43 c0 de: build the library again with emcc -c -emit-llvm"
        )
    return path


def other_target(files: Sequence[str]) -> str:
    """Return emcc's word for IR of another target: refuse it, or say nothing if all IR is for some WebAssembly of 32 bits.

    emcc itself turns IR for x86-64 into a module, with a warning and pointers of the wrong size.
    """
    foreign = any(_is_ir(file) and b"wasm32" not in Path(file).read_bytes() for file in files)
    return "-Werror=override-module" if foreign else "-Wno-override-module"


def _is_ir(file: str) -> bool:
    if not is_file(Path(file)):
        return False
    with Path(file).open("rb") as content:
        return file.endswith(".ll") or _MAGICS.get(content.read(4)) == "bitcode"


def advice(output: str) -> str:
    """Return what to do about what emcc or its linker said, or "" where its words say all."""
    found = ((re.search(pattern, output), text) for pattern, text in _ADVICE)
    return next((text.format(what=hit["what"]) for hit, text in found if hit), "")


def _places(name: str) -> list[Path]:
    if Path(name).name != name:
        msg = f"{name!r} is not the name of a library: it has a folder"
        raise ConfigError(msg, fix="give the name only, for example 'wasm_runtime.bc'; TVM_HOME names the folder")
    home = os.environ.get("TVM_HOME")
    # Without TVM_HOME the only place that can hold them is a checkout of this project.
    root = Path(home) if home else Path(tvm.__file__).absolute().parent.parent
    return [root / "web" / "dist" / "wasm" / name, root / "web" / "dist" / name]


def _setting(name: str, value: object) -> Sequence[str]:
    return ("-s", f"{name}={value}")


def _check_size(name: str, size: int) -> None:
    if size <= 0 or size % PAGE or size > LARGEST:
        msg = f"{name}={size}: WebAssembly's memory is in pages of {PAGE} bytes, up to {LARGEST} bytes"
        raise ConfigError(msg, fix=f"give a multiple of {PAGE}, for example 160 << 20")
