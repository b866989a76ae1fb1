"""What a compile by NVRTC depends on: its key, and the files that its source may include."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tvm.support._cache import includes, states
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.states import State
from tvm.support._cuda import identity

_FORMAT = 2
# Options that neither read a file nor write one; any other option keeps a product out of the cache.
_KNOWN = re.compile(
    r"-[DU].+|--?(gpu-architecture|arch|std|maxrregcount|use_fast_math|ftz|prec-div|prec-sqrt|fmad|extra-device-vectorization"
    r"|device-debug|G|generate-line-info|lineinfo|dopt|relocatable-device-code|rdc|device-c|dc|device-w|dw|define-macro"
    r"|undefine-macro|default-device|device-int128|device-float128|restrict|disable-warnings|w|Werror|diag-(error|suppress|warn)"
    r"|modify-stack-limit|builtin-move-forward|builtin-initializer-list|no-source-include|extensible-whole-program|ewp"
    r"|display-error-number|no-display-error-number|brief-diagnostics|minimal|version-ident|Ofast-compile|register-usage-level)"
    r"(=.*)?"
)
_PTXAS = re.compile(
    r"--?(ptxas-options|Xptxas)=--?(v|verbose|warn-[\w-]+|register-usage-level=\d+|O\d|opt-level=?\d|maxrregcount=\d+|fmad=\w+"
    r"|def-[ls][dt]-cache=\w+|allow-expensive-optimizations=\w+|disable-optimizer-constants|lineinfo|g)"
)
_FOLDER = re.compile(r"(?:-I|--include-path=|-include-path=)(.+)")
_PRELUDE = re.compile(r"--?(?:pre-include|include)=(.+)")
# Options whose value is the next word.
_VALUED = re.compile(
    r"-[DU]|--?(arch|gpu-architecture|std|maxrregcount|define-macro|undefine-macro|diag-(error|suppress|warn))"
)
# They change what NVRTC does.
_VARIABLES = re.compile(r"NVRTC_\w+|NVVM\w*|LIBNVVM_\w+|EDG_\w+|PTXAS_\w+")
_PREFIXES = ("NVRTC_", "NVVM", "LIBNVVM_", "EDG_", "PTXAS_")


def key(said: Mapping[str, object], options: Sequence[str], library: str) -> str:
    """Return the key of a call: everything that it is told. NotCachedError for an option or a variable that is not known."""
    if found := [name for name in os.environ if name.startswith(_PREFIXES) and _VARIABLES.fullmatch(name)]:
        msg = f"{min(found)} is set"
        raise NotCachedError(msg)
    _named(tuple(options))
    text = json.dumps([_FORMAT, "nvrtc", library, said, list(options)], sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


@lru_cache(maxsize=16)
def digest(texts: tuple[tuple[str, str], ...]) -> str:
    """Return the sha256, in hex, of headers by name: nearly every compile has the same ones."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def made_from(texts: Sequence[str], options: Sequence[str], *, source_folder: str, library: str) -> list[State]:
    """Return the state of everything that a compile has read or looked for. NotCachedError where it cannot be told."""
    said = _named(tuple(options))
    named = [folder for kind, folder in said if kind == "folder"]
    if any(not Path(folder).is_absolute() for folder in named):
        msg = "a relative folder of headers"
        raise NotCachedError(msg)
    roots = {folder: identity.of(Path(folder)) for folder in dict.fromkeys(named)}
    known = [root for root, stands in roots.items() if stands]
    folders = [root for root, stands in roots.items() if not stands]
    scan = includes.Scan(search=includes.Search(folders=[source_folder, *folders], roots=known))
    scan.follow(text.encode(errors="surrogateescape") for text in texts)
    for kind, name in said:
        if kind == "prelude":
            scan.follow([f'#include "{name}"\n'.encode(errors="surrogateescape")])
    stands = {state.path: state for root in known for state in roots[root]}
    mine = list(dict.fromkeys([source_folder, *folders]))
    shadows = list(_shadows(mine, known, [*stands.values()]))
    gone = {state.path for state in shadows if state.kind == "none"}
    found = [state for state in scan.states if state.kind != "none" or state.path not in gone]
    return [*_library(library), *stands.values(), *shadows, *found]


def _library(library: str) -> Iterator[State]:
    yield states.seen(library)
    # It loads this one when it compiles.
    yield from (states.seen(str(path)) for path in sorted(Path(library).parent.glob("libnvrtc-builtins.so*")))


def _shadows(folders: Sequence[str], roots: Sequence[str], stands: Sequence[State]) -> Iterator[State]:
    """Give the state of the user's folders, in which the toolkit's own headers may find what they include."""
    there = [folder for folder in folders if Path(folder).is_dir()]
    yield from (states.missing(folder) for folder in folders if folder not in there)
    if not there or not roots:
        return
    names = identity.included_names([Path(root) for root in roots], stands)
    for folder in there:
        held = names.intersection(os.listdir(folder))  # noqa: PTH208
        if held:
            msg = f"{folder} holds {min(held)}, which the toolkit's headers may include"
            raise NotCachedError(msg)
        yield states.names(folder, headers=True)


@lru_cache(maxsize=64)
def _named(options: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(_read(options))


def _read(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give the folders and files that options name. NotCachedError for an option that is not known."""
    rest = iter(options)
    for word in rest:
        if word in {"-I", "--include-path", "-include-path"}:
            yield "folder", next(rest, "")
        elif hit := _FOLDER.fullmatch(word):
            yield "folder", hit[1]
        elif hit := _PRELUDE.fullmatch(word):
            yield "prelude", hit[1]
        elif _VALUED.fullmatch(word):
            next(rest, None)
        elif not _KNOWN.fullmatch(word) and not _PTXAS.fullmatch(word):
            msg = f"the option {word!r} is not known"
            raise NotCachedError(msg)
