"""Reads matrix.yaml: every mistake at once, each with its line, before anything is run or written."""

from pathlib import Path

from pydantic import ValidationError

from tvm.error import ConfigError
from tvm.matrix import _model_errors, _semantics, _yaml
from tvm.matrix._semantics import FIXED_SESSIONS
from tvm.matrix.model import Matrix, Project

__all__ = ["FILE", "FIXED_SESSIONS", "find_root", "load"]

FILE = "matrix.yaml"
# More than any matrix that people write; what is larger is another file under this name.
_LIMIT_BYTES = 1 << 20
_LINE = 400


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds a matrix.yaml."""
    folders = (start.absolute(), *start.absolute().parents)
    for folder in folders:
        if (folder / FILE).is_file():
            return folder
    msg = f"no {FILE} here or in a folder above"
    raise ConfigError(
        msg, looked=[str(folder / FILE) for folder in folders], fix="run it from a checkout of the project"
    )


def load(path: Path) -> Project:
    """Read and check a matrix.yaml (a folder stands for the file in it); raises ConfigError that lists all mistakes."""
    file = path / FILE if path.is_dir() else path
    root = file.absolute().parent
    document = _yaml.read(_text(file), name=file.name)
    found = [*document.problems, *_semantics.problems(document, root)]
    try:
        matrix = Matrix.model_validate(document.value)
    except ValidationError as error:
        found += _model_errors.problems(document, error)
    else:
        if not found:
            return Project(root=root, matrix=matrix)
    raise ConfigError(_listed(file.name, found))


def _listed(name: str, found: list[_yaml.Problem]) -> str:
    unique = sorted(set(found), key=lambda problem: (problem.line, *map(str, problem.path), problem.message))
    count = f"{len(unique)} mistakes" if len(unique) > 1 else "1 mistake"
    lines = (_shown(f"{name}:{problem.line}: {_place(problem)}{problem.message}") for problem in unique)
    return "\n".join((f"{name} has {count}:", *lines))


def _place(problem: _yaml.Problem) -> str:
    return ".".join(map(str, problem.path)) + ": " if problem.path else ""


def _shown(line: str) -> str:
    """Escape what a terminal would act on, and cut what no one would read to its end: the file's own words stand in it."""
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line[:_LINE])
    return text if len(line) <= _LINE else f"{text}..."


def _text(file: Path) -> str:
    data = _bytes(file)
    if data.startswith(b"\xef\xbb\xbf"):
        msg = f"{file.name}:1: begins with a byte order mark"
        raise ConfigError(msg, fix="save it as UTF-8 without BOM")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{file.name}:{line}: is not UTF-8 (byte 0x{data[error.start]:02x})"
        raise ConfigError(msg, fix="save it as UTF-8") from None
    for number, line_text in enumerate(text.split("\n"), start=1):
        _refuse_characters(file.name, number, line_text)
    return text


def _refuse_characters(name: str, number: int, line: str) -> None:
    """Refuse what YAML readers disagree about: tabs as indentation, control characters, odd line ends."""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        msg = f"{name}:{number}: is indented with a tab"
        raise ConfigError(msg, fix="indent with blanks")
    for character in line.rstrip("\r"):
        if not character.isprintable() and character != "\t":
            msg = f"{name}:{number}: holds U+{ord(character):04X}, which cannot be seen"
            raise ConfigError(msg, fix="remove it")


def _bytes(file: Path) -> bytes:
    if not file.exists():
        msg = f"no {FILE}"
        raise ConfigError(msg, looked=[str(file.absolute())], fix=f"name a {FILE}, or the folder that holds it")
    if not file.is_file():
        msg = f"{file.name} is no regular file"
        raise ConfigError(msg, looked=[str(file.absolute())], fix=f"name a {FILE}, or the folder that holds it")
    try:
        with file.open("rb") as stream:
            data = stream.read(_LIMIT_BYTES + 1)
    except OSError as error:
        msg = f"{file.name} cannot be read: {error.strerror}"
        raise ConfigError(msg, looked=[str(file.absolute())], fix="make it readable for this user") from None
    if len(data) > _LIMIT_BYTES:
        msg = f"{file.name} is larger than {_LIMIT_BYTES} bytes"
        raise ConfigError(msg, fix="this cannot be a matrix; look what wrote it")
    return data
