import platform

import pytest

from tvm.error import TargetError
from tvm.target import Target
from tvm.target._complete import host_triple


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("Linux", "x86_64", "x86_64-unknown-linux-gnu"),
        ("Darwin", "arm64", "aarch64-apple-macos"),
        ("Windows", "AMD64", "x86_64-pc-windows-msvc"),
    ],
)
def test_nothing_at_all_is_this_machine(
    system: str, machine: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert host_triple() == Target("llvm").mtriple == expected


def test_a_processor_alone_is_of_no_system() -> None:
    assert "mtriple" not in Target({"kind": "llvm", "mcpu": "x86-64"}).attrs


@pytest.mark.parametrize("arch", ["sm_90", "sm_90a", "sm_120f"])
def test_an_arch_of_cuda(arch: str) -> None:
    assert Target({"kind": "cuda", "arch": arch}).arch == arch
    assert Target({"kind": "nvptx", "mcpu": arch}).mcpu == arch


@pytest.mark.parametrize("arch", ["gfx900", "gfx90a", "gfx90a:sramecc+:xnack-", "gfx9-4-generic", "gfx1100"])
def test_an_arch_of_rocm(arch: str) -> None:
    assert Target({"kind": "rocm", "mcpu": arch}).mcpu == arch


@pytest.mark.parametrize(
    ("kind", "option", "arch", "example"),
    [
        *(("cuda", "arch", arch, "sm_50") for arch in ("", "90a", "SM_90", "compute_90", "sm_90,sm_80")),
        ("nvptx", "mcpu", "x", "sm_50"),
        *(("rocm", "mcpu", arch, "gfx900") for arch in ("", "gfx", "GFX900", "90a")),
    ],
)
def test_what_is_no_arch_is_an_error(kind: str, option: str, arch: str, example: str) -> None:
    words = f"(?s)option '{option}' of the target kind '{kind}': '{arch}' is no arch.*spell it as {example}"
    with pytest.raises(TargetError, match=words):
        Target({"kind": kind, option: arch})


@pytest.mark.parametrize(("given", "lanes"), [({}, 32), ({"thread_warp_size": 1}, 32), ({"thread_warp_size": 64}, 64)])
def test_webgpu_has_the_lanes_of_a_subgroup(given: dict[str, int], lanes: int) -> None:
    assert Target({"kind": "webgpu", "supports_subgroups": True, **given}).thread_warp_size == lanes


def test_webgpu_has_one_lane_without_subgroups() -> None:
    assert Target({"kind": "webgpu", "thread_warp_size": 1}) == Target("webgpu")
    with pytest.raises(TargetError, match=r"(?s)32 lanes work together in subgroups only.*'supports_subgroups': True"):
        Target({"kind": "webgpu", "thread_warp_size": 32})
