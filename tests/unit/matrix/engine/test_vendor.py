import io
import re
import threading
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ExitCode, VendorError
from tvm.matrix import recipe
from tvm.matrix.engine import vendor
from tvm.matrix.engine.vendor import ask, decide
from tvm.matrix.model import Project

URL = "https://vendor.example/tools.zip"
PINNED = f"{{url: '{URL}', sha256: '{'ab' * 32}'}}"
INDEX = "{index: 'https://vendor.example/simple/', packages: {nki: '0.6.0+g8', neuronx-cc: '2.27.1'}}"
LOCK = """\
islpy==2026.1 \\
    --hash=sha256:00
neuronx-cc==2.27.1 ; sys_platform == 'linux' \\
    --hash=sha256:11
nki==0.6.0+g8 \\
    --hash=sha256:22
"""


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


def _project(root: Path, text: str = "", lock: str | None = None) -> Project:
    vendor_line = f"    suite: trixie\n    vendor: {text}\n" if text else "    suite: trixie\n"
    project = make_project(root, TEXT.replace("    suite: trixie\n", vendor_line))
    if lock is not None:
        path = recipe.vendor_lock(project, "host")
        path.parent.mkdir()
        path.write_text(lock)
    return project


def test_an_image_without_a_vendor_has_no_route(tmp_path: Path) -> None:
    assert decide(_project(tmp_path), "host") == ("none", "")


def test_a_download_without_a_pin_is_refused_without_asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = _network(monkeypatch, b"x")
    assert decide(_project(tmp_path, f"{{url: '{URL}'}}"), "host") == ("stand-in", f"{URL}: not pinned: refused")
    assert opener.asked == []


def test_a_vendor_that_answers_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = _network(monkeypatch, b"x")
    assert decide(_project(tmp_path, PINNED), "host") == ("vendor", "")
    assert opener.asked[0].get_header("Range") == "bytes=0-0"


def test_a_vendor_that_does_not_answer_gives_the_stand_in_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _network(monkeypatch, urllib.error.URLError("no such host"))
    route, note = decide(_project(tmp_path, PINNED), "host")
    assert route == "stand-in"
    assert "no such host" in note


def test_an_index_that_answers_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of the first package is asked for: the index itself need not have one."""
    opener = _network(monkeypatch, b"<html>")
    assert decide(_project(tmp_path, INDEX, LOCK), "host") == ("vendor", "")
    assert [one.full_url for one in opener.asked] == ["https://vendor.example/simple/nki/"]


def test_an_index_that_does_not_answer_is_an_error_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no stand-in for a vendor's compiler."""
    _network(monkeypatch, urllib.error.URLError("no such host"))
    with pytest.raises(VendorError, match="simple/nki/ does not answer here: no such host") as caught:
        decide(_project(tmp_path, INDEX, LOCK), "host")
    assert caught.value.exit_code is ExitCode.VENDOR
    assert "run this cell on a machine that reaches that address" in caught.value.fix


@pytest.mark.parametrize(
    ("lock", "missing"),
    [
        (None, "nki==0.6.0+g8, neuronx-cc==2.27.1"),
        (LOCK.replace("2.27.1", "2.26.0"), "neuronx-cc==2.27.1"),
        (LOCK.replace("nki==0.6.0+g8", "nki==0.6.0"), "nki==0.6.0+g8"),
    ],
)
def test_a_package_without_a_locked_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: str | None, missing: str
) -> None:
    _network(monkeypatch, b"<html>")
    with pytest.raises(VendorError, match=re.escape(f"no hash is known of {missing}: refused")) as caught:
        decide(_project(tmp_path, INDEX, lock), "host")
    assert "nox -s lock -- host" in caught.value.fix


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
