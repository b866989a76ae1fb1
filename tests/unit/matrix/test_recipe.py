"""A tag follows from the recipe, from nothing else."""

import os
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ConfigError
from tvm.matrix.engine import BaseRoute, VendorRoute
from tvm.matrix.model import Project
from tvm.matrix.recipe import (
    RecipeFile,
    base_arguments,
    base_tag,
    build_arguments,
    recipe_files,
    recipe_tag,
    vendor_routes,
)

_INDEX = "vendor: {index: 'https://host/simple', packages: {nki: '0.6.0'}}"
_VENDOR = f"vendor: {{url: 'https://host/x.zip', sha256: '{'a' * 64}'}}"


def tag(
    project: Project,
    *,
    base_tag: str = "0123456789abcdef",
    base_route: BaseRoute = "bootstrapped",
    base_digest: str = "",
    vendor_route: VendorRoute = "none",
) -> str:
    """Return the tag of the image host."""
    return recipe_tag(
        project, "host", base_tag=base_tag, base_route=base_route, base_digest=base_digest, vendor_route=vendor_route
    )


def with_vendor(root: Path, vendor: str) -> Project:
    return make_project(root, TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    {vendor}\n"))


def test_files_come_in_the_order_of_their_paths_with_their_mode(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    folder = tmp_path / "images" / "host"
    (folder / "z").mkdir()
    (folder / "z" / "run").write_bytes(b"#!")
    (folder / "z" / "run").chmod(0o755)
    (folder / "a").write_bytes(b"")
    files = [(file.path, file.executable) for file in recipe_files(project, "host")]
    assert files == [("Dockerfile", False), ("a", False), ("z/run", True)]


def test_a_file_s_sum_is_of_its_bytes() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert RecipeFile(path="a", source=Path("a"), executable=False, content=b"").sha256 == empty


def with_context(root: Path, *folders: str) -> Project:
    named = TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    context: [{', '.join(folders)}]\n")
    return make_project(root, named)


def test_further_folders_come_with_their_paths_in_the_tree(tmp_path: Path) -> None:
    (tmp_path / "web" / "wasm").mkdir(parents=True)
    project = with_context(tmp_path, "web/wasm")
    (tmp_path / "web" / "wasm" / "x.cc").write_bytes(b"int x;")
    (tmp_path / "web" / "other.js").touch()
    files = recipe_files(project, "host")
    assert [file.path for file in files] == ["Dockerfile", "web/wasm/x.cc"]
    assert [file.source.read_bytes() == file.content for file in files] == [True, True]


def test_further_folders_count_by_their_files_only(tmp_path: Path) -> None:
    before = tag(make_project(tmp_path))
    (tmp_path / "web").mkdir()
    project = with_context(tmp_path, "web")
    assert tag(project) == before
    (tmp_path / "web" / "x.cc").touch()
    assert tag(project) != before


def test_a_further_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "web" / "wasm").mkdir(parents=True)
    project = with_context(tmp_path, "web/wasm")
    (tmp_path / "web" / "wasm").rmdir()
    with pytest.raises(ConfigError, match=r"takes files from 'web/wasm'(?s:.*)`context` in matrix\.yaml"):
        recipe_files(project, "host")


def test_a_further_folder_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "web").symlink_to("/etc")
    with pytest.raises(ConfigError, match="no folder of the tree"):
        recipe_files(with_context(tmp_path, "web"), "host")


def test_two_files_of_one_path_are_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "web", tmp_path / "images" / "host" / "web"):
        folder.mkdir(parents=True)
        (folder / "x.cc").touch()
    project = with_context(tmp_path, "web")
    with pytest.raises(ConfigError, match=r"has two files 'web/x\.cc'"):
        recipe_files(project, "host")


@pytest.mark.parametrize("folder", ["/etc", "../x", "web/../..", ".git", "web/", "''"])
def test_a_further_folder_lies_in_the_tree(folder: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="context"):
        with_context(tmp_path, folder)


def test_python_s_caches_are_no_part_of_a_recipe(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    before = tag(project)
    cache = tmp_path / "images" / "host" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").touch()
    assert tag(project) == before


def test_a_link_in_a_recipe_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "images" / "host" / "etc").symlink_to("/etc")
    with pytest.raises(ConfigError, match="'etc' in the recipe images/host is a link"):
        recipe_files(project, "host")


def test_a_special_file_in_a_recipe_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    os.mkfifo(tmp_path / "images" / "host" / "pipe")
    with pytest.raises(ConfigError, match="'pipe' in the recipe images/host is no regular file"):
        recipe_files(project, "host")


