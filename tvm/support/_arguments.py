"""What callers give (one path or many, options, a compiler with arguments) as words of a command line."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from tvm.error import ConfigError
from tvm.support._platform import is_windows_like
from tvm.support.utils import is_file, which

Arg = str | os.PathLike[str]
Args = Arg | Sequence[Arg]


def words(options: Sequence[Arg] | None, *, name: str = "options") -> tuple[str, ...]:
    """Return a list of options as text. TypeError for a bare str, which would fall apart into letters."""
    if options is None:
        return ()
    if isinstance(options, str | bytes | os.PathLike):
        msg = f"{name} must be a list with one word per entry, not {options!r}: pass {str(options).split()!r}"
        raise TypeError(msg)
    return tuple(_text(option, name=name) for option in options)


def paths(files: Args, *, cwd: Arg | None = None, name: str = "objects") -> tuple[str, ...]:
    """Return one file or a list of files as text, spelled so that no tool can take an existing file for an option."""
    texts = (_text(file, name=name) for file in listed(files))
    # Words such as "-lm" among the objects stay what they are.
    return tuple(unmistakable(text) if os.path.lexists(Path(cwd or ".", text)) else text for text in texts)


def listed(files: Args) -> list[Arg]:
    """Return one file or a list of files as a new list."""
    return [files] if isinstance(files, str | os.PathLike) else list(files)


def command(program: Arg) -> tuple[str, ...]:
    """Return the words that start `program`, which may hold arguments ("ccache g++").

    A Path, the path of a file, a name found on PATH and text without blanks are one word; other text is split as a shell would.
    """
    text = _text(program, name="the program")
    if not isinstance(program, str) or not any(char.isspace() for char in text) or is_file(Path(text)) or which(text):
        return (text,)
    try:
        # On Windows a backslash is part of a path.
        return tuple(shlex.split(text, posix=not is_windows_like())) or (text,)
    except ValueError as error:
        msg = f"cannot split {text!r} into words: {error}"
        raise ConfigError(msg, fix="close the quote") from None


def unmistakable(file: str) -> str:
    """Spell a file's path so that it does not begin like an option ("-x.c") or a file of options ("@x")."""
    return f"./{file}" if file.startswith(("-", "@")) else file


def _text(value: object, *, name: str) -> str:
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        msg = f"{name}: expected str or a path, not {value!r}"
        raise TypeError(msg)
    return text
