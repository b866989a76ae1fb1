import hashlib
import json
from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker, Json, inventory
from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ImageError, VendorError
from tvm.matrix.engine import LABEL, LABEL_IMAGE, LABEL_INVENTORY, LABEL_RECIPE, Progress, base, labels, vendor
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.images import Recipe, prepare, prepare_base, rebuild, recipes
from tvm.matrix.model import Project

TOOLS = 'tools: {gcc: "==14.*", tar: ">=1.35"}'
VENDOR = 'vendor: {url: "https://v.example/x.zip", sha256: "' + "cd" * 32 + '"}'
MATRIX = TEXT.replace("trixie: {}", "trixie: {image: debian, digest: 'sha256:" + "ab" * 32 + "'}").replace(
    TOOLS, f"{TOOLS}\n    {VENDOR}"
)


def silent(_text: str) -> None:
    """Take a line of progress and say nothing."""


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let no vendor answer and mmdebstrap always work; return what was asked of either."""
    asked: list[str] = []

    def bootstrap(_client: Client, suite: str, _progress: Progress, *, rolling: bool) -> str:
        asked.append(f"mmdebstrap {suite} {rolling}")
        return "sha256:made"

    def ask(url: str) -> str:
        asked.append(url)
        return "no such host"

    monkeypatch.setattr(base, "bootstrap", bootstrap)
    monkeypatch.setattr(vendor, "ask", ask)
    return asked


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, MATRIX)


def _made_before(docker: FakeDocker, recipe: Recipe, **changed: str) -> str:
    """Put the image of a recipe there, with the labels it has after a build."""
    text = inventory(recipe.image)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    marks = {LABEL: "image", LABEL_IMAGE: recipe.image, LABEL_RECIPE: recipe.tag, LABEL_INVENTORY: sha256, **changed}
    return docker.add_image(recipe.reference, marks, inventory=text)


def _built(docker: FakeDocker) -> list[Json]:
    """Return the build arguments of every build with some."""
    found = [json.loads(request.query.get("buildargs", "{}")) for request in docker.asked("POST", "/build")]
    return [arguments for arguments in found if arguments]


def test_the_preferred_recipe_is_the_vendors_on_a_pulled_base(project: Project) -> None:
    routes = [(one.vendor_route, one.base_route) for one in recipes(project, "host")]
    assert routes == [
        ("vendor", "pulled"),
        ("vendor", "bootstrapped"),
        ("stand-in", "pulled"),
        ("stand-in", "bootstrapped"),
    ]


def test_every_recipe_has_a_tag_of_its_own(project: Project) -> None:
    assert len({one.tag for one in recipes(project, "host")}) == 4


def test_an_image_is_built_on_its_base_and_both_are_labelled(
    docker: FakeDocker, client: Client, project: Project
) -> None:
    made = prepare(client, project, "host", silent)
    assert (made.name, made.built, made.base_route, made.vendor_route) == ("host", True, "bootstrapped", "stand-in")
    of_base, of_host = _built(docker)
    assert (of_base["IMAGE"], of_base["BASE"]) == ("base", "tvm-matrix/debian-trixie:bootstrapped")
    assert of_host["BASE"].startswith("tvm-matrix/base-trixie:")
    final = docker.images[f"tvm-matrix/host:{made.tag}"]
    assert final["Id"] == made.image_id
    marks = final["Config"]["Labels"]
    assert (marks[LABEL_IMAGE], marks[LABEL_RECIPE], marks[LABEL_INVENTORY]) == (
        "host",
        made.tag,
        made.inventory_sha256,
    )


def test_the_inventory_is_what_the_image_holds(client: Client, project: Project) -> None:
    made = prepare(client, project, "host", silent)
    assert made.inventory["image"] == "host"
    assert made.inventory_sha256 == hashlib.sha256(inventory("host").encode()).hexdigest()


def test_the_routes_and_why_they_were_taken_stand_in_the_result(client: Client, project: Project) -> None:
    note = prepare(client, project, "host", silent).route_note
    assert "the registry did not give debian@" in note
    assert "https://v.example/x.zip does not answer here: no such host" in note


def test_a_second_time_nothing_is_built_and_nobody_is_asked(
    docker: FakeDocker, client: Client, project: Project, asked: list[str]
) -> None:
    first = prepare(client, project, "host", silent)
    docker.requests.clear()
    asked.clear()
    docker.steps = []
    second = prepare(client, project, "host", silent)
    assert (second.image_id, second.tag, second.route_note) == (first.image_id, first.tag, first.route_note)
    assert (second.built, asked, docker.asked("POST", "/build")) == (False, [], [])


def test_an_image_of_the_vendors_route_is_used_without_asking(
    docker: FakeDocker, client: Client, project: Project, asked: list[str]
) -> None:
    """What was built where the vendor answered stays good where it does not."""
    wanted = next(iter(recipes(project, "host")))
    image_id = _made_before(docker, wanted)
    found = prepare(client, project, "host", silent)
    assert (found.image_id, found.vendor_route, found.base_route, asked) == (image_id, "vendor", "pulled", [])


@pytest.mark.parametrize("label", [LABEL_RECIPE, LABEL_IMAGE, LABEL_INVENTORY])
def test_an_image_whose_labels_say_otherwise_is_built_anew(
    docker: FakeDocker, client: Client, project: Project, label: str
) -> None:
    for one in recipes(project, "host"):
        _made_before(docker, one, **{label: "another"})
    assert prepare(client, project, "host", silent).built


def test_a_vendor_that_answers_gives_its_address_to_the_build(
    docker: FakeDocker, client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor, "ask", lambda _url: "")
    made = prepare(client, project, "host", silent)
    assert made.vendor_route == "vendor"
    assert _built(docker)[-1]["VENDOR_URL"] == "https://v.example/x.zip"


def test_a_vendors_index_that_does_not_answer_ends_it_before_anything_is_pulled(
    docker: FakeDocker, client: Client, tmp_path: Path
) -> None:
    index = "vendor: {index: 'https://v.example', packages: {nki: '0.6.0'}}"
    wanting = make_project(tmp_path / "index", TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    {index}\n"))
    with pytest.raises(VendorError, match=r"https://v\.example/nki/ does not answer here: no such host"):
        prepare(client, wanting, "host", silent)
    assert docker.asked("POST", "/build") + docker.asked("POST", "/images/create") == []


def test_proxies_reach_the_build(
    docker: FakeDocker, client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:1")
    prepare(client, project, "host", silent)
    assert all(arguments["HTTPS_PROXY"] == "http://proxy:1" for arguments in _built(docker))


def test_reading_an_inventory_leaves_no_container(docker: FakeDocker, client: Client, project: Project) -> None:
    prepare(client, project, "host", silent)
    assert docker.asked("POST", "/containers/create")
    assert docker.containers == {}


def test_an_image_without_an_inventory_is_refused(docker: FakeDocker, client: Client, project: Project) -> None:
    docker.inventory = lambda _image: ""
    with pytest.raises(ImageError, match=r"has no /usr/share/tvm-matrix/inventory\.json"):
        prepare_base(client, project, "trixie", silent)
    assert docker.containers == {}


@pytest.mark.parametrize("text", ["not json", "[]", '{"image": "base"}', inventory("another")])
def test_an_inventory_that_is_none_is_refused(docker: FakeDocker, client: Client, project: Project, text: str) -> None:
    docker.inventory = lambda _image: text
    with pytest.raises(ImageError, match="is not the inventory of this image"):
        prepare_base(client, project, "trixie", silent)


def test_what_another_run_made_meanwhile_is_used(
    docker: FakeDocker, client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked for again once the lock is held."""
    prepare_base(client, project, "trixie", silent)
    wanted = list(recipes(project, "host"))[-1]

    def decide(_project: object, _image: str) -> tuple[str, str]:
        _made_before(docker, wanted)
        return "stand-in", ""

    monkeypatch.setattr(vendor, "decide", decide)
    docker.requests.clear()
    assert not prepare(client, project, "host", silent).built
    assert docker.asked("POST", "/build") == []


