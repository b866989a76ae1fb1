import os
import platform
from pathlib import Path

import pytest

from tvm.error import DeviceError
from tvm.target import Target, _cpu
from tvm.target.device_name import DeviceName

V3 = "avx avx2 bmi1 bmi2 f16c fma movbe xsave cx16 popcnt sse4_1 sse4_2 ssse3"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", "x86-64"),
        ("cx16 popcnt sse4_1 sse4_2 ssse3", "x86-64-v2"),
        (V3, "x86-64-v3"),
        (f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl", "x86-64-v4"),
        ("avx512f avx512bw avx512cd avx512dq avx512vl", "x86-64"),
    ],
)
def test_what_an_x86_processor_can(flags: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\nflags\t\t: fpu {flags}\n\nprocessor : 1\nflags : nothing\n")
    monkeypatch.setattr(_cpu, "_CPUINFO", cpuinfo)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    target = Target.from_device("cpu")
    assert (target.mcpu, target.mtriple) == (expected, "x86_64-unknown-linux-gnu")
    assert target.num_cores == (os.cpu_count() or 1)


@pytest.mark.parametrize(("part", "expected"), [("0xd0c", "neoverse-n1"), ("0x999", None)])
def test_an_arm_processor(part: str, expected: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\nCPU part\t: {part}\n")
    monkeypatch.setattr(_cpu, "_CPUINFO", cpuinfo)
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    target = Target.from_device("cpu")
    assert (target.attrs.get("mcpu"), target.mtriple, target.keys) == (
        expected,
        "aarch64-unknown-linux-gnu",
        ["arm_cpu", "cpu"],
    )


def test_without_cpuinfo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_cpu, "_CPUINFO", tmp_path / "absent")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "mcpu" not in Target.from_device("cpu").attrs


def test_there_is_one() -> None:
    with pytest.raises(DeviceError, match="there is no device cpu:1"):
        _cpu.detect_cpu(DeviceName(type="cpu", index=1))
