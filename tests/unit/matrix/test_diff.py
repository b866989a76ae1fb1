import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.matrix.results_data import OTHER_TREE, a_run, an_artefact, an_outcome
from tvm.error import ConfigError
from tvm.matrix import diff, manifest
from tvm.matrix.outcome import Status

PACKAGES = {"dpkg": {"gcc": "14.2", "tar": "1.35"}, "pip": {"pytest": "9.1"}}


@pytest.fixture
def before() -> dict[str, Any]:
    data = manifest.statement(an_outcome(artefacts=[an_artefact()]), a_run())
    manifest.own(data)["packages"] = PACKAGES
    return data


def changed(before: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> list[str]:
    """Return what differs after `change` has been made to our part of a copy."""
    after = copy.deepcopy(before)
    change(manifest.own(after))
    return [str(item) for item in diff.changes(before, after)]


def test_a_manifest_does_not_differ_from_itself(before: dict[str, Any]) -> None:
    assert diff.changes(before, copy.deepcopy(before)) == []


def test_times_and_durations_are_no_differences() -> None:
    early, late = (
        manifest.statement(an_outcome(), a_run(finished=f"2026-01-01T00:00:0{second}Z")) for second in (1, 2)
    )
    manifest.own(late)["seconds"] = 99.0
    assert diff.changes(early, late) == []


def test_packages_that_came_went_or_changed_are_named(before: dict[str, Any]) -> None:
    packages = {"dpkg": {"gcc": "14.3", "make": "4.4"}, "pip": {"pytest": "9.2"}}
    assert changed(before, lambda own: own.update(packages=packages)) == [
        "~ package gcc: 14.2 -> 14.3",
        "+ package make: 4.4",
        "~ package pip pytest: 9.1 -> 9.2",
        "- package tar: 1.35",
    ]


def test_a_manifest_that_does_not_name_packages_is_compared_in_the_rest(before: dict[str, Any]) -> None:
    assert changed(before, lambda own: own.pop("packages")) == []


def test_a_tool_of_another_version_is_named(before: dict[str, Any]) -> None:
    tools = {"python": {"path": "/usr/bin/python3", "version": "3.14.0"}}
    assert changed(before, lambda own: own["image"].update(tools=tools)) == [
        "~ tool python: 3.13.5 /usr/bin/python3 -> 3.14.0 /usr/bin/python3"
    ]


def test_an_artefact_of_other_bytes_is_named(before: dict[str, Any]) -> None:
    (line,) = changed(before, lambda own: own["artefacts"][0].update(sha256="a" * 64, size=7))
    assert line == f"~ artefact lib.so: 6 bytes, sha256 {'6' * 64} -> 7 bytes, sha256 {'a' * 64}"


def test_the_environment_the_archs_the_checks_and_the_tree_count(before: dict[str, Any]) -> None:
    after = manifest.statement(an_outcome(artefacts=[an_artefact()], status=Status.FAILED), a_run(tree=OTHER_TREE))
    build = after["predicate"]["buildDefinition"]
    manifest.own(after)["packages"] = PACKAGES
    build["internalParameters"]["environment"] = {"TZ": "Asia/Tokyo"}
    build["externalParameters"]["archs"] = {"x86_64": "linked"}
    assert [str(item) for item in diff.changes(before, after)] == [
        "~ tree tree: bbbbbbbbbbbb aaaaaaaaaaaa -> cccccccccccc+",
        "~ environment TZ: UTC -> Asia/Tokyo",
        "~ arch x86_64: executed -> linked",
        "~ check cc: passed 2/2 -> failed 1/2",
    ]


def test_an_image_is_its_recipe_and_routes_not_its_id(before: dict[str, Any]) -> None:
    assert changed(before, lambda own: own["image"].update(id="sha256:0", tag="f" * 16, vendor_route="vendor")) == [
        f"~ image recipe: first:0123456789abcdef -> first:{'f' * 16}",
        "~ image vendor route: stand-in -> vendor",
    ]


def test_text_has_a_line_per_change() -> None:
    change = diff.Change(kind="tool", name="gcc", before="", after="14")
    assert diff.text([change, change]) == "+ tool gcc: 14\n+ tool gcc: 14\n"


def test_a_manifest_is_read_from_its_file_and_from_its_folder(before: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(manifest.to_json(before), encoding="utf-8")
    assert diff.read(tmp_path) == diff.read(tmp_path / "manifest.json") == manifest.read(tmp_path / "manifest.json")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"predicate": {"buildDefinition": {"buildType": "other"}}}'])
def test_what_is_no_manifest_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"manifest\.json: (no manifest|written by another version)"):
        diff.read(tmp_path)


@pytest.mark.parametrize("name", ["tree", "image", "checks", "artefacts"])
def test_a_manifest_with_something_missing_is_an_error(before: dict[str, Any], tmp_path: Path, name: str) -> None:
    manifest.own(before)[name] = None
    (tmp_path / "manifest.json").write_text(json.dumps(before), encoding="utf-8")
    with pytest.raises(ConfigError, match="a manifest in which something is missing"):
        diff.read(tmp_path)


def test_two_inventories_differ_in_packages_tools_and_notes() -> None:
    before = {
        "dpkg": {"gcc": "14", "tar": "1"},
        "pip": {"numpy": "2.0"},
        "tools": {"cc": {"version": "14.1"}},
        "note": "a",
    }
    after = {"dpkg": {"gcc": "14"}, "pip": {"numpy": "2.1"}, "tools": {"cc": {"version": "14.2"}}, "note": "a"}
    assert diff.inventories(before, before) == []
    assert [str(change) for change in diff.inventories(before, after)] == [
        "~ package pip numpy: 2.0 -> 2.1",
        "- package tar: 1",
        "~ tool cc: 14.1 -> 14.2",
    ]
