"""What an image is made of, as a tag: the same recipe gives the same tag on every machine."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.error import ConfigError
from tvm.matrix import tools
from tvm.matrix.engine import BaseRoute, VendorRoute
from tvm.matrix.model import Project

BASE = "base"
_TAG_DIGITS = 16
# Made by Python when a recipe's script is run or tested here; no part of the recipe.
_IGNORED = "__pycache__"


@dataclass(frozen=True, kw_only=True)
class RecipeFile:
    """One file of a recipe: its path in the folder with forward slashes, whether it may be run, its bytes."""

    path: str
    executable: bool
    content: bytes

    @property
    def sha256(self) -> str:
        """The sha256 of the bytes in hex."""
        return hashlib.sha256(self.content).hexdigest()


def recipe_files(project: Project, image: str) -> tuple[RecipeFile, ...]:
    """Return the files of images/NAME in the order of their paths; links and special files raise ConfigError."""
    folder = project.image_folder(image)
    if not folder.is_dir():
        msg = f"the folder of image {image!r} is missing"
        raise ConfigError(msg, looked=[str(folder)])
    files = (_file(folder, path) for path in _walk(folder))
    return tuple(sorted(files, key=lambda file: os.fsencode(file.path)))


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name == _IGNORED:
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        else:
            yield entry


def _file(folder: Path, path: Path) -> RecipeFile:
    name = path.relative_to(folder).as_posix()
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "no regular file"
            msg = f"{name!r} in the recipe images/{folder.name} is {kind}"
            raise ConfigError(msg, fix="a recipe holds regular files only: copy what it needs into the folder")
        content = path.read_bytes()
    except OSError as error:
        msg = f"{name!r} in the recipe images/{folder.name} cannot be read: {error.strerror}"
        raise ConfigError(msg) from None
    return RecipeFile(path=name, executable=bool(mode & stat.S_IXUSR), content=content)


def base_tag(project: Project, suite: str, *, route: BaseRoute, digest: str) -> str:
    """Return the tag of images/base for one suite; `digest` is the pulled base's, empty for a bootstrapped one."""
    entry = project.matrix.suites[suite].model_dump(mode="json")
    return _tag(
        {"suite": suite, "entry": entry, "route": route, "digest": digest, "files": _fingerprints(project, BASE)}
    )


def recipe_tag(
    project: Project,
    image: str,
    *,
    base_tag: str,
    base_route: BaseRoute,
    base_digest: str,
    vendor_route: VendorRoute,
) -> str:
    """Return the tag of an image: its folder, its entry in matrix.yaml (cells do not count), its base and the routes."""
    inputs = {
        "image": image,
        "entry": project.matrix.images[image].model_dump(mode="json"),
        "probes": _probes(project, image),
        "base": {"tag": base_tag, "route": base_route, "digest": base_digest},
        "vendor_route": vendor_route,
        "files": _fingerprints(project, image),
    }
    return _tag(inputs)


def vendor_routes(project: Project, image: str) -> tuple[VendorRoute, ...]:
    """Return the routes that an image may take, the preferred one first; a download without a pin is none of them."""
    vendor = project.matrix.images[image].vendor
    if vendor is None:
        return ("none",)
    return ("vendor", "stand-in") if vendor.sha256 else ("stand-in",)


def base_arguments(project: Project, suite: str, *, base: str) -> dict[str, str]:
    """Return the build arguments of images/base; `base` is the suite's own image."""
    if suite not in project.matrix.suites:
        msg = f"suite {suite!r} is not in matrix.yaml"
        raise ConfigError(msg)
    return _arguments(base=base, suite=suite, components="main", image=BASE)


def build_arguments(project: Project, image: str, *, base: str, vendor_route: VendorRoute) -> dict[str, str]:
    """Return the build arguments of an image; `base` is images/base of its suite. The vendor's address goes only by its route."""
    entry = project.matrix.images[image]
    vendor = entry.vendor if vendor_route == "vendor" else None
    return _arguments(
        base=base,
        suite=entry.suite,
        components=" ".join(entry.components),
        image=image,
        probes=_probes(project, image),
        vendor_route=vendor_route,
        vendor_url=vendor.url if vendor else "",
        vendor_sha256=(vendor.sha256 or "") if vendor else "",
    )


def _arguments(
    *,
    base: str,
    suite: str,
    components: str,
    image: str,
    probes: Mapping[str, list[str]] | None = None,
    vendor_route: VendorRoute = "none",
    vendor_url: str = "",
    vendor_sha256: str = "",
) -> dict[str, str]:
    return {
        "BASE": base,
        "COMPONENTS": components,
        "IMAGE": image,
        "SUITE": suite,
        "TOOLS": _canonical(probes or {}),
        "VENDOR_ROUTE": vendor_route,
        "VENDOR_SHA256": vendor_sha256,
        "VENDOR_URL": vendor_url,
    }


def _probes(project: Project, image: str) -> dict[str, list[str]]:
    return {tool: list(tools.probe_argv(tool)) for tool in sorted(project.matrix.images[image].tools)}


def _fingerprints(project: Project, image: str) -> list[tuple[str, bool, str]]:
    return [(file.path, file.executable, file.sha256) for file in recipe_files(project, image)]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _tag(inputs: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(inputs).encode()).hexdigest()[:_TAG_DIGITS]
