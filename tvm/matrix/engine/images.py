"""Images by recipe: found by their tag, else built, inventoried and labelled."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from docker.errors import NotFound

from tvm.error import ImageError
from tvm.matrix import recipe
from tvm.matrix.engine import (
    LABEL,
    LABEL_IMAGE,
    LABEL_INVENTORY,
    LABEL_RECIPE,
    BaseRoute,
    PreparedImage,
    Progress,
    VendorRoute,
    base,
    labels,
    vendor,
)
from tvm.matrix.engine.build import build, label
from tvm.matrix.engine.client import Client, engine_errors, finish, remove_container, remove_image
from tvm.matrix.engine.context import build_context, proxies
from tvm.matrix.engine.locks import locked
from tvm.matrix.model import Project
from tvm.support import archive

INVENTORY = "/usr/share/tvm-matrix/inventory.json"
_KEYS = frozenset({"image", "suite", "vendor_route", "dpkg", "pip", "tools"})


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to make an image: its name and reference, and the routes of its parts."""

    image: str
    suite: str
    reference: str
    base_route: BaseRoute
    base_digest: str
    vendor_route: VendorRoute = "none"
    note: str = ""

    @property
    def tag(self) -> str:
        """The hash of the recipe."""
        return self.reference.rpartition(":")[2]


def recipes(project: Project, image: str) -> Iterator[Recipe]:
    """Yield every recipe that an image may have by its routes, the preferred one first."""
    suite = project.matrix.images[image].suite
    for vendor_route in recipe.vendor_routes(project, image):
        for base_route, digest in base.routes(project.matrix.suites[suite]):
            yield _recipe(project, image, base_route, digest, vendor_route)


def base_recipes(project: Project, suite: str) -> Iterator[Recipe]:
    """Yield every recipe that images/base of a suite may have."""
    for route, digest in base.routes(project.matrix.suites[suite]):
        reference = base.reference(project, suite, route, digest)
        yield Recipe(image=recipe.BASE, suite=suite, reference=reference, base_route=route, base_digest=digest)


def prepare(client: Client, project: Project, image: str, progress: Progress) -> PreparedImage:
    """Return an image: one of its recipes that was built before, else built now by the routes that are open now."""
    started = time.monotonic()
    for candidate in recipes(project, image):
        if found := find(client, candidate):
            return found
    # The vendor is asked first: where nothing can be built without it, nothing is pulled or bootstrapped for it.
    route, note = vendor.decide(project, image)
    if note:
        progress(note)
    ground = prepare_base(client, project, project.matrix.images[image].suite, progress)
    wanted = _recipe(project, image, ground.base_route, ground.base_digest, route, _join(ground.route_note, note))
    arguments = recipe.build_arguments(project, image, base=_ground(project, wanted), vendor_route=route)
    return _made(client, project, wanted, arguments, progress, started)


def rebuild(client: Client, project: Project, image: str, progress: Progress) -> Mapping[str, Any]:
    """Make an image by the same recipe and on the same base once more, every step anew; return its inventory. It does not stay."""
    first = prepare(client, project, image, progress)
    wanted = _recipe(project, image, first.base_route, first.base_digest, first.vendor_route)
    arguments = recipe.build_arguments(project, image, base=_ground(project, wanted), vendor_route=first.vendor_route)
    built = _built(client, project, wanted, arguments, progress, fresh=True)
    try:
        return read_inventory(client, built, wanted)[0]
    finally:
        remove_image(client, built)


def prepare_base(client: Client, project: Project, suite: str, progress: Progress) -> PreparedImage:
    """Return images/base of a suite."""
    started = time.monotonic()
    for candidate in base_recipes(project, suite):
        if found := find(client, candidate):
            return found
    with locked(f"{labels.REPOSITORY}/debian-{suite}", progress):
        debian = base.debian(client, suite, project.matrix.suites[suite], progress)
    wanted = Recipe(
        image=recipe.BASE,
        suite=suite,
        reference=base.reference(project, suite, debian.route, debian.digest),
        base_route=debian.route,
        base_digest=debian.digest,
        note=debian.note,
    )
    arguments = recipe.base_arguments(project, suite, base=debian.reference)
    return _made(client, project, wanted, arguments, progress, started)


def find(client: Client, wanted: Recipe) -> PreparedImage | None:
    """Return the image that a recipe made before; one whose labels say otherwise is none."""
    image = base.inspect(client, wanted.reference)
    if image is None:
        return None
    marks = dict(image["Config"]["Labels"])
    if marks.get(LABEL_RECIPE) != wanted.tag or marks.get(LABEL_IMAGE) != wanted.image:
        return None
    content, sha256 = read_inventory(client, str(image["Id"]), wanted)
    if sha256 != marks.get(LABEL_INVENTORY):
        return None
    return _prepared(wanted, str(image["Id"]), content, sha256, note=marks.get(labels.LABEL_NOTE, ""))


