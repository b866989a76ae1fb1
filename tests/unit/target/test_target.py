"""Targets: what makes them, what they say, how they are entered."""

import pickle
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.target.tags import TAGS
from tvm.error import TargetError
from tvm.target import Target

CUDA = {"kind": "cuda", "arch": "sm_80"}


class TestConstruction:
    def test_by_kind(self) -> None:
        assert Target("webgpu").attrs == {
            "max_num_threads": 256,
            "max_shared_memory_per_block": 32768,
            "supports_subgroups": False,
            "thread_warp_size": 1,
        }

    def test_by_tag(self) -> None:
        assert Target("nvidia/nvidia-h100").arch == "sm_90a"

    def test_by_tag_and_overrides(self) -> None:
        target = Target({"tag": "nvidia/nvidia-h100", "arch": "sm_90", "libs": ["cublas"]})
        assert (target.arch, target.libs, target.l2_cache_size_bytes) == ("sm_90", ["cublas"], 52428800)

    def test_by_json(self) -> None:
        assert Target(' {"kind": "cuda", "arch": "sm_80"}') == Target(CUDA)

    def test_by_a_target(self) -> None:
        assert Target(Target(CUDA)) == Target(CUDA)

    @pytest.mark.parametrize("host", ["c", {"kind": "c"}, Target("c")], ids=str)
    def test_with_a_host(self, host: str | dict[str, object] | Target) -> None:
        for target in (Target(CUDA, host), Target(CUDA).with_host(host), Target({**CUDA, "host": host})):
            assert target.host == Target("c")
            assert target.export()["host"] == {"keys": ["cpu"], "kind": "c", "tag": ""}

    def test_a_device_is_the_first_key(self) -> None:
        assert Target({"kind": "opencl", "device": "adreno"}).keys == ["adreno", "opencl", "gpu"]
        assert Target({"kind": "opencl", "device": "gpu"}).keys == ["gpu", "opencl"]

    def test_a_device_is_behind_the_keys_that_are_given(self) -> None:
        assert Target({"kind": "opencl", "device": "adreno", "keys": ["opencl"]}).keys == ["opencl", "adreno"]
        assert Target({"kind": "opencl", "device": "adreno", "keys": ["adreno", "x", "adreno"]}).keys == ["adreno", "x"]

    def test_many_devices(self) -> None:
        target = Target({"kind": "composite", "devices": [CUDA, "c"]})
        assert target.devices == target.attrs["devices"] == [Target(CUDA), Target("c")]
        assert Target(str(target)) == target


class TestMistakes:
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("cdua", "'cdua' is neither a target kind nor a tag.*did you mean cuda"),
            ("nvidia/nvidia-h10", "did you mean nvidia/nvidia-h100"),
            ("cuda -arch=sm_80", "is a command line, which is no longer read.*'arch': 'sm_80'"),
            ("", "neither a target kind nor a tag"),
            ("{", "no valid JSON"),
            ({}, "has no 'kind'"),
            ({"kind": "cdua"}, "'cdua' is no target kind.*did you mean cuda"),
            ({"tag": "nvidia/nvidia-h10"}, "is no target tag.*did you mean nvidia/nvidia-h100"),
            ({"tag": "nvidia/nvidia-h100", "kind": "opencl"}, "is of kind 'cuda', not 'opencl'"),
            ({**CUDA, "ach": "x"}, "'ach' is no option of the target kind 'cuda'.*did you mean arch"),
            ({"kind": "cuda", "arch": 80}, "option 'arch' of the target kind 'cuda': 80 is no str"),
            ({**CUDA, "max_num_threads": True}, "'max_num_threads' .*: True is no int"),
            ({**CUDA, "libs": "cublas"}, "'libs' .*: 'cublas' is no list"),
            ({**CUDA, "libs": [1]}, r"'libs' .*: \[1\] is no list"),
            ({**CUDA, "host": "x"}, "option 'host' of the target kind 'cuda': 'x' is neither"),
            ({**CUDA, "host": {"kind": "c", "x": 1}}, "option 'host' .*: 'x' is no option of the target kind 'c'"),
            ({"kind": "webgpu", "supports_subgroups": 1}, "1 is no bool"),
            ({**CUDA, "feature.x": "yes"}, "'feature.x' .*: 'yes' is no bool"),
            ("[1]", "neither a target kind nor a tag"),
            (7, "a target is a str or a dict, not a int"),
        ],
    )
    def test_each_is_an_error_that_says_it(self, given: str | dict[str, object], words: str) -> None:
        with pytest.raises(TargetError, match=f"(?s){words}") as caught:
            Target(given)
        assert isinstance(caught.value, ValueError)

    def test_an_arch_that_nobody_says_is_warned_of(self) -> None:
        with pytest.warns(UserWarning, match=r"no 'arch' and there is no cuda device to ask .*: it is sm_50"):
            assert Target("cuda").arch == "sm_50"


