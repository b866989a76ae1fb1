"""Tools say their versions in many ways; the table reads them all."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from tvm.error import ConfigError
from tvm.matrix import tools
from tvm.matrix.loader import load


def _nvidia(program: str, what: str, release: str, version: str) -> str:
    tools_line = f"Cuda compilation tools, release {release}, V{version}"
    return f"{program}: {what}\nCopyright (c) 2005-2024 NVIDIA Corporation\n{tools_line}\nBuild cuda_{release}\n"


# What the tools of Debian 13 and forky, and of the wheels, print, and what the NDK's clang and stand-in print.
_OUTPUTS = [
    ("g++", "g++ (Debian 14.2.0-19) 14.2.0\nCopyright (C) 2024 Free Software Foundation, Inc.\n", "14.2.0"),
    ("gcc", "gcc (Debian 14.2.0-19) 14.2.0\nCopyright (C) 2024 Free Software Foundation, Inc.\n", "14.2.0"),
    ("ar", "GNU ar (GNU Binutils for Debian) 2.44\nCopyright (C) 2025 Free Software Foundation, Inc.\n", "2.44"),
    ("nm", "GNU nm (GNU Binutils for Debian) 2.44\nCopyright (C) 2025 Free Software Foundation, Inc.\n", "2.44"),
    ("clang", "Debian clang version 19.1.7 (3+b1)\nTarget: x86_64-pc-linux-gnu\nThread model: posix\n", "19.1.7"),
    ("ld.lld", "Debian LLD 19.1.7 (compatible with GNU linkers)\n", "19.1.7"),
    ("llvm-ar", "Debian LLVM version 19.1.7\n  Optimized build.\n", "19.1.7"),
    ("llvm-nm", "llvm-nm, compatible with GNU nm\nDebian LLVM version 19.1.7\n  Optimized build.\n", "19.1.7"),
    ("ccache", "ccache version 4.11.2\nFeatures: avx2 file-storage http-storage\n", "4.11.2"),
    ("sccache", "sccache 0.10.0\n", "0.10.0"),
    ("tar", "tar (GNU tar) 1.35\nCopyright (C) 2023 Free Software Foundation, Inc.\n", "1.35"),
    ("python", "Python 3.13.5\n", "3.13.5"),
    ("ndk-clang", "Android (13624864, +pgo, +bolt, +lto, +mlgo) clang version 18.0.4 (https://a b)\n", "18.0.4"),
    ("ndk-clang", "Debian clang version 19.1.7 (3+b1)\nTarget: aarch64-unknown-linux-android24\n", "19.1.7"),
    ("qemu-aarch64", "qemu-aarch64 version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1)\nCopyright (c) 2003\n", "10.0.2"),
    ("qemu-arm", "qemu-arm version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1)\n", "10.0.2"),
    ("qemu-x86_64", "qemu-x86_64 version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1)\n", "10.0.2"),
    ("nvcc", _nvidia("nvcc", "NVIDIA (R) Cuda compiler driver", "12.4", "12.4.131"), "12.4.131"),
    ("nvlink", _nvidia("nvlink", "NVIDIA (R) Cuda linker", "12.4", "12.4.131"), "12.4.131"),
    ("ptxas", _nvidia("ptxas", "NVIDIA (R) Ptx optimizing assembler", "12.4", "12.4.131"), "12.4.131"),
    ("nvdisasm", _nvidia("nvdisasm", "NVIDIA (R) CUDA disassembler", "13.5", "13.5.37"), "13.5.37"),
    ("cuobjdump", _nvidia("cuobjdump", "NVIDIA (R) fat binary listing tool", "13.5", "13.5.37"), "13.5.37"),
    ("nvrtc", "nvrtc 12.9 /opt/venv/lib/python3.13/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12\n", "12.9"),
    ("nvjitlink", "nvjitlink 12.9 /opt/venv/lib/libnvJitLink.so.12\n", "12.9"),
    ("nvfatbin", "nvfatbin 12.9 /opt/venv/lib/libnvfatbin.so.12\n", "12.9"),
    ("hipcc", "HIP version: 6.4.43484-9999\nDebian clang version 21.1.8 (13)\n", "6.4.43484"),
    ("llvm-link", "Debian LLVM version 21.1.8\n  Optimized build.\n", "21.1.8"),
    ("opt", "Debian LLVM version 21.1.8\n  Optimized build.\n  Host CPU: znver3\n", "21.1.8"),
    ("llc", "Debian LLVM version 21.1.8\n  Optimized build.\n  Host CPU: znver3\n", "21.1.8"),
    ("llvm-readelf", "Debian LLVM version 21.1.8\n  Optimized build.\n", "21.1.8"),
    ("rocminfo", "rocminfo\t7.2.4-1\n", "7.2.4"),
    ("emcc", "emcc (Emscripten gcc/clang-like replacement + linker emulating GNU ld) 3.1.69 ()\n", "3.1.69"),
    ("node", "v20.19.2\n", "20.19.2"),
    ("clinfo", "clinfo version 3.0.25.02.14\n", "3.0.25.02.14"),
    ("pocl", "pocl-opencl-icd:amd64\t6.0-6\n", "6.0"),
    ("lavapipe", "mesa-vulkan-drivers:amd64\t25.0.7-2+deb13u1\n", "25.0.7"),
    ("vulkaninfo", "vulkan-tools\t1.4.304.0+dfsg1-1\n", "1.4.304.0"),
    ("wgpu", "wgpu 0.32.0 /opt/venv/lib/python3.13/site-packages/wgpu/resources/libwgpu_native-release.so\n", "0.32.0"),
    ("wasmtime", "wasmtime 50.0.1 /opt/venv/lib/wasmtime/linux-x86_64/_libwasmtime.so\n", "50.0.1"),
    # As published by users of the vendor's compiler: this machine does not reach it.
    ("neuronx-cc", "NeuronX Compiler version 2.27.5334.0+f702b353\n\nPython version 3.13.5\n", "2.27.5334.0"),
    ("nki", "nki 0.6.0+31049202112.g85070674 /opt/neuron/lib/nki/__init__.py\n", "0.6.0"),
    ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc (Debian 14.2.0-19) 14.2.0\nCopyright (C) 2024 Free\n", "14.2.0"),
    ("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-gcc (Debian 14.2.0-19) 14.2.0\n", "14.2.0"),
    ("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-gcc (Debian 14.2.0-19) 14.2.0\n", "14.2.0"),
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32\t14.2.0-19+27+b1\n", "14.2.0"),
    ("wine64", "wine-10.0 (Debian 10.0~repack-6)\n", "10.0"),
    ("xcrun", "xcrun version 70.\n", "70"),
    ("xcrun", "xcrun version 1.0 (a stand-in)\n", "1.0"),
    ("qemu-riscv64", "qemu-riscv64 version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)\n", "10.0.13"),
    ("llvm-objdump", "Debian LLVM version 19.1.7\n  Optimized build.\n", "19.1.7"),
    ("llvm-readobj", "Debian LLVM version 19.1.7\n  Optimized build.\n", "19.1.7"),
]


@pytest.mark.parametrize(("name", "output", "version"), _OUTPUTS)
def test_the_version_is_read_from_what_the_tool_prints(name: str, output: str, version: str) -> None:
    assert tools.parse_version(name, output) == Version(version)


def test_every_tool_of_the_table_has_an_output_here() -> None:
    assert {name for name, _, _ in _OUTPUTS} == set(tools.names())


def test_the_table_holds_what_the_matrix_names_and_no_more() -> None:
    images = load(Path(__file__).parents[3]).matrix.images.values()
    assert {tool for image in images for tool in image.tools} == set(tools.names())


def test_every_pattern_has_one_group() -> None:
    assert {re.compile(tool.pattern).groups for tool in tools._table().values()} == {1}


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("1:10.0.2+ds-2+deb13u1", "10.0.2"),
        ("22.0.0~rc2-1", "22.0.0rc2"),
        ("22.0.0-rc2", "22.0.0rc2"),
        ("3.15.0a4+", "3.15.0a4"),
        ("v20.1", "20.1"),
        ("19.0.0git", "19.0.0"),
        ("1.35,", "1.35"),
    ],
)
def test_a_distribution_s_version_is_read_without_what_it_adds(said: str, version: str) -> None:
    assert tools.parse_version("python", f"Python {said}\n") == Version(version)


@pytest.mark.parametrize("output", ["", "Python\n", "Python three\n", "zsh: command not found\n"])
def test_an_output_without_a_version_is_an_error_that_quotes_it(output: str) -> None:
    with pytest.raises(ValueError, match="python printed no version that is known"):
        tools.parse_version("python", output)


def test_a_tool_that_fits_has_nothing_against_it() -> None:
    assert tools.check("python", "==3.13.*", "Python 3.13.5\n", 0) == ""


def test_a_pre_release_fits_when_its_number_does() -> None:
    assert tools.check("python", ">=3.14", "Python 3.15.0a4\n", 0) == ""


def test_another_version_is_named_with_the_one_wanted() -> None:
    assert tools.check("python", "==3.13.*", "Python 3.14.1\n", 0) == "python is 3.14.1, but matrix.yaml wants ==3.13.*"


@pytest.mark.parametrize("code", [126, 127])
def test_a_missing_tool_says_what_to_install(code: int) -> None:
    assert tools.check("tar", ">=1", "", code) == "tar is not there (install: Debian package tar)"


def test_a_tool_that_fails_is_quoted() -> None:
    assert tools.check("tar", ">=1", "no licence\nmore\n", 3) == "tar --version ended with exit code 3: no licence"


def test_an_unknown_tool_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'clang'"):
        tools.probe_argv("clangg")


@given(st.lists(st.integers(min_value=0, max_value=9999), min_size=1, max_size=5))
def test_any_release_number_comes_back(numbers: list[int]) -> None:
    release = ".".join(map(str, numbers))
    assert tools.parse_version("python", f"Python {release} (Debian {release}-1)") == Version(release)


@given(st.sampled_from(tools.names()), st.text(max_size=80))
def test_any_output_is_a_version_or_a_reason(name: str, output: str) -> None:
    assert isinstance(tools.check(name, ">=0", output, 0), str)


def test_only_python_may_be_another_than_the_images_on_this_machine() -> None:
    """The wheels are locked for it; no product is made by it."""
    assert {name: tools.local_specifier(name) for name in tools.names() if tools.local_specifier(name)} == {
        "python": ">=3.11"
    }


def test_a_lock_beside_the_images_own_is_one_that_some_image_has() -> None:
    folders = {folder for name in tools.names() if (folder := tools.lock_folder(name))}
    images = Path(tools.__file__).parents[2] / "images"
    assert folders <= {lock.parent.name for lock in images.glob("*/*/requirements.txt")}
