import platform

import pytest

from tvm.target import Target
from tvm.target._complete import host_triple


def features(**config: object) -> set[str]:
    attrs = Target({"kind": "llvm", **config}).attrs
    return {name.removeprefix("feature.") for name, value in attrs.items() if name.startswith("feature.") and value}


def test_what_an_arm_processor_has() -> None:
    assert features(mtriple="aarch64-linux-gnu") == {"has_asimd", "is_aarch64"}
    assert features(mtriple="armv7a-linux-gnueabi") == set()
    assert features(mtriple="armv7a-linux-gnueabi", mattr=["+neon"]) == {"has_asimd"}
    v9 = {"has_asimd", "has_dotprod", "has_fp16_simd", "has_matmul_i8", "has_sve", "is_aarch64"}
    assert features(mtriple="aarch64-linux-gnu", mcpu="neoverse-v2") == v9
    assert features(mtriple="aarch64-linux-gnu", mattr=["+sme", "+i8mm"]) == {
        "has_asimd",
        "has_matmul_i8",
        "has_sme",
        "is_aarch64",
    }


def test_other_processors_have_none() -> None:
    assert Target({"kind": "llvm", "mtriple": "x86_64-linux-gnu"}).keys == ["cpu"]
    assert features(mtriple="x86_64-linux-gnu") == set()


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
    assert Target({"kind": "llvm", "mcpu": "x86-64"}).mtriple is None
