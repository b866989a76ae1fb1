"""Which files a C++ source may include, read off its text: a superset, since no #if is looked at.

A name that is looked for and not there counts too: if it appears, the product may be another. What cannot be told from the text
(an #include of a macro) raises NotCachedError.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tvm.support._cache import states
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.states import State

_GAP = rb"(?:[ \t\v\f]|/\*.*?\*/)*"
# A directive stands first in its line, but for blanks and comments.
_DIRECTIVE = re.compile(rb"(?:#|%:)" + _GAP + rb"(?P<word>include_next|include|import|embed)\b" + _GAP, re.DOTALL)
_LITERAL = re.compile(rb"<([^>\n]+)>|\"([^\"\n]+)\"")
_HAS_INCLUDE = re.compile(rb"__has_(?:include|include_next|embed)\b[ \t\v\f]*(?P<open>\(?)[ \t\v\f]*")
# What makes a product depend on the clock, or takes in a file that is no header.
_UNCERTAIN = re.compile(
    rb"__DATE__|__TIME__|__TIMESTAMP__|\bincbin\b|\.include\b|GCC[ \t]+dependency|\?\?[=/]|\\[ \t\v\f]+\r?\n|\r(?!\n)|\0"
)
_MOST_FILES = 5000


@dataclass(frozen=True, kw_only=True)
class Search:
    """Where headers are looked for: folders of the user's, and roots of toolkits, which count as one thing each."""

    folders: Sequence[str]
    roots: Sequence[str] = ()


@dataclass
class Scan:
    """What a scan has found: files by their path, names that are not there, and whether a toolkit is used."""

    search: Search
    files: dict[str, State] = field(default_factory=dict)
    absent: dict[str, State] = field(default_factory=dict)
    read: set[tuple[str, str]] = field(default_factory=set)

    def follow(self, texts: Iterable[bytes]) -> None:
        """Follow every #include of sources that are no files."""
        left = [("", name) for text in texts for name in names(text)]
        while left:
            includer, name = left.pop()
            left += [
                (os.path.dirname(path), inner) for path in self._places(includer, name) for inner in self._see(path)
            ]

    @property
    def states(self) -> list[State]:
        """Everything that was found, sorted, each once. What is not in a toolkit's root is of no account: it has an identity."""
        absent = {state.path: state for state in self.absent.values() if not self._in_root(state.path)}
        return [state for _, state in sorted({**absent, **self.files}.items())]

    def _places(self, includer: str, name: str) -> list[str]:
        # All places, not the first one: which of them a compiler takes depends on how it was included.
        folders = [*([includer] if includer else []), *self.search.folders, *self.search.roots]
        paths = dict.fromkeys(os.path.join(folder, name) for folder in folders)
        return [path for path in paths if path not in self.files and path not in self.absent]

    def _see(self, path: str) -> list[str]:
        """Note what is at a path, and return the names that it includes if it has not been read yet."""
        if not os.path.isfile(path):
            self.absent[path] = states.any_of(path) if os.path.lexists(path) else states.missing(path)
            return []
        if len(self.files) == _MOST_FILES:
            msg = f"more than {_MOST_FILES} headers"
            raise NotCachedError(msg)
        self.files[path] = states.file(path)
        # By its true folder: "sub/../x.h" that includes itself has no end.
        place = (os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if place in self.read or self._in_root(path):
            return []
        self.read.add(place)
        with open(path, "rb") as stream:
            return names(stream.read())

    def _in_root(self, path: str) -> bool:
        return any(path.startswith(root + os.sep) for root in self.search.roots)


def names(text: bytes) -> list[str]:
    """Return the names that a source may include or ask for, each once. NotCachedError where they cannot be told."""
    require_certain(text)
    plain = text.replace(b"\\\r\n", b"").replace(b"\\\n", b"")
    found = dict.fromkeys([*_included(plain), *asked_for(plain)])
    return [os.fsdecode(name) for name in found]


def require_certain(text: bytes) -> None:
    """Refuse a source with a clock's macro, with assembly that takes in files, or whose lines may be read in two ways."""
    hit = _UNCERTAIN.search(text)
    if hit:
        msg = f"the source has {hit[0]!r}"
        raise NotCachedError(msg)


def asked_for(text: bytes) -> Iterator[bytes]:
    """Give the names in __has_include. NotCachedError for one that is no literal."""
    for hit in _HAS_INCLUDE.finditer(text):
        asked = _LITERAL.match(text, hit.end())
        if asked:
            yield asked[1] or asked[2]
        elif hit["open"]:
            msg = f"a computed {hit[0][:60]!r}"
            raise NotCachedError(msg)


def _included(text: bytes) -> Iterator[bytes]:
    for hit in _DIRECTIVE.finditer(text):
        before = text[text.rfind(b"\n", 0, hit.start()) + 1 : hit.start()].rstrip()
        if before and not before.endswith(b"*/"):
            continue
        literal = _LITERAL.match(text, hit.end())
        if literal is None or hit["word"] == b"embed":
            msg = f"a computed {hit[0][:60]!r}"
            raise NotCachedError(msg)
        yield literal[1] or literal[2]
