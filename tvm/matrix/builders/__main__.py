"""python -m tvm.matrix.builders KIND --arch ARCH -o OUT [-I DIR]... [--option=X]... [--] SRC..."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tvm.error import CompileError, ExitCode, TVMError
from tvm.matrix.builders import cross, cuda, host, ndk, rocm, wasm
from tvm.matrix.builders.job import Job, Toolchain, build


def _linked(toolchain: Callable[[str], Toolchain]) -> Callable[[Job], None]:
    return lambda job: build(job, toolchain(job.arch))


# By the name of the image.
KINDS: dict[str, Callable[[Job], None]] = {
    "cross": _linked(cross.toolchain),
    "cuda-12": cuda.build,
    "cuda-13": cuda.build,
    "host": _linked(host.toolchain),
    "ndk": _linked(ndk.toolchain),
    "rocm": rocm.build,
    "wasm": _linked(wasm.toolchain),
}
# What GCC, clang and NVRTC say of a header that is not there.
_MISSING = re.compile(
    r"fatal error: (?:'(?P<clang>[^'\n]+)' file not found|(?P<gcc>[^:\n]+): No such file or directory)"
    r"|error: cannot open source file \"(?P<nvrtc>[^\"\n]+)\""
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build; 0, or 1 with the tool's own words and what to do about them."""
    given = _parser().parse_args(arguments)
    job = Job(
        arch=given.arch,
        output=given.output,
        sources=tuple(given.sources),
        includes=tuple(given.includes),
        options=tuple(given.options),
    )
    try:
        KINDS[given.kind](job)
    except CompileError as error:
        print("\n".join([str(error), *map(_advice, _missing(error.output))]))
        return ExitCode.FAILED
    except TVMError as error:
        print(error)
        return ExitCode.FAILED
    return ExitCode.OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tvm.matrix.builders", description=__doc__)
    parser.add_argument("kind", choices=sorted(KINDS), help="the image whose toolchain is used")
    parser.add_argument("--arch", required=True, help="an arch of the cell")
    parser.add_argument("-o", dest="output", metavar="OUT", type=Path, required=True)
    parser.add_argument("-I", dest="includes", metavar="DIR", action="append", default=[])
    parser.add_argument("--option", dest="options", metavar="X", action="append", default=[])
    parser.add_argument("sources", metavar="SRC", type=Path, nargs="+", help="a source in a language of the image")
    return parser


def _missing(output: str) -> list[str]:
    return sorted({hit["clang"] or hit["gcc"] or hit["nvrtc"] for hit in _MISSING.finditer(output)})


def _advice(header: str) -> str:
    return f"fix: {header} was not sent: pass -I DIR"


if __name__ == "__main__":
    sys.exit(main())
