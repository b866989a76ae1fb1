import tarfile
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ConfigError
from tvm.matrix.engine import context
from tvm.matrix.engine.context import build_context, ca_bundle, proxies


@pytest.fixture(autouse=True)
def _no_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_CA_FILES", ())


def _members(root: Path) -> dict[str, bytes]:
    with build_context(make_project(root), "host") as stream, tarfile.open(fileobj=stream) as listing:
        files = {member.name: listing.extractfile(member) for member in listing.getmembers() if member.isfile()}
        return {name: file.read() for name, file in files.items() if file}


def _bytes(root: Path) -> bytes:
    with build_context(make_project(root), "host") as stream:
        return stream.read()


def test_the_context_is_the_images_folder_and_an_empty_bundle(tmp_path: Path) -> None:
    assert _members(tmp_path) == {"Dockerfile": b"ARG BASE\nFROM ${BASE}\n", ".ca.crt": b""}


def test_further_folders_of_the_tree_are_in_the_context(tmp_path: Path) -> None:
    (tmp_path / "web" / "wasm").mkdir(parents=True)
    (tmp_path / "web" / "wasm" / "x.cc").write_bytes(b"int x;")
    text = TEXT.replace("    suite: trixie\n", "    suite: trixie\n    context: [web/wasm]\n")
    with build_context(make_project(tmp_path, text), "host") as stream, tarfile.open(fileobj=stream) as listing:
        file = listing.extractfile("web/wasm/x.cc")
        assert file is not None
        assert file.read() == b"int x;"


def test_the_context_has_this_machines_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_bytes(b"CERTIFICATES")
    monkeypatch.setenv("PIP_CERT", str(bundle))
    assert _members(tmp_path)[".ca.crt"] == b"CERTIFICATES"


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    first = _bytes(tmp_path / "a")
    (tmp_path / "b").mkdir()
    assert _bytes(tmp_path / "b") == first


def test_a_recipe_may_not_bring_its_own_certificates(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project.image_folder("host") / ".ca.crt").touch()
    with pytest.raises(ConfigError, match=r"has a file \.ca\.crt"), build_context(project, "host"):
        pass


def test_a_recipe_without_a_dockerfile_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project.image_folder("host") / "Dockerfile").unlink()
    with pytest.raises(ConfigError, match="no Dockerfile"), build_context(project, "host"):
        pass


def test_the_first_variable_says_what_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    environ = {"REQUESTS_CA_BUNDLE": str(tmp_path / "b"), "SSL_CERT_FILE": str(tmp_path / "a")}
    assert ca_bundle(environ) == tmp_path / "a"


def test_a_variable_that_names_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SSL_CERT_FILE names"):
        ca_bundle({"SSL_CERT_FILE": str(tmp_path / "none")})


def test_without_a_variable_the_systems_bundle_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system").touch()
    monkeypatch.setattr(context, "_CA_FILES", (tmp_path / "none", tmp_path / "system"))
    assert ca_bundle({}) == tmp_path / "system"


def test_all_six_proxy_variables_are_passed_and_nothing_else() -> None:
    six = {name: "x" for word in ("http_proxy", "https_proxy", "no_proxy") for name in (word, word.upper())}
    assert proxies({**six, "SECRET": "y"}) == six


def test_an_empty_proxy_variable_is_not_passed() -> None:
    assert proxies({"HTTP_PROXY": ""}) == {}
