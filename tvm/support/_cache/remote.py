"""The remote tier: a second store behind any URL that fsspec knows, which several machines share.

It is off unless TVM_COMPILE_CACHE_REMOTE is set, and only read unless asked otherwise. Each entry carries an HMAC over its kind, its
name and its bytes, with a secret that only those who may put entries there have: nothing is looked at before that is right.
"""

import hashlib
import hmac
import json
import logging
import os
import stat
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tvm.error import ConfigError, ToolNotFound
from tvm.support._cache import settings, states
from tvm.support._cache.states import State
from tvm.support._cache.store import File, Product, Store

_log = logging.getLogger("tvm.support.cache")

_LENGTH = 32
_FIX = "pip install 'tvm-matrix[cache]', and what fsspec asks for that URL (s3fs, gcsfs)"
# How long a tier that has failed is left alone, in seconds: a compile must not wait for it each time.
_REST = 60.0
_failed_at: dict[str, float] = {}


@dataclass(frozen=True, kw_only=True)
class Tier:
    """A remote store: its file system, its root there, the secret, whether products are put into it."""

    url: str
    system: Any
    root: str
    secret: bytes
    writes: bool

    def get(self, kind: str, name: str) -> bytes | None:
        """Return an entry whose HMAC is right, else None."""
        try:
            data = bytes(self.system.cat_file(self._path(kind, name)))
        except FileNotFoundError:
            return None
        signature, payload = data[:_LENGTH], data[_LENGTH:]
        if hmac.compare_digest(signature, self._sign(kind, name, payload)):
            return payload
        _log.warning("the remote compile cache has an entry without a valid signature: %s/%s", kind, name)
        return None

    def put(self, kind: str, name: str, payload: bytes) -> None:
        """Write an entry."""
        path = self._path(kind, name)
        self.system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.system.pipe_file(path, self._sign(kind, name, payload) + payload)

    def _path(self, kind: str, name: str) -> str:
        return f"{self.root.rstrip('/')}/{kind}/{name[:2]}/{name}"

    def _sign(self, kind: str, name: str, payload: bytes) -> bytes:
        return hmac.new(self.secret, f"{kind}/{name}\0".encode() + payload, hashlib.sha256).digest()


def tier() -> Tier | None:
    """Return the remote tier in force, None if there is none. ConfigError where it is set up wrongly."""
    url = settings.remote_url()
    if not url:
        return None
    secret = _secret(settings.remote_key_file())
    writes = settings.remote_writes()
    if time.monotonic() - _failed_at.get(url, -_REST) < _REST:
        return None
    system, root = _system(url)
    return Tier(url=url, system=system, root=root, secret=secret, writes=writes)


def load(opened: Store, key: str, *, keep: bool) -> Product | None:
    """Return a product of the remote tier, if all that it was made from is the same here; with `keep` it is put into the store."""
    chosen = tier()
    if chosen is None:
        return None
    try:
        return _load(chosen, opened, key, keep=keep)
    except Exception as error:  # noqa: BLE001 - each file system has exceptions of its own
        _rest(chosen, error)
        return None


def save(opened: Store, key: str) -> None:
    """Put a product that the store has just been given into the remote tier too, if that is asked for."""
    chosen = tier()
    if chosen is None or not chosen.writes:
        return
    try:
        _save(chosen, opened, key)
    except Exception as error:  # noqa: BLE001 - each file system has exceptions of its own
        _rest(chosen, error)


def _load(chosen: Tier, opened: Store, key: str, *, keep: bool) -> Product | None:
    manifest = chosen.get("manifests", key)
    for entry in json.loads(manifest) if manifest else []:
        made_from = _here(entry["from"])
        product = _product(chosen, entry["result"]) if made_from is not None else None
        if made_from is not None and product is not None:
            if keep:
                with suppress(OSError):
                    opened.save(key, product, made_from)
            return product
    return None


def _here(listed: Sequence[list[Any]]) -> list[State] | None:
    """Return the states as they are on this machine, None if any differs in more than its times."""
    if not states.all_hold(listed):
        return None
    found = []
    for state in map(State.of_json, listed):
        fresh = states.again(state)
        if fresh.digest != state.digest or fresh.kind != state.kind:
            return None
        found.append(fresh)
    return found


def _product(chosen: Tier, result: str) -> Product | None:
    described = chosen.get("results", result)
    if described is None:
        return None
    said = json.loads(described)
    files = {}
    for name, (digest, _, executable) in said["files"].items():
        data = chosen.get("blobs", digest)
        if data is None or hashlib.sha256(data).hexdigest() != digest:
            return None
        files[name] = File(data=data, executable=executable)
    return Product(files=files, about=said["about"])


def _save(chosen: Tier, opened: Store, key: str) -> None:
    entries = opened.entries(key)
    result = entries[0]["result"]
    described = opened.sealed("results", result)
    for digest, size, _ in described["files"].values():
        chosen.put("blobs", digest, opened.blob(digest, size) or b"")
    chosen.put("results", result, json.dumps(described).encode())
    # Last: whoever finds it finds all of it.
    chosen.put("manifests", key, json.dumps(entries).encode())


def _rest(chosen: Tier, error: Exception) -> None:
    _failed_at[chosen.url] = time.monotonic()
    _log.warning("the remote compile cache fails, and is left alone for %d s: %s", _REST, error)


@lru_cache(maxsize=4)
def _system(url: str) -> tuple[Any, str]:
    try:
        fsspec = import_module("fsspec")
    except ImportError as error:
        msg = f"{settings.REMOTE} is set, and fsspec is not installed"
        raise ToolNotFound(msg, fix=_FIX) from error
    try:
        system, root = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        msg = f"{settings.REMOTE} is no URL that fsspec knows here: {error}"
        raise ConfigError(msg, fix=_FIX) from error
    return system, str(root)


def _secret(file: Path) -> bytes:
    try:
        status, data = file.stat(), file.read_bytes()
    except OSError as error:
        msg = f"cannot read {file}, which {settings.REMOTE_KEY} names: {error.strerror}"
        raise ConfigError(msg, fix="put 32 or more random bytes into it, readable by you alone") from error
    if sys.platform != "win32" and (stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid not in {os.getuid(), 0}):
        msg = f"{file}, which {settings.REMOTE_KEY} names, is open to others"
        raise ConfigError(msg, fix=f"chmod 600 {file}")
    if len(data) < _LENGTH:
        msg = f"{file}, which {settings.REMOTE_KEY} names, holds fewer than {_LENGTH} bytes"
        raise ConfigError(msg, fix=f"head -c {_LENGTH} /dev/urandom > {file}")
    return data
