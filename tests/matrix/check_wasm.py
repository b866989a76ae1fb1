"""tvm.support.emcc: kernels from C and from bitcode with the runtime libraries, in node and in wasmtime; memory; same bytes."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.matrix import kernels, webassembly
from tests.matrix.evidence import compiled, executed, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES
from tests.matrix.publish import Publish
from tests.matrix.webassembly import Grown, Instance
from tvm.support import emcc

NODE, WASMTIME = "wasm32-node", "wasm32-wasmtime"
MIB = 1 << 20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a module with the three kernels, two from C and one from bitcode, linked with no setting changed."""
    folder = tmp_path_factory.mktemp("kernels")
    module = folder / "kernels.wasm"
    layer_norm = webassembly.bitcode(webassembly.LAYER_NORM, folder / "layer_norm.bc")
    sources = ["examples/kernels/softmax.c", "examples/kernels/matmul.c"]
    emcc.create_tvmjs_wasm(module, [*sources, layer_norm], exports=NAMES, timeout=webassembly.LIMIT)
    return module


def test_kernels_compute_what_numpy_does(arch: str, made: Path, tmp_path: Path, artefact: Publish) -> None:
    run = {NODE: lambda kernel: webassembly.run_in_node(made, kernel, tmp_path), WASMTIME: Instance(made).run}[arch]
    tool = {NODE: "node, web/tvm.mjs", WASMTIME: "wasmtime"}[arch]
    numbers = [kernels.verdict(kernel, run(kernel)) for kernel in (make() for make in KERNELS.values())]
    start = made.read_bytes()[:8]
    assert start == b"\0asm\1\0\0\0"
    artefact(
        f"{arch}/kernels.wasm",
        made,
        target=webassembly.TARGET,
        arch=arch,
        evidence=[
            compiled("emcc", "softmax and matmul from C, layer_norm from LLVM bitcode"),
            linked("emcc.create_tvmjs_wasm", "with wasm_runtime.bc, tvmjs_support.bc, webgpu_runtime.bc"),
            inspected("this check", f"WebAssembly version 1, {made.stat().st_size} bytes"),
            *(executed(tool, line) for line in numbers),
        ],
    )


def test_two_builds_at_once_in_two_folders_are_identical(tmp_path: Path) -> None:
    outputs = [tmp_path / folder / "softmax.wasm" for folder in ("one", "two-longer")]
    for output in outputs:
        output.parent.mkdir()
    with ThreadPoolExecutor() as pool:
        list(
            pool.map(
                lambda output: webassembly.fast(output, ["examples/kernels/softmax.c"], exports=["softmax"]), outputs
            )
        )
    first, second = (output.read_bytes() for output in outputs)
    assert first == second
    assert [[entry.name for entry in output.parent.iterdir()] for output in outputs] == [["softmax.wasm"]] * 2


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a module with 32 MiB that do not grow."""
    output = tmp_path_factory.mktemp("static") / "static.wasm"
    return webassembly.fast(output, [webassembly.CHECK], memory=32 * MIB, memory_growth=False, exports=["last_of"])


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a module with 32 MiB that grow to 96."""
    output = tmp_path_factory.mktemp("growing") / "growing.wasm"
    return webassembly.fast(output, [webassembly.CHECK], memory=32 * MIB, maximum_memory=96 * MIB, exports=["last_of"])


def test_static_memory_stays_as_it_is(arch: str, static: Path) -> None:
    assert _allocate(arch, static, 8 * MIB) == {"before": 32 * MIB, "after": 32 * MIB, "last": 7}
    full = _allocate(arch, static, 64 * MIB)
    assert (full["after"], full["kind"]) == (32 * MIB, "MemoryError")


def test_the_loader_says_what_to_do_when_memory_is_full(static: Path) -> None:
    full: Grown = json.loads(webassembly.node("memory", static, str(64 * MIB)))
    assert full["message"] == (
        f"the module has no {64 * MIB} bytes left in its memory of {32 * MIB}: link it with more, or with growth"
    )


def test_growing_memory_grows_to_its_maximum(arch: str, growing: Path) -> None:
    grown = _allocate(arch, growing, 40 * MIB)
    assert (grown["before"], grown["last"]) == (32 * MIB, 7)
    assert 40 * MIB < grown["after"] <= 96 * MIB
    assert _allocate(arch, growing, 128 * MIB)["kind"] == "MemoryError"


def _allocate(arch: str, module: Path, nbytes: int) -> Grown:
    if arch == NODE:
        said: Grown = json.loads(webassembly.node("memory", module, str(nbytes)))
        return said
    instance = Instance(module)
    before, address = instance.size, instance.allocate(nbytes)
    if address == 0:
        return {"before": before, "after": instance.size, "kind": "MemoryError"}
    instance.fill(address, np.full(nbytes // 4, 7, dtype=np.float32))
    last = instance.call("last_of", address, nbytes // 4)
    return {"before": before, "after": instance.size, "last": float(last or 0)}
