import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_call, a_local_run, a_run, an_artefact, an_outcome
from tvm.error import TVMError
from tvm.matrix import manifest
from tvm.matrix.model import Depth
from tvm.matrix.outcome import Artefact, Evidence


def named(sha256: str) -> Artefact:
    """Return an artefact whose digest is that word."""
    item = an_artefact()
    return Artefact(**{**item.__dict__, "sha256": sha256})


def test_it_is_an_in_toto_statement_with_a_slsa_predicate() -> None:
    data = manifest.statement(an_outcome(), a_run())
    assert sorted(data) == ["_type", "predicate", "predicateType", "subject"]
    assert (data["_type"], data["predicateType"]) == (
        "https://in-toto.io/Statement/v1",
        "https://slsa.dev/provenance/v1",
    )


def test_the_predicate_has_the_fields_that_slsa_requires() -> None:
    predicate = manifest.statement(an_outcome(), a_run())["predicate"]
    assert sorted(predicate["buildDefinition"]) == [
        "buildType",
        "externalParameters",
        "internalParameters",
        "resolvedDependencies",
    ]
    assert predicate["runDetails"]["builder"] == {
        "id": "urn:tvm-matrix:builder:docker",
        "version": {"engine": "docker 28"},
    }
    assert predicate["runDetails"]["metadata"] == {
        "invocationId": "1-2.a",
        "startedOn": "2026-01-01T00:00:00Z",
        "finishedOn": "2026-01-01T00:00:02Z",
    }


def test_the_subjects_are_the_artefacts_in_their_order() -> None:
    data = manifest.statement(an_outcome(artefacts=[an_artefact("a"), an_artefact("bb")]), a_run())
    assert data["subject"] == [
        {"name": "a", "digest": {"sha256": "1" * 64}},
        {"name": "bb", "digest": {"sha256": "2" * 64}},
    ]


def test_the_packages_of_the_image_are_named() -> None:
    run = a_run()
    inventory = {"dpkg": {"gcc": "14.2"}, "pip": {"pytest": "9.1"}, "tools": {}}
    data = manifest.statement(an_outcome(), replace(run, image=replace(run.image, inventory=inventory)))
    assert manifest.own(data)["packages"] == {"dpkg": {"gcc": "14.2"}, "pip": {"pytest": "9.1"}}


def test_the_dependencies_are_tree_image_and_inventory() -> None:
    found = manifest.statement(an_outcome(), a_run())["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert [item["name"] for item in found] == ["tree", "image first:0123456789abcdef", "inventory"]
    assert found[0]["digest"] == {"sha256": TREE.sha256, "gitCommit": TREE.revision}
    assert {len(item["digest"]["sha256"]) for item in found} == {64}


def test_a_tree_without_a_revision_has_none_in_its_digest() -> None:
    found = manifest.statement(an_outcome(), a_run(tree=OTHER_TREE))["predicate"]["buildDefinition"]
    assert found["resolvedDependencies"][0]["digest"] == {"sha256": OTHER_TREE.sha256}


def test_what_is_ours_says_status_tree_image_and_routes() -> None:
    own = manifest.own(manifest.statement(an_outcome(), a_run()))
    assert (own["status"], own["seconds"], own["checks"][0]["status"]) == ("passed", 2.346, "passed")
    assert own["tree"] == {"sha256": TREE.sha256, "revision": TREE.revision, "dirty": False}
    assert (own["image"]["base_route"], own["image"]["vendor_route"]) == ("bootstrapped", "stand-in")
    assert own["image"]["tools"]["python"]["version"] == "3.13.5"


def test_an_emulated_image_says_so() -> None:
    run = a_run()
    slow = replace(run, image=replace(run.image, emulation="for arm64 on amd64"))
    told = [manifest.own(manifest.statement(an_outcome(), one))["image"]["emulation"] for one in (run, slow)]
    assert told == ["", "for arm64 on amd64"]


def test_an_artefact_names_its_evidence_by_word_and_its_calls_by_number() -> None:
    call = a_call("cc a.c", ["src"], ["9" * 64])
    own = manifest.own(manifest.statement(an_outcome(artefacts=[named("9" * 64)], calls=[call]), a_run()))
    (item,) = own["artefacts"]
    assert item["evidence"] == [{"depth": "executed", "by": "qemu", "detail": "seen"}]
    assert (item["depth"], item["calls"]) == ("executed", [0])
    assert own["calls"][0]["seconds"] == 0.1235


def test_the_same_inputs_give_the_same_bytes() -> None:
    texts = {
        manifest.to_json(manifest.statement(an_outcome(artefacts=[an_artefact()]), a_run(tree=TREE))) for _ in range(2)
    }
    (text,) = texts
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))


