"""LLVM IR for AMD GPUs: joined with the device libraries by llvm-link, optimised by opt, made into an object by llc."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import CompileError, ConfigError
from tvm.support import _rocm_paths, cache
from tvm.support._code_object import Code
from tvm.support.process import Completed

_TRIPLE = re.compile(r'^target triple = "([^"]*)"', re.MULTILINE)
_AMDGPU = re.compile(r"amdgcn-[^-]*-amdhsa(-.*)?")
_CPU = re.compile(r'"target-cpu"="([^"]*)"')
_WAVE = re.compile(r'"target-features"="[^"]*\+wavefrontsize(\d+)')
_VERSION = re.compile(r'^!\d+ = !\{i32 \d+, !"amdhsa_code_object_version", i32 (\d+)\}', re.MULTILINE)
_UNKNOWN = "is not a recognized processor"
_FIX_TRIPLE = 'write target triple = "amdgcn-amd-amdhsa" into it, or compile it for its own target'
_FIX_ARCH = "use an LLVM that knows it (ROCM_PATH, TVM_LLVM_VERSION), or choose another arch"


@dataclass(frozen=True, kw_only=True)
class Module:
    """A parsed module: the file of its text, and what it is made for, as far as it says."""

    path: Path
    cpus: tuple[str, ...]
    waves: tuple[int, ...]
    versions: tuple[int, ...]


def parse(source: str, folder: Path, *, timeout: float | None) -> Module:
    """Read a module (.ll or .bc) with LLVM, which reports what is wrong in it with its line."""
    made = folder / "module.ll"
    _run("llvm-link", ["-S", source, "-o", str(made)], inputs=[source], product=made, timeout=timeout)
    text = _text(made)
    return Module(
        path=made,
        cpus=tuple(sorted(set(_CPU.findall(text)))),
        waves=tuple(sorted(set(map(int, _WAVE.findall(text))))),
        versions=tuple(sorted({int(number) // 100 for number in _VERSION.findall(text)})),
    )


def check(module: Module, code: Code) -> None:
    """Refuse a module that is made for something else than the call is. ConfigError."""
    _require_same("processor", module.cpus, code.gfx.processor)
    _require_same("waves of", module.waves, code.wave)
    _require_same("code object version", module.versions, code.version)


def compile_object(
    module: Module, libraries: Sequence[str], code: Code, folder: Path, *, timeout: float | None
) -> Path:
    """Return the object file. CompileError when a tool fails, does not know the processor, or the module is no AMDGPU's."""
    linked, better, made = folder / "linked.ll", folder / "optimised.bc", folder / "kernel.o"
    joined = ["-S", "--only-needed", "--internalize", str(module.path), *libraries, "-o", str(linked)]
    done = _run("llvm-link", joined, inputs=[module.path, *libraries], product=linked, timeout=timeout)
    _require_amdgpu(_text(linked), done)
    target = _target(code)
    passes = ["-passes=default<O3>", "--amdgpu-internalize-symbols", *target, str(linked), "-o", str(better)]
    done = _run("opt", passes, inputs=[linked], product=better, timeout=timeout)
    _require_known(code.gfx.processor, done)
    words = ["-O3", "-filetype=obj", *target, *code.options, str(better), "-o", str(made)]
    done = _run("llc", words, inputs=[better], product=made, timeout=timeout)
    _require_known(code.gfx.processor, done)
    return made


def _target(code: Code) -> list[str]:
    """Return the options of opt and llc that say what the code is for."""
    other = [f"{'+' if size == code.wave else '-'}wavefrontsize{size}" for size in code.gfx.waves]
    # A processor with one size of waves knows no switch for it.
    sizes = other if len(other) > 1 else []
    attributes = ",".join([*sizes, *(f"{feature[-1]}{feature[:-1]}" for feature in code.gfx.features)])
    chosen = [f"-mcpu={code.gfx.processor}", f"--amdhsa-code-object-version={code.version}"]
    return [*chosen, f"-mattr={attributes}"] if attributes else chosen


def _run(
    tool: str, words: Sequence[str], *, inputs: Sequence[str | Path], product: Path, timeout: float | None
) -> Completed:
    argv = [_rocm_paths.find(tool)[0], *words]
    heading = f"{tool} failed"
    return cache.run(argv, heading=heading, timeout=timeout, inputs=inputs, outputs=[product], tool=cache.Tool.CLOSED)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _require_same(what: str, said: Sequence[object], wanted: object) -> None:
    if others := [one for one in said if one != wanted]:
        msg = f"the module is for {what} {others[0]}, and this call for {wanted}"
        raise ConfigError(msg, fix=f"ask for {others[0]}, or take it out of the module")


def _require_amdgpu(text: str, done: Completed) -> None:
    """llvm-link only warns when it joins modules for different targets."""
    hit = _TRIPLE.search(text)
    if not (hit and _AMDGPU.fullmatch(hit[1])):
        heading = f"The module is not for AMD GPUs but for {hit[1] if hit else 'no target'}"
        raise CompileError(heading, command=done.argv, code=done.code, output=done.output, fix=_FIX_TRIPLE)


def _require_known(processor: str, done: Completed) -> None:
    """LLVM only warns of a processor that it does not know, and makes code for another one."""
    if _UNKNOWN in done.output:
        heading = f"This LLVM does not know {processor}"
        raise CompileError(heading, command=done.argv, code=done.code, output=done.output, fix=_FIX_ARCH)
