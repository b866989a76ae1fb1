"""matrix.yaml is read strictly, and everything wrong with it is said at once."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.matrix.projects import TEXT, make_project, write_project
from tvm.error import ConfigError, ExitCode
from tvm.matrix.loader import FIXED_SESSIONS, find_root, load
from tvm.support.record import strip_credentials


def mistakes(root: Path, text: str) -> list[str]:
    """Load `text` and return the lines of the error."""
    file = write_project(root, text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    return str(caught.value).split("\n")


def test_a_good_file_gives_the_model_and_its_root(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    assert project.root == tmp_path
    assert project.matrix.cells["host"].checks == {"cc": ["gcc", "tar"], "tar": ["tar"]}


def test_a_folder_stands_for_the_file_in_it(tmp_path: Path) -> None:
    write_project(tmp_path)
    assert load(tmp_path) == load(tmp_path / "matrix.yaml")


def test_the_repository_s_own_matrix_loads() -> None:
    project = load(Path(__file__).parents[3])
    assert {"host", "ndk"} <= set(project.matrix.cells)


def test_every_pin_of_the_repository_names_the_place_it_was_read_from() -> None:
    matrix = load(Path(__file__).parents[3]).matrix
    suites = [suite.source for suite in matrix.suites.values() if suite.digest]
    vendors = [image.vendor.source for image in matrix.images.values() if image.vendor]
    assert all(suites + vendors)


def test_all_mistakes_come_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = TEXT.replace("suite: trixie", "suite: trixi").replace("image: host", "imgae: host").replace("60", '"60"')
    assert mistakes(tmp_path, text) == [
        "matrix.yaml has 4 mistakes:",
        "matrix.yaml:6: images.host.suite: suite 'trixi' is not among suites; did you mean 'trixie'?",
        "matrix.yaml:9: cells.host.image: is missing",
        "matrix.yaml:10: cells.host.imgae: unknown key; did you mean 'image'?",
        "matrix.yaml:14: cells.host.timeout: must be a whole number, without quotes",
    ]


def test_a_wrong_file_has_its_own_exit_code(tmp_path: Path) -> None:
    file = write_project(tmp_path, "schema: 2\n")
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert caught.value.exit_code is ExitCode.CONFIG


@pytest.mark.parametrize(
    "value", ["12.10", "no", "22:30", "1e3", "0x10", "012", "2026-11-01", "12", "true", "y", "1_000", ".5"]
)
def test_what_is_not_clearly_text_must_be_quoted_where_text_is_wanted(tmp_path: Path, value: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace('"==14.*"', value))
    assert lines[1] == f'matrix.yaml:7: images.host.tools.gcc: must be text: write it in quotes: "{value}"'


@pytest.mark.parametrize("key", ["12", "no", "1e3", "~"])
def test_a_key_that_is_not_clearly_text_must_be_quoted(tmp_path: Path, key: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace("riscv64", key))
    assert f'matrix.yaml:11: cells.host.archs.{key}: key must be text: write it in quotes: "{key}"' in lines


def test_quotes_make_text_of_anything(tmp_path: Path) -> None:
    project = make_project(tmp_path, TEXT.replace("riscv64", '"64"'))
    assert list(project.matrix.cells["host"].archs) == ["x86_64", "64"]


@pytest.mark.parametrize("nothing", ["", "~", "null"])
def test_an_empty_value_is_refused(tmp_path: Path, nothing: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace("image: host", f"image: {nothing}"))
    assert lines[1:] == ["matrix.yaml:10: cells.host.image: nothing stands here: write a value, or leave the key out"]


def test_a_key_written_twice_is_refused(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT + "    timeout: 70\n")
    assert lines[1:] == ["matrix.yaml:15: cells.host.timeout: key is written twice; the first one is on line 14"]


def test_what_lies_below_a_key_written_twice_is_still_checked(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("timeout: 60", "timeout: 0") + "    timeout: 70\n    bad: 1\n")
    assert "matrix.yaml:16: cells.host.bad: unknown key" in "\n".join(lines)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trixie: {}", "trixie: &here {}", "suites.trixie: anchor &here is refused"),
        ("trixie: {}", "trixie: &a {}\n  forky: *a", "suites.forky: alias *a is refused"),
        ("trixie: {}", "trixie: {<<: {}}", "suites.trixie: merge key << is refused"),
        ("trixie: {}", "trixie: !!map {}", "suites.trixie: tag !!map is refused"),
        ("image: host", "image: ! host", "cells.host.image: tag ! is refused"),
        ("image: host", "image: !ruby/object host", "cells.host.image: tag !ruby/object is refused"),
        ("trixie: {}", "trixie: {? [a]: b}", "suites.trixie: a key must be text"),
    ],
)
def test_what_readers_of_yaml_expand_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in "\n".join(mistakes(tmp_path, TEXT.replace(old, new)))


def test_a_cycle_is_an_error_not_a_recursion(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("trixie: {}", "trixie: &loop {self: *loop}"))
    assert "matrix.yaml:3: suites.trixie.self: alias *loop is refused: write the value out" in lines


@pytest.mark.parametrize("bad", ["0", "-1", "99999", "1.5", "060"])
def test_a_time_limit_is_a_whole_number_of_seconds_within_bounds(tmp_path: Path, bad: str) -> None:
    assert "cells.host.timeout: " in mistakes(tmp_path, TEXT.replace("timeout: 60", f"timeout: {bad}"))[1]


@pytest.mark.parametrize(("bad", "told"), [("0", "must be more than 0"), ("14401", "must be at most 14400")])
def test_a_time_limit_out_of_bounds_is_told_the_bound(tmp_path: Path, bad: str, told: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace("timeout: 60", f"timeout: {bad}"))
    assert lines[1:] == [f"matrix.yaml:14: cells.host.timeout: {told}"]


@pytest.mark.parametrize("bad", ["yes", "on", '"true"', "True", "1"])
def test_a_flag_is_true_or_false(tmp_path: Path, bad: str) -> None:
    lines = mistakes(tmp_path, TEXT + f"    ci: {bad}\n")
    assert lines[1:] == ["matrix.yaml:15: cells.host.ci: must be true or false, without quotes"]


@pytest.mark.parametrize("bad", ["2", "true", '"1"'])
def test_another_version_of_the_file_is_refused(tmp_path: Path, bad: str) -> None:
    assert mistakes(tmp_path, TEXT.replace("schema: 1", f"schema: {bad}"))[1].startswith(
        "matrix.yaml:1: schema: must be "
    )


def test_an_unknown_depth_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    assert (
        "write one of compiled, linked, inspected, executed" in mistakes(tmp_path, TEXT.replace("executed", "run"))[1]
    )


@pytest.mark.parametrize("address", ["http://host/x.zip", "https://me:secret@host/x.zip", "file:///x.zip"])
def test_a_download_comes_over_https_without_credentials(tmp_path: Path, address: str) -> None:
    text = TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    vendor: {{url: '{address}'}}\n")
    assert mistakes(tmp_path, text)[1].endswith(
        "images.host.vendor.url: must be an https address without user and password"
    )


@pytest.mark.parametrize(
    ("vendor", "mistake"),
    [
        ("{index: 'http://h', packages: {a: '1'}}", "vendor.index: must be the https address of a package index"),
        (
            "{index: 'https://me:pw@h', packages: {a: '1'}}",
            "vendor.index: must be the https address of a package index",
        ),
        ("{index: 'https://h', packages: {}}", "vendor.packages: must not be empty"),
        ("{index: 'https://h', packages: {a: '>=1'}}", "vendor.packages.a: '>=1' is no version; write one"),
        ("{index: 'https://h', packages: {A: '1'}}", "vendor.packages.A: 'A' must match"),
        ("{index: 'https://h', packages: {a: '1'}, sum: x}", "vendor.sum: unknown key"),
        ("{index: 'https://h', packages: {a: '1'}, url: 'https://h/x'}", "vendor.url: stands beside index; write one"),
        ("{sha: '1', url: 'https://h/x'}", "vendor.sha: unknown key; did you mean 'sha256'?"),
        ("7", "vendor: must be a mapping (key: value)"),
    ],
)
def test_a_vendor_is_a_download_or_an_index(tmp_path: Path, vendor: str, mistake: str) -> None:
    text = TEXT.replace("    suite: trixie\n", f"    suite: trixie\n    vendor: {vendor}\n")
    assert mistakes(tmp_path, text)[1].startswith(f"matrix.yaml:7: images.host.{mistake}")


def test_an_unknown_image_is_answered_with_the_nearest(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("image: host", "image: hots"))
    assert lines[1:] == ["matrix.yaml:10: cells.host.image: image 'hots' is not among images; did you mean 'host'?"]


def test_a_need_must_stand_in_the_tools_of_the_image(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("cc: [gcc, tar]", "cc: [gcc, clang]"))
    assert lines[1].startswith(
        "matrix.yaml:12: cells.host.checks.cc.1: need 'clang' stands in no tools of image 'host'"
    )


def test_a_tool_must_be_known(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("tools: {", 'tools: {gccc: ">=1", '))
    assert (
        lines[1] == "matrix.yaml:7: images.host.tools.gccc: tool is not in tvm/matrix/tools.toml; did you mean 'gcc'?"
    )


@pytest.mark.parametrize("name", [*sorted(FIXED_SESSIONS), "base", "all"])
def test_a_cell_cannot_have_the_name_of_a_session_or_a_reserved_one(tmp_path: Path, name: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace("cells:\n  host:", f"cells:\n  {name}:"))
    assert lines[1].startswith(f"matrix.yaml:9: cells.{name}: is ")


@pytest.mark.parametrize("name", ["Host", "9host", "-host", "a_b", '"../up"', '"a b"', '"a\\nb"', '"\\0"', "x" * 41])
def test_a_cell_s_name_is_plain(tmp_path: Path, name: str) -> None:
    lines = mistakes(tmp_path, TEXT.replace("cells:\n  host:", f"cells:\n  {name}:"))
    assert lines[1].startswith("matrix.yaml:9: cells.")
    assert all(line.isprintable() for line in lines)


def test_what_a_terminal_would_act_on_is_escaped(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("image: host", "image: !<%1b[31m> host"))
    assert lines[1:] == [r"matrix.yaml:10: cells.host.image: tag \x1b[31m is refused: write the plain value"]


def test_a_line_of_the_error_is_not_endless(tmp_path: Path) -> None:
    lines = mistakes(tmp_path, TEXT.replace("image: host", f"image: {'x' * 5000}"))
    assert max(map(len, lines)) < 500


def test_a_missing_folder_recipe_and_check_are_named(tmp_path: Path) -> None:
    file = write_project(tmp_path, images=("base",), checks=("cc",))
    (tmp_path / "images" / "base" / "Dockerfile").unlink()
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert str(caught.value).split("\n")[1:] == [
        "matrix.yaml:4: images: its recipe images/base/Dockerfile is missing",
        "matrix.yaml:5: images.host: its folder images/host is missing",
        "matrix.yaml:12: cells.host.checks.tar: its file tests/matrix/check_tar.py is missing",
    ]


def test_a_missing_folder_of_a_context_and_of_a_backend_are_named(tmp_path: Path) -> None:
    text = TEXT.replace("suite: trixie", "suite: trixie\n    context: [web/wasm]").replace(
        "image: host", "image: host\n    backend: cuda"
    )
    assert mistakes(tmp_path, text)[1:] == [
        "matrix.yaml:7: images.host.context.0: its folder web/wasm is missing",
        "matrix.yaml:12: cells.host.backend: its folder backends/cuda is missing",
    ]
    for folder in ("web/wasm", "backends/cuda"):
        (tmp_path / folder).mkdir(parents=True)
    assert make_project(tmp_path, text).matrix.cells["host"].backend == "cuda"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "matrix.yaml: is empty"),
        (b"# only a comment\n", "matrix.yaml: is empty"),
        (b"\xef\xbb\xbfschema: 1\n", "matrix.yaml:1: begins with a byte order mark"),
        (b"schema: 1\nimages: \xff\n", "matrix.yaml:2: is not UTF-8 (byte 0xff)"),
        ("schema: 1\n".encode("utf-16"), "matrix.yaml:1: is not UTF-8"),
        (b"schema: 1\nimages:\n\thost: 1\n", "matrix.yaml:3: is indented with a tab"),
        (b"schema: 1\nimages: \0\n", "matrix.yaml:2: holds U+0000, which cannot be seen"),
        (b"schema: \x1b[31m1\n", "matrix.yaml:1: holds U+001B, which cannot be seen"),
        (b"schema: [1\n", "matrix.yaml:2: while parsing a flow sequence"),
        (b"schema: 1\n---\nschema: 1\n", "matrix.yaml:2: "),
        (b"[" * 5000, "matrix.yaml: nested too deeply"),
        (b"a: " + b"x" * (1 << 20), "matrix.yaml is larger than 1048576 bytes"),
        (b"- schema\n", "matrix.yaml:1: must be a mapping (key: value)"),
    ],
)
def test_a_file_that_is_no_matrix_gets_one_clear_error(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "matrix.yaml"
    file.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert message in str(caught.value)


def test_a_missing_file_says_where_it_was_sought(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "matrix.yaml")
    fix = "fix: name a matrix.yaml, or the folder that holds it"
    assert str(caught.value) == f"no matrix.yaml\nlooked in:\n  {tmp_path}/matrix.yaml\n{fix}"


def test_a_file_that_is_no_regular_one_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "matrix.yaml")
    with pytest.raises(ConfigError, match="is no regular file"):
        load(tmp_path / "matrix.yaml")


def test_the_nearest_matrix_above_is_the_root(tmp_path: Path) -> None:
    write_project(tmp_path)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_root(inner) == tmp_path


def test_no_matrix_above_lists_every_folder_asked(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    with pytest.raises(ConfigError) as caught:
        find_root(inner)
    assert caught.value.looked[:2] == (f"{inner}/matrix.yaml", f"{tmp_path}/matrix.yaml")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text_loads_or_is_a_config_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("any") / "matrix.yaml"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(ConfigError, match=r"matrix\.yaml"):
        load(file)


@pytest.mark.parametrize(
    "host",
    ["big", "big-2.lab_x", "unix:///run/x.sock", "tcp://h:2376", "ssh://h", "ssh://me@h:22/run/podman/podman.sock"],
)
def test_a_cell_may_have_a_host_of_its_own(tmp_path: Path, host: str) -> None:
    assert make_project(tmp_path, f'{TEXT}engines: {{host: "{host}"}}\n').matrix.engines == {"host": host}


@pytest.mark.parametrize(
    "host",
    ["", "-H", "a b", "http://h", "ssh://me:secret@h", "ssh://-oProxyCommand=x", "ssh://", "unix://rel", "x" * 201],
)
def test_what_is_no_host_is_answered_with_what_is(tmp_path: Path, host: str) -> None:
    (_, line) = mistakes(tmp_path, f'{TEXT}engines: {{host: "{host}"}}\n')
    assert line.startswith("matrix.yaml:15: engines.host: must be the name of a docker context, or unix:///PATH, ")
    assert "ssh://USER@HOST" in strip_credentials(line)


def test_a_host_of_an_unknown_cell_is_answered_with_the_nearest(tmp_path: Path) -> None:
    (_, line) = mistakes(tmp_path, f"{TEXT}engines: {{hots: big}}\n")
    assert line == "matrix.yaml:15: engines.hots: cell 'hots' is not among cells; did you mean 'host'?"
