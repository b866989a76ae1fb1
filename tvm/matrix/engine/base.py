"""The image that all others of a suite stand on: Debian, pulled by digest or bootstrapped, and images/base on it."""

from dataclasses import dataclass
from typing import Any

from tvm.matrix import recipe
from tvm.matrix.engine import LABEL, BaseRoute, Progress, labels
from tvm.matrix.engine.bootstrap import bootstrap
from tvm.matrix.engine.build import label
from tvm.matrix.engine.client import Client, inspect_image
from tvm.matrix.engine.pull import NoAnswer, pull
from tvm.matrix.model import Project, Suite


@dataclass(frozen=True, kw_only=True)
class Debian:
    """A bare suite that is there: how it came, its digest if it was pulled, and why it was not pulled."""

    reference: str
    route: BaseRoute
    digest: str = ""
    note: str = ""


def routes(suite: Suite) -> list[tuple[BaseRoute, str]]:
    """Return the routes that a suite may take with the digest of each, the preferred one first."""
    pulled: list[tuple[BaseRoute, str]] = [("pulled", suite.digest)] if suite.image and suite.digest else []
    return [*pulled, ("bootstrapped", "")]


def reference(project: Project, suite: str, route: BaseRoute, digest: str) -> str:
    """Return the name of images/base for a suite."""
    return f"{labels.REPOSITORY}/base-{suite}:{recipe.base_tag(project, suite, route=route, digest=digest)}"


def debian_reference(suite: str, route: BaseRoute, digest: str) -> str:
    """Return the name of the bare suite."""
    version = f"pulled-{digest.removeprefix('sha256:')[:16]}" if route == "pulled" else "bootstrapped"
    return f"{labels.REPOSITORY}/debian-{suite}:{version}"


def debian(client: Client, name: str, suite: Suite, progress: Progress) -> Debian:
    """Return the bare suite: found here, or pulled where a registry answers, or bootstrapped."""
    for route, digest in routes(suite):
        found = Debian(reference=debian_reference(name, route, digest), route=route, digest=digest)
        if image := inspect(client, found.reference):
            return Debian(
                reference=found.reference, route=route, digest=digest, note=_labels(image).get(labels.LABEL_NOTE, "")
            )
    if not (suite.image and suite.digest):
        return _bootstrapped(client, name, suite, "the suite's image is not pinned: refused", progress)
    try:
        return _pulled(client, name, suite, suite.digest, progress)
    except NoAnswer as why:
        progress(str(why))
        return _bootstrapped(client, name, suite, str(why), progress)


def inspect(client: Client, name: str) -> dict[str, Any] | None:
    """Return what the engine knows of an image of ours; None if it is not there or does not carry our label."""
    image = inspect_image(client, name)
    return image if image and LABEL in _labels(image) else None


def _labels(image: dict[str, Any]) -> dict[str, str]:
    return dict((image.get("Config") or {}).get("Labels") or {})


def _pulled(client: Client, name: str, suite: Suite, digest: str, progress: Progress) -> Debian:
    image = pull(client, suite.image, digest, progress)
    made = Debian(reference=debian_reference(name, "pulled", digest), route="pulled", digest=digest)
    label(client, f"suite {name}", image, _marks(name, made), made.reference)
    return made


def _bootstrapped(client: Client, name: str, suite: Suite, note: str, progress: Progress) -> Debian:
    made = Debian(reference=debian_reference(name, "bootstrapped", ""), route="bootstrapped", note=note)
    image = bootstrap(client, name, progress, rolling=suite.rolling)
    label(client, f"suite {name}", image, _marks(name, made), made.reference)
    return made


def _marks(suite: str, made: Debian) -> dict[str, str]:
    return {
        LABEL: "suite",
        labels.LABEL_SUITE: suite,
        labels.LABEL_BASE_ROUTE: made.route,
        labels.LABEL_BASE_DIGEST: made.digest,
        labels.LABEL_NOTE: made.note,
    }
