"""What matrix.yaml may say. The loader builds these; the JSON schema is generated from them."""

import re
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

_NAME = r"[a-z][a-z0-9-]*"
_SHA256 = r"[0-9a-f]{64}"
# Where an engine answers: a context's name, or an address. A word of it never begins as an option does.
_CONTEXT, _USER, _PLACE = r"[A-Za-z0-9][A-Za-z0-9_.+-]*", r"[A-Za-z0-9_][^\s:@/]*", r"[A-Za-z0-9\[][^\s@]*"
_LONGEST_HOST = 200

Name = Annotated[str, StringConstraints(pattern=f"^{_NAME}$", max_length=40)]
CheckName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9+._-]*$", max_length=60)]
Arch = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=60)]
# A folder of the tree: relative, plain parts (not ".", "..", or hidden), forward slashes.
Folder = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._+-]*(/[A-Za-z0-9_][A-Za-z0-9._+-]*)*$", max_length=200)
]


class Depth(IntEnum):
    """How deep a check went for one arch, in rising order."""

    compiled = 1
    linked = 2
    inspected = 3
    executed = 4


def _specifier(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        msg = f"{text!r} is no version specifier; write for example '==12.4.*' or '>=19'"
        raise ValueError(msg) from None
    return text


def _version(number: int) -> int:
    if number != 1:
        msg = "must be 1; a file of another version needs another version of tvm-matrix"
        raise ValueError(msg)
    return number


def _depth(text: str) -> str:
    if text not in Depth.__members__:
        msg = f"{text!r} is no depth; write one of {', '.join(Depth.__members__)}"
        raise ValueError(msg)
    return text


def _https(text: str) -> str:
    if not re.match(r"https://[^/@\s]+/\S+$", text):
        msg = "must be an https address without user and password"
        raise ValueError(msg)
    return text


def _index(text: str) -> str:
    if not re.match(r"https://[^/@\s]+(/[^\s?#]*)?$", text):
        msg = "must be the https address of a package index, without user and password"
        raise ValueError(msg)
    return text


def _one_version(text: str) -> str:
    if not re.match(r"[0-9][A-Za-z0-9.+!_-]*$", text):
        msg = f"{text!r} is no version; write one: '2.27.5334.0+f702b353'"
        raise ValueError(msg)
    return text


def _host(text: str) -> str:
    if len(text) > _LONGEST_HOST or not re.fullmatch(f"{_CONTEXT}|unix:///\\S+|(tcp|ssh)://({_USER}@)?{_PLACE}", text):
        msg = "must be the name of a docker context, or unix:///PATH, tcp://HOST:PORT, ssh://USER@HOST (no password)"
        raise ValueError(msg)
    return text


Specifier = Annotated[str, AfterValidator(_specifier)]
DepthName = Annotated[str, AfterValidator(_depth)]
Host = Annotated[str, AfterValidator(_host)]
Url = Annotated[str, AfterValidator(_https)]
IndexUrl = Annotated[str, AfterValidator(_index)]
PackageName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=80)]
PackageVersion = Annotated[str, AfterValidator(_one_version)]
Sha256 = Annotated[str, StringConstraints(pattern=f"^{_SHA256}$")]
Digest = Annotated[str, StringConstraints(pattern=f"^sha256:{_SHA256}$")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Suite(_Model):
    """A Debian suite that images stand on: pulled as `image`@`digest` where a registry answers, else bootstrapped.

    Without a digest the pull is refused: what is not pinned is not used. `source` is the published place that the digest
    was read from. A `rolling` suite changes under one name, so its packages are read from the inventory only.
    """

    image: str = ""
    digest: Digest | None = None
    source: str = ""
    rolling: bool = False


class Vendor(_Model):
    """A vendor's own download: used where its host answers. `source` is the published place that the sum was read from."""

    url: Url
    sha256: Sha256 | None = None
    source: str = ""


class VendorIndex(_Model):
    """A vendor's own package index, and the packages that an image takes from it: name -> the one version.

    Their hashes, and those of all that they need, stand in images/NAME/vendor/requirements.txt. There is no stand-in: where the
    index does not answer, the image cannot be made. `source` is the published place that the versions were read from.
    """

    index: IndexUrl
    packages: dict[PackageName, PackageVersion] = Field(min_length=1)
    source: str = ""


def _kind_of_vendor(value: Any) -> str:
    has_index = isinstance(value, VendorIndex) or (isinstance(value, dict) and "index" in value)
    return "index" if has_index else "download"


AnyVendor = Annotated[
    Annotated[Vendor, Tag("download")] | Annotated[VendorIndex, Tag("index")], Discriminator(_kind_of_vendor)
]


class Image(_Model):
    """One image: images/NAME on images/base of its suite, and the tools it must hold with their version specifiers.

    `context` names further folders of the tree that its Dockerfile may copy from; they count for the recipe as images/NAME does.
    """

    suite: Name
    components: list[Literal["main", "contrib", "non-free", "non-free-firmware"]] = Field(
        default=["main"], min_length=1
    )
    tools: dict[ToolName, Specifier] = Field(default_factory=dict)
    context: list[Folder] = Field(default_factory=list)
    vendor: AnyVendor | None = None


class Cell(_Model):
    """One row of the matrix: an image, the archs with the depth each must reach, the checks with the tools each needs."""

    image: Name
    backend: Name | None = None
    archs: dict[Arch, DepthName] = Field(default_factory=dict)
    checks: dict[CheckName, list[ToolName]] = Field(min_length=1)
    tags: list[Name] = Field(default_factory=list)
    ci: bool = False
    repro: bool = False
    timeout: int = Field(default=900, gt=0, le=14400, description="seconds that one check may take")


class Matrix(_Model):
    """The whole file. `engines` says on which host a cell runs: a docker context, or an address; others run on the engine of this machine."""

    version: Annotated[int, AfterValidator(_version)] = Field(alias="schema")
    suites: dict[Name, Suite] = Field(default_factory=dict)
    images: dict[Name, Image]
    cells: dict[Name, Cell]
    engines: dict[Name, Host] = Field(default_factory=dict)


class Project(BaseModel):
    """A loaded matrix and where it stands: `root` is the folder of matrix.yaml, images/ and tests/matrix/ lie in it."""

    model_config = ConfigDict(frozen=True)

    root: Path
    matrix: Matrix

    @property
    def build(self) -> Path:
        """The folder of results."""
        return self.root / "build" / "matrix"

    def image_folder(self, name: str) -> Path:
        """Return the folder of one image's recipe; `base` is the one that all others stand on."""
        return self.root / "images" / name

    def check_file(self, name: str) -> str:
        """Return the path of one check, relative to the root."""
        return f"tests/matrix/check_{name}.py"
