"""Where CUDA is: every place a toolkit may be in, in one order, and one error that lists them."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

from tvm.error import CompileError, ToolNotFound
from tvm.support import process
from tvm.support._cuda import toolkit
from tvm.support._cuda.toolkit import Toolkit
from tvm.support._cuda.version import header_version
from tvm.support.utils import is_file, is_folder, search_path, which

# What each place is called in the list of an error, and what to do about none.
_FIX = "install a toolkit or its wheels (pip install 'tvm-matrix[cuda]'), or set CUDA_PATH to the folder that holds its bin and include"
_NVCC_LIMIT = 20.0
_SCRIPT_LIMIT = 4096
_CALLED = re.compile(r"(/[^\s\"';$]+/nvcc)(?=[\s\"';]|$)")
_TOP = re.compile(r"^#\$ TOP=(.+)$", re.MULTILINE)
_DEBIAN = (Path("/usr/lib/cuda"), Path("/usr/lib/nvidia-cuda-toolkit"), Path("/usr"))
_LOCAL = Path("/usr/local")
_ARCH_LINUX = Path("/opt/cuda")


@dataclass(frozen=True, kw_only=True)
class Place:
    """One place of the search: what it is, and how to look there. Nobody looks where an earlier place has what is wanted."""

    name: str
    look: Callable[[], Toolkit | None]
    demanded: bool = False

    @cached_property
    def found(self) -> Toolkit | None:
        """The toolkit found there (None: none)."""
        return self.look()


def first() -> Toolkit:
    """Return the first toolkit of the search."""
    for found in toolkits():
        return found
    msg = "cannot find CUDA"
    raise ToolNotFound(msg, looked=looked(), fix=_FIX)


def toolkits() -> Iterator[Toolkit]:
    """Give every toolkit, the first one first, each once."""
    roots = set()
    for place in _places():
        if place.found and place.found.root not in roots:
            roots.add(place.found.root)
            yield place.found
    if not roots:
        # It may be installed while this process runs.
        _search.cache_clear()


def with_program(name: str) -> tuple[Toolkit, Path]:
    """Return the first toolkit that has a program (pip's cu12 wheels have no nvcc), and the program."""
    for found in toolkits():
        if program := found.program(name):
            return found, program
    msg = f"cannot find {name}"
    fix = f"{_FIX}; the CUDA 12 wheels of pip hold no {name}, those of CUDA 13 do"
    raise ToolNotFound(msg, looked=looked(), fix=fix)


def for_version(version: tuple[int, int]) -> Toolkit | None:
    """Return the toolkit whose headers go with a library of this version: the same release, else one of the same major."""
    near = None
    for found in toolkits():
        its = header_version(found.headers) if found.headers else None
        if its == version:
            return found
        if its and its[0] == version[0]:
            near = near or found
    return near


def looked() -> list[str]:
    """Return every place of the search and what is there, for the list of an error."""
    return [f"{place.name}: {place.found.root if place.found else 'no CUDA'}" for place in _places()]


def watched() -> list[Path]:
    """Return the files and folders whose being there decides what the search finds."""
    _places()
    variables = [os.environ.get(name, "").strip() for name in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")]
    wheels = [Path(entry, "nvidia", part) for entry in sys.path if Path(entry).is_absolute() for part in toolkit.PARTS]
    roots = [Path(sys.prefix), *(Path(value).absolute() for value in variables if value), *_DEBIAN, *_local(), *wheels]
    parts = [
        root / name for root in roots for name in ("", "bin", "include", "lib", "lib64", "targets", "nvvm/libdevice")
    ]
    programs = [Path(folder, "nvcc") for folder in search_path()]
    found = [folder / "cuda_runtime_api.h" for kit in toolkits() for folder in kit.includes]
    return list(dict.fromkeys([*parts, _LOCAL, *programs, *found]))


def _places() -> tuple[Place, ...]:
    names = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "PATH")
    places = _search(tuple(os.environ.get(name, "") for name in names), tuple(sys.path), sys.prefix)
    # What is set wrongly must not be passed over: another toolkit would be used without a word.
    wrong = next((place for place in places if place.demanded and place.found is None), None)
    if wrong:
        _search.cache_clear()
        msg = f"{wrong.name} is set, but holds no CUDA toolkit"
        raise ToolNotFound(msg, fix="set it to the folder that holds bin/nvcc and include/cuda_runtime.h, or unset it")
    return places


@lru_cache(maxsize=8)
def _search(environment: tuple[str, ...], python_path: tuple[str, ...], prefix: str) -> tuple[Place, ...]:
    cuda_path, cuda_home, conda, path = environment
    return (
        *_variable("CUDA_PATH", cuda_path),
        *_variable("CUDA_HOME", cuda_home),
        Place(name="nvcc on PATH", look=partial(_on_path, path)),
        *_conda(conda, prefix),
        *_wheels(python_path),
        *map(_place, (*_DEBIAN, *_local())),
    )


def _variable(name: str, value: str) -> Iterator[Place]:
    if value.strip():
        yield Place(name=f"{name}={value}", look=partial(toolkit.at, Path(value).absolute()), demanded=True)
    else:
        yield Place(name=f"{name} (not set)", look=_nothing)


def _place(root: Path) -> Place:
    return Place(name=str(root), look=partial(toolkit.at, root))


def _conda(conda: str, prefix: str) -> Iterator[Place]:
    # An environment that is used without being activated sets no variable.
    if conda or is_folder(Path(prefix, "conda-meta")):
        yield Place(name=f"conda {conda or prefix}", look=partial(toolkit.at, Path(conda or prefix)))


def _wheels(python_path: tuple[str, ...]) -> Iterator[Place]:
    # Relative entries mean the current directory, where anyone may have put a toolkit.
    folders = [Path(entry, "nvidia") for entry in python_path if Path(entry).is_absolute()]
    there = [folder for folder in dict.fromkeys(folders) if is_folder(folder)]
    if not there:
        yield Place(name="wheels (nvidia/ in sys.path)", look=_nothing)
    for folder in there:
        yield Place(name=f"wheels in {folder}", look=partial(toolkit.in_wheels, folder))


def _nothing() -> None:
    """Look nowhere."""


def _local() -> list[Path]:
    versions = [folder for folder in _LOCAL.glob("cuda-*") if folder.name[5:].replace(".", "").isdigit()]
    newest = sorted(
        versions, key=lambda folder: [int(part) for part in folder.name[5:].split(".") if part], reverse=True
    )
    return [_LOCAL / "cuda", *newest, _ARCH_LINUX]


def _on_path(path: str) -> Toolkit | None:
    program = which("nvcc", path=path)
    if program is None:
        return None
    for file in dict.fromkeys((Path(program).resolve(), Path(program))):
        if root := _root_of(file):
            return root
    return None


def _root_of(file: Path) -> Toolkit | None:
    """Return the toolkit of an nvcc: that around its file, that of the nvcc its script calls, or that which it names itself."""
    around = toolkit.at(file.parent.parent)
    if around and around.headers:
        return around
    called = _called(file)
    if called and (found := toolkit.at(Path(called).resolve().parent.parent)):
        return found
    return _told(file) or around


def _called(file: Path) -> str | None:
    with file.open("rb") as stream:
        text = stream.read(_SCRIPT_LIMIT).decode(errors="replace")
    hit = _CALLED.search(text.partition("\n")[2]) if text.startswith("#!") else None
    return hit[1] if hit and is_file(Path(hit[1])) else None


def _told(file: Path) -> Toolkit | None:
    try:
        said = process.run([file, "--dryrun", "-E", "x.cu"], check=False, timeout=_NVCC_LIMIT)
    except CompileError:
        return None
    hit = _TOP.search(said.output)
    return toolkit.at(Path(hit[1].strip()).resolve()) if hit else None
