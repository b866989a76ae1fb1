"""Debian packages that a test needs on this machine."""

import os

from tvm.support import process

# Seconds for one call of apt-get.
_LIMIT = 600.0


def install(*packages: str, limit: float = _LIMIT) -> None:
    """Install packages without what they only recommend."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages]):
        process.run(["apt-get", *words], env=environment, timeout=limit)
