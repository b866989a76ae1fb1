import gzip
import io
import os
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support import hostile
from tvm.error import ArchiveError
from tvm.support import archive

# Names and contents that a tree may have: what file systems take, with blanks, quotes, dashes, newlines and bytes that are no UTF-8.
PARTS = (
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=40)
    | st.binary(min_size=1, max_size=60).map(lambda raw: os.fsdecode(raw.replace(b"/", b"x").replace(b"\0", b"y")))
    | st.sampled_from(["--checkpoint-action=exec=touch pwned", "-C", " ", "'", '"', "a\nb", "x" * 255])
).filter(lambda part: part not in {".", ".."} and len(os.fsencode(part)) <= 255)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
TREES = st.dictionaries(NAMES, st.binary(max_size=2000), max_size=8).filter(
    lambda tree: not any(other.startswith(f"{name}/") for name in tree for other in tree)
)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def packed(members: dict[str, Path | bytes], *, compress: bool = False) -> bytes:
    sink = io.BytesIO()
    archive.pack(members, sink, compress=compress)
    return sink.getvalue()


def read_back(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def foreign_tar(*infos: tarfile.TarInfo, format: int = tarfile.PAX_FORMAT, mode: str = "w") -> io.BytesIO:  # noqa: A002
    """Make a tar as other programs may: each member's bytes are its size in x."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode=mode, format=format) as tar:  # type: ignore[call-overload]
        for info in infos:
            tar.addfile(info, io.BytesIO(b"x" * info.size))
    sink.seek(0)
    return sink


def member(
    name: str, *, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "", mode: int = 0o644
) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname, info.mode = kind, size, link, mode
    return info


def entry(name: str, **fields: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def foreign_zip(*members: tuple[zipfile.ZipInfo, bytes]) -> io.BytesIO:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as listing:
        for info, content in members:
            listing.writestr(info, content)
    sink.seek(0)
    return sink


@pytest.fixture
def out(tmp_path: Path) -> Path:
    made = tmp_path / "out"
    made.mkdir()
    return made


class TestRoundTrip:
    @given(TREES, st.booleans())
    def test_what_was_packed_comes_out(self, tree: dict[str, bytes], compress: bool) -> None:  # noqa: FBT001
        with folder() as root:
            written = archive.unpack(io.BytesIO(packed(dict(tree), compress=compress)), root)
            assert read_back(root) == tree
            assert written == sorted(root / name for name in tree)

    @given(TREES, st.randoms())
    def test_order_does_not_reach_the_bytes(self, tree: dict[str, bytes], random: Random) -> None:
        items = list(tree.items())
        random.shuffle(items)
        assert packed(dict(items), compress=True) == packed(dict(tree), compress=True)

    @pytest.mark.parametrize("compress", [False, True])
    def test_files_keep_bytes_and_the_right_to_run(self, out: Path, tmp_path: Path, compress: bool) -> None:  # noqa: FBT001
        (tmp_path / "data").write_bytes(bytes(range(256)) * 10_000)
        (tmp_path / "tool").touch(0o700)
        data = packed({"a/data": tmp_path / "data", "a/tool": tmp_path / "tool"}, compress=compress)
        archive.unpack(io.BytesIO(data), out)
        assert (out / "a/data").read_bytes() == bytes(range(256)) * 10_000
        assert os.access(out / "a/tool", os.X_OK)
        assert not (out / "a/data").stat().st_mode & 0o111

    @pytest.mark.parametrize("name", ["\x1f\udc8b\x08", "PK\x03\x04", "PK\x05\x06"])
    def test_a_first_name_that_begins_like_another_kind_of_archive(self, out: Path, name: str) -> None:
        archive.unpack(io.BytesIO(packed({name: b"1"})), out)
        assert read_back(out) == {name: b"1"}

    def test_from_a_path(self, out: Path, tmp_path: Path) -> None:
        (tmp_path / "x.tar").write_bytes(packed({"a": b"1"}))
        assert archive.unpack(tmp_path / "x.tar", out) == [out / "a"]

    def test_from_a_stream_that_cannot_be_sought_in(self, out: Path) -> None:
        read, write = os.pipe()
        os.write(write, packed({"a": b"1"}, compress=True))
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            assert archive.unpack(stream, out) == [out / "a"]

    def test_to_a_stream_that_cannot_be_sought_in(self, out: Path) -> None:
        read, write = os.pipe()
        with os.fdopen(write, "wb") as sink:
            archive.pack({"a": b"1"}, sink, compress=True)
        with os.fdopen(read, "rb") as stream:
            assert archive.unpack(stream, out) == [out / "a"]

    def test_nothing_in_nothing_out(self, out: Path) -> None:
        assert archive.unpack(io.BytesIO(packed({})), out) == []


class TestPack:
    def test_entries_are_sorted_and_normalised_with_every_parent(self, tmp_path: Path) -> None:
        (tmp_path / "tool").touch(0o777)
        os.utime(tmp_path / "tool", (1, 1))
        data = packed({"b/c/d": b"x", "./a": tmp_path / "tool"})
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            entries = [(info.name, info.mode, info.mtime, info.uid, info.gid, info.uname, info.gname) for info in tar]
        assert entries == [
            ("a", 0o755, 0, 0, 0, "", ""),
            ("b", 0o755, 0, 0, 0, "", ""),
            ("b/c", 0o755, 0, 0, 0, "", ""),
            ("b/c/d", 0o644, 0, 0, 0, "", ""),
        ]

    def test_time_and_place_do_not_reach_the_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "one").write_bytes(b"same")
        (tmp_path / "two").write_bytes(b"same")
        os.utime(tmp_path / "one", (1, 1))
        assert packed({"a": tmp_path / "one"}, compress=True) == packed({"a": tmp_path / "two"}, compress=True)

    def test_a_path_is_replaced_as_a_whole(self, tmp_path: Path) -> None:
        target = tmp_path / "new" / "x.tar"
        target.parent.mkdir()
        target.write_bytes(b"old")
        archive.pack({"a": b"1"}, target, compress=False)
        assert target.read_bytes() == packed({"a": b"1"})
        assert [path.name for path in target.parent.iterdir()] == ["x.tar"]

    def test_a_target_that_is_a_link_is_replaced_and_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "precious").write_bytes(b"old")
        (tmp_path / "x.tar").symlink_to(tmp_path / "precious")
        archive.pack({"a": b"1"}, tmp_path / "x.tar", compress=False)
        assert (tmp_path / "precious").read_bytes() == b"old"
        assert not (tmp_path / "x.tar").is_symlink()

    def test_a_failure_leaves_the_old_file_and_no_new_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_self: tarfile.TarFile, _info: tarfile.TarInfo, _file: object = None) -> None:
            raise OSError(28, "No space left on device")

        target = tmp_path / "new" / "x.tar"
        target.parent.mkdir()
        target.write_bytes(b"old")
        (tmp_path / "a").touch()
        monkeypatch.setattr(tarfile.TarFile, "addfile", fail)
        with pytest.raises(ArchiveError, match="No space left"):
            archive.pack({"a": tmp_path / "a"}, target, compress=True)
        assert read_back(target.parent) == {"x.tar": b"old"}

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            archive.pack({"a": b"", "b": tmp_path / "none"}, tmp_path / "x.tar", compress=False)
        assert not (tmp_path / "x.tar").exists()

    def test_a_folder(self, tmp_path: Path) -> None:
        before = sorted(path.name for path in Path("/proc/self/fd").iterdir())
        with pytest.raises(IsADirectoryError, match=r"Is a directory: '.+'"):
            packed({"a": tmp_path})
        assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == before

    def test_a_fifo_is_refused_and_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(ArchiveError, match="not a regular file"):
            packed({"a": tmp_path / "fifo"})

    @pytest.mark.parametrize("name", ["", ".", "/a", "../a", "a/../b", "a/..", "a/", "a\0b", "x" * 256, "a/."])
    def test_a_name_that_could_not_be_unpacked(self, name: str) -> None:
        with pytest.raises(ArchiveError, match="is refused"):
            packed({name: b""})

    @pytest.mark.parametrize("names", [("a", "./a"), ("a//b", "a/b")])
    def test_two_spellings_of_one_name(self, names: tuple[str, str]) -> None:
        with pytest.raises(ArchiveError, match="occurs twice"):
            packed(dict.fromkeys(names, b""))

    def test_a_file_where_a_folder_must_be(self) -> None:
        with pytest.raises(ArchiveError, match="both a file and a folder"):
            packed({"a": b"", "a/b": b""})


class TestForeignTars:
    @pytest.mark.parametrize("format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
    def test_long_names(self, out: Path, format: int) -> None:  # noqa: A002
        name = "/".join(["long" * 20] * 5) + "/übung"
        archive.unpack(foreign_tar(member(name, size=3), format=format), out)
        assert read_back(out) == {name: b"xxx"}

    def test_dot_prefixes_and_folder_entries(self, out: Path) -> None:
        infos = [
            member("./", kind=tarfile.DIRTYPE),
            member("./a", kind=tarfile.DIRTYPE),
            member("./a/b", size=1),
            member("./empty/", kind=tarfile.DIRTYPE),
        ]
        assert archive.unpack(foreign_tar(*infos), out) == [out / "a/b"]
        assert (out / "empty").is_dir()

    def test_a_folder_listed_twice(self, out: Path) -> None:
        archive.unpack(foreign_tar(member("a", kind=tarfile.DIRTYPE), member("a/", kind=tarfile.DIRTYPE)), out)
        assert (out / "a").is_dir()

    def test_a_folder_listed_after_its_files(self, out: Path) -> None:
        archive.unpack(foreign_tar(member("a/b", size=1), member("a", kind=tarfile.DIRTYPE, mode=0)), out)
        assert read_back(out) == {"a/b": b"x"}

    def test_folders_of_the_target_are_shared(self, out: Path) -> None:
        (out / "a").mkdir()
        (out / "a/old").touch()
        archive.unpack(foreign_tar(member("a/new")), out)
        assert sorted(read_back(out)) == ["a/new", "a/old"]

    def test_setuid_does_not_come_through(self, out: Path) -> None:
        archive.unpack(foreign_tar(member("a", mode=0o6777)), out)
        assert (out / "a").stat().st_mode & 0o7022 == 0

    def test_gnu_and_xz_compression(self, out: Path) -> None:
        archive.unpack(foreign_tar(member("a", size=1), mode="w:gz"), out)
        with pytest.raises(ArchiveError, match=r"not a tar, tar.gz or zip"):
            archive.unpack(foreign_tar(member("b"), mode="w:xz"), out)
        assert read_back(out) == {"a": b"x"}


HOSTILE = {
    "absolute": member("/a"),
    "dotdot": member("../a"),
    "dotdot inside": member("a/../../b"),
    "folder dotdot": member("..", kind=tarfile.DIRTYPE),
    "folder absolute": member("/a", kind=tarfile.DIRTYPE),
    "symlink": member("a", kind=tarfile.SYMTYPE, link="/etc/passwd"),
    "hard link": member("a", kind=tarfile.LNKTYPE, link="good"),
    "device": member("a", kind=tarfile.CHRTYPE),
    "block device": member("a", kind=tarfile.BLKTYPE),
    "fifo": member("a", kind=tarfile.FIFOTYPE),
    "sparse": member("a", kind=tarfile.GNUTYPE_SPARSE),
    "contiguous": member("a", kind=tarfile.CONTTYPE),
    "unknown": member("a", kind=b"Q"),
    "twice": member("good"),
    "twice by another spelling": member(".//good"),
    "file as folder": member("good/x"),
    "folder as file": member("good", kind=tarfile.DIRTYPE),
    "the root": member("."),
    "long": member("x" * 256),
    "deep": member("x/" * 3000 + "x"),
}


class TestHostileTars:
    @pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
    @pytest.mark.parametrize("first", [True, False])
    def test_nothing_is_written(self, out: Path, bad: tarfile.TarInfo, first: bool) -> None:  # noqa: FBT001
        good = member("good", size=2)
        with pytest.raises(ArchiveError, match="is refused"):
            archive.unpack(foreign_tar(*([bad, good] if first else [good, bad])), out)
        assert list(out.iterdir()) == []

    def test_pax_sparse(self, out: Path) -> None:
        info = member("a", size=4)
        info.pax_headers = {
            "GNU.sparse.major": "0",
            "GNU.sparse.minor": "1",
            "GNU.sparse.map": "0,4",
            "GNU.sparse.size": "4",
        }
        with pytest.raises(ArchiveError, match="sparse"):
            archive.unpack(foreign_tar(info), out)

    @given(st.lists(st.sampled_from(["..", ".", "", "a", "b", "/", "\0", "c\n"]), min_size=1, max_size=5).map("/".join))
    def test_no_name_leads_out_of_the_folder(self, name: str) -> None:
        with folder() as outer:
            root = outer / "root"
            root.mkdir()
            try:
                archive.unpack(foreign_tar(member(name, size=1)), root)
            except ArchiveError:
                assert list(root.iterdir()) == []
            assert [path.name for path in outer.iterdir()] == ["root"]

    def test_a_link_in_the_target_is_not_followed(self, out: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (out / "link").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(ArchiveError, match="link"):
            archive.unpack(foreign_tar(member("a"), member("link/b")), out)
        assert list((tmp_path / "elsewhere").iterdir()) == []
        assert [path.name for path in out.iterdir()] == ["link"]

    def test_a_file_that_is_there_is_not_overwritten(self, out: Path) -> None:
        (out / "b").write_text("old")
        with pytest.raises(ArchiveError, match="'b' is refused: it cannot be written: File exists"):
            archive.unpack(foreign_tar(member("a"), member("b"), member("new/c")), out)
        assert read_back(out) == {"b": b"old"}
        assert not (out / "new").exists()

    def test_a_link_that_is_there_is_not_written_through(self, out: Path, tmp_path: Path) -> None:
        (out / "a").symlink_to(tmp_path / "made")
        with pytest.raises(ArchiveError):
            archive.unpack(foreign_tar(member("a", size=1)), out)
        assert not (tmp_path / "made").exists()

    def test_an_interruption_midway_leaves_nothing(self, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        really = os.open

        def interrupt(path: "str | Path", flags: int, *args: int, **kwargs: int) -> int:
            if path == "c":
                raise KeyboardInterrupt
            return really(path, flags, *args, **kwargs)

        monkeypatch.setattr(os, "open", interrupt)
        monkeypatch.setattr(os, "supports_dir_fd", {interrupt})
        with pytest.raises(KeyboardInterrupt):
            archive.unpack(foreign_tar(member("a/b"), member("b"), member("c")), out)
        assert list(out.iterdir()) == []

    def test_a_missing_target(self, tmp_path: Path) -> None:
        with pytest.raises(ArchiveError, match=r"cannot unpack into .*No such file"):
            archive.unpack(foreign_tar(member("a")), tmp_path / "none")

    def test_a_system_without_directory_descriptors(self, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "supports_dir_fd", set())
        with pytest.raises(ArchiveError, match="which this system lacks"):
            archive.unpack(foreign_tar(member("a")), out)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def spoil_header(data: bytes) -> bytes:
    # The second member's checksum: the standard library takes it for the end of the archive.
    return data[:1024] + b"\xff" * 512 + data[1536:]


class TestDamage:
    @pytest.mark.parametrize("compress", [False, True])
    def test_an_archive_cut_off_anywhere(self, out: Path, compress: bool) -> None:  # noqa: FBT001
        data = packed({"a": os.urandom(700), "b": os.urandom(700)}, compress=compress)
        end = len(data) if compress else 3 * 1024 + 512
        for length in range(0, end, 97):
            with pytest.raises(ArchiveError):
                archive.unpack(io.BytesIO(data[:length]), out)
        assert list(out.iterdir()) == []

    def test_a_spoiled_header_in_the_middle(self, out: Path) -> None:
        with pytest.raises(ArchiveError, match="no end mark"):
            archive.unpack(io.BytesIO(spoil_header(packed({"a": b"1", "b": b"2"}))), out)
        assert list(out.iterdir()) == []

    def test_a_wrong_gzip_sum(self, out: Path) -> None:
        data = bytearray(packed({"a": b"1"}, compress=True))
        data[-8] ^= 1
        with pytest.raises(ArchiveError, match="damaged"):
            archive.unpack(io.BytesIO(data), out)

    @given(
        st.binary(max_size=3000), st.sampled_from([b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"PK\x05\x06"])
    )
    def test_noise_is_refused_or_read_but_never_another_error(self, noise: bytes, magic: bytes) -> None:
        with folder() as root:
            try:
                archive.unpack(io.BytesIO(magic + noise), root)
            except ArchiveError:
                assert list(root.iterdir()) == []

    @given(st.data())
    def test_a_changed_byte_is_refused_or_read_but_never_another_error(self, data: st.DataObject) -> None:
        make: Callable[[], bytes] = data.draw(
            st.sampled_from(
                [
                    lambda: packed({"a/b": b"12", "c": b"3"}),
                    lambda: foreign_zip((entry("a/b"), b"12"), (entry("c"), b"3")).getvalue(),
                ]
            )
        )
        raw = bytearray(make())
        for _ in range(data.draw(st.integers(1, 4))):
            raw[data.draw(st.integers(0, min(len(raw), 2600) - 1))] = data.draw(st.integers(0, 255))
        with folder() as outer:
            root = outer / "root"
            root.mkdir()
            try:
                archive.unpack(io.BytesIO(raw), root)
            except ArchiveError:
                assert list(root.iterdir()) == []
            assert [path.name for path in outer.iterdir()] == ["root"]

    def test_a_missing_archive_a_folder_and_a_fifo(self, out: Path, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(ArchiveError, match="No such file"):
            archive.unpack(tmp_path / "none", out)
        with pytest.raises(ArchiveError, match="directory"):
            archive.unpack(tmp_path, out)
        with pytest.raises(ArchiveError, match="not a regular file"):
            archive.unpack(tmp_path / "fifo", out)

    def test_many_nested_long_name_headers(self, out: Path) -> None:
        header = member("././@LongLink", kind=tarfile.GNUTYPE_LONGNAME, size=1).tobuf(tarfile.GNU_FORMAT)
        with pytest.raises(ArchiveError):
            archive.unpack(io.BytesIO((header + b"a".ljust(512, b"\0")) * 5000), out)


class TestLimits:
    def test_bytes_exactly_at_the_limit(self, out: Path) -> None:
        archive.unpack(foreign_tar(member("a", size=60), member("b", size=40)), out, limit_bytes=100)
        assert len(read_back(out)) == 2

    def test_one_byte_more(self, out: Path) -> None:
        with pytest.raises(ArchiveError, match="more than 100 bytes"):
            archive.unpack(foreign_tar(member("a", size=60), member("b", size=41)), out, limit_bytes=100)
        assert list(out.iterdir()) == []

    def test_members(self, out: Path) -> None:
        infos = [member(f"f{number}") for number in range(3)]
        with pytest.raises(ArchiveError, match="more than 2 members"):
            archive.unpack(foreign_tar(*infos), out, limit_members=2)
        assert len(archive.unpack(foreign_tar(*infos), out, limit_members=3)) == 3

    def test_a_gzip_bomb_stops_at_the_limit(self, out: Path) -> None:
        bomb = gzip.compress(bytes(64 << 20))
        with pytest.raises(ArchiveError, match="longer than"):
            archive.unpack(io.BytesIO(bomb), out, limit_bytes=1000, limit_members=10)

    def test_an_endless_stream_stops_at_the_limit(self, out: Path) -> None:
        with open("/dev/zero", "rb") as zeros, pytest.raises(ArchiveError, match="longer than"):  # noqa: PTH123
            archive.unpack(zeros, out, limit_bytes=1000, limit_members=10)

    def test_a_long_file_is_refused_by_its_size(self, out: Path, tmp_path: Path) -> None:
        with (tmp_path / "x.tar").open("wb") as file:
            file.truncate(1 << 30)
        with pytest.raises(ArchiveError, match="longer than"):
            archive.unpack(tmp_path / "x.tar", out, limit_bytes=1000, limit_members=10)

    def test_a_table_that_would_fill_the_memory(self, out: Path, tmp_path: Path) -> None:
        header = member("x", kind=tarfile.XHDTYPE, size=1 << 30).tobuf(tarfile.GNU_FORMAT)
        with (tmp_path / "x.tar").open("wb") as file:
            file.write(header)
            file.truncate(1 << 30)
        with pytest.raises(ArchiveError, match="table longer"):
            archive.unpack(tmp_path / "x.tar", out)


class TestZip:
    def test_files_and_folders(self, out: Path) -> None:
        source = foreign_zip(
            (entry("a/"), b""), (entry("a/b"), b"1"), (entry("tool", external_attr=0o100755 << 16), b"2")
        )
        assert archive.unpack(source, out) == [out / "a/b", out / "tool"]
        assert read_back(out) == {"a/b": b"1", "tool": b"2"}
        assert os.access(out / "tool", os.X_OK)

    @pytest.mark.parametrize(
        "bad",
        [
            entry("/a"),
            entry("../a"),
            entry("a/../../b"),
            entry("../"),
            entry("good"),
            entry("./good"),
            entry("good/x"),
            entry("link", external_attr=0o120777 << 16),
            entry("device", external_attr=0o020666 << 16),
            entry("fifo", external_attr=0o010666 << 16),
            entry("lzma", compress_type=zipfile.ZIP_LZMA),
        ],
        ids=lambda info: info.filename,
    )
    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_hostile_members(self, out: Path, bad: zipfile.ZipInfo) -> None:
        with pytest.raises(ArchiveError, match="is refused"):
            archive.unpack(foreign_zip((entry("good"), b"1"), (bad, b"/etc/passwd")), out)
        assert list(out.iterdir()) == []

    def test_a_name_with_nul(self, out: Path) -> None:
        raw = foreign_zip((entry("good.txt"), b"1")).getvalue().replace(b"good.txt", b"goo\0.txt")
        with pytest.raises(ArchiveError, match="NUL"):
            archive.unpack(io.BytesIO(raw), out)

    def test_an_encrypted_member(self, out: Path) -> None:
        raw = bytearray(foreign_zip((entry("a"), b"1")).getvalue())
        raw[raw.index(b"PK\x01\x02") + 8] |= 1
        with pytest.raises(ArchiveError, match="encrypted"):
            archive.unpack(io.BytesIO(raw), out)

    def test_a_bomb_that_tells_its_size(self, out: Path) -> None:
        with pytest.raises(ArchiveError, match="more than 1000 bytes"):
            archive.unpack(foreign_zip((entry("a", compress_type=8), bytes(10 << 20))), out, limit_bytes=1000)

    def test_a_bomb_that_lies_about_its_size(self, out: Path) -> None:
        raw = bytearray(foreign_zip((entry("a", compress_type=8), bytes(1 << 20))).getvalue())
        place = raw.index(b"PK\x01\x02") + 24
        raw[place : place + 4] = struct.pack("<I", 10)
        with pytest.raises(ArchiveError):
            archive.unpack(io.BytesIO(raw), out, limit_bytes=1000)
        assert list(out.iterdir()) == []

    def test_a_wrong_sum_leaves_nothing(self, out: Path) -> None:
        raw = foreign_zip((entry("a"), b"first"), (entry("b"), b"second")).getvalue().replace(b"second", b"sec0nd")
        with pytest.raises(ArchiveError, match="damaged"):
            archive.unpack(io.BytesIO(raw), out)
        assert list(out.iterdir()) == []

    def test_cut_off(self, out: Path) -> None:
        with pytest.raises(ArchiveError):
            archive.unpack(io.BytesIO(cut(foreign_zip((entry("a"), b"1")).getvalue())), out)


class TestMadeToDoHarm:
    @pytest.mark.parametrize("data", hostile.kinds().values(), ids=hostile.kinds().keys())
    @pytest.mark.parametrize("by_path", [True, False])
    def test_all_of_it_is_refused(self, data: bytes, by_path: bool, out: Path, tmp_path: Path) -> None:  # noqa: FBT001
        (tmp_path / "archive").write_bytes(data)
        before = sorted(path.name for path in tmp_path.iterdir())
        source = tmp_path / "archive" if by_path else io.BytesIO(data)

        with pytest.raises(ArchiveError):
            archive.unpack(source, out, limit_bytes=1 << 20, limit_members=100)

        assert list(out.iterdir()) == []
        assert sorted(path.name for path in tmp_path.iterdir()) == before

    def test_there_are_more_than_thirty_kinds(self) -> None:
        assert len(hostile.kinds()) >= 30
