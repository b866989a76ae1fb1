"""Debian's Chromium without a screen, told over two pipes what to do: the DevTools protocol needs no port that way."""

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e import debian
from tvm.support.utils import which

_PROGRAM = "chromium"
# Seconds for one answer, and for the browser to end.
_ANSWER, _END = 60.0, 10.0
_OPTIONS = (
    "--headless",
    "--no-sandbox",  # the tests run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and writes answers to 4.
_LAUNCH = """
import fcntl, os, sys
# Out of the way first: either may be 3 or 4 already.
reading, writing = (fcntl.fcntl(int(word), fcntl.F_DUPFD, 10) for word in sys.argv[1:3])
os.dup2(reading, 3)
os.dup2(writing, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def install() -> str:
    """Install the browser where it is missing, and return its path."""
    if which(_PROGRAM) is None:
        debian.install(_PROGRAM)
    path = which(_PROGRAM)
    assert path is not None
    return path


@dataclass(kw_only=True)
class Tab:
    """One page. `requests` are the addresses that it asked for, `complaints` what its console and its errors said."""

    writing: int
    reading: int
    session: str = ""
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    _number: int = 0
    _rest: bytes = b""
    _events: list[str] = field(default_factory=list)

    def ask(self, method: str, **parameters: Any) -> Any:
        """Send one command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it is drawn."""
        self._events.clear()
        self.ask("Page.navigate", url=path.as_uri() + fragment)
        while "Page.loadEventFired" not in self._events:
            self._note(self._next())

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, awaited."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _ANSWER
        while not self.evaluate(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{find}.scrollIntoView({{block: 'center'}})")
        box = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2, b.width])({find}.getBoundingClientRect())")
        assert box[2] > 0, f"{selector} cannot be seen"
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key: its name, its Windows key code, the text that it writes."""
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def prefer(self, scheme: str) -> None:
        """Let the reader prefer "light" or "dark"."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path: Path, *, width: int = 1280) -> bytes:
        """Write the whole page as a picture, `width` pixels wide, and return it."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path.read_bytes()

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self.reading], [], [], _ANSWER)
            assert ready, "the browser does not answer"
            data = os.read(self.reading, 1 << 16)
            assert data, "the browser has ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        self._events.append(str(event.get("method")))
        match event:
            case {"method": "Network.requestWillBeSent", "params": {"request": {"url": url}}}:
                self.requests.append(url)
            case {"method": "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled", "params": what}:
                self.complaints.append(json.dumps(what))


@contextmanager
def opened(profile: Path) -> Iterator[Tab]:
    """Yield a page of a browser of its own, whose profile lies in `profile`."""
    commands, writing = os.pipe()
    reading, answers = os.pipe()
    argv = [install(), *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    browser = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, str(commands), str(answers), *argv],
        pass_fds=(commands, answers),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    try:
        yield _attach(Tab(writing=writing, reading=reading))
    finally:
        os.close(writing)
        with suppress(subprocess.TimeoutExpired):
            browser.wait(_END)
        browser.kill()
        browser.wait()
        os.close(reading)


def _attach(tab: Tab) -> Tab:
    target = tab.ask("Target.createTarget", url="about:blank")["targetId"]
    tab.session = tab.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Network", "Log"):
        tab.ask(f"{domain}.enable")
    return tab
