"""The list of files that a compiler or a linker has read, as it writes it for make."""

import re

from tvm.support._cache.flow import NotCachedError

_CONTINUED = re.compile(rb"\\\r?\n")
# gcc and clang write a tab, and more than one backslash, in ways of their own that cannot be told apart.
_AMBIGUOUS = re.compile(rb"\t|\\\\|\\(?![ #:])|(?<!\$)\$(?:\$\$)*(?!\$)|\0")
_WORD = re.compile(rb"(?:\\.|[^ \\])+")
_ESCAPED = re.compile(rb"\\([ #:])|\$(\$)")


def parse(data: bytes) -> list[bytes]:
    """Return the files of every rule, each once, without the targets. Rules without files (`header.h:`) add nothing.

    NotCachedError for a name that can be read in two ways.
    """
    plain = _CONTINUED.sub(b" ", data)
    hit = _AMBIGUOUS.search(plain)
    if hit:
        msg = f"a list of dependencies has {hit[0]!r}"
        raise NotCachedError(msg)
    found: dict[bytes, None] = {}
    for rule in plain.splitlines():
        found.update(dict.fromkeys(_files(rule)))
    return list(found)


def _files(rule: bytes) -> list[bytes]:
    words = _WORD.findall(rule)
    ends = [number for number, word in enumerate(words) if word.endswith(b":")]
    # What ends with a colon first is the last target; names may hold colons, and end with one.
    names = words[ends[0] + 1 :] if ends else words
    return [_ESCAPED.sub(rb"\1\2", name) for name in names]
