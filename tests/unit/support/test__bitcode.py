from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support.rocm_home import bitcode
from tvm.error import ConfigError, ToolNotFound
from tvm.support import _bitcode, _gfx
from tvm.support._bitcode import Maths


def _select(
    folder: Path, arch: str, *, wave: int | None = None, abi: int | None = None, maths: Maths | None = None
) -> list[str]:
    gfx = _gfx.parse(arch)
    files = _bitcode.select(folder, gfx, wave=_gfx.wave_size(gfx, wave), abi=abi, maths=maths or Maths())
    assert all(Path(file).is_file() for file in files)
    return [Path(file).name for file in files]


def test_one_set_in_the_order_of_linking(tmp_path: Path) -> None:
    assert _select(bitcode(tmp_path), "gfx942") == [
        "ocml.bc",
        "ockl.bc",
        "oclc_daz_opt_off.bc",
        "oclc_unsafe_math_off.bc",
        "oclc_finite_only_off.bc",
        "oclc_correctly_rounded_sqrt_on.bc",
        "oclc_wavefrontsize64_on.bc",
        "oclc_isa_version_942.bc",
        "oclc_abi_version_500.bc",
    ]


@given(
    st.sampled_from(["gfx900", "gfx90a:xnack+", "gfx1030", "gfx1201", "gfx9-4-generic"]),
    st.sampled_from([None, 64]),
    st.builds(
        Maths, daz=st.booleans(), finite_only=st.booleans(), unsafe=st.booleans(), correctly_rounded_sqrt=st.booleans()
    ),
)
def test_never_both_of_a_pair(
    tmp_path_factory: pytest.TempPathFactory, arch: str, wave: int | None, maths: Maths
) -> None:
    names = _select(bitcode(tmp_path_factory.getbasetemp() / "bitcode"), arch, wave=wave, maths=maths)
    stems = [name.removesuffix(".bc").removesuffix("_on").removesuffix("_off") for name in names]
    assert len(stems) == len(set(stems)) == 9
    assert [stem for stem in stems if "isa_version" in stem] == [f"oclc_isa_version_{_gfx.parse(arch).isa}"]


@pytest.mark.parametrize(
    ("arch", "wave", "state"), [("gfx1100", None, "off"), ("gfx1100", 64, "on"), ("gfx90a", None, "on")]
)
def test_the_size_of_waves_chooses_its_constant(arch: str, wave: int | None, state: str, tmp_path: Path) -> None:
    assert f"oclc_wavefrontsize64_{state}.bc" in _select(bitcode(tmp_path), arch, wave=wave)


@pytest.mark.parametrize(
    ("abis", "wanted", "chosen"),
    [
        ((400, 500, 600), None, ["oclc_abi_version_500.bc"]),
        ((400, 500, 600), 600, ["oclc_abi_version_600.bc"]),
        ((400,), None, ["oclc_abi_version_400.bc"]),
        ((), None, []),
    ],
)
def test_the_abi_version(abis: tuple[int, ...], wanted: int | None, chosen: list[str], tmp_path: Path) -> None:
    names = _select(bitcode(tmp_path, abis=abis), "gfx906", abi=wanted)
    assert [name for name in names if "abi" in name] == chosen


def test_an_abi_version_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"(?s)oclc_abi_version_700.*one of: 400, 500"):
        _select(bitcode(tmp_path, abis=(400, 500)), "gfx906", abi=700)


def test_the_names_of_early_releases_are_known(tmp_path: Path) -> None:
    names = _select(bitcode(tmp_path, suffix=".amdgcn.bc"), "gfx906")
    assert names[0] == "ocml.amdgcn.bc"
    assert "oclc_abi_version_500.amdgcn.bc" in names


def test_a_missing_isa_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(ToolNotFound, match="do not know gfx950") as caught:
        _select(bitcode(tmp_path, isas=("906", "90a")), "gfx950")
    assert caught.value.looked == (str(tmp_path),)
    assert caught.value.fix.endswith("gfx906, gfx90a")


def test_any_other_missing_file_is_named(tmp_path: Path) -> None:
    (bitcode(tmp_path) / "oclc_finite_only_off.bc").unlink()
    with pytest.raises(ToolNotFound, match="could not find bitcode oclc_finite_only_off"):
        _select(tmp_path, "gfx906")


def test_a_given_folder_must_be_there(tmp_path: Path) -> None:
    assert _bitcode.folder_of(tmp_path) == tmp_path
    with pytest.raises(ToolNotFound, match="the folder of the device libraries is not there"):
        _bitcode.folder_of(tmp_path / "absent")
