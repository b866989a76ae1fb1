"""What is to be built, and the steps from sources to the product, whatever the toolchain."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from tvm.error import ConfigError, SourceError
from tvm.support.utils import tempdir

_C = frozenset({".c"})
# Of the systems that are built for; each toolchain takes its own.
_SHARED = frozenset({".dll", ".dylib"})
_CXX = frozenset({".cc", ".cpp", ".cxx", ".c++", ".C"})


class Product(Enum):
    """What the output's suffix asks for."""

    SHARED = ".so"
    STATIC = ".a"
    OBJECT = ".o"
    EXECUTABLE = ""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One call: the arch, the output, C and C++ sources, folders for -I, further options of the compiler and the linker."""

    arch: str
    output: Path
    sources: tuple[Path, ...]
    includes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def product(self) -> Product:
        """What is to be made: a shared or static library, an object; any other suffix, or none, means a program."""
        suffix = self.output.suffix
        if suffix in _SHARED:
            return Product.SHARED
        return next((product for product in Product if product.value == suffix), Product.EXECUTABLE)

    @property
    def compile_options(self) -> tuple[str, ...]:
        """What each source is compiled with; the user's options come last, so they win."""
        # Debug information and __FILE__ must not tell where the tree lay.
        ours = ("-O2", "-fPIC", f"-ffile-prefix-map={Path.cwd()}=.")
        return (*ours, *(word for folder in self.includes for word in ("-I", folder)), *self.options)

    @property
    def has_cxx(self) -> bool:
        """Tell whether any source is C++: then the product needs its run-time library."""
        return any(map(is_cxx, self.sources))


class Toolchain(Protocol):
    """What makes objects and products for one arch."""

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """Compile one source to an object, by the compiler of its language."""

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """Link the job's output, a shared library."""

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """Pack the job's output, a static library."""

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """Link the job's output, a program."""


def is_cxx(source: Path) -> bool:
    """Tell by its suffix whether a source is C++ (or else C). SourceError for one that is neither."""
    if source.suffix in _C | _CXX:
        return source.suffix in _CXX
    msg = f"{str(source)!r} is neither C nor C++"
    raise SourceError(msg, fix=f"name it with one of: {' '.join(sorted(_C | _CXX))}")


def build(job: Job, toolchain: Toolchain) -> None:
    """Make the job's output. CompileError carries the tool's own words; an earlier output then stays as it was."""
    if job.product is Product.OBJECT:
        _require_one(job)
        toolchain.compile(job.sources[0], job.output, job.compile_options)
        return
    # A fixed name: what a compiler writes about its own output (-gsplit-dwarf) must not be random.
    with tempdir(job.output.with_name(f".{job.output.name}.objects")) as temp:
        objects = [_compile(job, toolchain, source, temp / str(n)) for n, source in enumerate(job.sources)]
        make = {
            Product.SHARED: toolchain.shared,
            Product.STATIC: toolchain.static,
            Product.EXECUTABLE: toolchain.executable,
        }
        make[job.product](job, objects)


def _compile(job: Job, toolchain: Toolchain, source: Path, folder: Path) -> Path:
    # A folder each: sources of one base name give members of one base name, as the user named them.
    folder.mkdir()
    made = folder / f"{source.stem}.o"
    toolchain.compile(source, made, job.compile_options)
    return made


def _require_one(job: Job) -> None:
    if len(job.sources) != 1:
        msg = f"{job.output.name}: an object is made of one source, not of {len(job.sources)}"
        raise ConfigError(msg, fix="give one source, or an output that ends in .so or .a")
