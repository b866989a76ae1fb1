#!/usr/bin/python3
"""Download one file: fetch.py URL SHA256 OUT. OUT appears complete and with the right sum, or not at all.

Certificates are those that SSL_CERT_FILE names, else the system's. Exit code 1 with one sentence says what went wrong.
"""

import hashlib
import http.client
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import BinaryIO

# Seconds without a byte, seconds for the whole file, and the largest file that is taken.
STALL_LIMIT = 30.0
TOTAL_LIMIT = 1800.0
SIZE_LIMIT = 4 << 30
BLOCK = 1 << 20


class FetchError(Exception):
    """The file did not come as it should."""


def main(arguments: list[str]) -> int:
    """Fetch; 0, 1 for a failed download, 2 for wrong arguments."""
    if len(arguments) != 3:  # noqa: PLR2004 - the three of the usage line
        print("usage: fetch.py URL SHA256 OUT", file=sys.stderr)
        return 2
    url, sha256, out = arguments
    try:
        fetch(url, sha256, Path(out))
    except FetchError as error:
        print(f"fetch: {error}", file=sys.stderr)
        return 1
    return 0


def fetch(url: str, sha256: str, out: Path) -> None:
    """Write the file at `url` to `out` if its sum is `sha256` (hex)."""
    if not url.startswith("https://"):
        msg = f"{url}: only https is taken"
        raise FetchError(msg)
    draft = out.with_name(f".{out.name}.part")
    try:
        seen = download(url, draft)
        if seen != sha256:
            msg = f"{url}: sha256 is {seen}, the pin says {sha256}; nothing was kept"
            raise FetchError(msg)
        draft.replace(out)
    except (OSError, http.client.HTTPException) as error:
        msg = f"{url}: {error}"
        raise FetchError(msg) from error
    finally:
        draft.unlink(missing_ok=True)


def download(url: str, draft: Path) -> str:
    """Write what `url` gives to `draft` and return its sha256 in hex."""
    with urllib.request.urlopen(url, timeout=STALL_LIMIT) as answer, draft.open("wb") as file:  # noqa: S310 - https, checked above
        length = answer.headers.get("Content-Length")
        size, seen = copy(answer, file, url)
    if length is not None and size != int(length):
        msg = f"{url}: cut off after {size} of {length} bytes; nothing was kept"
        raise FetchError(msg)
    return seen


def copy(source: BinaryIO, file: BinaryIO, url: str) -> tuple[int, str]:
    """Copy to the end within the limits; return the size in bytes and the sha256 in hex."""
    sha, size, end = hashlib.sha256(), 0, time.monotonic() + TOTAL_LIMIT
    while block := source.read(BLOCK):
        size += len(block)
        if size > SIZE_LIMIT or time.monotonic() > end:
            msg = f"{url}: stopped after {size} bytes: over the limit of {SIZE_LIMIT} bytes or {TOTAL_LIMIT:g} s"
            raise FetchError(msg)
        file.write(block)
        sha.update(block)
    return size, sha.hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
