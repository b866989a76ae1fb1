"""gcc and clang: what a call depends on, read off its command line, the driver's own words, and the lists it writes."""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePath

from tvm.support._cache import depfile, drivers, environment, headers, programs, states, words
from tvm.support._cache.drivers import Driver
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.headers import Compiled
from tvm.support._cache.states import State
from tvm.support._cache.words import Line
from tvm.support._options import for_compiling

_FORMAT = 1
_LINKABLE = (b"\x7fELF", b"!<arch>\n")
# Such an object is compiled when it is linked, by a compiler that reads what it likes.
_UNFINISHED = re.compile(rb"\.gnu\.lto_|\.llvm\.lto|\.llvmbc")
_SHARED = re.compile(r"\.so(\.[0-9.]+)?$")
_ODD = re.compile(r"[\s,#$\\:@\"']")
_PHASES = frozenset({"-c", "-S", "-emit-llvm"})


@dataclass(frozen=True)
class Call:
    """A call of gcc or clang: program, command line taken apart, folder, environment, and the digests of its inputs."""

    program: str
    line: Line
    cwd: str
    environment: Mapping[str, str]
    digests: Mapping[str, str]

    def path(self, name: str) -> str:
        """Return the path of a name on the command line."""
        return os.path.join(self.cwd, name)

    @cached_property
    def languages(self) -> dict[str, str]:
        """The language of each source that may include something."""
        found = {name: words.language_of(name, self.line) for name in self.line.sources}
        return {name: language for name, language in found.items() if language}

    @cached_property
    def driver(self) -> Driver:
        """What the program starts for this call."""
        inputs = [
            *sorted(set(self.languages.values())),
            *(["ir"] if len(self.languages) < len(self.line.sources) else []),
        ]
        sources = [word for language in inputs for word in ("-x", language, os.devnull)]
        objects = ["-x", "none", os.devnull] if self.line.objects else []
        command = (self.program, *self.line.options, *sources, *objects, "-o", os.devnull)
        return drivers.driver(command, drivers.stamp(self.program), self.cwd, self._described)

    def search(self, language: str) -> drivers.Search:
        """Where the program looks for headers of a language."""
        options = [word for word in for_compiling(self.line.options) if word not in _PHASES]
        command = (self.program, *options, "-x", language, os.devnull)
        return drivers.search(command, drivers.stamp(self.program), self.cwd, self._described)

    @property
    def output(self) -> str:
        """The output, as the command line names it."""
        return self.line.output

    def key(self, argv: Sequence[str]) -> str:
        """Return the hash of everything that the call is told. Of an object its name and bytes count, not where it lies."""
        words = [_spelled(self, word) for word in argv[1:]]
        said = [_FORMAT, "gnu", argv[0], words, self.cwd, dict(self.environment)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode(errors="surrogateescape")).hexdigest()

    def beside(self, scratch: Path) -> tuple[list[str], dict[str, str]]:
        """Return the words, and the variables, that make the tools list what they read in files beside `scratch`."""
        return _beside(self, scratch)

    def made_from(self, scratch: Path) -> list[State]:
        """Return the state of everything that the call has read or looked for, by the lists that it has written."""
        for name, digest in self.digests.items():
            if _digest(self.path(name), is_object=False) != digest:
                msg = f"{name} was changed while the tool ran"
                raise NotCachedError(msg)
        found = [*_programs(self), *_compiled(self, scratch), *_linked(self, scratch)]
        return list({(state.path, state.kind): state for state in found}.values())

    @property
    def _described(self) -> drivers.Environment:
        return drivers.described(self.environment)


