"""Pull a base by digest. What is not pinned is not pulled; a wrong digest is an error and never a silent other route."""

import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from docker.errors import APIError

from tvm.error import ImageError
from tvm.matrix.engine import Progress
from tvm.matrix.engine.client import Client, engine_errors, explanation, inspect_image

# Seconds until the first word of a registry, and between two words.
_FIRST, _NEXT = 20.0, 120.0
# Seconds to wait before each new try of a pull that broke.
_BACKOFF = (1.0, 3.0, 9.0)

# What the engine says of a registry that is not reachable from here.
_ABSENT = re.compile(
    r"no word from the registry|no such host|server misbehaving|connection refused|network is unreachable|no route to host|x509|proxyconnect"
    r"|gave HTTP response to HTTPS client|temporary failure in name resolution|Forbidden",
    re.IGNORECASE,
)
# What it says of one that is, but stumbles.
_FLAKY = re.compile(
    r"\bEOF\b|connection reset|handshake timeout|i/o timeout|Client\.Timeout|request canceled|deadline exceeded|toomanyrequests"
    r"|\b(429|500|502|503|504)\b|broken pipe",
    re.IGNORECASE,
)


class NoAnswer(Exception):
    """No registry gives the image here; the text says why."""


def pull(client: Client, repository: str, digest: str, progress: Progress) -> str:
    """Pull `repository`@`digest` and return the image's ID; NoAnswer if no registry answers, ImageError if it has no such image."""
    reference = f"{repository}@{digest}"
    progress(f"pull {reference}")
    why = _once(client, reference)
    for pause in _BACKOFF:
        if not why or not _FLAKY.search(why) or _ABSENT.search(why):
            break
        progress(f"pull {reference}: {why}; again in {pause:g} s")
        time.sleep(pause)
        why = _once(client, reference)
    if why:
        raise _verdict(reference, why)
    return _checked(client, reference, digest)


def _verdict(reference: str, why: str) -> Exception:
    if _ABSENT.search(why) or _FLAKY.search(why):
        return NoAnswer(f"the registry did not give {reference}: {why}")
    msg = f"the registry answered, but does not give {reference}: {why}"
    return ImageError(
        msg, fix="correct the suite's image and digest in matrix.yaml (source says where the pin was read)"
    )


def _checked(client: Client, reference: str, digest: str) -> str:
    found = inspect_image(client, reference)
    if found is None or not any(name.endswith(f"@{digest}") for name in found.get("RepoDigests") or ()):
        msg = f"the engine pulled {reference}, but the image it has now is another one"
        raise ImageError(msg, fix="pull it by hand and compare `docker image inspect`")
    return str(found["Id"])


def _once(client: Client, reference: str) -> str:
    """Pull once; return why it failed, or nothing."""
    with engine_errors(f"pull {reference}"):
        try:
            for message in _timed(client, reference):
                if "error" in message:
                    return str(message["error"])
        except APIError as error:
            return explanation(error)
    return ""


def _timed(client: Client, reference: str) -> Iterator[Mapping[str, Any]]:
    """Yield what the engine says, and an error message of our own when it says nothing for too long."""
    box: queue.Queue[Mapping[str, Any] | Exception | None] = queue.Queue()
    # The request cannot be given a limit until the head of its answer is there; a thread that hangs in it is left behind.
    threading.Thread(target=_listen, args=(client, reference, box), daemon=True).start()
    limit = _FIRST
    while True:
        try:
            message = box.get(timeout=limit)
        except queue.Empty:
            yield {"error": f"no word from the registry for {limit:g} s"}
            return
        if message is None:
            return
        if isinstance(message, Exception):
            raise message
        yield message
        limit = _NEXT


def _listen(client: Client, reference: str, box: "queue.Queue[Mapping[str, Any] | Exception | None]") -> None:
    try:
        for message in client.pull(reference, stream=True, decode=True):
            box.put(message)
    except Exception as error:  # noqa: BLE001 - raised again by the thread that waits
        box.put(error)
    box.put(None)