def read_inventory(client: Client, image_id: str, wanted: Recipe) -> tuple[Mapping[str, Any], str]:
    """Return what an image says it holds, and the sha256 of that text in hex."""
    name = labels.box_name("inventory", wanted.image)
    marks = labels.owner_labels("inventory", wanted.image)
    try:
        with engine_errors(f"open {wanted.reference}"):
            finish(lambda: client.create_container(image_id, ["true"], name=name, labels=marks, network_disabled=True))
        data = _member(client, name, wanted)
    finally:
        remove_container(client, name)
    try:
        content = json.loads(data)
    except ValueError:
        content = None
    if not isinstance(content, dict) or not content.keys() >= _KEYS or content["image"] != wanted.image:
        msg = f"image {wanted.image}: {INVENTORY} is not the inventory of this image"
        raise ImageError(msg, fix="the last step of its Dockerfile must be: RUN /usr/lib/tvm-matrix/inventory.py")
    return cast("dict[str, Any]", content), hashlib.sha256(data).hexdigest()


def _recipe(
    project: Project, image: str, base_route: BaseRoute, digest: str, vendor_route: VendorRoute, note: str = ""
) -> Recipe:
    suite = project.matrix.images[image].suite
    tag = recipe.recipe_tag(
        project,
        image,
        base_tag=recipe.base_tag(project, suite, route=base_route, digest=digest),
        base_route=base_route,
        base_digest=digest,
        vendor_route=vendor_route,
    )
    return Recipe(
        image=image,
        suite=suite,
        reference=f"{labels.REPOSITORY}/{image}:{tag}",
        base_route=base_route,
        base_digest=digest,
        vendor_route=vendor_route,
        note=note,
    )


def _made(
    client: Client, project: Project, wanted: Recipe, arguments: Mapping[str, str], progress: Progress, started: float
) -> PreparedImage:
    with locked(wanted.reference, progress):
        # Another run may have made it while this one waited.
        if found := find(client, wanted):
            return found
        built = _built(client, project, wanted, arguments, progress)
        content, sha256 = read_inventory(client, built, wanted)
        image_id = label(client, f"image {wanted.image}", built, _marks(wanted, sha256), wanted.reference)
    seconds = time.monotonic() - started
    return _prepared(wanted, image_id, content, sha256, note=wanted.note, built=True, seconds=seconds)


def _ground(project: Project, wanted: Recipe) -> str:
    """Return the name of the images/base that an image stands on."""
    return base.reference(project, wanted.suite, wanted.base_route, wanted.base_digest)


def _built(
    client: Client,
    project: Project,
    wanted: Recipe,
    arguments: Mapping[str, str],
    progress: Progress,
    *,
    fresh: bool = False,
) -> str:
    with build_context(project, wanted.image) as context:
        return build(
            client,
            f"image {wanted.image}",
            context,
            progress,
            arguments={**proxies(os.environ), **arguments},
            fresh=fresh,
        )


def _marks(wanted: Recipe, inventory_sha256: str) -> dict[str, str]:
    return {
        LABEL: "image",
        LABEL_IMAGE: wanted.image,
        LABEL_RECIPE: wanted.tag,
        LABEL_INVENTORY: inventory_sha256,
        labels.LABEL_SUITE: wanted.suite,
        labels.LABEL_BASE_ROUTE: wanted.base_route,
        labels.LABEL_BASE_DIGEST: wanted.base_digest,
        labels.LABEL_VENDOR_ROUTE: wanted.vendor_route,
        labels.LABEL_NOTE: wanted.note,
    }


def _prepared(
    wanted: Recipe,
    image_id: str,
    inventory: Mapping[str, Any],
    sha256: str,
    *,
    note: str,
    built: bool = False,
    seconds: float = 0.0,
) -> PreparedImage:
    return PreparedImage(
        name=wanted.image,
        tag=wanted.tag,
        image_id=image_id,
        inventory=inventory,
        inventory_sha256=sha256,
        base_route=wanted.base_route,
        base_digest=wanted.base_digest,
        vendor_route=wanted.vendor_route,
        route_note=note,
        built=built,
        seconds=seconds,
    )


def _member(client: Client, container: str, wanted: Recipe) -> bytes:
    with engine_errors(f"read {INVENTORY}"), tempfile.TemporaryFile() as spool, tempfile.TemporaryDirectory() as folder:
        try:
            stream, _ = client.get_archive(container, INVENTORY)
        except NotFound as error:
            msg = f"image {wanted.image} has no {INVENTORY}"
            raise ImageError(
                msg, fix="the last step of its Dockerfile must be: RUN /usr/lib/tvm-matrix/inventory.py"
            ) from error
        spool.writelines(stream)
        spool.seek(0)
        (path,) = archive.unpack(spool, Path(folder))
        return path.read_bytes()


def _join(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
