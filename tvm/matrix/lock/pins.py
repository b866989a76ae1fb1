"""The pins of matrix.yaml: digests of suites, versions of tools, a vendor's own. What cannot be refreshed here says why."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docker.errors import APIError
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tvm.error import EngineError
from tvm.matrix import _edit, recipe, tools
from tvm.matrix.engine import discover, images
from tvm.matrix.engine.client import Client, engine_errors, explanation
from tvm.matrix.lock.change import Change, Kept
from tvm.matrix.model import Project, Vendor, VendorIndex

_CLAUSE = re.compile(r"\s*(==|>=|<=|<|>|~=|!=)\s*([0-9][0-9.]*?)(\.\*)?\s*")


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A value of matrix.yaml that must change: where it stands, what it is and what it shall be."""

    path: tuple[str, ...]
    old: str
    new: str

    def change(self) -> Change:
        """Return it as it is shown."""
        return Change(place="matrix.yaml", name=".".join(self.path), old=self.old, new=self.new)


def refresh(project: Project, names: Sequence[str]) -> Iterator[Edit | Kept]:
    """Yield what must change in matrix.yaml for some images, and what stays as it is for which reason."""
    engine, why = _engine()
    entries = [name for name in names if name != recipe.BASE]
    for suite in dict.fromkeys(project.matrix.images[name].suite for name in entries):
        yield from _digest(project, suite, engine, why)
    for name in entries:
        yield from _tools(project, name, engine, why)
        yield from _vendor(project, name)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return matrix.yaml with its new values."""
    for edit in edits:
        text = _edit.replace_value(text, edit.path, edit.new)
    return text


def _engine() -> tuple[Client | None, str]:
    try:
        return discover.find().client, ""
    except EngineError as error:
        return None, error.cause


def _digest(project: Project, name: str, engine: Client | None, why: str) -> Iterator[Edit | Kept]:
    suite = project.matrix.suites[name]
    if not (suite.image and suite.digest):
        return
    reference = f"{suite.image}:{name}-slim"
    digest, why = _asked(engine, reference) if engine else ("", why)
    if why:
        yield Kept(place=f"suites.{name}.digest", why=f"{reference}: {why}")
    elif digest != suite.digest:
        yield Edit(path=("suites", name, "digest"), old=suite.digest, new=digest)
        if suite.source:
            yield Edit(path=("suites", name, "source"), old=suite.source, new=f"the registry, as {reference}")


def _asked(engine: Client, reference: str) -> tuple[str, str]:
    """Ask the registry through the engine; return the digest of a name, or why there is none."""
    untyped: Any = engine
    try:
        with engine_errors(f"ask for {reference}"):
            try:
                told = untyped.inspect_distribution(reference)
            except APIError as error:
                return "", f"the registry does not tell its digest: {explanation(error)}"
    except EngineError as error:
        return "", error.cause
    return str(told["Descriptor"]["digest"]), ""


def _tools(project: Project, name: str, engine: Client | None, why: str) -> Iterator[Edit | Kept]:
    held = _held(engine, project, name) if engine else None
    if held is None:
        why = why or f"no image of this recipe is on the engine: nox -s {name} builds it"
        yield Kept(place=f"images.{name}.tools", why=why)
        return
    for tool, specifier in project.matrix.images[name].tools.items():
        path = ("images", name, "tools", tool)
        try:
            version = tools.parse_version(tool, str(held[tool]["version"]))
        except (KeyError, ValueError):
            yield Kept(place=".".join(path), why="the image's inventory has no version of it")
            continue
        new = respecify(specifier, version)
        if not new:
            yield Kept(place=".".join(path), why=f"the image holds {version}; {specifier!r} is adapted by hand")
        elif new != specifier:
            yield Edit(path=path, old=specifier, new=new)


def _held(engine: Client, project: Project, name: str) -> Mapping[str, Any] | None:
    """Return the tools in the inventory of an image that is on the engine."""
    for candidate in images.recipes(project, name):
        if found := images.find(engine, candidate):
            held: Mapping[str, Any] = found.inventory["tools"]
            return held
    return None


def respecify(specifier: str, version: Version) -> str:
    """Return a specifier of the same form that a version meets: "==19.*" becomes "==20.*". One that it meets stays; "" if none is known."""
    if SpecifierSet(specifier).contains(version, prereleases=True):
        return specifier
    clauses = [_CLAUSE.fullmatch(clause) for clause in specifier.split(",")]
    adapted = [_adapted(clause, version) if clause else "" for clause in clauses]
    text = ",".join(adapted)
    return text if all(adapted) and SpecifierSet(text).contains(version, prereleases=True) else ""


def _adapted(clause: "re.Match[str]", version: Version) -> str:
    operator, number, any_rest = clause.groups()
    text = f"{operator}{number}{any_rest or ''}"
    if SpecifierSet(text).contains(version, prereleases=True):
        return text
    parts = number.count(".") + 1
    cut = ".".join(map(str, (*version.release, *[0] * parts)[:parts]))
    match operator:
        case "==":
            return f"=={cut}.*" if any_rest else f"=={version}"
        case ">=":
            return f">={cut}"
        case "<":
            return f"<{version.major + 1}"
        case _:
            return ""


def _vendor(project: Project, name: str) -> Iterator[Kept]:
    match project.matrix.images[name].vendor:
        case Vendor():
            why = "a download has no list of later ones: set url, sha256 and source by hand"
            yield Kept(place=f"images.{name}.vendor", why=why)
        case VendorIndex():
            why = "a release of the vendor says which versions belong together: set them and source by hand"
            yield Kept(place=f"images.{name}.vendor.packages", why=why)
        case None:
            pass
