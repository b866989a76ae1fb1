"""tvm/backend/NAME are links to backends/NAME: one for each, and none besides."""

from pathlib import Path

import pytest

import tvm

ROOT = Path(tvm.__file__).parents[1]


def differences(root: Path) -> list[str]:
    """Return what is wrong with the links of a tree, sorted. A tree with neither folder has nothing wrong."""
    return sorted([*_unlinked(root), *_wrong_links(root)])


def _folders(parent: Path) -> set[str]:
    return {path.name for path in parent.glob("*") if path.is_dir() and not path.name.startswith(("_", "."))}


def _unlinked(root: Path) -> list[str]:
    linked = {path.name for path in (root / "tvm/backend").glob("*") if path.is_symlink()}
    return [f"backends/{name} has no link" for name in _folders(root / "backends") - linked]


def _wrong_links(root: Path) -> list[str]:
    wrong = []
    for path in (root / "tvm/backend").glob("*"):
        if path.is_symlink() and path.readlink() != Path("../../backends") / path.name:
            wrong.append(f"tvm/backend/{path.name} leads to {path.readlink()}")
        elif path.is_symlink() and not path.is_dir():
            wrong.append(f"tvm/backend/{path.name} leads nowhere")
        elif not path.is_symlink() and path.is_dir() and path.name in _folders(root / "backends"):
            wrong.append(f"tvm/backend/{path.name} is a folder of its own")
    return wrong


def test_the_links_of_this_tree() -> None:
    assert differences(ROOT) == []


class TestTheComparison:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        for name in ("cuda", "trn"):
            (tmp_path / "tree/backends" / name).mkdir(parents=True)
            self.link(tmp_path / "tree", name)
        return tmp_path / "tree"

    @staticmethod
    def link(tree: Path, name: str, target: str = "") -> None:
        (tree / "tvm/backend").mkdir(parents=True, exist_ok=True)
        (tree / "tvm/backend" / name).symlink_to(target or f"../../backends/{name}")

    def test_a_tree_with_neither_folder(self, tmp_path: Path) -> None:
        assert differences(tmp_path) == []

    def test_a_right_tree(self, tree: Path) -> None:
        (tree / "tvm/backend/loader").mkdir()
        (tree / "tvm/backend/__init__.py").touch()
        (tree / "backends/__pycache__").mkdir()
        assert differences(tree) == []

    def test_a_backend_without_link(self, tree: Path) -> None:
        (tree / "backends/rocm").mkdir()
        assert differences(tree) == ["backends/rocm has no link"]

    def test_a_link_without_backend(self, tree: Path) -> None:
        self.link(tree, "metal")
        assert differences(tree) == ["tvm/backend/metal leads nowhere"]

    def test_a_link_to_another_backend(self, tree: Path) -> None:
        self.link(tree, "hip", "../../backends/cuda")
        assert differences(tree) == ["tvm/backend/hip leads to ../../backends/cuda"]

    def test_an_absolute_link(self, tree: Path) -> None:
        (tree / "tvm/backend/trn").unlink()
        self.link(tree, "trn", str(tree / "backends/trn"))
        assert differences(tree) == [f"tvm/backend/trn leads to {tree}/backends/trn"]

    def test_a_copy_in_place_of_a_link(self, tree: Path) -> None:
        (tree / "tvm/backend/trn").unlink()
        (tree / "tvm/backend/trn").mkdir()
        assert differences(tree) == ["backends/trn has no link", "tvm/backend/trn is a folder of its own"]
