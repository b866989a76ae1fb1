import platform
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError
from tvm.matrix.builders import host
from tvm.matrix.builders.job import Job, build


def job(output: Path, *sources: str, options: tuple[str, ...] = ()) -> Job:
    return Job(arch=platform.machine(), output=output, sources=tuple(map(Path, sources)), options=options)


def test_c_is_compiled_and_linked_by_gcc(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gcc = stand_in("gcc")
    build(job(tmp_path / "libx.so", "a.c", options=("-lz",)), host.toolchain(platform.machine()))
    compiled, linked = gcc.calls
    assert {"-c", "-fPIC", "a.c"} <= set(compiled)
    assert "-shared" in linked
    assert linked[-2:] == ["-lz", "-lm"]
    assert (tmp_path / "libx.so").is_file()


def test_what_holds_cxx_is_linked_by_gxx(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gcc, gxx = stand_in("gcc"), stand_in("g++")
    build(job(tmp_path / "program", "a.c", "b.cpp"), host.toolchain(platform.machine()))
    assert [call[-1] for call in gcc.calls] == ["a.c"]
    assert len(gxx.calls) == 2
    assert "-shared" not in gxx.calls[1]


def test_static_library_is_packed_by_ar(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("gcc")
    ar = stand_in("ar")
    build(job(tmp_path / "libx.a", "a.c"), host.toolchain(platform.machine()))
    assert [Path(word).name for word in ar.calls[0]][-1] == "a.o"
    assert (tmp_path / "libx.a").is_file()


def test_arch_of_another_machine_is_refused() -> None:
    with pytest.raises(ConfigError, match="not for 'sm_90a'"):
        host.toolchain("sm_90a")
