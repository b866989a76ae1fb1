import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.error import ConfigError
from tvm.support import _apple

_SDKS = ("macosx", "iphoneos", "iphonesimulator")


@pytest.mark.parametrize(
    ("sdk", "version", "expected"),
    [
        ("macosx", None, []),
        ("macosx", "", []),
        ("macosx", "11.0", ["-mmacosx-version-min=11.0"]),
        ("iphoneos", None, ["-mios-version-min=13.0"]),
        ("iphoneos", "16", ["-mios-version-min=16"]),
        ("iphonesimulator", None, ["-mios-simulator-version-min=13.0"]),
        ("iphonesimulator", "15.2.1", ["-mios-simulator-version-min=15.2.1"]),
    ],
)
def test_the_lowest_version_has_an_option_of_each_system(sdk: str, version: str | None, expected: list[str]) -> None:
    """In the seed the simulator gets the phone's, and macOS an empty word."""
    assert _apple.find(sdk).least(version) == expected


@pytest.mark.parametrize(
    ("sdk", "version", "language", "expected"),
    [
        ("macosx", None, None, ["-std=macos-metal2.3"]),
        ("macosx", "14.0", None, ["-std=macos-metal2.3", "-mmacosx-version-min=14.0"]),
        ("macosx", "10.15", None, ["-std=macos-metal2.2", "-mmacosx-version-min=10.15"]),
        ("macosx", "10.15.7", None, ["-std=macos-metal2.2", "-mmacosx-version-min=10.15.7"]),
        ("macosx", None, "3.1", ["-std=metal3.1"]),
        ("macosx", "15", "3.2", ["-std=metal3.2", "-mmacosx-version-min=15"]),
        ("iphoneos", None, None, ["-std=ios-metal2.3", "-mios-version-min=14.0"]),
        ("iphoneos", "13.0", None, ["-std=ios-metal2.2", "-mios-version-min=13.0"]),
        ("iphoneos", None, "2.4", ["-std=ios-metal2.4", "-mios-version-min=15.0"]),
        ("iphoneos", "26.0", "4.0", ["-std=metal4.0", "-mios-version-min=26.0"]),
        ("iphonesimulator", None, None, ["-std=ios-metal2.3", "-mios-simulator-version-min=14.0"]),
    ],
)
def test_metal_gets_a_language_that_the_system_has(
    sdk: str, version: str | None, language: str | None, expected: list[str]
) -> None:
    assert _apple.find(sdk).metal(version, language) == expected


@pytest.mark.parametrize(
    ("sdk", "version", "language", "said"),
    [
        ("macosx", "12.0", "3.0", "Metal 3.0 needs macOS 13.0, and min_os_version is 12.0"),
        ("iphoneos", "13.7", "2.3", "Metal 2.3 needs iOS 14.0"),
        ("iphoneos", "8.4", None, "iOS 8.4 has no Metal that can be compiled for it"),
        ("macosx", None, "2.9", "no Metal language: '2.9'"),
        ("macosx", "eleven", None, "no system version: 'eleven'"),
        ("macosx", "11; rm -rf x", "2.3", "no system version"),
    ],
)
def test_what_does_not_fit_together_is_refused(sdk: str, version: str | None, language: str | None, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        _apple.find(sdk).metal(version, language)
    assert error.value.fix


def test_an_unknown_sdk_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"Unsupported sdk: appletvos(?s:.*)macosx, iphoneos, iphonesimulator"):
        _apple.find("appletvos")


@given(st.sampled_from(_SDKS), st.integers(min_value=9, max_value=40), st.integers(min_value=0, max_value=20))
def test_a_later_system_never_gets_an_older_language(sdk: str, major: int, minor: int) -> None:
    found = _apple.find(sdk)
    older, newer = (
        _language(found.metal(version, None)) for version in (f"{max(major, 11)}.{minor}", f"{max(major, 11) + 1}.0")
    )
    assert older <= newer <= 2.3


def _language(options: list[str]) -> float:
    return float(options[0].partition("metal")[2])
