"""The artefacts of a check: copied when a test publishes them, recorded when it has passed."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from tests.matrix.evidence import Evidence

# One folder level is for an arch. A part must not be "." or "..".
_PART = r"(?!\.\.?(?:/|$))[A-Za-z0-9._+-]+"
_NAME = re.compile(rf"{_PART}(/{_PART})?")


class Publish(Protocol):
    """The type of the fixture `artefact`."""

    def __call__(self, name: str, path: Path, *, target: str, arch: str, evidence: Sequence[Evidence]) -> None:
        """Publish the file at `path` as `name` (unique in the cell; ARCH/NAME for one file per arch).

        `target` is the triple it was built for. It is kept only if the test passes.
        """


@dataclass(kw_only=True)
class Publisher:
    """Publishes for one test. `out` is the folder that the box gives back, `check` the check's name, `test` the test's ID."""

    out: Path
    check: str
    test: str
    _lines: list[dict[str, object]] = field(default_factory=list)

    def __call__(self, name: str, path: Path, *, target: str, arch: str, evidence: Sequence[Evidence]) -> None:
        """See Publish."""
        if not _NAME.fullmatch(name):
            msg = f"artefact name {name!r}: letters, digits and ._+- only, with at most one folder"
            raise ValueError(msg)
        if not evidence:
            msg = f"artefact {name}: nothing was shown about it"
            raise ValueError(msg)
        copy = self.out / "artefacts" / name
        self._copy(path, copy)
        self._lines.append(
            {
                "name": name,
                "path": f"artefacts/{name}",
                "sha256": hashlib.sha256(copy.read_bytes()).hexdigest(),
                "size": copy.stat().st_size,
                "target": target,
                "arch": arch,
                "check": self.check,
                "test": self.test,
                "evidence": [asdict(item) for item in evidence],
            }
        )

    def finish(self, *, passed: bool) -> None:
        """Record what was published, or take it away again."""
        if not passed:
            for line in self._lines:
                (self.out / str(line["path"])).unlink(missing_ok=True)
            return
        text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in self._lines)
        with (self.out / "artefacts.jsonl").open("a", encoding="utf-8") as file:
            file.write(text)

    def _copy(self, path: Path, copy: Path) -> None:
        _make_folder(self.out / "artefacts")
        _make_folder(copy.parent)
        try:
            with path.open("rb") as source, copy.open("xb") as sink:
                shutil.copyfileobj(source, sink)
        except FileExistsError:
            msg = f"artefact {copy.name}: another test of the cell has published that name"
            raise ValueError(msg) from None
        # The same modes under any umask.
        copy.chmod(0o755 if os.access(path, os.X_OK) else 0o644)


def _make_folder(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
