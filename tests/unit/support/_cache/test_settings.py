from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.error import ConfigError
from tvm.support._cache import settings
from tvm.support._cache.settings import Mode


@pytest.mark.parametrize(("text", "mode"), [("", Mode.ON), ("on", Mode.ON), (" OFF ", Mode.OFF), ("Read", Mode.READ)])
def test_the_mode_is_on_unless_it_is_said(text: str, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE", text)

    assert settings.mode() is mode


@pytest.mark.parametrize("name", ["TVM_COMPILE_CACHE", "TVM_COMPILE_CACHE_SIZE", "TVM_COMPILE_CACHE_REMOTE_MODE"])
@pytest.mark.parametrize("text", ["nonsense", "-1", "0x10", "1 2", "🙂", "\udcff"])
def test_nonsense_is_an_error_that_names_the_variable(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)

    with pytest.raises(ConfigError, match=name):
        (settings.mode(), settings.limit(), settings.remote_writes())


@pytest.mark.parametrize(
    ("text", "size"), [("", 5 << 30), ("100", 100), ("2K", 2048), ("3 MiB", 3 << 20), ("1g", 1 << 30), ("2TB", 2 << 40)]
)
def test_a_size_has_a_unit(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE_SIZE", text)

    assert settings.limit() == size


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12))
def test_every_text_is_a_size_or_an_error(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TVM_COMPILE_CACHE_SIZE", text)
        with suppress(ConfigError):
            assert settings.limit() >= 0


def test_the_folder_is_the_user_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TVM_COMPILE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert tmp_path in settings.folder().parents


def test_a_relative_folder_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", "cache")

    with pytest.raises(ConfigError, match="relative"):
        settings.folder()


@pytest.mark.parametrize("text", ["", "relative"])
def test_a_remote_tier_needs_the_file_of_a_secret(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE_REMOTE_KEY_FILE", text)

    with pytest.raises(ConfigError, match="signature"):
        settings.remote_key_file()
