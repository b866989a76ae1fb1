from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support.rocm_home import program
from tvm.error import ConfigError, ToolNotFound
from tvm.support import _rocm_arch, _rocm_paths
from tvm.target import Target

# Cut from what rocminfo prints on a machine with one CPU and two kinds of GPU.
TWO_GPUS = """\
\x1b[37mROCk module is loaded\x1b[0m
  Name:                    AMD EPYC 9654
  Marketing Name:          AMD EPYC 9654
  Name:                    gfx90a
  Uuid:                    GPU-0
  Marketing Name:          AMD Instinct MI210
      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
  Name:                    gfx1100
  Name:                    gfx90a
"""
NO_GPU = "\x1b[31mROCk module is NOT loaded, possibly no GPU devices\x1b[0m\n"


@pytest.fixture(autouse=True)
def _no_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rocm_paths, "DEFAULT", tmp_path / "default")


def test_rocminfo_names_every_gpu_once(stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output=TWO_GPUS)
    assert _rocm_arch.require() == ("gfx90a", "gfx1100")


def test_rocminfo_of_the_given_folder_is_asked(stand_in: MakeStandIn, tmp_path: Path) -> None:
    other = stand_in("rocminfo", output=TWO_GPUS)
    program(tmp_path / "rocm/bin", "rocminfo", output="  Name:   gfx942\n")
    assert _rocm_arch.require(tmp_path / "rocm") == ("gfx942",)
    assert other.calls == []


def test_rocminfo_of_rocms_folder_comes_before_the_one_on_path(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("rocminfo", output=TWO_GPUS)
    program(tmp_path / "rocm/bin", "rocminfo", output="  Name:   gfx942\n")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    assert _rocm_arch.require() == ("gfx942",)


def test_the_users_archs_come_before_rocminfo(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in("rocminfo", output=TWO_GPUS)
    monkeypatch.setenv("TVM_ROCM_ARCH", " gfx942:xnack+, gfx1201 ,gfx1201")
    assert _rocm_arch.require() == ("gfx942:xnack+", "gfx1201")
    assert asked.calls == []


def test_a_mistake_of_the_users_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_ROCM_ARCH", "gfx942,")
    with pytest.raises(ConfigError, match="TVM_ROCM_ARCH: '' is no AMD GPU arch"):
        _rocm_arch.require()


@pytest.mark.parametrize(("output", "code"), [(NO_GPU, 1), (TWO_GPUS, 1), ("", 0)])
def test_what_rocminfo_says_is_in_the_error(output: str, code: int, stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output=output, code=code)
    said = output.replace("\x1b[31m", "").replace("\x1b[37m", "").replace("\x1b[0m", "").partition("\n")[0]
    with pytest.raises(ConfigError) as caught:
        _rocm_arch.require()
    assert f"rocminfo (exit code {code}) says: {said or 'nothing'}" in caught.value.cause
    assert "TVM_ROCM_ARCH" in caught.value.fix


def test_no_rocminfo_is_said_too(tmp_path: Path) -> None:
    assert "program not found: 'rocminfo'" in _rocm_arch.ask(None).why
    assert "rocm/bin/rocminfo" in _rocm_arch.ask(tmp_path / "rocm").why


def test_a_call_takes_its_own_arch_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_ROCM_ARCH", "gfx942")
    assert _rocm_arch.chosen("gfx1100").processor == "gfx1100"
    assert _rocm_arch.chosen(None).processor == "gfx942"


def test_the_programs_place_is_found_before_it_runs(tmp_path: Path) -> None:
    with pytest.raises(ToolNotFound):
        _rocm_arch.find_rocminfo(tmp_path)


def test_the_current_target_comes_before_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_ROCM_ARCH", "gfx1100")
    with Target({"kind": "rocm", "mcpu": "gfx942"}):
        assert _rocm_arch.chosen(None).target_id == "gfx942"
        assert _rocm_arch.chosen("gfx90a").target_id == "gfx90a"
    with Target("c"):
        assert _rocm_arch.chosen(None).target_id == "gfx1100"
