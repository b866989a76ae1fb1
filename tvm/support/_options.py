"""What a compiler's option is for: where on the command line it must stand, and whether it matters when only compiling."""

import re
from collections.abc import Iterator, Sequence

_LIBRARY = re.compile(r"\.(a|o|so(\.[0-9.]+)?|dylib|tbd|lib|obj)$", re.IGNORECASE)
_SOURCE = re.compile(r"\.(c|cc|cpp|cxx|c\+\+|m|mm|i|ii|s|sx|ll|cu|hip)$", re.IGNORECASE)
# Options whose value is the next word; -Xlinker, -Xclang and their like among them.
_WITH_VALUE = re.compile(
    r"-(x|I|L|l|D|U|T|u|z|e|o|arch|target|include|imacros|isystem|iquote|idirafter|isysroot|iframework|framework"
    r"|weak_framework|force_load|undefined|install_name|rpath|MF|MT|MQ|mllvm|-param|X[^=]*)"
)
_NAMING = frozenset(("-framework", "-weak_framework", "-force_load"))
_LINKER = re.compile(
    r"-(Wl,.*|Xlinker|L.*|T.*|u|z|e|s|shared|static|static-(libgcc|libstdc\+\+|pie)|rdynamic|pie|nostdlib(\+\+)?"
    r"|nodefaultlibs|nostartfiles|dynamiclib|undefined|install_name|rpath|fuse-ld=.*|-ld-path=.*|-rtlib=.*|-unwindlib=.*)"
)
_ONE_STEP = re.compile(r"-[cSEM]|-MM|-x.*|-fsyntax-only")


def arrange(options: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split options into those that stand before the objects and those that stand after them; order is kept in each.

    A linker resolves what it has read so far, so whatever names a library goes behind the objects, and the linker's options
    (`-Wl,--as-needed`, `-L`) go with it, because they act on what follows them. Without a library every option stays in front.
    """
    groups = list(_groups(options))
    if not any(map(_names_input, groups)):
        return tuple(options), ()
    behind = [_names_input(group) or _is_for_linker(group) for group in groups]
    return (
        tuple(word for group, last in zip(groups, behind, strict=True) if not last for word in group),
        tuple(word for group, last in zip(groups, behind, strict=True) if last for word in group),
    )


def for_compiling(options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that matter when a source becomes an object: those that name no input and are not the linker's."""
    groups = (group for group in _groups(options) if not _names_input(group) and not _is_for_linker(group))
    return tuple(word for group in groups for word in group)


def links(options: Sequence[str]) -> bool:
    """Tell whether a call compiles by suffix and then links: no `-c`, `-S`, `-E`, `-x LANGUAGE` or the like is given."""
    return not any(_ONE_STEP.fullmatch(group[0]) for group in _groups(options))


def is_source(file: str) -> bool:
    """Tell by its suffix whether a file is compiled (rather than only linked)."""
    return _SOURCE.search(file) is not None


def _groups(options: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield each option together with the value that is its own word."""
    rest = iter(options)
    for word in rest:
        value = next(rest, None) if _WITH_VALUE.fullmatch(word) else None
        yield (word,) if value is None else (word, value)


def _names_input(group: tuple[str, ...]) -> bool:
    head, value = group[0], group[-1]
    if head.startswith("-Wl,"):
        return any(map(_is_library_word, head.split(",")[1:]))
    if head == "-Xlinker":
        return _is_library_word(value)
    return head in _NAMING or _is_library_word(head) or (not head.startswith("-") and is_source(head))


def _is_library_word(word: str) -> bool:
    return word.startswith("-l") or (not word.startswith("-") and _LIBRARY.search(word) is not None)


def _is_for_linker(group: tuple[str, ...]) -> bool:
    return _LINKER.fullmatch(group[0]) is not None