class TestAttributes:
    def test_an_option_is_an_attribute(self) -> None:
        target = Target({"kind": "llvm", "num-cores": 4, "mcpu": "x86-64"})
        assert (target.num_cores, target.mcpu) == (4, "x86-64")

    def test_an_option_that_is_not_set_is_no_attribute(self) -> None:
        target = Target({"kind": "llvm", "num-cores": 4, "mcpu": "x86-64"})
        assert getattr(target, "mtriple", "none") == "none"
        with pytest.raises(AttributeError, match="the option 'mtriple' of this target is not set"):
            _ = target.mtriple

    def test_no_option_is_no_attribute(self) -> None:
        with pytest.raises(AttributeError, match="a target of kind 'c' has no option 'arch'; did you mean march"):
            _ = Target("c").arch
        assert not hasattr(Target("c"), "__len__")

    def test_what_it_gives_out_does_not_change_it(self) -> None:
        target = Target({**CUDA, "libs": ["a"]})
        target.export()["arch"] = "sm_1"
        target.keys.append("x")
        target.libs.append("b")
        with pytest.raises(TypeError):
            target.attrs["arch"] = "sm_1"  # type: ignore[index] # that it is refused is the point
        assert (target.arch, target.keys, target.libs) == ("sm_80", ["cuda", "gpu"], ["a"])

    def test_features(self) -> None:
        features = Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu"}).features
        assert (features.has_asimd, features.has_sve, features.has_other) == (True, False, None)
        assert not hasattr(features, "__len__")

    def test_dlpacks_number(self) -> None:
        assert Target(CUDA).get_target_device_type() == 2
        assert Target({**CUDA, "target_device_type": 13}).get_target_device_type() == 13

    def test_kinds(self) -> None:
        assert str(Target(CUDA).kind) == "cuda"
        assert "webgpu" in Target.list_kinds()


class TestEquality:
    @pytest.mark.parametrize("tag", sorted(TAGS))
    def test_every_tag_has_the_values_of_the_inventory_and_survives_json(self, tag: str) -> None:
        target = Target(tag)
        assert target.export() == TAGS[tag]
        pickled = pickle.loads(pickle.dumps(target))  # noqa: S301 - its own bytes
        for copy in (Target(str(target)), Target(target.export()), pickled):
            assert copy == target
            assert hash(copy) == hash(target)

    @given(
        st.fixed_dictionaries(
            {"kind": st.just("vulkan")},
            optional={
                "max_num_threads": st.integers(0, 2**31),
                "device_name": st.text(),
                "supports_int8": st.booleans(),
                "mattr": st.lists(st.text(max_size=5), max_size=3),
                "host": st.sampled_from(["c", "test"]),
            },
        )
    )
    def test_any_target_survives_json(self, config: dict[str, object]) -> None:
        assert Target(str(Target(config))) == Target(config)

    def test_another_option_is_another_target(self) -> None:
        assert Target(CUDA) != Target({**CUDA, "arch": "sm_90"})
        assert Target(CUDA) != "cuda"


class TestScopes:
    def test_the_innermost_is_current(self) -> None:
        assert Target.current() is None
        with Target("c") as outer:
            with Target("webgpu") as inner:
                assert Target.current() is inner
            assert Target.current() is outer
        assert Target.current() is None

    def test_one_may_be_entered_twice(self) -> None:
        target = Target("c")
        with target, target:
            assert Target.current() is target
        assert Target.current() is None

    def test_none_can_be_an_error(self) -> None:
        with pytest.raises(TargetError, match="there is no current target"):
            Target.current(allow_none=False)

    def test_the_current_one_stands_for_none(self) -> None:
        other = Target(CUDA)
        with Target("c") as current:
            assert Target.target_or_current(None) is current
            assert Target.target_or_current(other) is other
        assert Target.target_or_current("c") == Target("c")
        with pytest.raises(ValueError, match="there is no current target"):
            Target.target_or_current(None)

    def test_it_is_left_when_the_block_raises(self) -> None:
        with pytest.raises(KeyError), Target("c"):
            raise KeyError
        assert Target.current() is None

    def test_another_thread_has_its_own(self) -> None:
        seen: list[Target | None] = []
        with Target("c"):
            thread = threading.Thread(target=lambda: seen.append(Target.current()))
            thread.start()
            thread.join()
        assert seen == [None]
