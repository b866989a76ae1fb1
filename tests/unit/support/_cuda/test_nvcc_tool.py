from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tests.unit.support._cuda.fakes import headers
from tests.unit.support._cuda.jobs import KERNEL, make
from tvm.error import CompileError, ToolTimeoutError
from tvm.support._cuda import nvcc_tool

# Puts its input, a source file, into the output.
_COPIES = "import shutil\nshutil.copyfile(args[-1], args[args.index('-o') + 1])"


@pytest.fixture
def root(machine: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of a toolkit whose programs are the stand-ins."""
    folder = machine / "toolkit"
    headers(folder / "include")
    (folder / "bin").symlink_to(bin_folder)
    monkeypatch.setenv("CUDA_PATH", str(folder))
    return folder


@pytest.fixture
def nvcc(root: Path, stand_in: MakeStandIn) -> StandIn:
    """Return nvcc."""
    assert root.is_dir()
    return stand_in("nvcc", body=_COPIES, makes=False)


def test_the_source_is_staged_under_a_fixed_name(nvcc: StandIn, machine: Path) -> None:
    products = [nvcc_tool.compile_source(make()) for _ in range(2)]

    assert products == [KERNEL.encode()] * 2
    assert nvcc.calls[0] == nvcc.calls[1]
    folder = machine / "tmp" / f"tvm-{make().key('nvcc')}"
    assert nvcc.calls[0][-3:] == ["-o", str(folder / "tvm_kernels.cubin"), str(folder / "tvm_kernels.cu")]
    assert not folder.exists()


@pytest.mark.parametrize(
    ("target_format", "arch", "words"),
    [
        ("cubin", "compute_90a", ["-arch=sm_90a"]),
        ("ptx", "sm_90a", ["-arch=compute_90a"]),
        ("fatbin", "sm_90a", ["-gencode", "arch=compute_90a,code=[sm_90a,compute_90a]"]),
        (
            "fatbin",
            ["sm_80", "compute_90"],
            ["-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode", "arch=compute_90,code=[compute_90]"],
        ),
        ("fatbin", ["-gencode", "arch=compute_80,code=sm_80"], ["-gencode", "arch=compute_80,code=[sm_80]"]),
    ],
)
def test_each_format_names_its_arch_as_nvcc_wants_it(
    target_format: str, arch: str | list[str], words: list[str], nvcc: StandIn
) -> None:
    nvcc_tool.compile_source(make(KERNEL, target_format, arch))

    (call,) = nvcc.calls
    assert call[:2] == [f"--{target_format}", "-O3"]
    assert call[2 : 2 + len(words)] == words


def test_what_the_caller_gives_comes_last(nvcc: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TVM_CUDA_NVCC_EXTRA_OPTS", "-ccbin g++-13")
    file = tmp_path / "my.txt"
    file.write_text(KERNEL, encoding="utf-8")

    nvcc_tool.compile_source(make(file, options=["-Xptxas", "-v"], fast_math=True), extra=["-rdc=true"])

    (call,) = nvcc.calls
    start = call.index("--expt-extended-lambda") + 1
    assert call[start : start + 6] == ["-ccbin", "g++-13", "-Xptxas", "-v", f"-I{tmp_path}", "-rdc=true"]
    assert "--use_fast_math" in call
    assert Path(call[-1]).name == "my.txt.cu"


def test_an_error_has_the_users_name(
    root: Path, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert root.is_dir()
    stand_in("nvcc", code=2, body="print(args[-1] + '(3): error: no')")
    (tmp_path / "my.cu").write_text(KERNEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CompileError) as caught:
        nvcc_tool.compile_source(make(Path("my.cu")))

    assert caught.value.output == "my.cu(3): error: no\n"
    assert caught.value.code == 2


def test_nvcc_may_not_run_longer_than_the_limit(root: Path, stand_in: MakeStandIn) -> None:
    assert root.is_dir()
    stand_in("nvcc", body="import time\ntime.sleep(60)")

    with pytest.raises(ToolTimeoutError, match=r"limit of 0\.2 s"):
        nvcc_tool.compile_source(make(timeout=0.2))


def test_no_product_is_an_empty_one(root: Path, stand_in: MakeStandIn) -> None:
    assert root.is_dir()
    stand_in("nvcc", makes=False)

    assert nvcc_tool.compile_source(make()) == b""


def test_what_nvcc_says_is_handed_to_the_log(
    root: Path, stand_in: MakeStandIn, caplog: pytest.LogCaptureFixture
) -> None:
    assert root.is_dir()
    caplog.set_level("INFO", "tvm.support.nvcc")
    stand_in("nvcc", output="ptxas info : Used 8 registers\n")

    nvcc_tool.compile_source(make())

    assert caplog.messages == ["ptxas info : Used 8 registers"]


def test_a_dumped_compile_keeps_what_nvcc_makes_on_its_way(
    root: Path, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert root.is_dir()
    kept = "folder = next(a for a in args if a.startswith('--keep-dir=')).partition('=')[2]\nopen(folder + '/x.ptx', 'w').write('text')"
    nvcc = stand_in("nvcc", body=kept)
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))

    nvcc_tool.compile_source(make())

    assert {"--keep", "-lineinfo"} <= set(nvcc.calls[0])
    folder = tmp_path / "dump" / f"tvm_kernels-{make().key('nvcc')}.keep"
    assert (folder / "x.ptx").read_text(encoding="ascii") == "text"
