"""Tags of NVIDIA GPUs: `Target("nvidia/geforce-rtx-3090")`.

Source: CUDA GPUs (compute capability of each product) and CUDA C++ Programming Guide, Technical Specifications per Compute
Capability.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_PREFIX = "nvidia/"
_KEYS = ("cuda", "gpu")
_THREADS = 1024
_WARP = 32
# Static shared memory of a block, which all archs have.
_SHARED = 48 << 10


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Products of one arch that have the same limits."""

    arch: str
    registers: int
    names: str
    shared: int = _SHARED
    l2: int | None = None
    host: Mapping[str, object] = field(default_factory=dict)

    def configs(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Give each tag with what it stands for."""
        config: dict[str, object] = {
            "kind": "cuda",
            "arch": self.arch,
            "max_shared_memory_per_block": self.shared,
            "max_threads_per_block": _THREADS,
            "registers_per_block": self.registers,
            "thread_warp_size": _WARP,
        }
        config |= {"l2_cache_size_bytes": self.l2} if self.l2 else {}
        # A tag with a host leaves the keys to the kind, which has the same.
        config |= {"host": self.host} if self.host else {"keys": list(_KEYS)}
        return ((_PREFIX + name, config) for name in self.names.split())


def _arm(mcpu: str, cores: int) -> Mapping[str, object]:
    return {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mcpu": mcpu, "num-cores": cores}


_GROUPS = (
    _Group(
        arch="sm_20",
        registers=32 << 10,
        names=(
            "geforce-gtx-465 geforce-gtx-470 geforce-gtx-480 geforce-gtx-480m geforce-gtx-570 geforce-gtx-580 geforce-gtx-590 "
            "quadro-plex-7000 tesla-c2050 tesla-c2070 tesla-c2075"
        ),
    ),
    _Group(
        arch="sm_21",
        registers=32 << 10,
        names=(
            "geforce-410m geforce-610m geforce-705m geforce-710m geforce-800m geforce-820m geforce-gt-415m geforce-gt-420m "
            "geforce-gt-430 geforce-gt-435m geforce-gt-440 geforce-gt-445m geforce-gt-520 geforce-gt-520m geforce-gt-520mx "
            "geforce-gt-525m geforce-gt-540m geforce-gt-550m geforce-gt-555m geforce-gt-610 geforce-gt-620 geforce-gt-620m "
            "geforce-gt-625m geforce-gt-630 geforce-gt-630m geforce-gt-635m geforce-gt-640-gddr3 geforce-gt-720m "
            "geforce-gt-730-ddr3,128bit geforce-gts-450 geforce-gtx-460 geforce-gtx-460m geforce-gtx-470m geforce-gtx-485m "
            "geforce-gtx-550-ti geforce-gtx-560-ti geforce-gtx-560m geforce-gtx-570m geforce-gtx-580m geforce-gtx-670m "
            "geforce-gtx-675m nvidia-nvs-310 nvidia-nvs-315 nvs-4200m nvs-5200m nvs-5400m"
        ),
    ),
    _Group(
        arch="sm_30",
        registers=64 << 10,
        names=(
            "geforce-gt-640m geforce-gt-640m-le geforce-gt-645m geforce-gt-650m geforce-gt-730m geforce-gt-735m "
            "geforce-gt-740 geforce-gt-740m geforce-gt-745m geforce-gt-750m geforce-gt-755m geforce-gtx-650 "
            "geforce-gtx-650-ti geforce-gtx-650-ti-boost geforce-gtx-660 geforce-gtx-660-ti geforce-gtx-660m geforce-gtx-670 "
            "geforce-gtx-670mx geforce-gtx-675mx geforce-gtx-680 geforce-gtx-680m geforce-gtx-680mx geforce-gtx-690 "
            "geforce-gtx-760 geforce-gtx-760m geforce-gtx-765m geforce-gtx-770 geforce-gtx-770m geforce-gtx-780m "
            "geforce-gtx-860m-sm-30 geforce-gtx-870m geforce-gtx-880m nvidia-nvs-510 quadro-410 quadro-k1100m quadro-k2000 "
            "quadro-k2000d quadro-k2100m quadro-k2200m quadro-k3100m quadro-k4000 quadro-k4100m quadro-k420 quadro-k4200 "
            "quadro-k4200m quadro-k5000 quadro-k500m quadro-k5100m quadro-k5200m quadro-k600 quadro-k6000m tesla-k10"
        ),
    ),
    _Group(
        arch="sm_35",
        registers=64 << 10,
        names=(
            "geforce-920m geforce-gt-640-gddr5 geforce-gt-705 geforce-gt-720 geforce-gt-730 geforce-gtx-780 "
            "geforce-gtx-780-ti geforce-gtx-titan geforce-gtx-titan-black geforce-gtx-titan-z quadro-k510m quadro-k5200 "
            "quadro-k6000 quadro-k610m tesla-k20 tesla-k40"
        ),
    ),
    _Group(arch="sm_37", registers=64 << 10, names="tesla-k80"),
    _Group(
        arch="sm_50",
        registers=64 << 10,
        names=(
            "geforce-830m geforce-840m geforce-930m geforce-940m geforce-gtx-750 geforce-gtx-750-ti geforce-gtx-850m "
            "geforce-gtx-860m-sm-50 geforce-gtx-950m geforce-gtx-960m nvidia-nvs-810 quadro-k1200 quadro-k2200 quadro-k620 "
            "quadro-k620m quadro-m1000m quadro-m1200 quadro-m2000m quadro-m3000m quadro-m4000m quadro-m5000m quadro-m500m "
            "quadro-m520 quadro-m600m"
        ),
    ),
    _Group(
        arch="sm_52",
        registers=64 << 10,
        names=(
            "geforce-910m geforce-gtx-950 geforce-gtx-960 geforce-gtx-965m geforce-gtx-970 geforce-gtx-970m geforce-gtx-980 "
            "geforce-gtx-980-ti geforce-gtx-980m geforce-gtx-titan-x quadro-m2000 quadro-m2200 quadro-m4000 quadro-m5000 "
            "quadro-m5500m quadro-m6000 quadro-m6000-24gb quadro-m620 tesla-m40 tesla-m60"
        ),
    ),
    _Group(arch="sm_53", registers=32 << 10, names="jetson-nano jetson-tx1 tegra-x1"),
    _Group(arch="sm_60", registers=64 << 10, names="quadro-gp100 tesla-p100"),
    _Group(
        arch="sm_61",
        registers=64 << 10,
        names=(
            "geforce-gtx-1050 geforce-gtx-1060 geforce-gtx-1070 geforce-gtx-1070-ti geforce-gtx-1080 geforce-gtx-1080-ti "
            "nvidia-titan-x nvidia-titan-xp p520 p620 quadro-p1000 quadro-p2000 quadro-p2200 quadro-p3000 quadro-p3200 "
            "quadro-p400 quadro-p4000 quadro-p4200 quadro-p500 quadro-p5000 quadro-p5200 quadro-p600 quadro-p6000 quadro-p620 "
            "tesla-p4 tesla-p40"
        ),
    ),
    _Group(arch="sm_62", registers=32 << 10, names="jetson-tx2"),
    _Group(arch="sm_70", registers=64 << 10, names="nvidia-titan-v nvidia-v100 quadro-gv100"),
    _Group(
        arch="sm_75",
        registers=64 << 10,
        names=(
            "geforce-rtx-2060 geforce-rtx-2070 geforce-rtx-2080 geforce-rtx-2080-ti nvidia-t4 nvidia-titan-rtx "
            "quadro-rtx-4000 quadro-rtx-5000 quadro-rtx-6000 quadro-rtx-8000 rtx-3000 rtx-4000 rtx-5000 t1000 t2000"
        ),
    ),
    _Group(arch="sm_80", registers=64 << 10, names="nvidia-a30"),
    _Group(
        arch="sm_86",
        registers=64 << 10,
        names=(
            "geforce-rtx-3060 geforce-rtx-3070 geforce-rtx-3070-ti geforce-rtx-3080 geforce-rtx-3080-ti geforce-rtx-3090 "
            "geforce-rtx-3090-ti nvidia-a10 nvidia-a10g nvidia-a16 nvidia-a2 nvidia-a40 rtx-a6000"
        ),
    ),
    _Group(arch="sm_89", registers=64 << 10, names="geforce-rtx-4090", l2=72 << 20),
    _Group(arch="sm_120", registers=64 << 10, names="geforce-rtx-5060-ti", l2=32 << 20),
    _Group(arch="sm_87", registers=64 << 10, names="jetson-agx-orin-32gb", host=_arm("cortex-a78", 8)),
    _Group(arch="sm_87", registers=64 << 10, names="jetson-agx-orin-64gb", host=_arm("cortex-a78", 12)),
    _Group(
        arch="sm_110a",
        registers=64 << 10,
        names="jetson-agx-thor",
        shared=227 << 10,
        l2=32 << 20,
        host=_arm("neoverse-v3ae", 14),
    ),
    _Group(arch="sm_72", registers=64 << 10, names="jetson-agx-xavier", host=_arm("carmel", 8)),
    _Group(arch="sm_87", registers=64 << 10, names="jetson-orin-nano", host=_arm("carmel", 6)),
    _Group(arch="sm_80", registers=64 << 10, names="nvidia-a100", l2=40 << 20),
    _Group(arch="sm_100a", registers=64 << 10, names="nvidia-b100", l2=50 << 20),
    _Group(arch="sm_90a", registers=64 << 10, names="nvidia-h100", l2=50 << 20),
)

TAGS: Mapping[str, Mapping[str, object]] = {name: config for group in _GROUPS for name, config in group.configs()}
