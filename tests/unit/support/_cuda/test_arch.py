import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cuda import arch
from tvm.support._cuda.arch import Arch
from tvm.support._cuda.errors import CudaArgumentError

_ARCHS = st.builds(Arch, number=st.integers(50, 129), suffix=st.sampled_from(["", "a", "f"]))


@given(_ARCHS)
def test_every_spelling_means_the_same_arch(given_arch: Arch) -> None:
    plain = given_arch.sm.removeprefix("sm_")

    assert arch.parse(given_arch.sm) == given_arch
    assert arch.parse(plain) == given_arch
    assert arch.parse(given_arch.compute).sm == given_arch.sm


def test_a_virtual_arch_stands_for_ptx_alone() -> None:
    assert arch.parse("compute_90a") == Arch(number=90, suffix="a", cubin=False, ptx=True)
    assert arch.parse("sm_90a") == Arch(number=90, suffix="a", cubin=True, ptx=True)


@pytest.mark.parametrize(("name", "version"), [("sm_90a", "9.0.a"), ("sm_100", "10.0"), ("sm_120f", "12.0.f")])
def test_version(name: str, version: str) -> None:
    assert arch.parse(name).version == version


@pytest.mark.parametrize("text", ["", "sm_", "sm_9", "sm_90b", "gfx90a", "native", "sm_90 -g", "9.0"])
def test_what_is_no_arch_is_an_error(text: str) -> None:
    with pytest.raises(CudaArgumentError, match="no CUDA architecture"):
        arch.parse(text)


@given(st.text(max_size=12))
def test_any_text_is_an_arch_or_a_clear_error(text: str) -> None:
    try:
        parsed = arch.parse(text)
    except CudaArgumentError:
        return
    assert text.strip().endswith(parsed.sm.removeprefix("sm_"))


def test_a_list_keeps_its_order_and_drops_what_is_double() -> None:
    parsed = arch.parse_all(["sm_90a", "sm_80", "90a"])

    assert [entry.sm for entry in parsed] == ["sm_90a", "sm_80"]


@pytest.mark.parametrize(
    "words",
    [
        ["-gencode", "arch=compute_90,code=sm_90", "-gencode=arch=compute_100,code=[sm_100,compute_100]"],
        ["--generate-code", "arch=compute_90,code=sm_90", "-arch", "sm_100"],
        ["-gencode", "arch=compute_90, code=[sm_90]", "--gpu-architecture=sm_100"],
    ],
)
def test_words_of_nvcc_are_understood(words: list[str]) -> None:
    assert arch.parse_all(words) == (Arch(number=90, cubin=True, ptx=False), Arch(number=100))


@pytest.mark.parametrize("value", ["", "arch=sm_90", "sm_90", "arch=compute_90,code="])
def test_a_wrong_gencode_says_how_it_is_spelled(value: str) -> None:
    with pytest.raises(CudaArgumentError, match="no value of -gencode") as caught:
        arch.parse_all(["-gencode", value])

    assert "arch=compute_90a,code=sm_90a" in caught.value.fix


@pytest.mark.parametrize("given_archs", [[], [90], 90, None])
def test_what_is_no_list_of_names_is_an_error(given_archs: object) -> None:
    with pytest.raises((CudaArgumentError, TypeError)):
        arch.parse_all(given_archs)  # type: ignore[arg-type]  # the wrong type is the point


def test_options_are_split_from_the_words_that_name_archs() -> None:
    options = ["-O3", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo", "-arch=sm_80", "-arch"]

    names, others = arch.split(options)

    assert names == ("-gencode", "arch=compute_90,code=sm_90", "-arch=sm_80", "-arch")
    assert others == ("-O3", "-lineinfo")


def test_a_cubin_is_for_one_arch() -> None:
    archs = arch.parse_all(["sm_80", "sm_90a"])

    with pytest.raises(CudaArgumentError, match="a cubin holds code for one architecture, not for 2: sm_80, sm_90a"):
        arch.single(archs, product="cubin")
    assert arch.single(archs[:1], product="cubin").sm == "sm_80"
