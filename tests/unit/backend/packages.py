"""Backends made for one test."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import tvm

ROOT = Path(tvm.__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class World:
    """A folder of sys.path that another distribution was installed into."""

    root: Path

    def package(self, name: str, source: str, **modules: str) -> None:
        """Write tvm/backend/NAME with this __init__.py and these modules."""
        folder = self.root / "tvm" / "backend" / name
        folder.mkdir(parents=True)
        for module, text in {"__init__": source, **modules}.items():
            (folder / f"{module}.py").write_text(dedent(text), encoding="utf-8")

    def distribution(self, name: str, entry_points: Mapping[str, str], *, metadata: str | None = None) -> Path:
        """Write the metadata of a distribution with entry points of the group tvm.backends."""
        folder = self.root / f"{name}-1.0.dist-info"
        folder.mkdir(parents=True)
        text = metadata if metadata is not None else f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        (folder / "METADATA").write_text(text, encoding="utf-8")
        lines = [f"{key} = {value}" for key, value in entry_points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[tvm.backends]", *lines, ""]), encoding="utf-8")
        return folder

    def module(self, name: str, source: str) -> None:
        """Write a module beside the package tvm."""
        self.root.mkdir(exist_ok=True)
        (self.root / f"{name}.py").write_text(dedent(source), encoding="utf-8")

    def python(self, code: str, **environment: str) -> str:
        """Run a fresh interpreter that finds this tree and this folder; return all that it prints."""
        path = os.pathsep.join(map(str, [ROOT, self.root]))
        done = subprocess.run(
            [sys.executable, "-c", dedent(code)],
            env={"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        return done.stdout.decode()
