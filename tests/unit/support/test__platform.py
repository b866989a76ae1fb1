import pytest

from tvm.support import cc
from tvm.support._platform import is_darwin


@pytest.mark.parametrize("platform", ["linux", "linux2", "darwin", "freebsd14"])
def test_linux_like_platforms_are_not_windows_like(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", platform)

    assert cc._is_linux_like()
    assert not cc._is_windows_like()


def test_windows_is_windows_like_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")

    assert cc._is_windows_like()
    assert not cc._is_linux_like()
    assert not is_darwin()


def test_another_platform_is_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "aix")

    assert not cc._is_linux_like()
    assert not cc._is_windows_like()
