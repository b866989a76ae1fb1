"""Tools that read the files on their command line and nothing else: linkers of device code, and LLVM's own programs."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.support._cache import environment, programs, states
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.states import State

_FORMAT = 1
_NAMES = re.compile(r"(ld\.lld|lld|llvm-link|opt|llc|nvlink)(-\d+(\.\d+)*)?")
_KNOWN = re.compile(
    r"-S|-shared|-m|-O[0-3s]|-filetype=\w+|--?(only-needed|internalize|no-undefined|amdgpu-internalize-symbols|march=\w+"
    r"|mcpu=[\w-]+|mattr=[\w+,-]+|mtriple=[\w-]+|amdhsa-code-object-version=\d+|arch=\w+|passes=default<O[0-3s]>)"
)
_EMULATION = re.compile(r"elf64_\w+")


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call: program, output, folder, environment, and the digests of its inputs by their names."""

    program: str
    output: str
    cwd: str
    environment: Mapping[str, str]
    digests: Mapping[str, str]

    def key(self, argv: Sequence[str]) -> str:
        """Return the hash of everything that the call is told."""
        # None of these tools writes the name of its output into it.
        words = ["\0output" if word == self.output else word for word in argv]
        said = [_FORMAT, "closed", words, dict(self.digests), self.cwd, dict(self.environment)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode(errors="surrogateescape")).hexdigest()

    def beside(self, _scratch: Path) -> tuple[list[str], dict[str, str]]:
        """Return no words: what such a tool reads is known."""
        return [], {}

    def made_from(self, _scratch: Path) -> list[State]:
        """Return the state of the program and of its libraries."""
        if any(_digest(self.cwd, name) != digest for name, digest in self.digests.items()):
            msg = "an input was changed while the tool ran"
            raise NotCachedError(msg)
        own = [self.program, os.path.realpath(self.program)]
        return [states.seen(file) for file in programs.parts(list(dict.fromkeys(own)), self.environment)]


def read(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Call:
    """Read a call. NotCachedError where it holds anything that is not known; OSError for an input that cannot be read."""
    program, *rest = argv
    if not programs.is_native(program) or not _NAMES.fullmatch(Path(program).name):
        msg = f"{program} is not known"
        raise NotCachedError(msg)
    inputs, outputs = [], []
    words = iter(rest)
    for word in words:
        if word == "-o":
            outputs.append(next(words, ""))
        elif not word.startswith(("-", "@")):
            inputs.append(word)
        elif not _KNOWN.fullmatch(word) or (word == "-m" and not _EMULATION.fullmatch(next(words, ""))):
            msg = f"the option {word!r} is not known"
            raise NotCachedError(msg)
    if len(outputs) != 1:
        msg = "not one output"
        raise NotCachedError(msg)
    return Call(
        program=program,
        output=outputs[0],
        cwd=cwd,
        environment=environment.relevant(env, debug=False),
        digests={name: _digest(cwd, name) for name in inputs},
    )


def _digest(cwd: str, name: str) -> str:
    path = os.path.join(cwd, name)
    with Path(path).open("rb") as stream:
        head = stream.read(7)
    if head == b"!<thin>":
        msg = f"{name} is an archive of other files"
        raise NotCachedError(msg)
    return states.digest_of(path)
