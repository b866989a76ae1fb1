from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.error import TVMError
from tvm.runtime import register_device_api
from tvm.support._cuda import caps
from tvm.support._cuda.errors import CudaArgumentError
from tvm.target import Target


@pytest.mark.parametrize(
    "target",
    [
        "sm_90a",
        "compute_90a",
        SimpleNamespace(arch="sm_90a"),
        SimpleNamespace(attrs={"arch": "sm_90a"}),
        {"arch": "sm_90a", "kind": "cuda"},
    ],
)
def test_a_target_is_a_name_or_whatever_holds_one(target: object) -> None:
    assert caps.version_of(target) == "9.0.a"
    assert caps.capability(target) == (9, 0)


@pytest.mark.parametrize("target", [None, SimpleNamespace(), SimpleNamespace(arch=None), {}, ""])
def test_without_an_arch_the_error_says_what_to_pass(target: object) -> None:
    with pytest.raises(ValueError, match="no CUDA architecture") as caught:
        caps.version_of(target)

    assert "sm_90a" in str(caught.value)


@given(st.integers(5, 12), st.integers(0, 9), st.sampled_from(["", ".a", ".f", "a"]))
def test_versions_are_parsed(major: int, minor: int, suffix: str) -> None:
    assert caps.parse_compute_version(f"{major}.{minor}{suffix}") == (major, minor)


@pytest.mark.parametrize("text", ["", "9", "a.b", "9.0.0", "sm_90", "9.0.aa"])
def test_what_is_no_version_is_an_error(text: str) -> None:
    with pytest.raises(TVMError, match="compute version parsing error"):
        caps.parse_compute_version(text)


@given(st.integers(5, 12), st.integers(0, 9))
def test_every_kind_of_argument_means_the_same(major: int, minor: int) -> None:
    number = major * 10 + minor
    kinds = [
        f"{major}.{minor}",
        float(f"{major}.{minor}"),
        number,
        (major, minor),
        [str(major), str(minor)],
        f"sm_{number}",
    ]

    assert {caps.capability(kind) for kind in kinds} == {(major, minor)}


def test_a_small_int_is_a_major_version() -> None:
    assert caps.capability(9) == (9, 0)


@pytest.mark.parametrize("value", [True, None, (9,), 9.0j, object()])
def test_what_is_no_capability_is_an_error(value: object) -> None:
    with pytest.raises(CudaArgumentError):
        caps.capability(value)


class TestWithoutATarget:
    def test_the_current_one_counts(self) -> None:
        with undone(), Target({"kind": "cuda", "arch": "sm_90a"}):
            register_device_api("cuda", Listed([{"arch": "sm_80"}]), override=True)
            assert caps.arch_name(None) == "sm_90a"
            assert caps.version_of("sm_75") == "7.5"

    @pytest.mark.parametrize("current", ["c", "webgpu"])
    def test_then_the_first_gpu(self, current: str) -> None:
        with undone(), Target(current):
            register_device_api("cuda", Listed([{"arch": "sm_80"}, {"arch": "sm_90"}]), override=True)
            assert caps.version_of(None) == "8.0"

    def test_without_both_there_is_none(self) -> None:
        with undone():
            register_device_api("cuda", Listed([]), override=True)
            assert caps.arch_name(None) is None
            with pytest.raises(CudaArgumentError, match="no target, and no CUDA device is known"):
                caps.version_of(None)
