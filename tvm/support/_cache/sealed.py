"""Files with a checksum in front: what was cut off, changed or mixed up on the disk is never read."""

import hashlib
import json
from typing import Any

_MAGIC = b"tvm-cache 1\n"
_DIGEST = 32


class DamagedError(Exception):
    """A file is not what was written."""


def wrap(value: object) -> bytes:
    """Return a JSON value as bytes with their checksum."""
    payload = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    return _MAGIC + hashlib.sha256(payload).digest() + payload


def unwrap(data: bytes) -> Any:
    """Return the JSON value, or raise DamagedError."""
    head, payload = data[: len(_MAGIC) + _DIGEST], data[len(_MAGIC) + _DIGEST :]
    if head != _MAGIC + hashlib.sha256(payload).digest():
        raise DamagedError
    return json.loads(payload)