def read(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Call:
    """Read a call. NotCachedError where it holds anything that is not known; OSError for an input that cannot be read."""
    program, *rest = argv
    programs.require_plain(program)
    line = words.read(rest)
    debug = any(word.startswith("-g") for word in line.options)
    inputs = {name: _digest(os.path.join(cwd, name), is_object=name in line.objects) for name in _inputs(line)}
    return Call(program, line, cwd, environment.relevant(env, debug=debug), inputs)


def _beside(given: Call, scratch: Path) -> tuple[list[str], dict[str, str]]:
    if _ODD.search(str(scratch)):
        msg = f"the cache's folder has an odd name: {scratch}"
        raise NotCachedError(msg)
    linking = [f"-Wl,--dependency-file={scratch}.ld"] if given.line.links else []
    if linking and not _lists(given):
        msg = f"{given.driver.linker} does not list what it reads"
        raise NotCachedError(msg)
    if len(given.languages) > 1:
        # Each source's list would be written over the last one's. Only gcc has a variable by which they are joined.
        if not given.driver.is_gcc:
            msg = "several sources in one call of clang"
            raise NotCachedError(msg)
        return linking, {"SUNPRO_DEPENDENCIES": f"{scratch}.d all"}
    return [*(["-MD", "-MF", f"{scratch}.d"] if given.languages else []), *linking], {}


def _programs(given: Call) -> Iterator[State]:
    own = [given.program, os.path.realpath(given.program)]
    for file in programs.parts([*own, *given.driver.files], given.environment):
        yield states.seen(file)
    yield from map(states.missing, given.driver.absent)
    # A file of specs or of options may come to lie beside them.
    folders = {os.path.dirname(file) for file in (*own, *given.driver.files) if not file.endswith((".o", ".so", ".a"))}
    yield from (states.names(folder) for folder in sorted(folders) if folder not in _path_folders(given))
    for folder in sorted(folders):
        yield from (states.missing(os.path.join(folder, name)) for name in _configurations(given.program))


def _path_folders(given: Call) -> list[str]:
    return [os.path.normpath(folder) for folder in given.environment.get("PATH", "").split(os.pathsep)]


def _configurations(program: str) -> list[str]:
    return [f"{name}.cfg" for name in ("clang", "clang++", PurePath(program).name)]


def _compiled(given: Call, scratch: Path) -> Iterator[State]:
    if not given.languages:
        return
    listed = [given.path(os.fsdecode(name)) for name in depfile.parse(Path(f"{scratch}.d").read_bytes())]
    sources = [given.path(name) for name in given.languages]
    read = [name for name in dict.fromkeys(listed) if name not in sources]
    for language in sorted(set(given.languages.values())):
        folders = [given.path(folder) for folder in given.line.folders]
        yield from headers.made_from(
            Compiled(sources=sources, headers=read, folders=folders, search=given.search(language))
        )


def _linked(given: Call, scratch: Path) -> Iterator[State]:
    if not given.line.links:
        return
    own = {given.path(name) for name in given.line.objects}
    temporary = tempfile.gettempdir() + os.sep
    for name in depfile.parse(Path(f"{scratch}.ld").read_bytes()):
        file = given.path(os.fsdecode(name))
        # What gcc compiled on its way is gone by now.
        if file not in own and (Path(file).exists() or not file.startswith(temporary)):
            yield states.seen(file)
    mine = [given.path(folder) for folder in given.line.libraries]
    for folder in given.driver.library_folders:
        if folder in mine:
            yield from _libraries_in(folder, given.driver.libraries)
        else:
            yield states.names(folder)


def _libraries_in(folder: str, libraries: Sequence[str]) -> Iterator[State]:
    for library in libraries:
        for suffix in (".so", ".a"):
            path = os.path.join(folder, f"lib{library}{suffix}")
            yield states.any_of(path) if os.path.lexists(path) else states.missing(path)


def _spelled(given: Call, word: str) -> str:
    if word == given.line.output:
        # Its name is not in it (but for options that are not known here); a suffix may say what it is.
        return f"\0output {PurePath(word).suffix}"
    digest = given.digests.get(word)
    if digest is None:
        return word
    named = word if word in given.line.sources or _SHARED.search(word) else PurePath(word).name
    return f"\0input {named} {digest}"


def _digest(path: str, *, is_object: bool) -> str:
    data = Path(path).read_bytes()
    if is_object and not data.startswith(_LINKABLE):
        msg = f"{path} is neither an object nor an archive"
        raise NotCachedError(msg)
    if is_object and _UNFINISHED.search(data):
        msg = f"{path} holds code that is compiled when it is linked"
        raise NotCachedError(msg)
    return hashlib.sha256(data).hexdigest()


def _inputs(line: Line) -> list[str]:
    return list(dict.fromkeys([*line.sources, *line.objects]))


def _lists(given: Call) -> bool:
    return bool(given.driver.linker) and _knows_lists(given.driver.linker, drivers.stamp(given.driver.linker))


@lru_cache(maxsize=16)
def _knows_lists(linker: str, _stamp: tuple[int, ...]) -> bool:
    return "--dependency-file" in programs.ask([linker, "--help"], cwd=os.sep, environment={}).output
