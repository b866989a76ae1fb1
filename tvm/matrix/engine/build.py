"""One image build by the engine's classic builder: its steps as they go, its own output when it fails, nothing left when it is cut off."""

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any, BinaryIO

from docker.errors import NotFound

from tvm.error import EngineError, ImageError, TVMError, VendorError
from tvm.matrix.engine import Progress
from tvm.matrix.engine.client import Client, engine_errors, remove_container, responses
from tvm.support import archive

# Docker and Podman write steps alike: "Step 3/9 : RUN ..." and "STEP 3/9: RUN ...".
_STEP = re.compile(r"step (\d+/\d+) ?: (.*)", re.IGNORECASE)
_RUNNING = re.compile(r" *---> Running in ([0-9a-f]{12,64})")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What the builder says of its own doings within a step.
_NOISE = re.compile(r" *---> |Removing intermediate container ")
# images/base/fetch.py begins its one sentence so.
_FETCH = re.compile(r"^fetch: (.*)$", re.MULTILINE)
_SHOWN_LINES = 60
# Seconds without a word after which a step is given up, and for the engine to remove what a cut-off build was running.
_SILENCE = 3600
_REMOVAL = 10.0


class _Log:
    """What a build says: its steps, the output of the present one, the containers it uses, the image that it gives."""

    def __init__(self, progress: Progress) -> None:
        self.step = "before its first step"
        self.lines: deque[str] = deque(maxlen=_SHOWN_LINES)
        self.containers: list[str] = []
        self.image_id = ""
        self.error = ""
        self._progress = progress
        self._rest = ""

    def read(self, messages: Iterable[Mapping[str, Any]]) -> None:
        for message in messages:
            self._text(str(message.get("stream", "")))
            if aux := message.get("aux"):
                self.image_id = str(aux.get("ID", self.image_id))
            if "error" in message:
                self.error = str(message["error"]).strip()
            elif "message" in message:
                # The SDK does not look at the status of a build's answer: this is the body of a refusal.
                msg = f"the engine refused to build: {message['message']}"
                raise EngineError(msg, fix="nox -s doctor looks for the usual causes")

    @property
    def output(self) -> str:
        """The end of what the present step printed."""
        return "\n".join([*self.lines, *([self._rest] if self._rest else [])])

    def _text(self, text: str) -> None:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            # Docker's builder colours what a step writes to stderr.
            self._line(_COLOUR.sub("", line).rstrip())

    def _line(self, line: str) -> None:
        if step := _STEP.match(line):
            self.step = f"step {step[1]}: {step[2]}"
            self.lines.clear()
            self._progress(self.step)
        elif running := _RUNNING.match(line):
            self.containers.append(running[1])
        elif line and not _NOISE.match(line):
            self.lines.append(line)


def build(
    client: Client,
    heading: str,
    context: BinaryIO,
    progress: Progress,
    *,
    arguments: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    tag: str | None = None,
    fresh: bool = False,
) -> str:
    """Build an image from a tar and return its ID. `heading` names it in errors: "image ndk".

    With `fresh` every step is run, also one whose result the engine has kept. A step that fails is an ImageError with that
    step's output (a download of a vendor: a VendorError). Whatever else ends the build, its containers are gone when this returns.
    """
    log = _Log(progress)
    try:
        with engine_errors(f"build {heading}"), responses(client):
            log.read(_messages(client, context, arguments, labels, tag, fresh=fresh))
    except BaseException:
        # The engine ends a build whose client has gone; wait for that, so that nothing is left when we are gone as well.
        with suppress(EngineError):
            _wait_for_removal(client, log.containers)
        raise
    if log.error or not log.image_id:
        raise _failure(heading, log)
    return log.image_id


def label(client: Client, heading: str, image: str, labels: Mapping[str, str], tag: str) -> str:
    """Put labels and a tag on an image, as one more layer without content; return the new ID."""
    context = BytesIO()
    archive.pack({"Dockerfile": f"FROM {image}\n".encode()}, context, compress=False)
    context.seek(0)
    return build(client, heading, context, lambda _step: None, labels=labels, tag=tag)


def _messages(
    client: Client,
    context: BinaryIO,
    arguments: Mapping[str, str] | None,
    labels: Mapping[str, str] | None,
    tag: str | None,
    *,
    fresh: bool,
) -> Iterator[dict[str, Any]]:
    yield from client.build(
        fileobj=context,
        custom_context=True,
        buildargs=dict(arguments or {}),
        labels=dict(labels or {}),
        tag=tag,
        nocache=fresh,
        network_mode="host",
        rm=True,
        forcerm=True,
        decode=True,
        timeout=_SILENCE,
    )


def _failure(heading: str, log: _Log) -> TVMError:
    output, step = log.output, log.step
    if fetched := _FETCH.search(output):
        msg = f"{heading} cannot be built: the vendor's download failed: {fetched[1]}\n{step}"
        return VendorError(
            msg, fix="correct the pin in matrix.yaml, or try again; `nox -s prune` forgets nothing that was built"
        )
    why = log.error or "the engine told no image ID"
    msg = f"{heading} cannot be built; it failed at {step}\n{output}\n{why}"
    return ImageError(
        msg, fix="the lines above are the step's own; correct the recipe, or the network if a download failed"
    )


def _wait_for_removal(client: Client, containers: Iterable[str]) -> None:
    end = time.monotonic() + _REMOVAL
    for container in containers:
        while _is_there(client, container) and time.monotonic() < end:
            time.sleep(0.05)
        remove_container(client, container)


def _is_there(client: Client, container: str) -> bool:
    with engine_errors("look at a container"):
        try:
            client.inspect_container(container)
        except NotFound:
            return False
    return True
