"""What an image is made of, as a tag: the same recipe gives the same tag on every machine."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.error import ConfigError
from tvm.matrix import tools
from tvm.matrix.engine import BaseRoute, VendorRoute
from tvm.matrix.model import AnyVendor, Project, Vendor, VendorIndex

BASE = "base"
# The hash-locked wheels of a folder of an image.
LOCK = "requirements.txt"
_TAG_DIGITS = 16
# Made by Python when a recipe's script is run or tested here; no part of the recipe.
_IGNORED = "__pycache__"


@dataclass(frozen=True, kw_only=True)
class RecipeFile:
    """One file of a recipe: its path in the build's context with forward slashes, where it lies, may it be run, its bytes."""

    path: str
    source: Path
    executable: bool
    content: bytes

    @property
    def sha256(self) -> str:
        """The sha256 of the bytes in hex."""
        return hashlib.sha256(self.content).hexdigest()


def recipe_files(project: Project, image: str) -> tuple[RecipeFile, ...]:
    """Return the files of images/NAME, and of the further folders that its entry names, in the order of their paths.

    Those of images/NAME have their paths in it, the others their paths in the tree. Links, special files and two files of one
    path raise ConfigError.
    """
    own = project.image_folder(image)
    if not own.is_dir():
        msg = f"the folder of image {image!r} is missing"
        raise ConfigError(msg, looked=[str(own)])
    entry = project.matrix.images.get(image)
    further = [_further(project, image, name) for name in (entry.context if entry else ())]
    files = [_file(image, own, path) for path in _walk(own)]
    files += [_file(image, project.root, path) for folder in further for path in _walk(folder)]
    _require_single(image, files)
    return tuple(sorted(files, key=lambda file: os.fsencode(file.path)))


def _further(project: Project, image: str, name: str) -> Path:
    folder = project.root / name
    if not folder.is_dir() or folder.resolve() != project.root.resolve() / name:
        msg = f"image {image!r} takes files from {name!r}, which is no folder of the tree"
        raise ConfigError(msg, fix="correct its `context` in matrix.yaml", looked=[str(folder)])
    return folder


def _require_single(image: str, files: Sequence[RecipeFile]) -> None:
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            msg = f"the recipe of image {image!r} has two files {file.path!r}"
            raise ConfigError(msg, fix=f"rename the one in images/{image}, or name each folder of `context` once")
        seen.add(file.path)


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name == _IGNORED:
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        else:
            yield entry


def _file(image: str, folder: Path, path: Path) -> RecipeFile:
    name = path.relative_to(folder).as_posix()
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "no regular file"
            msg = f"{name!r} in the recipe images/{image} is {kind}"
            raise ConfigError(msg, fix="a recipe holds regular files only: copy what it needs into the folder")
        content = path.read_bytes()
    except OSError as error:
        msg = f"{name!r} in the recipe images/{image} cannot be read: {error.strerror}"
        raise ConfigError(msg, fix="make it readable for this user") from None
    return RecipeFile(path=name, source=path, executable=bool(mode & stat.S_IXUSR), content=content)


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
        # The folders of `context` count by their files.
        "entry": project.matrix.images[image].model_dump(mode="json", exclude={"context"}),
        "probes": _probes(project, image),
        "base": {"tag": base_tag, "route": base_route, "digest": base_digest},
        "vendor_route": vendor_route,
        "files": _fingerprints(project, image),
    }
    return _tag(inputs)


def vendor_routes(project: Project, image: str) -> tuple[VendorRoute, ...]:
    """Return the routes that an image may take, the preferred one first; a download without a pin is none of them."""
    match project.matrix.images[image].vendor:
        case None:
            return ("none",)
        case Vendor() as vendor:
            return ("vendor", "stand-in") if vendor.sha256 else ("stand-in",)
        case VendorIndex():
            return ("vendor",)


def vendor_lock(project: Project, image: str) -> Path:
    """Return the file with the hashes of a vendor's packages and of all that they need."""
    return project.image_folder(image) / "vendor" / LOCK


def base_arguments(project: Project, suite: str, *, base: str) -> dict[str, str]:
    """Return the build arguments of images/base; `base` is the suite's own image."""
    if suite not in project.matrix.suites:
        msg = f"suite {suite!r} is not in matrix.yaml"
        raise ConfigError(msg)
    return _arguments(base=base, suite=suite, components="main", image=BASE)


def build_arguments(project: Project, image: str, *, base: str, vendor_route: VendorRoute) -> dict[str, str]:
    """Return the build arguments of an image; `base` is images/base of its suite. The vendor's address goes only by its route."""
    entry = project.matrix.images[image]
    url, sha256 = _vendor_arguments(entry.vendor) if vendor_route == "vendor" else ("", "")
    return _arguments(
        base=base,
        suite=entry.suite,
        components=" ".join(entry.components),
        image=image,
        probes=_probes(project, image),
        vendor_route=vendor_route,
        vendor_url=url,
        vendor_sha256=sha256,
    )


def _vendor_arguments(vendor: AnyVendor | None) -> tuple[str, str]:
    match vendor:
        case None:
            return "", ""
        case Vendor():
            return vendor.url, vendor.sha256 or ""
        case VendorIndex():
            return vendor.index, ""


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
