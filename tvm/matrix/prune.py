"""Remove what is ours and old: images of recipes that are not in use any more, boxes whose runner is gone, old venvs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from docker.errors import APIError, NotFound
from rich.console import Console
from rich.filesize import decimal
from rich.text import Text

from tvm.error import ExitCode
from tvm.matrix import reaper, recipe
from tvm.matrix.engine import LABEL, LABEL_RUN, Engine, base, images, labels, old_venvs
from tvm.matrix.engine.client import Client, engine_errors, remove_container
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.model import Project

# Seconds after which a layer without a name belongs to no running build.
_BUILD_AGE = 3600
# Children go before what they stand on: images, then images/base, then the bare suites.
_RANKS = {f"{labels.REPOSITORY}/debian-": 2, f"{labels.REPOSITORY}/base-": 1}


@dataclass(frozen=True, kw_only=True)
class Removal:
    """One thing that was removed, or why it was not; `size` in bytes, with what it shares with others."""

    name: str
    size: int = 0
    why_not: str = ""


def show(project: Project, engines: Sequence[Engine], console: Console, *, everything: bool) -> ExitCode:
    """Remove old venvs, and what is old on each engine; print what went and what it gave back."""
    removals, freed = _venvs(project, everything=everything)
    _print(console, removals)
    for engine in engines:
        if isinstance(engine, DockerEngine):
            if len(engines) > 1:
                console.print(Text(engine.describe()))
            before = _used(engine.client)
            own = prune(engine.client, project, everything=everything)
            _print(console, own)
            removals, freed = removals + own, freed + max(0, before - _used(engine.client))
    gone = sum(not removal.why_not for removal in removals)
    console.print(Text(f"{gone} removed, {decimal(freed)} freed" if gone else "nothing of ours is old"))
    return ExitCode.OK


def _print(console: Console, removals: Sequence[Removal]) -> None:
    for removal in removals:
        text = f"kept {removal.name}: {removal.why_not}" if removal.why_not else f"removed {removal.name}"
        console.print(Text(text + (f" ({decimal(removal.size)})" if removal.size else "")))


def _venvs(project: Project, *, everything: bool) -> tuple[list[Removal], int]:
    """Remove old venvs of local runs, and return them with the bytes that they gave back."""
    found = old_venvs.prune(project, everything=everything)
    removals = [Removal(name=str(old.folder), size=old.size, why_not="in use" if old.used else "") for old in found]
    return removals, sum(old.size for old in found if not old.used)


def prune(client: Client, project: Project, *, everything: bool = False) -> list[Removal]:
    """Remove old images and orphaned boxes of ours; with `everything` every image that we made. Nothing without our label is touched."""
    removals = [_box(client, name) for name, marks in reaper.boxes(client) if labels.is_orphan(marks)]
    removals += [_box(client, name) for name in _unfinished(client, everything=everything)]
    for reference, size in _old(client, project, everything=everything):
        removals.append(_image(client, reference, size))
    return [*removals, *(_image(client, image, size) for image, size in _nameless(client, everything=everything))]


def current(project: Project) -> set[str]:
    """Return the names of every image that the matrix may use now, by any route."""
    matrix = project.matrix
    suites = {image.suite for image in matrix.images.values()}
    made = {one.reference for image in matrix.images for one in images.recipes(project, image)}
    bases = {one.reference for suite in suites for one in images.base_recipes(project, suite)}
    bare = {
        base.debian_reference(suite, route, digest)
        for suite in suites
        for route, digest in base.routes(matrix.suites[suite])
    }
    return made | bases | bare


def _known(project: Project) -> set[str]:
    """Return the repositories that this matrix has a say in; others are another project's."""
    matrix = project.matrix
    parts = [*matrix.images, *(f"{kind}-{suite}" for suite in matrix.suites for kind in (recipe.BASE, "debian"))]
    return {f"{labels.REPOSITORY}/{part}" for part in parts}


def _old(client: Client, project: Project, *, everything: bool) -> list[tuple[str, int]]:
    keep, known = current(project), _known(project)
    found = [
        (reference, size)
        for reference, size in _named(client)
        if everything or (reference.rpartition(":")[0] in known and reference not in keep)
    ]
    return sorted(found, key=lambda one: (_rank(one[0]), one[0]))


def _rank(reference: str) -> int:
    return next((rank for prefix, rank in _RANKS.items() if reference.startswith(prefix)), 0)


def _named(client: Client) -> Iterator[tuple[str, int]]:
    """Yield our names of images that carry our label. A user's image on top of ours carries it too, by another name."""
    for image in _images(client, {"label": [LABEL]}):
        for reference in image.get("RepoTags") or ():
            if str(reference).startswith(f"{labels.REPOSITORY}/"):
                yield str(reference), int(image.get("Size", 0))


def _nameless(client: Client, *, everything: bool) -> list[tuple[str, int]]:
    """Return what failed and cut-off builds left. The last layer of a build that runs now looks the same, but is young."""
    found = _images(client, {"label": [LABEL], "dangling": ["true"]})
    newest = _newest(everything=everything)
    return sorted((str(image["Id"]), int(image.get("Size", 0))) for image in found if int(image["Created"]) <= newest)


def _unfinished(client: Client, *, everything: bool) -> list[str]:
    """Return the ended containers of builds during which the engine died: they have our base's label and no run's."""
    with engine_errors("list its containers"):
        found: list[dict[str, Any]] = client.containers(all=True, filters={"label": [LABEL]})
    newest = _newest(everything=everything)
    # Not asked for by their state: Podman has none that is called dead.
    ended = (one for one in found if one["State"] in {"exited", "dead"})
    old = (one for one in ended if LABEL_RUN not in one["Labels"] and int(one["Created"]) <= newest)
    return sorted(str(one["Names"][0]).lstrip("/") for one in old)


def _newest(*, everything: bool) -> float:
    return time.time() - (0 if everything else _BUILD_AGE)


def _images(client: Client, filters: dict[str, Any]) -> list[dict[str, Any]]:
    untyped: Any = client
    with engine_errors("list its images"):
        return list(untyped.images(filters=filters))


def _box(client: Client, name: str) -> Removal:
    remove_container(client, name)
    return Removal(name=name)


def _image(client: Client, image: str, size: int) -> Removal:
    untyped: Any = client
    with engine_errors(f"remove the image {image}"):
        try:
            untyped.remove_image(image)
        except NotFound:
            # Gone with the image that stood on it.
            return Removal(name=image)
        except APIError as error:
            if error.status_code != HTTPStatus.CONFLICT:
                raise
            return Removal(name=image, why_not="in use")
    return Removal(name=image, size=size)


def _used(client: Client) -> int:
    untyped: Any = client
    with engine_errors("tell how much disk it uses"):
        return int(untyped.df().get("LayersSize") or 0)
