import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import SourceError
from tvm.matrix import tree

Git = Callable[..., None]


@pytest.fixture
def git(bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Put the real git on PATH (the README requires it), without anybody's settings, and return what runs it in root/."""
    real = shutil.which("git", path=os.defpath)
    assert real, f"git is not in {os.defpath}"
    (bin_folder / "git").symlink_to(real)
    settings = {"HOME": tmp_path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_EDITOR": "true"}
    for role in ("AUTHOR", "COMMITTER"):
        settings |= {f"GIT_{role}_NAME": "test", f"GIT_{role}_EMAIL": "test@localhost"}
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in settings.items():
        monkeypatch.setenv(name, str(value))

    def run(*arguments: str) -> None:
        subprocess.run([real, "-C", tmp_path / "root", *arguments], check=True, capture_output=True)

    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    write(folder, {"a.txt": "a", "deep/er/b.txt": "b", "run.sh": "#!"})
    (folder / "run.sh").chmod(0o755)
    return folder


@pytest.fixture
def repository(root: Path, git: Git) -> Path:
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    return root


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def members(blocks: Iterable[bytes]) -> list[tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(b"".join(blocks))) as tar:
        return tar.getmembers()


def names(blocks: Iterable[bytes]) -> list[str]:
    return [member.name for member in members(blocks)]


def test_a_repository_gives_its_tracked_files_sorted(repository: Path) -> None:
    assert tree.snapshot(repository).names == ("a.txt", "deep/er/b.txt", "run.sh")


def test_what_git_would_track_belongs_to_the_tree_and_what_it_ignores_does_not(repository: Path) -> None:
    write(repository, {"new.txt": "n", "junk.o": "j", "out/lib.so": "l", ".gitignore": "*.o\nout/\n"})
    assert tree.snapshot(repository).names == (".gitignore", "a.txt", "deep/er/b.txt", "new.txt", "run.sh")


def test_a_file_that_was_deleted_but_is_tracked_is_left_out(repository: Path) -> None:
    (repository / "a.txt").unlink()
    assert "a.txt" not in tree.snapshot(repository).names


def test_a_clean_repository_has_a_revision_and_is_not_dirty(repository: Path) -> None:
    found = tree.snapshot(repository)
    assert (len(found.revision), found.dirty) == (40, False)


@pytest.mark.parametrize("files", [{"a.txt": "changed"}, {"new.txt": "n"}])
def test_a_repository_with_a_change_is_dirty(repository: Path, files: dict[str, str]) -> None:
    write(repository, files)
    assert tree.snapshot(repository).dirty


def test_a_repository_without_a_commit_has_no_revision(root: Path, git: Git) -> None:
    git("init", "-q")
    found = tree.snapshot(root)
    assert (found.revision, found.dirty, len(found.names)) == ("", True, 3)


@pytest.mark.parametrize("name", ["a b", "new\nline", "-dash", "ü", '"quoted"', "*"])
def test_names_that_git_would_quote_come_as_they_are(repository: Path, name: str) -> None:
    write(repository, {name: "odd"})
    assert name in tree.snapshot(repository).names
    assert name in names(tree.stream(tree.snapshot(repository), user=1))


def test_a_nested_repository_does_not_belong_to_the_tree(repository: Path, git: Git) -> None:
    write(repository, {"nested/c.txt": "c"})
    git("init", "-q", "nested")
    assert "nested/" not in tree.snapshot(repository).names


def test_git_that_is_not_there_is_a_source_error(repository: Path, bin_folder: Path) -> None:
    (bin_folder / "git").unlink()
    with pytest.raises(SourceError) as caught:
        tree.snapshot(repository)
    assert caught.value.fix == "install git: the tree's files are read from it"
    assert caught.value.looked == (str(bin_folder),)


def test_git_that_refuses_a_strangers_folder_says_how_to_trust_it(root: Path, stand_in: MakeStandIn) -> None:
    (root / ".git").mkdir()
    stand_in("git", output="fatal: detected dubious ownership in repository\n", code=128)
    with pytest.raises(SourceError, match="dubious ownership") as caught:
        tree.snapshot(root)
    assert "safe.directory" in caught.value.fix


def test_git_is_asked_by_words_and_in_the_root(root: Path, stand_in: MakeStandIn) -> None:
    (root / ".git").mkdir()
    git = stand_in("git", body="os.write(1, b'a.txt\\0' if 'ls-files' in args else b'')")
    assert tree.snapshot(root).names == ("a.txt",)
    assert git.calls[0] == ["-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]


def test_a_folder_without_git_gives_all_but_products_and_hidden_folders(root: Path) -> None:
    write(root, {"build/x": "", "__pycache__/x": "", ".venv/x": "", "out/x": "", "deep/build/x": "", ".hidden": ""})
    assert tree.snapshot(root).names == (".hidden", "a.txt", "deep/er/b.txt", "run.sh")


def test_a_folder_without_git_has_no_revision_and_is_dirty(root: Path) -> None:
    found = tree.snapshot(root)
    assert (found.revision, found.dirty) == ("", True)


def test_a_link_to_a_folder_belongs_to_a_tree_without_git(root: Path) -> None:
    (root / "alias").symlink_to("deep")
    assert "alias" in tree.snapshot(root).names


@pytest.mark.parametrize("target", ["../outside", "/etc/passwd", "deep/../../x", ".."])
def test_a_link_that_leaves_the_tree_is_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    with pytest.raises(SourceError) as caught:
        tree.snapshot(root)
    assert caught.value.cause == f"link: this link leaves the tree (to {target})"


def test_an_ignored_link_that_leaves_the_tree_does_no_harm(repository: Path) -> None:
    (repository / "link").symlink_to("/etc/passwd")
    write(repository, {".gitignore": "link\n"})
    assert "link" not in tree.snapshot(repository).names


@pytest.mark.parametrize("target", ["a.txt", "deep/../a.txt", "not-there"])
def test_a_link_inside_the_tree_stays_a_link(root: Path, target: str) -> None:
    (root / "deep" / "link").symlink_to(f"../{target}")
    (member,) = (member for member in members(tree.stream(tree.snapshot(root), user=1)) if member.issym())
    assert (member.name, member.linkname) == ("deep/link", f"../{target}")


def test_a_root_that_is_named_in_a_roundabout_way_is_the_same_tree(root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    assert tree.snapshot(root / "deep" / "..").sha256 == tree.snapshot(root).sha256


def test_what_is_neither_file_nor_link_is_refused(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(SourceError, match="pipe: neither a file nor a link"):
        tree.snapshot(root)


def test_a_file_that_cannot_be_read_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SourceError, match=r"a\.txt: cannot be read: Permission denied"):
        tree.snapshot(root)


def test_the_hash_is_of_names_modes_and_bytes(root: Path, tmp_path: Path) -> None:
    hashes = [tree.snapshot(root).sha256]
    (root / "run.sh").chmod(0o644)
    hashes.append(tree.snapshot(root).sha256)
    write(root, {"a.txt": "A"})
    hashes.append(tree.snapshot(root).sha256)
    (root / "a.txt").rename(root / "c.txt")
    hashes.append(tree.snapshot(root).sha256)
    assert len(set(hashes)) == 4
    moved = root.rename(tmp_path / "moved")
    assert tree.snapshot(moved).sha256 == hashes[-1]


def test_the_hash_does_not_depend_on_times_or_on_git(repository: Path) -> None:
    with_git = tree.snapshot(repository).sha256
    os.utime(repository / "a.txt", (1, 1))
    shutil.rmtree(repository / ".git")
    assert tree.snapshot(repository).sha256 == with_git


def test_the_same_tree_gives_the_same_stream(root: Path) -> None:
    first = b"".join(tree.stream(tree.snapshot(root), user=7))
    os.utime(root / "a.txt", (1, 1))
    (root / "deep").chmod(0o700)
    assert b"".join(tree.stream(tree.snapshot(root), user=7)) == first


def test_the_stream_has_an_entry_for_every_parent_folder_before_its_files(root: Path) -> None:
    assert names(tree.stream(tree.snapshot(root), user=7)) == ["deep", "deep/er", "a.txt", "deep/er/b.txt", "run.sh"]


def test_backwards_gives_the_same_members_in_falling_order(root: Path) -> None:
    found = members(tree.stream(tree.snapshot(root), user=7, backwards=True))
    assert [member.name for member in found if member.isfile()] == ["run.sh", "deep/er/b.txt", "a.txt"]
    assert [member.name for member in found if member.isdir()] == ["deep", "deep/er"]


def test_every_member_has_the_owner_the_time_and_a_plain_mode(root: Path) -> None:
    found = members(tree.stream(tree.snapshot(root), user=7, mtime=99))
    assert {(member.uid, member.gid, member.mtime, member.uname) for member in found} == {(7, 7, 99, "")}
    assert {member.name: member.mode for member in found} == {
        "a.txt": 0o644,
        "deep": 0o755,
        "deep/er": 0o755,
        "deep/er/b.txt": 0o644,
        "run.sh": 0o755,
    }


def test_extra_files_and_folders_come_along(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere.c": "c"})
    extra = {"user/x/e.c": tmp_path / "elsewhere.c"}
    found = names(tree.stream_files(root, ["a.txt"], user=1, extra=extra, folders=["user/inc/deep"]))
    assert found == ["user", "user/inc", "user/inc/deep", "user/x", "a.txt", "user/x/e.c"]


def test_an_extra_file_that_went_away_is_a_source_error(root: Path) -> None:
    with pytest.raises(SourceError, match="gone: cannot be read: No such file"):
        list(tree.stream_files(root, [], user=1, extra={"user/gone": root / "gone"}))


def test_a_large_tree_comes_in_pieces(root: Path) -> None:
    write(root, {"large": "x" * 100_000})
    blocks = list(tree.stream(tree.snapshot(root), user=1))
    assert len(blocks) > 3
