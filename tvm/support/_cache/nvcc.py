"""nvcc: what a compile of one source depends on, read off its command line, its dry run, and the list it writes."""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tvm.support._cache import depfile, drivers, environment, headers, programs, states
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.headers import Compiled
from tvm.support._cache.states import State
from tvm.support.utils import search_path

_FORMAT = 1
_KNOWN = re.compile(
    r"--(cubin|ptx|fatbin|use_fast_math|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|restrict|device-debug"
    r"|generate-line-info|device-c|disable-warnings|(std|maxrregcount|ftz|prec-div|prec-sqrt|fmad|relocatable-device-code)=\w[\w+]*"
    r"|ptxas-options=[\w=,-]+)"
    r"|-(O[0-3]|G|g|lineinfo|dc|w|rdc=\w+|arch=\w+|std=[\w+]+|maxrregcount=\d+|[DU].+|I.+)"
)
_GENCODE = re.compile(r"arch=\w+,code=\[?[\w,]+\]?")
_PTXAS_FILES = re.compile(r"file|optf|dump|gen|output|input")
_VARIABLES = re.compile(r"NVCC_\w+|CICC_\w+|PTXAS_\w+|NVVM\w*|CUDAFE_\w+")
_LINE = re.compile(r"^#\$ (.*)$", re.MULTILINE)
_SET = re.compile(r"^(\w+)=(.*)$")


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of nvcc: program, its options, source and output, folder, environment, and the digest of its source."""

    program: str
    options: tuple[str, ...]
    source: str
    output: str
    cwd: str
    environment: Mapping[str, str]
    digest: str

    def key(self, argv: Sequence[str]) -> str:
        """Return the hash of everything that the call is told."""
        said = [_FORMAT, "nvcc", list(argv), self.digest, self.cwd, dict(self.environment)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode(errors="surrogateescape")).hexdigest()

    def beside(self, scratch: Path) -> tuple[list[str], dict[str, str]]:
        """Return the words that make nvcc list what it reads."""
        return ["-MD", "-MF", f"{scratch}.d"], {}

    def made_from(self, scratch: Path) -> list[State]:
        """Return the state of everything that the call has read or looked for."""
        if states.digest_of(self.source) != self.digest:
            msg = f"{self.source} was changed while the tool ran"
            raise NotCachedError(msg)
        return list({(state.path, state.kind): state for state in self._found(scratch)}.values())

    def _found(self, scratch: Path) -> Iterator[State]:
        described = drivers.described(self.environment)
        steps = _steps((self.program, *self.options), drivers.stamp(self.program), self.cwd, described)
        own = [self.program, os.path.realpath(self.program), *steps.programs]
        yield from map(states.seen, programs.parts(own, self.environment))
        yield from map(states.seen, steps.files)
        folder = Path(own[1]).parent
        yield states.names(str(folder))
        # What nvcc takes its folders and options from.
        yield states.any_of(str(folder / "nvcc.profile"))
        search = drivers.search(steps.preprocessor, drivers.stamp(steps.preprocessor[0]), self.cwd, described)
        listed = depfile.parse(Path(f"{scratch}.d").read_bytes())
        read = [os.path.join(self.cwd, os.fsdecode(name)) for name in listed]
        given = Compiled(
            sources=[self.source],
            headers=[name for name in dict.fromkeys(read) if name != self.source],
            folders=[os.path.join(self.cwd, word[2:]) for word in self.options if word.startswith("-I")],
            search=search,
        )
        yield from headers.made_from(given)


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What nvcc would run: programs, files that it names (libdevice), and the call of the preprocessor for no source."""

    programs: tuple[str, ...]
    files: tuple[str, ...]
    preprocessor: tuple[str, ...]


def read(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Call:
    """Read a call. NotCachedError where it holds anything that is not known; OSError for a source that cannot be read."""
    program, *rest = argv
    if found := [name for name, value in env.items() if value and _VARIABLES.fullmatch(name)]:
        msg = f"{min(found)} is set"
        raise NotCachedError(msg)
    options, source, output = _words(rest)
    return Call(
        program=_native(program),
        options=tuple(options),
        source=os.path.join(cwd, source),
        output=output,
        cwd=cwd,
        environment=environment.relevant(env, debug=True),
        digest=states.digest_of(os.path.join(cwd, source)),
    )


def _native(program: str) -> str:
    if not programs.is_native(program) or Path(os.path.realpath(program)).stem != "nvcc":
        msg = f"{program} is not nvcc itself"
        raise NotCachedError(msg)
    return program


def _words(given: Sequence[str]) -> tuple[list[str], str, str]:
    options, sources, outputs = [], [], []
    rest = iter(given)
    for word in rest:
        if word == "-o":
            outputs.append(next(rest, ""))
        elif word == "-gencode" and _GENCODE.fullmatch(value := next(rest, "")):
            options += [word, value]
        elif _KNOWN.fullmatch(word) and not (word.startswith("--ptxas") and _PTXAS_FILES.search(word)):
            options.append(word)
        elif word.endswith(".cu") and not word.startswith(("-", "@")):
            sources.append(word)
        else:
            msg = f"the word {word!r} is not known"
            raise NotCachedError(msg)
    if len(sources) != 1 or len(outputs) != 1:
        msg = "not one source and one output"
        raise NotCachedError(msg)
    return options, sources[0], outputs[0]


@lru_cache(maxsize=64)
def _steps(command: tuple[str, ...], _stamp: tuple[int, ...], cwd: str, described: drivers.Environment) -> Steps:
    asked = [*command, "--dryrun", "-x", "cu", os.devnull, "-o", os.devnull]
    variables = dict(described)
    lines = []
    for line in _LINE.findall(programs.ask(asked, cwd=cwd, environment=dict(described)).output):
        hit = _SET.match(line)
        if hit:
            variables[hit[1]] = hit[2]
        else:
            lines.append(shlex.split(_substituted(line, variables)))
    path = search_path(variables.get("PATH", ""))
    started = [_found(line[0], path) for line in lines if line and line[0] not in {"rm", "cd"}]
    preprocessing = [line for line in lines if "-E" in line]
    if not preprocessing:
        msg = "nvcc preprocesses nothing"
        raise NotCachedError(msg)
    first = preprocessing[0]
    end = first.index("-o") if "-o" in first else len(first)
    host = [_found(first[0], path), *(word for word in first[1:end] if word != os.devnull), os.devnull]
    return Steps(
        programs=tuple(dict.fromkeys([*started, *_behind(host[0], cwd, described)])),
        files=tuple(programs.named([word for line in lines for word in line[1:]])),
        preprocessor=tuple(host),
    )


def _behind(host: str, cwd: str, described: drivers.Environment) -> tuple[str, ...]:
    """Return what the host's compiler starts to preprocess a source."""
    programs.require_plain(host)
    return drivers.driver((host, "-E", "-x", "c++", os.devnull), drivers.stamp(host), cwd, described).files


def _substituted(line: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda hit: variables.get(hit[1], ""), line)


def _found(program: str, path: Sequence[str]) -> str:
    places = [program] if os.sep in program else [str(Path(folder, program)) for folder in path]
    for place in places:
        if Path(place).is_file() and os.access(place, os.X_OK):
            return place
    msg = f"{program} is not found"
    raise NotCachedError(msg)
