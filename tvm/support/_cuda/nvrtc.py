"""NVRTC: one source to a cubin or to PTX, by a library call."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tvm.error import TVMError
from tvm.support import cache, library
from tvm.support._cuda import bindings, caching, host_headers, located, options, paths, source
from tvm.support._cuda.job import Job
from tvm.support._cuda.located import Located

# Absolute, so that the folder one works in does not show in the product.
FOLDER = "/tvm"
_SUCCESS = 0


@dataclass(frozen=True, kw_only=True)
class Program:
    """What NVRTC is called with: text, its name and the one it has in errors, in-memory headers by name, options, products to read."""

    code: str
    name: str
    shown: str
    headers: Mapping[str, str]
    options: tuple[str, ...]
    products: tuple[str, ...]


def compile_program(job: Job, arch: str, *, products: tuple[str, ...], nvshmem: bool = False) -> dict[str, bytes]:
    """Compile for sm_X or compute_X and return the products asked for ("cubin", "ptx"), by name.

    With `nvshmem` to a relocatable cubin that fits NVSHMEM's library. CompileError with NVRTC's log, in which the source has
    the user's name and lines.
    """
    # A plain kernel needs no headers: nothing is searched for it.
    includes = source.has_includes(job.code)
    found = located.nvrtc(includes=includes)
    program = _program(job, arch, products, found.includes or (), nvshmem=nvshmem)
    outcome = cache.call(
        run,
        program,
        name="nvrtc",
        options=program.options,
        inputs={job.name: job.code.encode(), **_encoded(tuple(program.headers.items()))},
        heading="Compilation error",
        timeout=job.timeout,
        fix=_no_headers(found.version) if includes and found.includes is None else "",
        plan=lambda: _plan(program, found),
    )
    job.log(outcome.log)
    return dict(outcome.products)


@lru_cache(maxsize=16)
def _encoded(headers: tuple[tuple[str, str], ...]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in headers}


def version() -> tuple[int, int]:
    """Return major and minor of the NVRTC that is there."""
    major, minor = _checked(bindings.load("nvrtc").nvrtcVersion())
    return major, minor


def run(program: Program) -> library.Outcome:
    """Call NVRTC: what `library.call` runs, here or in a child process."""
    nvrtc = bindings.load("nvrtc")
    handle = _created(nvrtc, program)
    try:
        words = [os.fsencode(word) for word in program.options]
        code = int(nvrtc.nvrtcCompileProgram(handle, len(words), words)[0])
        log = _read(nvrtc, handle, "ProgramLog").decode(errors="replace").strip("\0\n ")
        made = program.products if code == _SUCCESS else ()
        products = {name: _product(nvrtc, handle, name) for name in made}
    finally:
        nvrtc.nvrtcDestroyProgram(handle)
    return library.Outcome(
        code=code,
        log=log.replace(program.name, program.shown),
        products=products,
        path=bindings.path("nvrtc"),
        version=".".join(map(str, version())),
    )


def _plan(program: Program, found: Located) -> cache.Plan:
    """Say what the products depend on."""
    texts = [program.code, *program.headers.values()]
    return cache.Plan(
        key=caching.key(_said(program), program.options, found.library),
        made_from=lambda: caching.made_from(
            texts, program.options, source_folder=FOLDER, library=_same(found.library, bindings.path("nvrtc"))
        ),
    )


def _said(program: Program) -> dict[str, object]:
    return {
        "code": program.code,
        "name": program.name,
        "shown": program.shown,
        "headers": caching.digest(tuple(program.headers.items())),
        "products": program.products,
    }


def _same(sought: str, loaded: str) -> str:
    if sought != loaded:
        msg = f"{loaded} was loaded instead of {sought}"
        raise cache.NotCachedError(msg)
    return loaded


def _program(job: Job, arch: str, products: tuple[str, ...], folders: Sequence[Path], *, nvshmem: bool) -> Program:
    needs = source.needs(job.code)
    headers = host_headers.for_source(needs, includes=source.has_includes(job.code))
    return Program(
        code=job.code,
        name=f"{FOLDER}/{job.name}",
        shown=job.shown,
        headers=host_headers.with_long_integers(headers, folders) if nvshmem else headers,
        options=(
            f"--gpu-architecture={arch}",
            "-default-device",
            "--device-int128",
            *(["--relocatable-device-code=true"] if nvshmem else []),
            *([f"--pre-include={host_headers.PRELUDE}"] if needs else []),
            *options.common(job.settings, fast_math=job.fast_math),
            *options.observed(job.settings),
            *job.settings.nvrtc,
            *options.for_nvrtc(job.options),
            # Behind the caller's own -I, which win so.
            *(f"-I{folder}" for folder in (*job.folders, *folders)),
        ),
        products=products,
    )


def _created(nvrtc: Any, program: Program) -> Any:
    texts = [text.encode() for text in program.headers.values()]
    names = [name.encode() for name in program.headers]
    (handle,) = _checked(
        nvrtc.nvrtcCreateProgram(program.code.encode(), program.name.encode(), len(texts), texts, names)
    )
    return handle


def _product(nvrtc: Any, handle: Any, name: str) -> bytes:
    data = _read(nvrtc, handle, name.upper())
    # PTX comes as a C string.
    return data.removesuffix(b"\0") if name == "ptx" else data


def _read(nvrtc: Any, handle: Any, what: str) -> bytes:
    (size,) = _checked(getattr(nvrtc, f"nvrtcGet{what}Size")(handle))
    data = bytearray(size)
    _checked(getattr(nvrtc, f"nvrtcGet{what}")(handle, data))
    return bytes(data)


def _checked(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    code, *values = answer
    if int(code) != _SUCCESS:
        msg = f"NVRTC failed: {code!r}"
        raise TVMError(msg)
    return tuple(values)


def _no_headers(version: tuple[int, int]) -> str:
    places = "; ".join(paths.looked())
    return f"no headers of CUDA {version[0]} were found ({places}): install nvidia-cuda-runtime, or set CUDA_PATH"
