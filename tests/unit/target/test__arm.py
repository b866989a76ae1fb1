import pytest

from tvm.target import Target

WIDE = {"has_asimd", "is_aarch64"}


def features(**config: object) -> set[str]:
    attrs = Target({"kind": "llvm", **config}).attrs
    return {name.removeprefix("feature.") for name, value in attrs.items() if name.startswith("feature.") and value}


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        ("aarch64-linux-gnu", WIDE),
        ("arm64-apple-macos", {"has_asimd"}),
        ("armv7a-linux-gnueabi", {"has_asimd"}),
        ("arm-linux-gnueabi", set[str]()),
        ("armv6-linux", set[str]()),
        ("armv9-linux", {"has_asimd", "has_dotprod"}),
        ("x86_64-linux-gnu", set[str]()),
        ("thumbv7em-none-eabi", set[str]()),
    ],
)
def test_what_a_triple_says(triple: str, expected: set[str]) -> None:
    assert features(mtriple=triple) == expected


def test_what_a_processor_is_called_says() -> None:
    v9 = {*WIDE, "has_dotprod", "has_fp16_simd", "has_matmul_i8", "has_sve"}
    assert features(mtriple="aarch64-linux-gnu", mcpu="neoverse-v2") == v9
    assert features(mtriple="arm-linux-gnueabi", mcpu="cortex-a9") == {"has_asimd"}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (["+sme", "+i8mm"], {*WIDE, "has_fp16_simd", "has_matmul_i8", "has_sme"}),
        (["+sve2"], {*WIDE, "has_fp16_simd", "has_sve"}),
        (["+v8.6a"], {*WIDE, "has_dotprod", "has_matmul_i8"}),
        (["+v9.2a", "-dotprod"], {*WIDE, "has_matmul_i8"}),
        (["+sve", "-sve"], {*WIDE, "has_fp16_simd"}),
        (["+sve", "-fullfp16"], WIDE),
        (["-neon"], {"is_aarch64"}),
        (["+dotprod", "-neon"], {"is_aarch64"}),
        (["-neon", "+dotprod"], {*WIDE, "has_dotprod"}),
        (["neon", "+other"], WIDE),
    ],
)
def test_attributes_are_read_from_left_to_right(attributes: list[str], expected: set[str]) -> None:
    assert features(mtriple="aarch64-linux-gnu", mattr=attributes) == expected


def test_an_attribute_takes_from_a_processor() -> None:
    assert features(mtriple="aarch64-linux-gnu", mcpu="apple-m4", mattr=["-sme"]) == features(
        mtriple="aarch64-linux-gnu", mcpu="apple-m3"
    )


def test_32_bit_code_has_no_scalable_vectors() -> None:
    assert features(mtriple="armv7l-linux-gnueabihf", mattr=["+sve2", "+sme"]) == {"has_asimd"}
    assert "has_sve" not in features(mtriple="arm-linux-gnueabi", mcpu="neoverse-n2")


@pytest.mark.parametrize("kind", ["c", "llvm"])
@pytest.mark.parametrize(
    ("cpu", "dsp", "mve"),
    [
        ("cortex-m0", False, False),
        ("cortex-m7", True, False),
        ("cortex-m7+nodsp", False, False),
        ("cortex-m55", True, True),
        ("cortex-m85+nomve.fp", True, False),
    ],
)
def test_a_microcontroller_has_features_of_its_own(kind: str, cpu: str, dsp: bool, mve: bool) -> None:  # noqa: FBT001 - a table
    target = Target({"kind": kind, "mcpu": cpu})
    assert {name: value for name, value in target.attrs.items() if name.startswith("feature.")} == {
        "feature.has_dsp": dsp,
        "feature.has_mve": mve,
    }
    assert target.keys == ["arm_cpu", "cpu"]


def test_other_processors_have_none() -> None:
    assert Target({"kind": "llvm", "mtriple": "x86_64-linux-gnu"}).keys == ["cpu"]
    assert Target({"kind": "c", "mcpu": "cortex-a53"}).keys == ["cpu"]


def test_the_keys_stand_behind_those_that_are_given() -> None:
    arm = {"kind": "llvm", "mtriple": "aarch64-linux-gnu"}
    assert Target({**arm, "keys": ["cpu", "a"]}).keys == ["cpu", "a", "arm_cpu"]
    assert Target({**arm, "device": "d"}).keys == ["arm_cpu", "cpu", "d"]
