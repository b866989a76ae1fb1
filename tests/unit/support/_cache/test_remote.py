from collections.abc import Iterator
from pathlib import Path

import pytest

from tvm.error import ConfigError
from tvm.support._cache import flow, remote, states, store
from tvm.support._cache.flow import Made
from tvm.support._cache.store import File, Product

_KEY = "ab" * 32
_PRODUCT = Product(files={"product": File(data=b"made", executable=True)}, about={"output": "a warning"})


@pytest.fixture
def tier(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, old_files: None) -> Iterator[Path]:
    """Set up a remote tier that is written, and return its folder. The header of the product is x.h."""
    assert old_files is None
    assert not folder.exists()
    secret = tmp_path / "secret"
    secret.write_bytes(b"s" * 32)
    secret.chmod(0o600)
    (tmp_path / "x.h").write_text("one", encoding="ascii")
    monkeypatch.setenv("TVM_COMPILE_CACHE_REMOTE", f"file://{tmp_path / 'remote'}")
    monkeypatch.setenv("TVM_COMPILE_CACHE_REMOTE_KEY_FILE", str(secret))
    monkeypatch.setenv("TVM_COMPILE_CACHE_REMOTE_MODE", "write")
    yield tmp_path / "remote"
    remote._failed_at.clear()
    remote._system.cache_clear()


def _fetch(tmp_path: Path) -> tuple[bool, bool]:
    """Return whether it was a hit, and whether it was built."""
    built: list[int] = []

    def build(_scratch: Path | None) -> Made:
        built.append(1)
        return Made(
            product=_PRODUCT, made_from=lambda: [states.file(str(tmp_path / "x.h")), states.missing("/nowhere/x.h")]
        )

    fetched = flow.fetch(flow.current(), _KEY, build)
    assert fetched.product == _PRODUCT
    return fetched.hit, bool(built)


def _another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "another"))


def test_another_machine_gets_the_product_and_keeps_it(
    tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _fetch(tmp_path) == (False, True)
    _another_machine(tmp_path, monkeypatch)
    assert _fetch(tmp_path) == (True, False)
    monkeypatch.delenv("TVM_COMPILE_CACHE_REMOTE")
    assert _fetch(tmp_path) == (True, False)
    assert tier.is_dir()


def test_it_is_only_read_unless_asked(tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_COMPILE_CACHE_REMOTE_MODE")

    assert _fetch(tmp_path) == (False, True)
    assert not tier.exists()


def test_in_read_mode_nothing_is_kept_here(tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fetch(tmp_path)
    _another_machine(tmp_path, monkeypatch)
    store.opened(tmp_path / "another", write=True)
    monkeypatch.setenv("TVM_COMPILE_CACHE", "read")

    assert _fetch(tmp_path) == (True, False)
    assert list((tmp_path / "another" / "blobs").iterdir()) == []
    assert tier.is_dir()


def test_what_was_made_from_other_headers_is_not_taken(
    tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fetch(tmp_path)
    _another_machine(tmp_path, monkeypatch)
    (tmp_path / "x.h").write_text("another", encoding="ascii")

    assert _fetch(tmp_path) == (False, True)
    assert tier.is_dir()


@pytest.mark.parametrize("kind", ["manifests", "results", "blobs"])
@pytest.mark.parametrize("damage", ["cut", "changed", "unsigned", "empty"])
def test_nothing_is_loaded_without_a_valid_signature(
    kind: str,
    damage: str,
    tier: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _fetch(tmp_path)
    (file,) = (tier / kind).glob("*/*")
    whole = file.read_bytes()
    file.write_bytes({"cut": whole[:-1], "changed": whole[:-1] + b"?", "unsigned": whole[32:], "empty": b""}[damage])
    _another_machine(tmp_path, monkeypatch)

    assert _fetch(tmp_path) == (False, True)
    assert "without a valid signature" in caplog.text


def test_an_entry_signed_for_another_place_is_not_valid(
    tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fetch(tmp_path)
    (manifest,) = (tier / "manifests").glob("*/*")
    (result,) = (tier / "results").glob("*/*")
    manifest.write_bytes(result.read_bytes())
    _another_machine(tmp_path, monkeypatch)

    assert _fetch(tmp_path) == (False, True)


def test_another_secret_reads_nothing(tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fetch(tmp_path)
    _another_machine(tmp_path, monkeypatch)
    (tmp_path / "secret").write_bytes(b"t" * 32)

    assert _fetch(tmp_path) == (False, True)
    assert tier.is_dir()


def test_a_tier_that_fails_is_left_alone_for_a_while(
    tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tier.write_text("no folder", encoding="ascii")

    assert _fetch(tmp_path) == (False, True)
    assert "left alone" in caplog.text
    assert remote.tier() is None
    monkeypatch.setattr(remote, "_REST", 0.0)
    assert remote.tier() is not None


@pytest.mark.parametrize(
    ("data", "mode", "message"),
    [(b"short", 0o600, "fewer than 32"), (b"s" * 32, 0o644, "open to others"), (None, 0, "cannot read")],
)
def test_a_secret_must_be_one(data: bytes | None, mode: int, message: str, tier: Path, tmp_path: Path) -> None:
    assert not tier.exists()
    secret = tmp_path / "secret"
    secret.unlink()
    if data is not None:
        secret.write_bytes(data)
        secret.chmod(mode)

    with pytest.raises(ConfigError, match=message):
        _fetch(tmp_path)


def test_an_unknown_url_is_an_error(tier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not tier.exists()
    monkeypatch.setenv("TVM_COMPILE_CACHE_REMOTE", "nonsense://x")

    with pytest.raises(ConfigError, match="TVM_COMPILE_CACHE_REMOTE"):
        _fetch(tmp_path)
