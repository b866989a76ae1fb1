from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda.fakes import headers, touch
from tvm.error import CompileError
from tvm.support._cuda import nvlink
from tvm.support._cuda.nvjitlink import Link


@pytest.fixture
def link(machine: Path, bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Link:
    """Return what is to be linked; the toolkit's programs are the stand-ins."""
    headers(machine / "toolkit/include")
    (machine / "toolkit/bin").symlink_to(bin_folder)
    monkeypatch.setenv("CUDA_PATH", str(machine / "toolkit"))
    return Link(arch="sm_90a", objects=(("a.cubin", b"a"),), libraries=(touch(tmp_path / "libx.a"),))


def test_objects_are_staged_under_fixed_names(link: Link, stand_in: MakeStandIn, machine: Path, tmp_path: Path) -> None:
    tool = stand_in("nvlink")

    assert nvlink.link(link, timeout=None).startswith(b'["nvlink"')

    ((arch, first, library, _, product),) = tool.calls
    assert (arch, library) == ("-arch=sm_90a", str(tmp_path / "libx.a"))
    assert Path(first).name == "a.cubin"
    assert Path(product).parent == Path(first).parent
    assert Path(first).parent.parent == machine / "tmp"
    assert list((machine / "tmp").iterdir()) == []


def test_an_error_has_the_linkers_text(link: Link, stand_in: MakeStandIn) -> None:
    stand_in("nvlink", output="nvlink error : Undefined reference to 'f'\n", code=1)

    with pytest.raises(CompileError, match="Device link error:\nnvlink error : Undefined reference to 'f'"):
        nvlink.link(link, timeout=None)


def test_no_product_is_an_empty_one(link: Link, stand_in: MakeStandIn) -> None:
    stand_in("nvlink", makes=False)

    assert nvlink.link(link, timeout=None) == b""
