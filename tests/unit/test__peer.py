"""The warning about apache-tvm in the same environment."""

import sys
import warnings
from importlib import reload
from pathlib import Path

import pytest

import tvm
from tvm import _peer


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty installation folder, the only one on sys.path."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "gone" / "site-packages"), str(folder)])
    return folder


def test_the_peer_is_found_in_site_packages(site: Path) -> None:
    found = site / "apache_tvm-0.27.0.post1.dist-info"
    found.mkdir()
    assert _peer.installed() == found


def test_the_peer_is_found_in_debians_dist_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tmp_path / "dist-packages" / "apache_tvm-0.27.0.dist-info"
    found.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(found.parent)])
    assert _peer.installed() == found


def test_nothing_is_found_without_the_peer(site: Path) -> None:
    for name in ("apache_tvm_ffi-0.1.15.dist-info", "tvm_matrix-0.1.0.dist-info", "apache_tvm-0.27.0.data", "tvm"):
        (site / name).mkdir()
    assert _peer.installed() is None


def test_only_installation_folders_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apache_tvm-0.27.0.dist-info").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "."])
    assert _peer.installed() is None


def test_a_file_for_a_folder_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site-packages").write_bytes(b"")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site-packages")])
    assert _peer.installed() is None


def test_a_path_object_on_sys_path_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [tmp_path / "site-packages"])
    assert _peer.installed() is None


def test_importing_tvm_warns_in_one_sentence(site: Path) -> None:
    found = site / "apache_tvm-0.27.0.dist-info"
    found.mkdir()
    with pytest.warns(UserWarning, match="environment of its own") as caught:
        reload(tvm)
    assert [str(warning.message) for warning in caught] == [_peer.sentence(found)]
    assert ". " not in _peer.sentence(found)


@pytest.mark.usefixtures("site")
def test_importing_tvm_without_the_peer_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reload(tvm)
