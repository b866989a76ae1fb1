"""A wrong clock for one process and what it starts: Debian's libfaketime. The machine's own clock is never touched."""

from dataclasses import dataclass
from pathlib import Path

from tests.e2e import debian
from tests.e2e.project import HERE

_LIBRARY = "faketime/libfaketime.so.1"
_FOLDERS = (Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib/aarch64-linux-gnu"))


@dataclass(frozen=True, kw_only=True)
class Clock:
    """A clock that is right until it jumps. `file` says how far it is off; the library reads it at every question."""

    library: Path
    file: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to go by this clock. Its monotonic clock stays right, as a real one does at a jump."""
        return {
            "LD_PRELOAD": str(self.library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            # The library takes the moment at which Python's sleep ends for one of the other clock, and refuses it.
            "PYTHONPATH": str(HERE / "sleeps"),
        }

    def jump(self, offset: str) -> None:
        """Be off by an offset from now on: "+2d", "-3h"."""
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{offset}\n", encoding="ascii")
        beside.replace(self.file)


def right(file: Path) -> Clock:
    """Return a clock that is right; `file` is where it will be read from."""
    clock = Clock(library=_install(), file=file)
    clock.jump("+0")
    return clock


def _install() -> Path:
    """Install the library where it is missing, and return its path."""
    if not (found := _found()):
        debian.install("libfaketime")
        found = _found()
    assert found, "the package libfaketime has no such library"
    return found[0]


def _found() -> list[Path]:
    return [folder / _LIBRARY for folder in _FOLDERS if (folder / _LIBRARY).is_file()]
