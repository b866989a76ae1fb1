"""The source tree as a box gets it: what git tracks or would track, as a normalised tar stream."""

import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tvm.error import CompileError, SourceError, ToolNotFound
from tvm.support import process

_GIT_LIMIT = 60.0
# Without git: folders that never belong to a source tree.
_SKIPPED = frozenset({"build", "dist", "out", "site", "__pycache__", "node_modules"})


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A snapshot: names relative to the root (sorted), the sha256 over names, modes and bytes, git's revision, and `dirty`."""

    root: Path
    names: tuple[str, ...]
    sha256: str
    revision: str
    dirty: bool


def snapshot(root: Path) -> Tree:
    """Read which files the tree has now. A link that leaves the tree raises SourceError."""
    git = (root / ".git").exists()
    names = tuple(sorted(_tracked(root) if git else _walked(root)))
    sha = hashlib.sha256()
    for name in names:
        kind, content = _member(root, name)
        sha.update(b"%s\0%s\0%d\0" % (os.fsencode(name), kind.encode(), len(content)))
        sha.update(content)
    revision = _git(root, "rev-parse", "--verify", "--quiet", "HEAD", check=False).decode().strip() if git else ""
    dirty = bool(_git(root, "status", "--porcelain", "-z")) if git else True
    return Tree(root=root, names=names, sha256=sha.hexdigest(), revision=revision, dirty=dirty)


def stream(tree: Tree, *, user: int, mtime: int = 0, backwards: bool = False) -> Iterator[bytes]:
    """Yield the tree as a tar: an entry for every parent folder (an engine makes missing ones root's), one owner, one time.

    `backwards` gives the members in falling order, so that a program which reads folders unsorted sees another order.
    """
    names = tree.names[::-1] if backwards else tree.names
    return stream_files(tree.root, names, user=user, mtime=mtime)


def stream_files(
    root: Path,
    names: Sequence[str],
    *,
    user: int,
    mtime: int = 0,
    extra: Mapping[str, Path] | None = None,
    folders: Sequence[str] = (),
) -> Iterator[bytes]:
    """Yield files of `root`, `extra` files (member name to path) and `folders` as a tar, in the order given."""
    places = {**{name: root / name for name in names}, **(extra or {})}
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for folder in sorted({*_folders([*places]), *folders, *_folders(folders)}):
            entry = _entry(folder, user=user, mtime=mtime, mode=0o755)
            entry.type = tarfile.DIRTYPE
            tar.addfile(entry)
        for name, path in places.items():
            kind, content = _member(root, name) if name not in (extra or {}) else ("f", content_of(path))
            entry = _entry(name, user=user, mtime=mtime, mode=0o755 if kind == "x" else 0o644)
            if kind == "l":
                entry.type, entry.linkname = tarfile.SYMTYPE, os.fsdecode(content)
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()


def content_of(path: Path) -> bytes:
    """Return the bytes of a file that a user has named; SourceError if they cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise SourceError(msg, fix="mend or remove the file") from None


def _entry(name: str, *, user: int, mtime: int, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.uid = entry.gid = user
    entry.mtime = mtime
    entry.mode = mode
    return entry


def _folders(names: Sequence[str]) -> list[str]:
    parents = {parent.as_posix() for name in names for parent in PurePosixPath(name).parents}
    return sorted(parents - {"."})


def _member(root: Path, name: str) -> tuple[str, bytes]:
    """Return "f", "x" (executable) or "l" (link) and the file's bytes or the link's target."""
    path = root / name
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return "l", os.fsencode(_inside(root, path))
        if stat.S_ISREG(mode):
            return ("x" if mode & stat.S_IXUSR else "f"), path.read_bytes()
    except OSError as error:
        msg = f"{name}: cannot be read: {error.strerror}"
        raise SourceError(msg, fix="mend or remove the file, or let .gitignore name it") from None
    msg = f"{name}: neither a file nor a link"
    raise SourceError(msg, fix="remove it, or let .gitignore name it")


def _inside(root: Path, link: Path) -> str:
    target = str(link.readlink())
    resolved = Path(os.path.normpath(link.parent / target))
    if target.startswith("/") or not resolved.is_relative_to(os.path.normpath(root)):
        msg = f"{link.relative_to(root)}: this link leaves the tree (to {target})"
        raise SourceError(msg, fix="replace the link by the file, or let .gitignore name it")
    return target


def _tracked(root: Path) -> Iterator[str]:
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in set(listed.split(b"\0")) - {b""}:
        text = os.fsdecode(name)
        # A tracked file may be deleted in the working tree; a nested repository is listed as a folder.
        if os.path.lexists(root / text) and not text.endswith("/"):
            yield text


def _walked(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
        # A link to a folder is not entered, and belongs to the tree like any other link.
        for name in [*files, *(name for name in folders if Path(folder, name).is_symlink())]:
            yield Path(folder, name).relative_to(root).as_posix()


def _git(root: Path, *arguments: str, check: bool = True) -> bytes:
    try:
        done = process.run(["git", "-C", root, *arguments], heading="git failed", timeout=_GIT_LIMIT, check=check)
    except ToolNotFound as error:
        raise SourceError(
            error.cause, looked=error.looked, fix="install git: the tree's files are read from it"
        ) from None
    except CompileError as error:
        fix = "git config --global --add safe.directory FOLDER, if you trust it" if "dubious" in error.output else ""
        msg = f"git cannot read the tree:\n{error.output.strip()}"
        raise SourceError(msg, fix=fix) from None
    return done.raw if done.code == 0 else b""
