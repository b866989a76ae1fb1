from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import CompileError
from tvm.support import archive
from tvm.support._static import pack


def _objects(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text(name, encoding="utf-8")
    return [str(folder / name) for name in names]


def test_the_library_is_made_under_a_name_with_lib_and_keeps_its_own(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")
    objects = _objects(tmp_path, "a.o", "b.o")

    pack(tmp_path / "x.a", objects, ar=("ar", "-crs"))

    assert ar.calls == [["-crs", str(tmp_path / ".x.a.tvm" / "libx.a"), *objects]]
    assert (tmp_path / "x.a").is_file()


def test_a_name_that_has_lib_gets_no_second_one(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")

    pack(tmp_path / "libx.a", _objects(tmp_path, "a.o"), ar=("ar", "-crs"))

    assert Path(ar.calls[0][1]).name == "libx.a"


def test_members_of_one_name_from_two_archives_are_both_given(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")
    for name, compress in (("a.tar", False), ("b.tar.gz", True)):
        archive.pack({"k.o": name.encode()}, tmp_path / name, compress=compress)

    pack(tmp_path / "x.a", [tmp_path / "a.tar", str(tmp_path / "b.tar.gz")], ar=("ar", "-crs"))

    members = ar.calls[0][2:]
    assert [Path(member).name for member in members] == ["k.o", "k.o"]
    assert len(set(members)) == 2
    assert sorted(entry.name for entry in tmp_path.glob("*.a")) == ["x.a"]


def test_two_runs_give_the_tool_the_same_names(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")
    archive.pack({"k.o": b"k"}, tmp_path / "a.tar", compress=False)

    for _ in range(2):
        pack(tmp_path / "x.a", [tmp_path / "a.tar"], ar=("ar", "-crs"))

    assert ar.calls[0] == ar.calls[1]


def test_ranlib_runs_on_the_new_library(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("ar")
    ranlib = stand_in("ranlib")

    pack(tmp_path / "x.a", _objects(tmp_path, "a.o"), ar=("ar", "-crs"), ranlib=("ranlib",))

    assert ranlib.calls == [[str(tmp_path / ".x.a.tvm" / "libx.a")]]


@pytest.mark.parametrize(("failing", "heading"), [("ar", "AR error"), ("ranlib", "Ranlib error")])
def test_a_failure_shows_the_tools_text_and_keeps_the_earlier_library(
    failing: str, heading: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    for name in ("ar", "ranlib"):
        stand_in(name, output=f"{name} says no", code=int(name == failing))
    (tmp_path / "x.a").write_text("old", encoding="utf-8")

    with pytest.raises(CompileError, match=rf"{heading}:\n{failing} says no\nCommand line: .*{failing} "):
        pack(tmp_path / "x.a", _objects(tmp_path, "a.o"), ar=("ar", "-crs"), ranlib=("ranlib",))

    assert (tmp_path / "x.a").read_text(encoding="utf-8") == "old"


def test_the_library_holds_no_time_on_macos(stand_in: MakeStandIn, tmp_path: Path) -> None:
    ar = stand_in("ar")

    pack(tmp_path / "x.a", _objects(tmp_path, "a.o"), ar=("ar", "-crs"))

    assert ar.environments[0]["ZERO_AR_DATE"] == "1"
