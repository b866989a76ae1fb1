"""Devices of one type, asked of the vendor's library or tool: what a backend registers as its device API."""

import ctypes
import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tvm.error import CompileError, DeviceError, ToolNotFound
from tvm.runtime.device_api import Attribute
from tvm.support import library

# The longest that a driver may take to say what devices it has, in seconds.
LIMIT = 60.0


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a vendor's library or tool says: its devices, or why there is none; and which library or tool that is."""

    devices: tuple[Mapping[str, Attribute], ...] = ()
    why: str = ""
    asked: str = ""
    version: str = ""


class Devices:
    """A DeviceAPI that asks once. A library is asked in a process of its own: a driver changes the process that it is used in.

    `ask` must be a function of a module, for that process to find it.
    """

    def __init__(self, device_type: str, ask: Callable[[], Found], *, isolated: bool = True) -> None:
        self._type = device_type
        self._ask = ask
        self._isolated = isolated
        self._found: Found | None = None
        self._lock = threading.Lock()

    def count(self) -> int:
        """Return how many devices there are."""
        return len(self._answer().devices)

    def why_none(self) -> str:
        """Return why there is none, or "" if there is one."""
        answer = self._answer()
        return "" if answer.devices else answer.why

    def attributes(self, index: int) -> Mapping[str, Attribute]:
        """Return what is known of a device. DeviceError for a number that none has."""
        answer = self._answer()
        if index not in range(len(answer.devices)):
            msg = f"there is no device {self._type}:{index}: {answer.why or f'there are {len(answer.devices)}'}"
            raise DeviceError(msg)
        return answer.devices[index]

    def refresh(self) -> None:
        """Ask again at the next call."""
        with self._lock:
            self._found = None

    def _answer(self) -> Found:
        with self._lock:
            if self._found is None:
                self._found = self._in_child() if self._isolated else self._here()
            return self._found

    def _here(self) -> Found:
        try:
            return self._ask()
        except (CompileError, ToolNotFound) as error:
            return Found(why=str(error))

    def _in_child(self) -> Found:
        try:
            outcome = library.call(
                _outcome,
                self._ask,
                name=f"{self._type} devices",
                options=[],
                inputs={},
                heading=f"The {self._type} driver failed",
                timeout=LIMIT,
            )
        except CompileError as error:
            return Found(why=str(error))
        told = json.loads(outcome.products["devices"])
        return Found(devices=tuple(told), why=outcome.log, asked=outcome.path, version=outcome.version)


def _outcome(ask: Callable[[], Found]) -> library.Outcome:
    found = ask()
    devices = json.dumps([dict(device) for device in found.devices]).encode()
    # What no library was found for was asked of this Python.
    path = found.asked or sys.executable
    return library.Outcome(code=0, log=found.why, path=path, version=found.version, products={"devices": devices})


def open_first(names: Sequence[str]) -> ctypes.CDLL | None:
    """Open the first of these shared libraries that the system's loader finds."""
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(name)
    return None


def file_of(loaded: ctypes.CDLL, symbol: str) -> str:
    """Return the file that a symbol of an open library stands in; "" where the system does not say."""
    if not sys.platform.startswith("linux"):
        return ""
    information = _DlInfo()
    address = ctypes.cast(getattr(loaded, symbol), ctypes.c_void_p)
    done = ctypes.CDLL(None).dladdr(address, ctypes.byref(information))
    return (information.file or b"").decode() if done else ""


class _DlInfo(ctypes.Structure):
    """What dladdr(3) fills."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )
    file: bytes | None
