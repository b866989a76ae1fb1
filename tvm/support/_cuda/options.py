"""The words of a CUDA compiler's command line: what callers give, what is always there, what NVRTC does not take."""

import re
import shlex
from collections.abc import Iterator, Sequence

from tvm.support._cuda.errors import CudaArgumentError
from tvm.support._cuda.settings import Settings

# Half and bfloat16 operators are wanted whatever a host's headers or build system say.
_OPERATORS = tuple(
    f"-U__CUDA_NO_{name}__"
    for name in (
        "HALF_OPERATORS",
        "HALF_CONVERSIONS",
        "BFLOAT16_OPERATORS",
        "BFLOAT16_CONVERSIONS",
        "BFLOAT162_OPERATORS",
        "BFLOAT162_CONVERSIONS",
    )
)

# Options of nvcc that NVRTC refuses (tried, 12.9 and 13.0) and that do not change a kernel's code. Where the second dash may
# be left out, nvcc takes both spellings.
_FLAGS = re.compile(
    r"-O[0-3s]|-g|-c|-v|-k|-m(32|64)|-f(PIC|pic|pie|PIE)|-M{1,2}[DP]?|-MP|-W(no|all|extra|reorder|default|ext|missing).*"
    r"|-L.+|-l(?!ineinfo$).+|-t\d+|-j\d+"
    r"|--?(debug|compile|shared|cubin|ptx|fatbin|device-c|device-w|dw|device-link|dlink|link|lib|run|keep|verbose|dryrun|res-usage"
    r"|resource-usage|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|clean-targets|no-compress|no-align-double"
    r"|allow-unsupported-compiler|objdir-as-tempdir|forward-unknown-to-host-compiler|forward-unknown-opts|save-temps|source-in-ptx)"
)
# And those of them whose value is the next word, or stands behind "=".
_WITH_VALUE = re.compile(
    r"-X(compiler|linker|archive|cudafe|nvlink|fatbin)|-(o|odir|ccbin|L|l|t|x|m|O|MF|MT)"
    r"|--?(compiler|linker|archive|cudafe|nvlink|fatbin)-options"
    r"|--?(output-file|output-directory|compiler-bindir|library-path|library|threads|x|keep-dir|cudart|cudadevrt|Werror|optimize"
    r"|machine|dependency-output|default-stream|opt-info|compress-mode|target-directory)"
)
_PTXAS = ("-Xptxas", "--ptxas-options")
# Two words in one element, as the seed's callers write them: "-rdc true".
_JOINED = re.compile(r"(--?[A-Za-z][\w-]*)\s+(\S.*)")


def words(options: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the caller's options, one word each: a str is split as a shell would, and so is an element "-Xptxas -v"."""
    if options is None:
        return ()
    given = _shell_words(options) if isinstance(options, str) else options
    if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
        msg = f"options must be str or list of str, not {options!r}"
        raise CudaArgumentError(msg, fix='pass ["-lineinfo", "-Xptxas", "-v"], or the same as one str')
    return tuple(word for element in given for word in _unjoined(element))


def common(settings: Settings, *, fast_math: bool) -> tuple[str, ...]:
    """Return the words that both compilers get: operators, fast math, and one option for ptxas each."""
    level = () if settings.debug else (f"--register-usage-level={settings.register_level}",)
    ptxas = ("-v", *level, "--warn-on-local-memory-usage", *settings.ptxas)
    fast = ("--use_fast_math",) if fast_math else ()
    return (*_OPERATORS, *fast, *(f"--ptxas-options={word}" for word in ptxas))


def observed(settings: Settings) -> tuple[str, ...]:
    """Return the words for a debug build, or for a dumped kernel, whose lines a profiler shall show."""
    if settings.debug:
        return ("-G",)
    return ("-lineinfo",) if settings.dump else ()


def for_nvrtc(options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that NVRTC takes: those that only nvcc has are left out with their values."""
    return tuple(_kept(iter(options)))


def _kept(rest: Iterator[str]) -> Iterator[str]:
    for word in rest:
        head, equals, value = word.partition("=")
        if head in _PTXAS:
            # nvcc splits this value at commas, NVRTC does not.
            yield from (f"--ptxas-options={part}" for part in (value if equals else next(rest, "")).split(",") if part)
        elif head in {"-isystem", "--system-include"}:
            yield from ("-I", value if equals else next(rest, ""))
        elif head in {"-std", "--std"}:
            yield f"--std={value if equals else next(rest, '')}"
        elif _FLAGS.fullmatch(word):
            continue
        elif not _WITH_VALUE.fullmatch(head):
            yield word
        elif not equals:
            next(rest, None)


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        msg = f"cannot split the options {text!r} into words: {error}"
        raise CudaArgumentError(msg, fix="close the quote") from None


def _unjoined(element: str) -> tuple[str, ...]:
    hit = _JOINED.fullmatch(element.strip())
    return (hit[1], hit[2]) if hit else (element,)