def test_a_missing_folder_says_where_it_was_sought(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with pytest.raises(ConfigError) as caught:
        recipe_files(project, "other")
    assert caught.value.looked == (str(tmp_path / "images" / "other"),)


def test_two_checkouts_of_one_recipe_have_one_tag(tmp_path: Path) -> None:
    one, two = (make_project(tmp_path / name) for name in ("one", "two"))
    (tmp_path / "two" / "images" / "host" / "Dockerfile").chmod(0o600)
    assert tag(one) == tag(two)
    assert len(tag(one)) == 16


def test_a_changed_file_changes_the_tag(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    before = tag(project)
    with (tmp_path / "images" / "host" / "Dockerfile").open("a") as file:
        file.write("RUN true\n")
    assert tag(project) != before


def test_a_file_that_may_be_run_changes_the_tag(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    before = tag(project)
    (tmp_path / "images" / "host" / "Dockerfile").chmod(0o755)
    assert tag(project) != before


def test_a_renamed_file_changes_the_tag(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    file = tmp_path / "images" / "host" / "a"
    file.touch()
    before = tag(project)
    file.rename(file.with_name("b"))
    assert tag(project) != before


def test_the_image_s_entry_counts_and_the_cells_do_not(tmp_path: Path) -> None:
    before = tag(make_project(tmp_path))
    assert tag(make_project(tmp_path, TEXT.replace("timeout: 60", "timeout: 61"))) == before
    assert tag(make_project(tmp_path, TEXT.replace("==14.*", "==14.2.*"))) != before


def test_the_base_and_the_routes_count(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    tags = {
        tag(project),
        tag(project, base_tag="fedcba9876543210"),
        tag(project, base_route="pulled"),
        tag(project, base_digest="sha256:1"),
        tag(project, vendor_route="stand-in"),
    }
    assert len(tags) == 5


def test_the_base_s_tag_follows_suite_route_digest_and_folder(tmp_path: Path) -> None:
    project = make_project(tmp_path, TEXT.replace("  trixie: {}", "  trixie: {}\n  forky: {rolling: true}"))
    tags = {
        base_tag(project, "trixie", route="bootstrapped", digest=""),
        base_tag(project, "forky", route="bootstrapped", digest=""),
        base_tag(project, "trixie", route="pulled", digest="sha256:1"),
        base_tag(project, "trixie", route="pulled", digest="sha256:2"),
    }
    (tmp_path / "images" / "base" / "more").touch()
    tags.add(base_tag(project, "trixie", route="bootstrapped", digest=""))
    assert len(tags) == 5


def test_build_arguments_name_base_suite_and_probes(tmp_path: Path) -> None:
    arguments = build_arguments(make_project(tmp_path), "host", base="sha256:b", vendor_route="none")
    assert arguments == {
        "BASE": "sha256:b",
        "COMPONENTS": "main",
        "IMAGE": "host",
        "SUITE": "trixie",
        "TOOLS": '{"gcc":["gcc","--version"],"tar":["tar","--version"]}',
        "VENDOR_ROUTE": "none",
        "VENDOR_SHA256": "",
        "VENDOR_URL": "",
    }


def test_the_vendor_s_address_goes_only_by_its_own_route(tmp_path: Path) -> None:
    project = with_vendor(tmp_path, _VENDOR)
    by_vendor = build_arguments(project, "host", base="b", vendor_route="vendor")
    stand_in = build_arguments(project, "host", base="b", vendor_route="stand-in")
    assert (by_vendor["VENDOR_URL"], by_vendor["VENDOR_SHA256"]) == ("https://host/x.zip", "a" * 64)
    assert (stand_in["VENDOR_URL"], stand_in["VENDOR_SHA256"]) == ("", "")


def test_the_base_gets_the_same_arguments(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    arguments = base_arguments(project, "trixie", base="b")
    assert arguments.keys() == build_arguments(project, "host", base="b", vendor_route="none").keys()
    assert (arguments["IMAGE"], arguments["TOOLS"]) == ("base", "{}")


def test_an_unknown_suite_has_no_arguments(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="suite 'sarge' is not in"):
        base_arguments(make_project(tmp_path), "sarge", base="b")


def test_a_vendors_index_goes_to_the_build_by_its_address(tmp_path: Path) -> None:
    arguments = build_arguments(with_vendor(tmp_path, _INDEX), "host", base="b", vendor_route="vendor")
    assert (arguments["VENDOR_URL"], arguments["VENDOR_SHA256"]) == ("https://host/simple", "")


@pytest.mark.parametrize(
    ("vendor", "routes"),
    [
        ("components: [main]", ("none",)),
        (_VENDOR, ("vendor", "stand-in")),
        ("vendor: {url: 'https://host/x.zip'}", ("stand-in",)),
        (_INDEX, ("vendor",)),
    ],
)
def test_a_download_without_a_pin_is_no_route(tmp_path: Path, vendor: str, routes: tuple[str, ...]) -> None:
    assert vendor_routes(with_vendor(tmp_path, vendor), "host") == routes
