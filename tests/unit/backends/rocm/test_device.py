from pathlib import Path

import pytest

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tests.unit.stand_in import MakeStandIn
from tvm.backend.rocm import device
from tvm.runtime import register_device_api
from tvm.support import _rocm_paths
from tvm.target import Target

# Cut from what rocminfo prints on a machine with one CPU and one GPU.
AGENTS = """\
\x1b[37mROCk module version 6.8.5 is loaded\x1b[0m
=====================
HSA System Attributes
=====================
==========
HSA Agents
==========
*******
Agent 1
*******
  Name:                    AMD EPYC 7763 64-Core Processor
  Marketing Name:          AMD EPYC 7763 64-Core Processor
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx90a
  Uuid:                    GPU-0123456789abcdef
  Marketing Name:          AMD Instinct MI210
  Device Type:             GPU
  Wavefront Size:          64(0x40)
  Workgroup Max Size:      1024(0x400)
  Pool Info:
    Pool 3
      Segment:                 GROUP
      Size:                    64(0x40) KB
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
"""


@pytest.fixture(autouse=True)
def _no_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rocm_paths, "DEFAULT", tmp_path / "default")


def test_a_gpu_is_what_rocminfo_says(stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output=AGENTS)
    found = device.ask()
    assert [gpu["name"] for gpu in found.devices] == ["AMD Instinct MI210"]
    with undone():
        register_device_api("rocm", Listed(found.devices), override=True)
        target = Target.from_device("rocm")
    assert target.export() == {
        "keys": ["rocm", "gpu"],
        "kind": "rocm",
        "max_num_threads": 1024,
        "max_shared_memory_per_block": 65536,
        "max_threads_per_block": 1024,
        "mcpu": "gfx90a",
        "mtriple": "amdgcn-amd-amdhsa-hcc",
        "tag": "",
        "thread_warp_size": 64,
    }


def test_what_rocminfo_says_is_why(stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output="\x1b[31mROCk module is NOT loaded, possibly no GPU devices\x1b[0m\n", code=1)
    found = device.ask()
    assert found.devices == ()
    assert found.why.endswith("(exit code 1) says: ROCk module is NOT loaded, possibly no GPU devices")


def test_no_rocminfo_is_why() -> None:
    device.API.refresh()
    assert device.API.count() == 0
    assert "program not found: 'rocminfo'" in device.API.why_none()
    device.API.refresh()
