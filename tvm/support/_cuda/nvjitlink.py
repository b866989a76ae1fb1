"""nvJitLink: relocatable cubins and device libraries to one cubin, without a driver."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.support import cache, library
from tvm.support._cache import states
from tvm.support._cuda import bindings


@dataclass(frozen=True, kw_only=True)
class Link:
    """What is linked: relocatable cubins by name, libraries, for which real architecture (sm_90a)."""

    arch: str
    objects: tuple[tuple[str, bytes], ...]
    libraries: tuple[Path, ...] = ()


def link(given: Link, *, timeout: float | None) -> bytes:
    """Return the linked cubin. CompileError with nvJitLink's log."""
    outcome = cache.call(
        run,
        given,
        name="nvjitlink",
        options=_options(given),
        inputs={**dict(given.objects), **{str(file): file for file in given.libraries}},
        heading="Device link error",
        timeout=timeout,
        plan=lambda: _plan(given),
    )
    return outcome.products["cubin"]


def _plan(given: Link) -> cache.Plan:
    """Say what the product depends on: the objects, and the libraries that are linked in."""
    path = bindings.path("nvjitlink")
    objects = [[name, hashlib.sha256(data).hexdigest()] for name, data in given.objects]
    said = json.dumps(["nvjitlink", path, _options(given), objects, [str(file) for file in given.libraries]])
    files = [path, *map(str, given.libraries)]
    return cache.Plan(
        key=hashlib.sha256(said.encode(errors="surrogateescape")).hexdigest(),
        made_from=lambda: [states.seen(file) for file in files],
    )


def version() -> tuple[int, int]:
    """Return major and minor of the nvJitLink that is there."""
    major, minor = bindings.load("nvjitlink").version()
    return major, minor


def run(given: Link) -> library.Outcome:
    """Call nvJitLink: what `library.call` runs."""
    nvjitlink = bindings.load("nvjitlink")
    options = _options(given)
    handle = nvjitlink.create(len(options), options)
    code, products = 0, {}
    try:
        products = {"cubin": _linked(nvjitlink, handle, given)}
    except nvjitlink.nvJitLinkError as error:
        code = int(getattr(error, "status", 0)) or 1
    finally:
        log = _log(nvjitlink, handle, failed=code != 0)
        nvjitlink.destroy(handle)
    return library.Outcome(
        code=code,
        log=log,
        products=products,
        path=bindings.path("nvjitlink"),
        version=".".join(map(str, nvjitlink.version())),
    )


def _options(given: Link) -> list[str]:
    return [f"-arch={given.arch}"]


def _linked(nvjitlink: Any, handle: int, given: Link) -> bytes:
    kinds = nvjitlink.InputType
    for name, data in given.objects:
        nvjitlink.add_data(handle, kinds.CUBIN, data, len(data), name)
    for file in given.libraries:
        data = file.read_bytes()
        nvjitlink.add_data(handle, kinds.LIBRARY, data, len(data), file.name)
    nvjitlink.complete(handle)
    made = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, made)
    return bytes(made)


def _log(nvjitlink: Any, handle: int, *, failed: bool) -> str:
    which = "error" if failed else "info"
    size = getattr(nvjitlink, f"get_{which}_log_size")(handle)
    text = bytearray(size)
    if size:
        getattr(nvjitlink, f"get_{which}_log")(handle, text)
    return bytes(text).decode(errors="replace").strip("\0\n ")
