"""The environment variables of the compile cache, read at call time."""

import os
import re
from enum import Enum
from functools import lru_cache
from pathlib import Path

import platformdirs

from tvm.error import ConfigError

MODE = "TVM_COMPILE_CACHE"
FOLDER = "TVM_COMPILE_CACHE_DIR"
LIMIT = "TVM_COMPILE_CACHE_SIZE"
REMOTE = "TVM_COMPILE_CACHE_REMOTE"
REMOTE_MODE = "TVM_COMPILE_CACHE_REMOTE_MODE"
REMOTE_KEY = "TVM_COMPILE_CACHE_REMOTE_KEY_FILE"

_DEFAULT_LIMIT = 5 << 30
_SIZE = re.compile(r"(\d{1,15})\s*([KMGT]?)(i?B)?", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class Mode(Enum):
    """Whether products are taken from the cache, and put into it."""

    OFF = "off"
    READ = "read"
    ON = "on"


_MODES = {known.value: known for known in Mode}


def mode() -> Mode:
    """Return the mode. ConfigError for a value that is none."""
    text = os.environ.get(MODE, "").strip().lower() or "on"
    if found := _MODES.get(text):
        return found
    msg = f"{MODE} is {text!r}"
    raise ConfigError(msg, fix="set it to off, read or on, or unset it")


def folder() -> Path:
    """Return the cache's folder, which need not be there yet. ConfigError for a relative path."""
    given = os.environ.get(FOLDER, "").strip()
    if not given:
        return _default_folder(os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))
    return _given_folder(given)


def limit() -> int:
    """Return how large the cache may grow, in bytes. ConfigError for a size that cannot be read."""
    text = os.environ.get(LIMIT, "").strip()
    if not text:
        return _DEFAULT_LIMIT
    hit = _SIZE.fullmatch(text)
    if hit is None:
        msg = f"{LIMIT} is no size: {text!r}"
        raise ConfigError(msg, fix="give bytes, or a number with K, M, G or T, such as 5G")
    return int(hit[1]) << _UNITS[hit[2].upper()]


def remote_url() -> str:
    """Return the URL of the remote tier, "" for none."""
    return os.environ.get(REMOTE, "").strip()


def remote_writes() -> bool:
    """Tell whether products are put into the remote tier too. ConfigError for a value that is no mode."""
    text = os.environ.get(REMOTE_MODE, "").strip().lower() or "read"
    if text not in {"read", "write"}:
        msg = f"{REMOTE_MODE} is {text!r}"
        raise ConfigError(msg, fix="set it to read or write, or unset it")
    return text == "write"


def remote_key_file() -> Path:
    """Return the file with the secret that the remote tier's entries are signed with. ConfigError where none is named."""
    given = os.environ.get(REMOTE_KEY, "").strip()
    if not given or not Path(given).is_absolute():
        msg = f"{REMOTE} is set, but {REMOTE_KEY} names no file: nothing is loaded without a signature"
        raise ConfigError(
            msg, fix=f"put 32 or more random bytes into a file of yours and set {REMOTE_KEY} to its absolute path"
        )
    return Path(given)


@lru_cache(maxsize=4)
def _given_folder(given: str) -> Path:
    if not Path(given).is_absolute():
        msg = f"{FOLDER} is {given!r}, a relative path: it would mean another folder in each current directory"
        raise ConfigError(msg, fix="give an absolute path, or unset it")
    return Path(given)


@lru_cache(maxsize=4)
def _default_folder(_xdg: str, _home: str) -> Path:
    return platformdirs.user_cache_path("tvm-matrix", appauthor=False) / "compile"
