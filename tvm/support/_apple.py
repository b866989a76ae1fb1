"""Apple's SDKs: how clang and metal are told the lowest system version, and which Metal language each system has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tvm.error import ConfigError

_VERSION = re.compile(r"\d+(\.\d+){0,2}")
# The language of the seed: the first with simdgroup_matrix.
_LANGUAGE = "2.3"
# Each language with the first macOS and the first iOS that run it.
# Source: Metal Shading Language Specification, "Compiler Options Controlling the Language Version".
_LANGUAGES = {
    "1.1": ("10.11", "9.0"),
    "1.2": ("10.12", "10.0"),
    "2.0": ("10.13", "11.0"),
    "2.1": ("10.14", "12.0"),
    "2.2": ("10.15", "13.0"),
    "2.3": ("11.0", "14.0"),
    "2.4": ("12.0", "15.0"),
    "3.0": ("13.0", "16.0"),
    "3.1": ("14.0", "17.0"),
    "3.2": ("15.0", "18.0"),
    "4.0": ("26.0", "26.0"),
}


@dataclass(frozen=True, kw_only=True)
class Sdk:
    """An SDK as xcrun calls it, the option that names the lowest system version, and its default ("": the SDK's own)."""

    name: str
    system: str
    option: str
    minimum: str = ""

    def least(self, version: str | None) -> list[str]:
        """Return the option that names the lowest system version that a library is to run on. ConfigError for no version."""
        chosen = _checked(version) or self.minimum
        return [f"{self.option}={chosen}"] if chosen else []

    def metal(self, version: str | None, language: str | None) -> list[str]:
        """Return metal's options for a lowest system version and a language.

        Without a language it is 2.3, or the newest that the version has. ConfigError for a language that it has not.
        """
        given = _checked(version)
        chosen = language or self._language(given)
        first = self._first(chosen)
        if given and _number(given) < _number(first):
            msg = f"Metal {chosen} needs {self.system} {first}, and min_os_version is {given}"
            raise ConfigError(msg, fix=f"pass min_os_version={first!r} or later, or an older language")
        name = f"{self.system.lower()}-metal{chosen}" if _number(chosen) < (3,) else f"metal{chosen}"
        # Without a version macOS stays the SDK's; the option for iOS has to be there, and the language says from where on.
        oldest = given or (first if self.minimum else "")
        return [f"-std={name}", *([f"{self.option}={oldest}"] if oldest else [])]

    def _language(self, version: str) -> str:
        had = [name for name in _LANGUAGES if not version or _number(self._first(name)) <= _number(version)]
        if not had:
            oldest = next(iter(_LANGUAGES))
            msg = f"{self.system} {version} has no Metal that can be compiled for it"
            raise ConfigError(msg, fix=f"pass min_os_version={self._first(oldest)!r} or later")
        return min(had[-1], _LANGUAGE, key=_number)

    def _first(self, language: str) -> str:
        if language not in _LANGUAGES:
            msg = f"no Metal language: {language!r}"
            raise ConfigError(msg, fix=f"one of: {', '.join(_LANGUAGES)}")
        return _LANGUAGES[language][0 if self.system == "macOS" else 1]


_SDKS: Mapping[str, Sdk] = {
    sdk.name: sdk
    for sdk in (
        Sdk(name="macosx", system="macOS", option="-mmacosx-version-min"),
        Sdk(name="iphoneos", system="iOS", option="-mios-version-min", minimum="13.0"),
        Sdk(name="iphonesimulator", system="iOS", option="-mios-simulator-version-min", minimum="13.0"),
    )
}


def find(name: str) -> Sdk:
    """Return an SDK by xcrun's name. ConfigError for another one."""
    if name not in _SDKS:
        msg = f"Unsupported sdk: {name}"
        raise ConfigError(msg, fix=f"one of: {', '.join(_SDKS)}")
    return _SDKS[name]


def _checked(version: str | None) -> str:
    if version and not _VERSION.fullmatch(version):
        msg = f"no system version: {version!r}"
        raise ConfigError(msg, fix="write it as 13 or 13.0")
    return version or ""


def _number(version: str) -> tuple[int, ...]:
    # 13 is 13.0.
    parts = [int(part) for part in version.split(".")]
    while parts[1:] and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
