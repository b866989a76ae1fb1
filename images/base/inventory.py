#!/usr/bin/python3
"""Write what an image holds to /usr/share/tvm-matrix/inventory.json: the last step of every Dockerfile.

Reads IMAGE, SUITE, VENDOR_ROUTE and TOOLS (a JSON object: tool -> argv that prints its version). Two builds that got the same
packages write the same bytes. A listed tool that is absent, or does not say its version, fails the build.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

OUTPUT = Path("/usr/share/tvm-matrix/inventory.json")
# Files in which an image says more about itself, one sentence each; a stand-in for a vendor's tools writes one.
NOTES = Path("/usr/share/tvm-matrix/notes")
WHEELS = Path("/opt/venv/lib")
LIMIT = 60.0


def main() -> int:
    """Write the inventory; 1 with one sentence for each tool that is missing."""
    listed = json.loads(os.environ.get("TOOLS") or "{}")
    described = {name: describe_tool(name, argv) for name, argv in sorted(listed.items())}
    problems = [f"{name}: {found}" for name, found in described.items() if isinstance(found, str)]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    write(OUTPUT, inventory(described))
    return 0


def inventory(tools: Mapping[str, object]) -> dict[str, object]:
    """Return the whole inventory as data."""
    return {
        "image": os.environ["IMAGE"],
        "suite": os.environ["SUITE"],
        "vendor_route": os.environ.get("VENDOR_ROUTE") or "none",
        "dpkg": debian_packages(),
        "pip": wheels(),
        "tools": tools,
        "note": notes(),
    }


def describe_tool(name: str, argv: list[str]) -> dict[str, str] | str:
    """Return path, version line and sha256 of one tool, or a sentence that says what is wrong with it."""
    path = shutil.which(argv[0])
    if path is None:
        return f"matrix.yaml lists it for this image, but there is no {argv[0]} on PATH"
    asked = run([path, *argv[1:]])
    line = next((line.strip() for line in asked.stdout.splitlines() if re.search(r"\d+\.\d+", line)), None)
    if asked.returncode != 0 or line is None:
        return f"{' '.join(argv)} says no version (exit code {asked.returncode}): {asked.stdout.strip()}"
    tool = tool_path(name, line) or path
    return {"path": os.path.realpath(tool), "version": line, "sha256": digest(Path(tool))}


def tool_path(name: str, line: str) -> str | None:
    """Return where the tool itself lies: the file that its version line ends with (a library), or the program of its name.

    What prints the version is often another program: an interpreter that loads the library, a package manager.
    """
    named = line.rsplit(maxsplit=1)[-1]
    return named if Path(named).is_absolute() and Path(named).is_file() else shutil.which(name)


def run(argv: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end; its two outputs come as one text."""
    return subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def digest(path: Path) -> str:
    """Return the sha256 of a file in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def debian_packages() -> dict[str, str]:
    """Return every installed Debian package (name:arch) with its version."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Abbrev} ${binary:Package} ${Version}\n"]
    listed = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {package: version for status, package, version in rows if status == "ii"}


def wheels() -> dict[str, str]:
    """Return every distribution in the image's venv with its version."""
    folders = [str(folder) for folder in sorted(WHEELS.glob("python*/site-packages"))]
    return {found.metadata["Name"]: found.version for found in distributions(path=folders)}


def notes() -> str:
    """Return what the image's steps said about it, sorted by file name."""
    files = sorted(NOTES.iterdir()) if NOTES.is_dir() else []
    return " ".join(file.read_text(encoding="utf-8").strip() for file in files)


def write(path: Path, data: dict[str, object]) -> None:
    """Write sorted JSON in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}")
    draft.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(main())
