import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.error import ConfigError
from tvm.support import _gfx


@pytest.mark.parametrize(
    ("text", "version", "isa"),
    [
        ("gfx900", (9, 0, 0), "900"),
        ("gfx90a", (9, 0, 10), "90a"),
        ("gfx942", (9, 4, 2), "942"),
        ("gfx1100", (11, 0, 0), "1100"),
        ("gfx1201", (12, 0, 1), "1201"),
        ("gfx9-4-generic", (9, 4, None), "9-4-generic"),
        ("gfx11-generic", (11, 0, None), "11-generic"),
    ],
)
def test_a_processor_is_read(text: str, version: tuple[int, int, int | None], isa: str) -> None:
    gfx = _gfx.parse(text)
    assert (gfx.major, gfx.minor, gfx.stepping) == version
    assert (gfx.processor, gfx.isa, gfx.features) == (text, isa, ())


def test_features_are_put_in_order() -> None:
    assert _gfx.parse("gfx90a:xnack-:sramecc+").target_id == "gfx90a:sramecc+:xnack-"


@given(st.integers(1, 99), st.integers(0, 15), st.integers(0, 15))
def test_every_version_is_read_as_it_is_written(major: int, minor: int, stepping: int) -> None:
    gfx = _gfx.parse(f"gfx{major}{minor:x}{stepping:x}")
    assert (gfx.major, gfx.minor, gfx.stepping) == (major, minor, stepping)


@pytest.mark.parametrize(
    "text", ["", "gfx", "gfx9", "sm_90", "GFX90A", "gfx90a:xnack", "gfx942:fast+", "gfx90a ", "gfx$(x)"]
)
def test_what_is_no_arch_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is no AMD GPU arch"):
        _gfx.parse(text)


@given(st.text(max_size=20).filter(lambda text: not text.startswith("gfx")))
def test_any_other_text_is_a_clear_error(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _gfx.parse(text)
    assert repr(text) in caught.value.cause


@pytest.mark.parametrize(
    ("arch", "waves"), [("gfx906", (64,)), ("gfx950", (64,)), ("gfx1030", (32, 64)), ("gfx12-generic", (32, 64))]
)
def test_sizes_of_waves(arch: str, waves: tuple[int, ...]) -> None:
    gfx = _gfx.parse(arch)
    assert gfx.waves == waves
    assert _gfx.wave_size(gfx, None) == waves[0]
    assert [_gfx.wave_size(gfx, wave) for wave in waves] == list(waves)


@pytest.mark.parametrize(("arch", "wave"), [("gfx942", 32), ("gfx1100", 16)])
def test_a_size_that_it_cannot_run_is_refused(arch: str, wave: int) -> None:
    with pytest.raises(ConfigError, match=f"{arch} runs no waves of {wave}"):
        _gfx.wave_size(_gfx.parse(arch), wave)
