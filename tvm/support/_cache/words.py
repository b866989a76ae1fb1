"""The command line of gcc or clang, word by word: which words are inputs, and whether all others are known to be harmless.

A word that is not known here keeps a product out of the cache: it might read a file, or write one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tvm.support._cache.flow import NotCachedError

_SOURCES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".c++": "c++", ".C": "c++", ".ll": "", ".bc": ""}
# With a value in the next word, or in the same one.
_VALUED = re.compile(r"-(D|U|I|L|l|isystem|iquote|idirafter|include|imacros|x|o|target|arch|isysroot|-sysroot|u|z|e)")
_JOINED = re.compile(r"-(D|U|I|L|l|isystem|iquote|idirafter|u|z|e)(?P<value>.+)|--?(sysroot|target|std)=(?P<equal>.+)")
_FLAGS = re.compile(
    r"-(c|S|shared|static|static-(libgcc|libstdc\+\+|pie)|pthread|rdynamic|pie|no-pie|nostdlib(\+\+)?|nodefaultlibs|nostartfiles"
    r"|nostdinc(\+\+)?|ansi|pedantic(-errors)?|w|pipe|s|emit-llvm|O([0-3sgz]|fast)?|g([0-3]|gdb[0-3]?|dwarf(-[2-5])?|line-tables-only)?"
    r"|std=[\w+]+|stdlib=[\w+]+|W(?![pal],)[\w+-]+(=[\w-]+)?"
    r"|m(?!llvm|link|native)[\w.+-]+(=(?!native)[\w.,+-]+)?)"
)
_CODE_GENERATION = re.compile(
    r"-f(no-)?(PIC|pic|PIE|pie|plt|exceptions|rtti|fast-math|math-errno|finite-math-only|signed-zeros|trapping-math"
    r"|associative-math|reciprocal-math|unsafe-math-optimizations|rounding-math|inline(-functions|-small-functions)?"
    r"|omit-frame-pointer|stack-protector(-strong|-all)?|strict-aliasing|strict-overflow|wrapv|tree-vectorize"
    r"|tree-(loop|slp)-vectorize|vectorize|slp-vectorize|unroll-loops|function-sections|data-sections|common|builtin(-\w+)?"
    r"|visibility-inlines-hidden|asynchronous-unwind-tables|unwind-tables|openmp(-simd)?|signed-char|unsigned-char|short-enums"
    r"|merge-all-constants|ident|semantic-interposition|delete-null-pointer-checks|threadsafe-statics|permissive|coroutines"
    r"|concepts|char8_t|sized-deallocation|aligned-new|cx-limited-range|zero-initialized-in-bss|use-cxa-atexit|split-stack"
    r"|stack-clash-protection|caret-diagnostics|color-diagnostics|elide-constructors|gnu-unique|lifetime-dse|ms-extensions)"
    r"|-f(visibility|ffp-contract|fp-contract|tls-model|cf-protection|diagnostics-color|template-depth|constexpr-depth|max-errors"
    r"|excess-precision|abi-version|vect-cost-model|inline-limit|debug-prefix-map|file-prefix-map|macro-prefix-map|fp-model"
    r"|random-seed|pack-struct|align-functions|align-loops|gnuc-version|ms-compatibility-version)(=[^@]+)?|-fuse-ld=(bfd|lld|gold)"
)
_LINKER = re.compile(
    r"-Wl(,(--as-needed|--no-as-needed|--gc-sections|--no-gc-sections|--no-undefined|--export-dynamic|-E|-Bsymbolic(-functions)?"
    r"|-Bstatic|-Bdynamic|--start-group|--end-group|--whole-archive|--no-whole-archive|--build-id(=\w+)?|--hash-style=\w+"
    r"|--exclude-libs(=|,)[\w.,:]+|-z,[\w=-]+|-soname(=|,)[^,@]+|-rpath(=|,)[^,@]+|--enable-new-dtags|--disable-new-dtags"
    r"|-O[0-3]|-s|-S|--strip-all|--strip-debug|--allow-shlib-undefined|--no-allow-shlib-undefined|--icf=\w+|-u,\w+))+"
)
_DRIVING = ("-x", "-o")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A command line taken apart. `options` are the words that are neither input nor output, as they stood.

    `folders` are the user's folders for headers, `libraries` those for libraries, `language` what -x says.
    """

    sources: tuple[str, ...]
    objects: tuple[str, ...]
    output: str
    options: tuple[str, ...]
    folders: tuple[str, ...]
    libraries: tuple[str, ...]
    language: str

    @property
    def links(self) -> bool:
        """Whether the call links."""
        return not {"-c", "-S"}.intersection(self.options)


def read(words: Sequence[str]) -> Line:
    """Take the words behind the program's name apart. NotCachedError for any that is not known."""
    groups = list(_groups(words))
    inputs = [group[0] for group in groups if not group[0].startswith("-")]
    outputs = [group[1] for group in groups if group[0] == "-o"]
    languages = [group[1] for group in groups if group[0] == "-x"]
    if len(outputs) != 1 or len(languages) > 1 or not inputs:
        msg = "not one output, or no input"
        raise NotCachedError(msg)
    sources = [name for name in inputs if languages or PurePath(name).suffix in _SOURCES]
    return Line(
        sources=tuple(sources),
        objects=tuple(name for name in inputs if name not in sources),
        output=outputs[0],
        options=tuple(
            word for group in groups if group[0].startswith("-") and group[0] not in _DRIVING for word in group
        ),
        folders=tuple(_values(groups, "-I", "-isystem", "-iquote", "-idirafter")),
        libraries=tuple(_values(groups, "-L")),
        language=languages[0] if languages else "",
    )


def language_of(source: str, line: Line) -> str:
    """Return the language of a source, "" for LLVM's own, which includes nothing. NotCachedError for one that is not known."""
    if line.language in {"c", "c++"} or not line.language:
        return line.language or _SOURCES[PurePath(source).suffix]
    msg = f"the language {line.language!r} is not known"
    raise NotCachedError(msg)


def _values(groups: Sequence[tuple[str, ...]], *names: str) -> Iterator[str]:
    for head, *value in groups:
        for name in names:
            if head == name and value:
                yield value[0]
            elif head.startswith(name) and head != name:
                yield head[len(name) :]


def _groups(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Give each option together with the value that is its own word, and each input."""
    rest = iter(words)
    for word in rest:
        if _VALUED.fullmatch(word):
            yield (word, _value(next(rest, "")))
        elif word.startswith("-"):
            _require_known(word)
            yield (word,)
        else:
            yield (_value(word),)


def _value(word: str) -> str:
    # A name that begins with @ is a file of further words.
    if not word or word.startswith("@"):
        msg = f"the word {word!r} is not known"
        raise NotCachedError(msg)
    return word


def _require_known(word: str) -> None:
    if not any(known.fullmatch(word) for known in (_JOINED, _FLAGS, _CODE_GENERATION, _LINKER)):
        msg = f"the option {word!r} is not known"
        raise NotCachedError(msg)