def test_user_and_password_are_cut_out_of_urls() -> None:
    text = manifest.to_json({"why": "GET https://me:pw@host/x", "ssh": "ssh://git@host"})
    assert json.loads(text) == {"why": "GET https://host/x", "ssh": "ssh://host"}


WORDS = st.sampled_from(["https://", "me:pw", "@", "/", '"', "\\", "\n", " ", "é", "\u2028", "\0", "x"])


@given(st.dictionaries(st.lists(WORDS).map("".join), st.lists(st.lists(WORDS).map("".join))))
def test_cutting_credentials_out_never_breaks_the_json(data: dict[str, list[str]]) -> None:
    assert isinstance(json.loads(manifest.to_json(dict(data))), dict)


def test_the_recipe_of_an_object_is_the_call_that_made_it() -> None:
    calls = [a_call("cc -c a.c", ["a.c"], ["a.o"]), a_call("cc -c b.c", ["b.c"], ["b.o"])]
    assert manifest.recipe(named("b.o"), calls) == [1]


def test_the_recipe_of_a_library_holds_the_calls_that_made_its_objects_in_order() -> None:
    calls = [
        a_call("cc -c a.c", ["a.c"], ["a.o"]),
        a_call("cc -c unused.c", ["unused.c"], ["unused.o"]),
        a_call("cc -c b.c", ["b.c"], ["b.o"]),
        a_call("cc -shared", ["a.o", "b.o"], ["lib.so"]),
    ]
    assert manifest.recipe(named("lib.so"), calls) == [0, 2, 3]


def test_a_recipe_of_tools_that_read_what_they_wrote_ends() -> None:
    calls = [a_call("strip", ["x"], ["x"]), a_call("objcopy", ["x"], ["y"])]
    assert manifest.recipe(named("y"), calls) == [0, 1]


def test_an_artefact_that_no_call_made_has_no_recipe() -> None:
    assert manifest.recipe(named("elsewhere"), [a_call("cc", ["a"], ["b"])]) == []


def test_the_depth_of_an_artefact_is_its_deepest_evidence() -> None:
    shown = tuple(Evidence(depth=depth, by="x", detail="") for depth in (Depth.linked, Depth.inspected, Depth.compiled))
    assert manifest.deepest(Artefact(**{**an_artefact().__dict__, "evidence": shown})) is Depth.inspected


def test_a_manifest_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    data = manifest.statement(an_outcome(), a_run())
    path.write_text(manifest.to_json(data), encoding="utf-8")
    assert manifest.read(path) == json.loads(manifest.to_json(data))


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"predicate": 3}', "\xff"])
def test_what_is_no_manifest_is_named_with_its_folder(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ndk" / "manifest.json"
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    with pytest.raises(TVMError) as caught:
        manifest.read(path)
    assert caught.value.cause == f"{path}: no manifest"
    assert caught.value.fix == "remove the folder ndk and run the cell again"


def test_a_manifest_of_another_version_is_refused(tmp_path: Path) -> None:
    data = manifest.statement(an_outcome(), a_run())
    data["predicate"]["buildDefinition"]["buildType"] = "urn:tvm-matrix:cell:2"
    (tmp_path / "manifest.json").write_text(manifest.to_json(data), encoding="utf-8")
    with pytest.raises(TVMError, match="written by another version of tvm-matrix"):
        manifest.read(tmp_path / "manifest.json")


def test_the_place_of_a_result_is_told_by_its_builder() -> None:
    runs = (a_run(), a_local_run())
    assert [manifest.place(manifest.statement(an_outcome(), run)) for run in runs] == ["first", "first@local"]