def test_the_base_of_a_suite_is_named_after_it(docker: FakeDocker, client: Client, project: Project) -> None:
    made = prepare_base(client, project, "trixie", silent)
    assert docker.images[f"tvm-matrix/base-trixie:{made.tag}"]["Config"]["Labels"][labels.LABEL_SUITE] == "trixie"


def test_a_second_build_runs_every_step_on_the_same_base_and_does_not_stay(
    docker: FakeDocker, client: Client, project: Project
) -> None:
    first = prepare(client, project, "host", silent)
    ((_, of_host), before) = _built(docker), dict(docker.images)
    docker.requests.clear()
    assert rebuild(client, project, "host", silent) == first.inventory
    (again,) = docker.asked("POST", "/build")
    assert json.loads(again.query["buildargs"]) == of_host
    assert again.query["nocache"] == "True"
    assert docker.images == before
    assert docker.containers == {}


def test_a_second_build_that_says_nothing_of_itself_does_not_stay_either(
    docker: FakeDocker, client: Client, project: Project
) -> None:
    prepare(client, project, "host", silent)
    before = dict(docker.images)
    docker.inventory = lambda _image: "[]"
    with pytest.raises(ImageError, match="is not the inventory of this image"):
        rebuild(client, project, "host", silent)
    assert docker.images == before
