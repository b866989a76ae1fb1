import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.unit.matrix.engine.fake_docker import FakeDocker, as_json, inventory
from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import EngineError
from tvm.matrix.engine import LABEL, LABEL_IMAGE, LABEL_INVENTORY, LABEL_RECIPE, discover
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.discover import Connection, Endpoint
from tvm.matrix.engine.images import recipes
from tvm.matrix.lock.change import Kept
from tvm.matrix.lock.pins import Edit, apply, refresh, respecify
from tvm.matrix.model import Project

OLD, NEW = f"sha256:{'ab' * 32}", f"sha256:{'cd' * 32}"
PINNED = TEXT.replace("trixie: {}", f"trixie: {{image: debian, digest: '{OLD}', source: a page}}")


@pytest.fixture(autouse=True)
def found(client: Client, docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine in memory be the one that answers."""
    endpoint = Endpoint(address=docker.address, origin="a test")
    connection = Connection(client=client, endpoint=endpoint, name="docker", version="1")
    monkeypatch.setattr(discover, "find", lambda: connection)


def _registry(docker: FakeDocker, digest: str) -> None:
    docker.on("GET", "/distribution/(.+)/json", lambda _request, _match: as_json({"Descriptor": {"digest": digest}}))


def _built(docker: FakeDocker, project: Project, tools: dict[str, str]) -> None:
    """Put the image of a recipe there, whose inventory has these version lines."""
    wanted = list(recipes(project, "host"))[-1]
    content = {**json.loads(inventory("host")), "tools": {name: {"version": line} for name, line in tools.items()}}
    text = json.dumps(content)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    marks = {LABEL: "image", LABEL_IMAGE: "host", LABEL_RECIPE: wanted.tag, LABEL_INVENTORY: sha256}
    docker.add_image(wanted.reference, marks, inventory=text)


def test_a_newer_digest_is_taken_with_the_place_it_was_read_from(docker: FakeDocker, tmp_path: Path) -> None:
    _registry(docker, NEW)
    edits = [one for one in refresh(make_project(tmp_path, PINNED), ["host"]) if isinstance(one, Edit)]
    assert docker.asked("GET", "/distribution/debian:trixie-slim/json")
    assert edits == [
        Edit(path=("suites", "trixie", "digest"), old=OLD, new=NEW),
        Edit(path=("suites", "trixie", "source"), old="a page", new="the registry, as debian:trixie-slim"),
    ]
    assert apply(PINNED, edits) == PINNED.replace(OLD, NEW).replace("a page", "the registry, as debian:trixie-slim")


def test_the_same_digest_is_no_change(docker: FakeDocker, tmp_path: Path) -> None:
    _registry(docker, OLD)
    assert not any(isinstance(one, Edit) for one in refresh(make_project(tmp_path, PINNED), ["host"]))


def _refuse(docker: FakeDocker, _monkeypatch: pytest.MonkeyPatch) -> None:
    docker.refuse("GET", "/distribution/(.+)/json", 500, "no such host")


def _cut(docker: FakeDocker, _monkeypatch: pytest.MonkeyPatch) -> None:
    docker.cut("GET", "/distribution/(.+)/json")


def _absent(_docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> Connection:
        msg = "no container engine answers"
        raise EngineError(msg)

    monkeypatch.setattr(discover, "find", find)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_refuse, "the registry does not tell its digest: no such host"),
        (_cut, "the engine went away"),
        (_absent, "no container engine answers"),
    ],
)
def test_a_digest_that_nobody_tells_is_kept_with_the_reason(
    docker: FakeDocker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[FakeDocker, pytest.MonkeyPatch], None],
    why: str,
) -> None:
    spoil(docker, monkeypatch)
    kept, *_ = refresh(make_project(tmp_path, PINNED), ["host"])
    assert isinstance(kept, Kept)
    assert kept.place == "suites.trixie.digest"
    assert kept.why.startswith(f"debian:trixie-slim: {why}")


def test_a_tool_that_has_moved_on_is_pinned_to_what_the_image_holds(docker: FakeDocker, tmp_path: Path) -> None:
    project = make_project(tmp_path)
    _built(docker, project, {"gcc": "gcc (Debian 15.2.0-4) 15.2.0", "tar": "tar (GNU tar) 1.35"})
    edits = [one for one in refresh(project, ["host"]) if isinstance(one, Edit)]
    assert edits == [Edit(path=("images", "host", "tools", "gcc"), old="==14.*", new="==15.*")]
    assert edits[0].change().name == "images.host.tools.gcc"


def test_tools_of_an_image_that_is_not_built_are_kept(tmp_path: Path) -> None:
    (kept,) = refresh(make_project(tmp_path), ["base", "host"])
    assert isinstance(kept, Kept)
    assert kept.why == "no image of this recipe is on the engine: nox -s host builds it"


def test_a_tool_that_the_inventory_does_not_have_is_kept(docker: FakeDocker, tmp_path: Path) -> None:
    project = make_project(tmp_path)
    _built(docker, project, {"gcc": "nothing of a version"})
    assert [one.place for one in refresh(project, ["host"]) if isinstance(one, Kept)] == [
        "images.host.tools.gcc",
        "images.host.tools.tar",
    ]


@pytest.mark.parametrize(
    ("vendor", "place"),
    [
        ("{url: 'https://h/x.zip'}", "images.host.vendor"),
        ("{index: 'https://h', packages: {nki: '1'}}", "images.host.vendor.packages"),
    ],
)
def test_what_a_vendor_says_is_kept(tmp_path: Path, vendor: str, place: str) -> None:
    project = make_project(tmp_path, TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    vendor: {vendor}\n"))
    assert place in [one.place for one in refresh(project, ["host"]) if isinstance(one, Kept)]


@pytest.mark.parametrize(
    ("specifier", "version", "new"),
    [
        ("==19.*", "19.1.7", "==19.*"),
        ("==19.*", "20.1.0", "==20.*"),
        ("==12.4.*", "13.0.88", "==13.0.*"),
        ("==3.1.69", "3.1.70", "==3.1.70"),
        (">=2.44", "2.45", ">=2.44"),
        (">=2.44", "2.43.1", ">=2.43"),
        (">=18,<20", "20.1", ">=18,<21"),
        (">=18,<20", "17.0", ">=17,<20"),
        ("~=1.4", "2.0", ""),
        ("!=2.0", "2.0", ""),
    ],
)
def test_a_specifier_keeps_its_form(specifier: str, version: str, new: str) -> None:
    assert respecify(specifier, Version(version)) == new


_NUMBERS = st.lists(st.integers(0, 99), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
_SPECIFIERS = st.one_of(
    st.builds("=={}.*".format, _NUMBERS),
    st.builds("=={}".format, _NUMBERS),
    st.builds(">={}".format, _NUMBERS),
    st.builds(">={},<{}".format, _NUMBERS, _NUMBERS),
)


@given(_SPECIFIERS, _NUMBERS)
def test_an_adapted_specifier_is_met(specifier: str, number: str) -> None:
    new = respecify(specifier, Version(number))
    assert not new or SpecifierSet(new).contains(Version(number))
    assert new or "," in specifier
