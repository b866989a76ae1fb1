"""tvm.support.tar beside the system's tar: each reads what the other wrote."""

from pathlib import Path

import pytest

from tests.matrix.evidence import inspected
from tests.matrix.kernels import SOURCES
from tests.matrix.publish import Publish
from tvm.error import ArchiveError
from tvm.support import process, tar
from tvm.support.utils import tempdir

LIMIT = 60.0


def test_the_systems_tar_reads_ours(arch: str, tmp_path: Path, artefact: Publish) -> None:
    ours = tmp_path / "kernels.tar"
    tar.tar(ours, SOURCES)
    names = sorted(Path(source).name for source in SOURCES)
    assert _tar("-tzf", ours).split() == names
    _tar("-xzf", ours, "-C", _folder(tmp_path / "theirs"))
    for source in map(Path, SOURCES):
        assert (tmp_path / "theirs" / source.name).read_bytes() == source.read_bytes()
    shown = [
        inspected("tar -tz", f"lists {', '.join(names)}"),
        inspected("tar -xz", f"{len(names)} files come out byte for byte"),
    ]
    artefact("kernels.tar", ours, target="any", arch=arch, evidence=shown)


@pytest.mark.parametrize("form", ["gnu", "pax", "ustar", "v7"])
@pytest.mark.parametrize("compression", ["--gzip", "--no-auto-compress"])
def test_we_read_the_systems_tar(form: str, compression: str, tmp_path: Path) -> None:
    tree = _folder(tmp_path / "tree")
    long = _folder(tree / ("a" * 60)) / "kernel with blanks.c"
    long.write_bytes(b"\0\xff" * 4000)
    (tree / "empty").touch()
    theirs = tmp_path / "theirs.tar"
    _tar("-cf", theirs, f"--format={form}", compression, "-C", tree, ".")
    tar.untar(theirs, _folder(tmp_path / "ours"))
    assert _files(tmp_path / "ours") == _files(tree)
    assert len(_files(tree)) == 2


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    """Whatever their times, modes and order."""
    (tmp_path / "a.o").write_bytes(b"a")
    (tmp_path / "b.o").write_bytes(b"b")
    tar.tar(tmp_path / "first.tar", [tmp_path / "a.o", tmp_path / "b.o"])
    process.run(["touch", "-d", "2001-02-03", tmp_path / "a.o"], timeout=LIMIT)
    (tmp_path / "b.o").chmod(0o600)
    tar.tar(tmp_path / "second.tar", [tmp_path / "b.o", tmp_path / "a.o"])
    assert (tmp_path / "first.tar").read_bytes() == (tmp_path / "second.tar").read_bytes()


def test_archives_in_a_list_are_replaced_by_what_they_hold(tmp_path: Path) -> None:
    """One made by us and one by the system, with members of one base name; other files keep their place."""
    for name in ("one", "two"):
        _folder(tmp_path / name).joinpath("kernel.o").write_text(name, encoding="utf-8")
    tar.tar(tmp_path / "one.tar", [tmp_path / "one" / "kernel.o"])
    _tar("-czf", tmp_path / "two.tgz", "-C", tmp_path / "two", "kernel.o")
    with tempdir() as temp:
        files = tar.normalize_file_list_by_unpacking_tars(
            temp, [str(tmp_path / "one.tar"), "plain.o", str(tmp_path / "two.tgz")]
        )
        assert files[1] == "plain.o"
        assert [Path(files[place]).read_text(encoding="utf-8") for place in (0, 2)] == ["one", "two"]
        assert [Path(files[place]).name for place in (0, 2)] == ["kernel.o"] * 2


@pytest.mark.parametrize("kind", ["link", "parent", "absolute", "device"])
def test_a_hostile_archive_of_the_systems_tar_is_refused_whole(kind: str, tmp_path: Path) -> None:
    tree = _folder(tmp_path / "tree")
    (tree / "good.o").write_bytes(b"good")
    match kind:
        case "link":
            (tree / "bad").symlink_to("/etc/passwd")
            _tar("-cf", tmp_path / "bad.tar", "-C", tree, "good.o", "bad")
        case "parent":
            _tar("-cPf", tmp_path / "bad.tar", "-C", tree, "good.o", "../tree/good.o")
        case "absolute":
            _tar("-cPf", tmp_path / "bad.tar", "-C", tree, "good.o", tree / "good.o")
        case _:
            _tar("-cPf", tmp_path / "bad.tar", "-C", tree, "good.o", "/dev/null")
    with pytest.raises(ArchiveError, match="Tar error"):
        tar.untar(tmp_path / "bad.tar", _folder(tmp_path / "out"))
    assert list((tmp_path / "out").iterdir()) == []


def test_names_that_look_like_options_are_only_names(tmp_path: Path) -> None:
    odd = tmp_path / "--checkpoint-action=exec=touch pwned"
    odd.write_bytes(b"odd")
    tar.tar(tmp_path / "odd.tar", [odd])
    _tar("-xzf", tmp_path / "odd.tar", "-C", _folder(tmp_path / "theirs"))
    assert _files(tmp_path / "theirs") == {odd.name: b"odd"}


def test_two_files_of_one_base_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _folder(tmp_path / name).joinpath("kernel.o").touch()
    with pytest.raises(ValueError, match=r"duplicate file name kernel\.o"):
        tar.tar(tmp_path / "a.tar", [tmp_path / "one" / "kernel.o", tmp_path / "two" / "kernel.o"])
    assert not (tmp_path / "a.tar").exists()


def _tar(*arguments: str | Path) -> str:
    return process.run(["tar", *arguments], timeout=LIMIT).output


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
