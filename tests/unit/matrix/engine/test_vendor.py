import io
import threading
import urllib.error
import urllib.request
from email.message import Message

import pytest

from tvm.matrix.engine import vendor
from tvm.matrix.engine.vendor import ask, decide
from tvm.matrix.model import Vendor

URL = "https://vendor.example/tools.zip"
PINNED = Vendor(url=URL, sha256="ab" * 32)


class _Opener:
    """Stands in for the network: gives an answer or raises, and keeps what was asked."""

    def __init__(self, result: bytes | Exception) -> None:
        self.result = result
        self.asked: list[urllib.request.Request] = []

    def open(self, request: urllib.request.Request, timeout: float) -> io.BytesIO:
        assert timeout <= vendor.LIMIT
        self.asked.append(request)
        if isinstance(self.result, Exception):
            raise self.result
        return io.BytesIO(self.result)


def _network(monkeypatch: pytest.MonkeyPatch, result: bytes | Exception) -> _Opener:
    opener = _Opener(result)
    monkeypatch.setattr(urllib.request, "build_opener", lambda *_handlers: opener)
    return opener


def test_an_image_without_a_vendor_has_no_route() -> None:
    assert decide(None) == ("none", "")


def test_a_download_without_a_pin_is_refused_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = _network(monkeypatch, b"x")
    assert decide(Vendor(url=URL)) == ("stand-in", f"{URL}: not pinned: refused")
    assert opener.asked == []


def test_a_vendor_that_answers_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = _network(monkeypatch, b"x")
    assert decide(PINNED) == ("vendor", "")
    assert opener.asked[0].get_header("Range") == "bytes=0-0"


def test_a_vendor_that_does_not_answer_gives_the_stand_in_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    _network(monkeypatch, urllib.error.URLError("no such host"))
    route, note = decide(PINNED)
    assert route == "stand-in"
    assert "no such host" in note


def test_an_error_page_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    _network(monkeypatch, urllib.error.HTTPError(URL, 403, "Forbidden", Message(), None))
    assert ask(URL) == "HTTP 403 Forbidden"


def test_an_empty_answer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    _network(monkeypatch, b"")
    assert ask(URL) == "it gives nothing"


def test_only_https_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = _network(monkeypatch, b"x")
    assert ask("http://vendor.example/x") == "only https is taken"
    assert opener.asked == []


def test_a_question_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(vendor, "_ask", lambda _url, _limit: str(release.wait(10)))
    assert ask(URL, limit=0.1) == "no answer within 0.1 s"
    release.set()
