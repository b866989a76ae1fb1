"""nvlink: what nvJitLink does, by the program of a toolkit."""

import hashlib
import json

from tvm.support import cache, process
from tvm.support._cuda import paths
from tvm.support._cuda.nvjitlink import Link
from tvm.support._cuda.stage import staging


def link(given: Link, *, timeout: float | None) -> bytes:
    """Return the linked cubin. CompileError with nvlink's text."""
    _, nvlink = paths.with_program("nvlink")
    with staging(_key(given)) as folder:
        files = [folder / name for name, _ in given.objects]
        for file, (_, data) in zip(files, given.objects, strict=True):
            file.write_bytes(data)
        product = folder / "linked.cubin"
        argv: list[process.Arg] = [nvlink, f"-arch={given.arch}", *files, *given.libraries, "-o", product]
        read = [*files, *given.libraries]
        cache.run(
            argv, heading="Device link error", timeout=timeout, inputs=read, outputs=[product], tool=cache.Tool.CLOSED
        )
        return product.read_bytes() if product.is_file() else b""


def _key(given: Link) -> str:
    objects = [(name, hashlib.sha256(data).hexdigest()) for name, data in given.objects]
    said = json.dumps([given.arch, objects, [str(file) for file in given.libraries]])
    return hashlib.sha256(said.encode()).hexdigest()[:16]
