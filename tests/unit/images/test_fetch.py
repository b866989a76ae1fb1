import hashlib
import io
import urllib.error
from pathlib import Path

import pytest

from tests.unit.images import scripts

URL = "https://vendor.example/ndk.zip"
CONTENT = b"the whole file"
SHA256 = hashlib.sha256(CONTENT).hexdigest()

fetch = scripts.load("base/fetch.py")


class Answer(io.BytesIO):
    """What urlopen gives: bytes and headers."""

    def __init__(self, content: bytes, length: int | None) -> None:
        super().__init__(content)
        self.headers = {} if length is None else {"Content-Length": str(length)}


def answer_with(monkeypatch: pytest.MonkeyPatch, content: bytes, length: int | None) -> None:
    def urlopen(url: str, *, timeout: float) -> Answer:
        assert (url, timeout > 0) == (URL, True)
        return Answer(content, length)

    monkeypatch.setattr(fetch.urllib.request, "urlopen", urlopen)


@pytest.mark.parametrize("length", [len(CONTENT), None])
def test_right_file_is_kept(length: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, CONTENT, length)
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 0
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir() if path.is_file()] == [("ndk.zip", CONTENT)]


def test_file_with_another_sum_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, b"another file", None)
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 1
    seen = hashlib.sha256(b"another file").hexdigest()
    assert capsys.readouterr().err == f"fetch: {URL}: sha256 is {seen}, the pin says {SHA256}; nothing was kept\n"
    assert not any(path.is_file() for path in tmp_path.iterdir())


def test_file_that_is_cut_off_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, CONTENT[:5], len(CONTENT))
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 1
    assert capsys.readouterr().err == f"fetch: {URL}: cut off after 5 of 14 bytes; nothing was kept\n"
    assert not any(path.is_file() for path in tmp_path.iterdir())


def test_earlier_file_stays_when_the_download_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ndk.zip").write_bytes(b"earlier")
    answer_with(monkeypatch, b"another file", None)
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 1
    assert (tmp_path / "ndk.zip").read_bytes() == b"earlier"


def test_file_that_is_too_large_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetch, "SIZE_LIMIT", 10)
    answer_with(monkeypatch, CONTENT, None)
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 1
    assert "stopped after 14 bytes" in capsys.readouterr().err


def test_unreachable_host_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def urlopen(_url: str, *, timeout: float) -> Answer:
        why = f"no route within {timeout:g} s"
        raise urllib.error.URLError(why)

    monkeypatch.setattr(fetch.urllib.request, "urlopen", urlopen)
    assert fetch.main([URL, SHA256, str(tmp_path / "ndk.zip")]) == 1
    assert capsys.readouterr().err.startswith(f"fetch: {URL}: ")


@pytest.mark.parametrize("url", ["http://vendor.example/ndk.zip", "file:///etc/passwd"])
def test_anything_but_https_is_refused(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch.main([url, SHA256, str(tmp_path / "ndk.zip")]) == 1
    assert capsys.readouterr().err == f"fetch: {url}: only https is taken\n"


def test_wrong_number_of_arguments_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch.main([URL]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
