import io
import os
import platform
import tarfile
from pathlib import Path

import pytest

from tvm.error import ArchiveError
from tvm.support import record
from tvm.support.tar import normalize_file_list_by_unpacking_tars, tar, untar
from tvm.support.utils import TempDirectory


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def files(root: Path, **contents: str) -> list[Path]:
    root.mkdir(exist_ok=True)
    made = []
    for name, content in contents.items():
        path = root / f"{name}.o"
        path.write_text(content)
        made.append(path)
    return made


def names(path: Path) -> list[str]:
    with tarfile.open(path) as listing:
        return listing.getnames()


class TestTar:
    def test_the_output_format(self) -> None:
        assert tar.output_format == "tar"
        assert tar.__name__ == "tar"  # type: ignore[attr-defined]  # it is a function, whatever its declared type

    def test_packs_by_base_name_compressed(self, work: Path) -> None:
        tar("x.tar", [*files(work / "a", b="1"), str(files(work / "c", a="2")[0])])
        assert names(work / "x.tar") == ["a.o", "b.o"]
        assert (work / "x.tar").read_bytes().startswith(b"\x1f\x8b")

    def test_keywords_are_the_seeds(self, work: Path) -> None:
        tar(output=work / "x.tar", files=files(work, a="1"))
        (work / "out").mkdir()
        untar(tar_file=work / "x.tar", directory=work / "out")
        assert (work / "out/a.o").read_text() == "1"

    def test_it_is_recorded_as_what_made_the_file(self, work: Path) -> None:
        packed, calls = files(work / "a", b="1", a="2"), list[record.ToolCall]()
        with record.recording(calls.append):
            tar("x.tar", packed)
        (call,) = calls
        assert (call.kind, call.argv, call.exit) == ("library", ("x.tar", *map(str, packed)), 0)
        assert (call.tool.path, call.tool.version) == (tarfile.__file__, f"Python {platform.python_version()}")
        assert call.inputs == record.digests(packed, cwd=work)
        assert call.outputs == record.digests(["x.tar"], cwd=work)

    def test_equal_base_names(self, work: Path) -> None:
        with pytest.raises(ValueError, match=r"^duplicate file name a\.o$"):
            tar("x.tar", [*files(work / "one", a="1"), *files(work / "two", a="2")])
        assert not (work / "x.tar").exists()

    def test_no_files(self, work: Path) -> None:
        with pytest.raises(RuntimeError, match=r"^Tar error"):
            tar("x.tar", [])
        assert not (work / "x.tar").exists()

    def test_a_folder(self, work: Path) -> None:
        with pytest.raises(IsADirectoryError):
            tar("x.tar", [work])

    def test_a_missing_file(self, work: Path) -> None:
        with pytest.raises(FileNotFoundError):
            tar("x.tar", [*files(work, a="1"), "none.o"])
        assert not (work / "x.tar").exists()

    def test_a_string_is_no_list(self, work: Path) -> None:
        with pytest.raises(TypeError, match=r"a list of files is needed, not one str: 'a\.o'"):
            tar("x.tar", "a.o")
        assert list(work.iterdir()) == []

    def test_a_name_that_looks_like_an_option_is_a_file(self, work: Path) -> None:
        odd = ["--checkpoint=1", "--checkpoint-action=exec=touch pwned", "-C"]
        for name in odd:
            (work / name).touch()
        tar("x.tar", odd)
        assert names(work / "x.tar") == sorted(odd)
        assert not (work / "pwned").exists()

    def test_the_same_files_give_the_same_bytes(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first, second = files(work / "a", a="1", b="2"), files(work / "b", a="1", b="2")
        os.utime(first[0], (1, 1))
        tar("1.tar", first)
        # gzip would write the time of day.
        monkeypatch.setattr("time.time", lambda: 1_000_000.0)
        tar("2.tar", second[::-1])
        assert (work / "1.tar").read_bytes() == (work / "2.tar").read_bytes()

    def test_an_error_keeps_the_earlier_output(self, work: Path) -> None:
        tar("x.tar", files(work, a="1"))
        before = (work / "x.tar").read_bytes()
        os.mkfifo(work / "fifo")
        with pytest.raises(RuntimeError, match=r"^Tar error"):
            tar("x.tar", ["fifo"])
        assert (work / "x.tar").read_bytes() == before


class TestUntar:
    def test_round_trip(self, work: Path) -> None:
        tar("x.tar", files(work, a="1", b="2"))
        (work / "out").mkdir()
        untar("x.tar", "out")
        assert {path.name: path.read_text() for path in (work / "out").iterdir()} == {"a.o": "1", "b.o": "2"}

    def test_the_folder_must_exist(self, work: Path) -> None:
        tar("x.tar", files(work, a="1"))
        with pytest.raises(RuntimeError, match=r"^Tar error:\ncannot unpack into 'out'"):
            untar("x.tar", "out")

    def test_a_missing_archive(self, work: Path) -> None:
        with pytest.raises(ArchiveError, match=r"^Tar error:\ncannot read the archive"):
            untar(work / "none.tar", work)

    def test_a_hostile_archive(self, work: Path) -> None:
        with tarfile.open("x.tar", "w") as listing:
            listing.addfile(tarfile.TarInfo("../evil"), io.BytesIO())
        with pytest.raises(RuntimeError, match=r"^Tar error:\narchive member '\.\./evil' is refused"):
            untar("x.tar", work)
        assert [path.name for path in work.iterdir()] == ["x.tar"]


class TestNormalize:
    def test_archives_are_replaced_in_place_by_their_sorted_files(self, work: Path) -> None:
        tar("x.tar", files(work / "in", c="3", a="1"))
        with TempDirectory() as temp:
            found = normalize_file_list_by_unpacking_tars(temp, ["first.o", "x.tar", Path("last.o")])
            assert found == ["first.o", temp.relpath("temp0/a.o"), temp.relpath("temp0/c.o"), "last.o"]
            assert Path(found[1]).read_text() == "1"

    @pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".TAR", ".Tar.Gz"])
    def test_every_spelling_of_the_suffix(self, work: Path, suffix: str) -> None:
        tar(f"x{suffix}", files(work / "in", a="1"))
        with TempDirectory() as temp:
            assert normalize_file_list_by_unpacking_tars(temp, [Path(f"x{suffix}")]) == [temp.relpath("temp0/a.o")]

    def test_equal_names_in_two_archives_both_stay(self, work: Path) -> None:
        tar("1.tar", files(work / "one", a="1"))
        tar("2.tar", files(work / "two", a="2"))
        with TempDirectory() as temp:
            found = normalize_file_list_by_unpacking_tars(temp, ["1.tar", "2.tar"])
            assert [Path(path).read_text() for path in found] == ["1", "2"]

    def test_a_second_call_with_the_same_folder(self, work: Path) -> None:
        tar("x.tar", files(work / "in", a="1"))
        with TempDirectory() as temp:
            first = normalize_file_list_by_unpacking_tars(temp, ["x.tar"])
            second = normalize_file_list_by_unpacking_tars(temp, ["x.tar"])
            assert [*first, *second] == [temp.relpath("temp0/a.o"), temp.relpath("temp1/a.o")]

    def test_a_folder_that_comes_into_being_meanwhile_is_passed_over(self, work: Path) -> None:
        tar("x.tar", files(work / "in", a="1"))
        with TempDirectory() as temp:
            # Not there for who looks, and there for who makes it.
            (temp / "temp0").symlink_to(work / "none")
            assert normalize_file_list_by_unpacking_tars(temp, ["x.tar"]) == [temp.relpath("temp1/a.o")]

    def test_files_in_folders_are_found(self, work: Path) -> None:
        with tarfile.open(work / "x.tar", "w") as listing:
            for name in ("b/z.o", "b/a.o", "a.o"):
                listing.addfile(tarfile.TarInfo(name), io.BytesIO())
        with TempDirectory() as temp:
            found = normalize_file_list_by_unpacking_tars(temp, ["x.tar"])
            assert found == [temp.relpath(f"temp0/{name}") for name in ("a.o", "b/a.o", "b/z.o")]

    def test_an_error_leaves_no_folder(self, work: Path) -> None:
        (work / "x.tar").write_text("no archive")
        with TempDirectory() as temp:
            with pytest.raises(RuntimeError, match=r"^Tar error"):
                normalize_file_list_by_unpacking_tars(temp, ["x.tar"])
            assert temp.listdir() == []

    def test_a_string_is_no_list(self) -> None:
        with TempDirectory() as temp, pytest.raises(TypeError, match="a list of files is needed"):
            normalize_file_list_by_unpacking_tars(temp, "x.tar")
