"""What differs between two manifests: packages, tools, artefacts, environment, and what they were made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.error import ConfigError, TVMError
from tvm.matrix import manifest

# Kind of fact -> name -> value as text.
Facts = Mapping[str, Mapping[str, str]]
_NAME_ONE = "name a manifest.json, a previous.json, or the folder of a cell in build/matrix"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One fact that is not the same: its kind ("package", "tool", ...), and its value on both sides ("": not there)."""

    kind: str
    name: str
    before: str
    after: str

    @property
    def sign(self) -> str:
        """How the change reads at the beginning of a line: "+" came, "-" went, "~" is another."""
        return "+" if not self.before else "-" if not self.after else "~"

    def __str__(self) -> str:
        values = " -> ".join(value for value in (self.before, self.after) if value)
        return f"{self.sign} {self.kind} {self.name}: {values}"


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two manifests, by kind, then by name. Times and durations always differ: they are no facts."""
    return list(_changes(facts(before), facts(after)))


def inventories(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what two images that say what they hold differ in: packages, tools, and what they say of themselves."""
    return list(_changes(_held(before), _held(after)))


def _held(inventory: Mapping[str, Any]) -> Facts:
    tools = {name: _tool(tool) for name, tool in inventory["tools"].items()}
    return {**_packages({"packages": inventory}), "tool": tools, "note": {"note": str(inventory.get("note", ""))}}


def facts(data: Mapping[str, Any]) -> Facts:
    """Return the comparable facts of a manifest. A package of pip is named "pip NAME", one of Debian by its name."""
    own = data["predicate"]["tvm_matrix"]
    build = data["predicate"]["buildDefinition"]
    return {
        "tree": {"tree": _tree(own["tree"])},
        "image": _image(own["image"]),
        "tool": {name: _tool(tool) for name, tool in own["image"]["tools"].items()},
        **_packages(own),
        "environment": build["internalParameters"]["environment"],
        "arch": build["externalParameters"]["archs"],
        "check": {item["name"]: _check(item) for item in own["checks"]},
        "artefact": {item["name"]: f"{item['size']} bytes, sha256 {item['sha256']}" for item in own["artefacts"]},
    }


def read(path: Path) -> dict[str, Any]:
    """Return the manifest that a user named, as a file or as the folder of a cell; anything else is a ConfigError."""
    file = path / "manifest.json" if path.is_dir() else path
    try:
        data = manifest.read(file)
        facts(data)
    except TVMError as error:
        raise ConfigError(error.cause, fix=_NAME_ONE) from error
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"{file}: a manifest in which something is missing"
        raise ConfigError(msg, fix=_NAME_ONE) from error
    return data


def text(found: Sequence[Change]) -> str:
    """Return a line per change."""
    return "".join(f"{change}\n" for change in found)


def _changes(before: Facts, after: Facts) -> Iterator[Change]:
    for kind in (kind for kind in after if kind in before):
        left, right = before[kind], after[kind]
        for name in sorted(left.keys() | right.keys()):
            old, new = left.get(name, ""), right.get(name, "")
            if old != new:
                yield Change(kind=kind, name=name, before=old, after=new)


def _packages(own: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the packages of the image; a manifest of before they were written down says nothing of them."""
    if "packages" not in own:
        return {}
    debian, python = own["packages"]["dpkg"], own["packages"]["pip"]
    return {"package": {**debian, **{f"pip {name}": version for name, version in python.items()}}}


def _tree(tree: Mapping[str, Any]) -> str:
    """Return a tree's revision and hash, with "+" where it was not committed as it was."""
    names = " ".join(filter(None, [str(tree["revision"])[:12], str(tree["sha256"])[:12]]))
    return f"{names}+" if tree["dirty"] else names


def _image(image: Mapping[str, Any]) -> dict[str, str]:
    """Return what an image was made of. Its ID is another on each machine."""
    routes = {
        "base route": image["base_route"],
        "base digest": image["base_digest"],
        "vendor route": image["vendor_route"],
    }
    return {"recipe": f"{image['name']}:{image['tag']}", **routes}


def _tool(tool: Mapping[str, Any]) -> str:
    sha256 = str(tool.get("sha256", ""))[:12]
    return " ".join(filter(None, [str(tool.get("version", "")), str(tool.get("path", "")), sha256]))


def _check(check: Mapping[str, Any]) -> str:
    return f"{check['status']} {check['tests'] - check['failures']}/{check['tests']}"
