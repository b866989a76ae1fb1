"""Nonsense in every environment variable that tvm.support reads: it works all the same, or one of our errors says what is wrong."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import tvm
from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda.fakes import Nvrtc
from tvm.error import TVMError
from tvm.support import cc, clang, emcc, libinfo, ndk, nvcc, process, rocm, utils
from tvm.support._cache import cli, remote
from tvm.support.popen_pool import PopenWorker

_ROOT = Path(tvm.__file__).parent
_VALUES = (
    "",
    "\t\n",
    "nonsense",
    "-1",
    "9" * 30,
    "0x1",
    "'",
    '"unclosed',
    "a\nb",
    "\udcff\udcfe",
    "🙂",
    "/proc",
    "/dev/null",
    "..",
    "-o",
    "@x",
    ":",
    "$(touch pwned)",
    "%s{0}",
    "\\",
    "x" * 5000,
)
_SOURCE = 'extern "C" __global__ void k() {}\n'


def _use_cc() -> None:
    cc.create_shared("x.so", ["a.o"])


def _use_ndk() -> None:
    ndk.create_shared("x.so", ["a.o"])


def _use_cuda() -> None:
    nvcc.compile_cuda(_SOURCE, arch="sm_90a")


def _find_cuda() -> None:
    nvcc.find_cuda_path()


def _use_rocm() -> None:
    rocm.find_lld()


def _use_cache() -> None:
    cli.main(["stats"])
    _use_cc()


def _use_remote() -> None:
    remote.tier()


def _find() -> None:
    utils.which("g++")
    process.run(["g++", "--version"], check=False)


def _use_pool() -> None:
    worker = PopenWorker()
    worker.send(abs, (-1,))
    assert worker.recv() == 1
    worker.kill()


_USES: dict[str, Callable[[], object]] = {
    "CC": _use_cc,
    "CXX": _use_cc,
    "CONDA_PREFIX": _find_cuda,
    "CUDA_HOME": _find_cuda,
    "CUTLASS_HOME": libinfo,
    "CUDA_PATH": _find_cuda,
    "HEXAGON_TOOLCHAIN": libinfo,
    "HOME": _use_cache,
    "LD_LIBRARY_PATH": libinfo,
    "NVSHMEM_HOME": nvcc.find_nvshmem_paths,
    "PATH": _find,
    "PATHEXT": _find,
    "ROCM_PATH": _use_rocm,
    "TVM_COMPILE_CACHE": _use_cache,
    "TVM_COMPILE_CACHE_DIR": _use_cache,
    "TVM_COMPILE_CACHE_REMOTE": _use_remote,
    "TVM_COMPILE_CACHE_REMOTE_KEY_FILE": _use_remote,
    "TVM_COMPILE_CACHE_REMOTE_MODE": _use_remote,
    "TVM_COMPILE_CACHE_SIZE": _use_cache,
    "TVM_CUDA_COMPILE_MODE": lambda: nvcc.tvm_callback_cuda_compile(_SOURCE),
    "TVM_CUDA_NVCC_EXTRA_OPTS": _use_cuda,
    "TVM_CUDA_NVCC_NO_FAST_MATH": _use_cuda,
    "TVM_CUDA_NVRTC_EXTRA_OPTS": _use_cuda,
    "TVM_CUDA_NVSHMEM_PTX": _use_cuda,
    "TVM_CUDA_PTXAS_EXTRA_OPTS": _use_cuda,
    "TVM_CUDA_PTXAS_REG_LEVEL": _use_cuda,
    "TVM_DEVICE_BACKEND_AUTOLOAD": _use_pool,
    "TVM_HOME": lambda: emcc.find_wasm_lib("wasm_runtime.bc"),
    "TVM_KERNEL_DEBUG": _use_cuda,
    "TVM_KERNEL_DUMP": _use_cuda,
    "TVM_LLVM_VERSION": clang.find_clang,
    "TVM_MATRIX_RECORD": _find,
    "TVM_NDK_CC": _use_ndk,
    "TVM_POOL_TEMP": _use_pool,
    "TVM_ROCM_ARCH": rocm.list_rocm_archs,
    "TVM_USE_CUDA": libinfo,
    "TVM_WIN_CC": _use_cc,
    "TVM_WIN_TARGET": _use_cc,
    "XDG_CACHE_HOME": _use_cache,
}


@pytest.mark.parametrize("name", _USES)
def test_it_works_or_is_explained(
    name: str, nvrtc: Nvrtc, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert nvrtc.calls == []
    for tool in ("g++", "clang", "ld.lld"):
        stand_in(tool)
    if name.startswith("TVM_WIN"):
        monkeypatch.setattr("sys.platform", "win32")
    if name in {"HOME", "XDG_CACHE_HOME"}:
        monkeypatch.delenv("TVM_COMPILE_CACHE_DIR")
        monkeypatch.setenv("TVM_COMPILE_CACHE", "read")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for value in _VALUES:
        monkeypatch.setenv(name, value)
        with suppress(TVMError):
            _USES[name]()
    assert not list(tmp_path.rglob("pwned"))


def test_every_variable_that_is_read_is_here() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (_ROOT / "support").rglob("*.py"))
    read = set(re.findall(r"environ(?:\.get)?[\[(]\s*\"([A-Z_]+)\"", text))
    read |= set(re.findall(r"\"(TVM_[A-Z_]+|XDG_[A-Z_]+)\"", text))

    assert read - set(_USES) == set()
