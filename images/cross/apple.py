"""Lay out a stand-in for Xcode: apple.py FOLDER SYMBOLS.

FOLDER/bin/xcrun finds clang and the SDKs as Apple's does, FOLDER/bin/clang is Debian's clang with lld for Apple's systems, and
FOLDER/NAME.sdk is a list of the symbols that a library may be linked with. There are no headers, no Metal, no Core ML.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

NOTES = Path("/usr/share/tvm-matrix/notes")
NOTICE = "xcrun and Apple's SDKs are stand-ins: Debian's clang and lld, and lists of symbols; no headers, no Metal."
BINDER = "dyld_stub_binder"
# What Apple's clang does without being told: its target is an Apple system, and -arch and the minimum version say which.
CLANG = """\
#!/bin/sh
exec /usr/bin/clang --target=x86_64-apple-darwin -fuse-ld=lld "$@"
"""
# Exit code and words of Apple's xcrun for a tool that is not there.
XCRUN = """\
#!/bin/sh
# A stand-in for Apple's xcrun, see images/cross/apple.py.
sdk=MacOSX
while [ $# -gt 0 ]; do
    case $1 in
    -sdk | --sdk)
        case $2 in
        macosx) sdk=MacOSX ;;
        iphoneos) sdk=iPhoneOS ;;
        iphonesimulator) sdk=iPhoneSimulator ;;
        *)
            echo "xcrun: error: SDK \\"$2\\" cannot be located" >&2
            exit 1
            ;;
        esac
        shift 2
        ;;
    -version | --version)
        echo "xcrun version 1.0 (a stand-in)"
        exit
        ;;
    -show-sdk-path | --show-sdk-path)
        echo "{folder}/$sdk.sdk"
        exit
        ;;
    -find | --find)
        find=1
        shift
        ;;
    *) break ;;
    esac
done
if [ ! -x "{folder}/bin/$1" ]; then
    echo "xcrun: error: unable to find utility \\"$1\\", not a developer tool or in PATH" >&2
    exit 72
fi
if [ -n "${{find:-}}" ]; then
    echo "{folder}/bin/$1"
    exit
fi
tool=$1
shift
exec "{folder}/bin/$tool" "$@"
"""


@dataclass(frozen=True, kw_only=True)
class Sdk:
    """An SDK: its folder's name, what xcrun and clang call it, its version, the targets of its libraries."""

    folder: str
    name: str
    version: str
    targets: tuple[str, ...]


SDKS = (
    Sdk(folder="MacOSX", name="macosx", version="15.0", targets=("arm64-macos", "x86_64-macos")),
    Sdk(folder="iPhoneOS", name="iphoneos", version="18.0", targets=("arm64-ios",)),
    Sdk(
        folder="iPhoneSimulator",
        name="iphonesimulator",
        version="18.0",
        targets=("arm64-ios-simulator", "x86_64-ios-simulator"),
    ),
)


def main(folder: Path, symbols: Path) -> None:
    """Make the whole tree."""
    names = read_symbols(symbols)
    write_program(folder / "bin" / "clang", CLANG)
    write_program(folder / "bin" / "xcrun", XCRUN.format(folder=folder))
    for sdk in SDKS:
        root = folder / f"{sdk.folder}.sdk"
        write(root / "SDKSettings.json", settings(sdk))
        write(root / "usr" / "lib" / "libSystem.tbd", library(sdk, names))
        # -lm is libSystem too.
        (root / "usr" / "lib" / "libm.tbd").symlink_to("libSystem.tbd")
    write(NOTES / "apple", NOTICE + "\n")


def read_symbols(path: Path) -> list[str]:
    """Return the symbols of what symbols.txt names in C, sorted, and dyld's own, which has no underscore."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return sorted([*(f"_{name}" for line in lines if not line.startswith("#") for name in line.split()), BINDER])


def settings(sdk: Sdk) -> str:
    """Return what clang reads of an SDK: its version becomes part of every file."""
    said = {
        "CanonicalName": f"{sdk.name}{sdk.version}",
        "MaximumDeploymentTarget": f"{sdk.version}.99",
        "Version": sdk.version,
    }
    return json.dumps(said) + "\n"


def library(sdk: Sdk, names: list[str]) -> str:
    """Return libSystem as a text-based stub of one SDK."""
    targets, symbols = ", ".join(sdk.targets), ", ".join(f"'{name}'" for name in names)
    return f"""\
--- !tapi-tbd
tbd-version: 4
targets: [ {targets} ]
install-name: '/usr/lib/libSystem.B.dylib'
exports:
  - targets: [ {targets} ]
    symbols: [ {symbols} ]
...
"""


def write_program(path: Path, text: str) -> None:
    """Write a script that anybody may run."""
    write(path, text)
    path.chmod(0o755)


def write(path: Path, text: str) -> None:
    """Write a text; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
