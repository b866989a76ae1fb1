"""The host's C++ compiler: shared libraries, executables, static libraries, symbols, cross compilers."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tvm.error import ToolNotFound
from tvm.support import _static, _symbols, _triple, process
from tvm.support._arguments import Arg, Args, command
from tvm.support._compile import Driver, Job, build, job, shared_driver
from tvm.support._cross import CrossCompiler
from tvm.support._exporter import GetTriple, exporter
from tvm.support._platform import is_darwin, is_linux_like, is_windows_like
from tvm.support.utils import search_path, which

_NAMES = ("g++", "gcc", "clang++", "clang", "c++", "cc")
_UNSUPPORTED = "Unsupported platform"

# The seed's names.
_is_linux_like = is_linux_like
_is_windows_like = is_windows_like


def get_cc() -> str | None:
    """Return the compiler: CXX or CC (as it stands there, unchecked), else the first of six names that is on PATH.

    None if there is none, and on Windows, where TVM_WIN_CC names the compiler.
    """
    if not _is_linux_like():
        return None
    if given := os.environ.get("CXX") or os.environ.get("CC"):
        return given
    return next(filter(None, map(which, _NAMES)), None)


def get_target_by_dump_machine(compiler: Arg | None) -> GetTriple:
    """Return a function that asks a compiler for its target triple (text with its newline) each time it is called.

    The function returns None if there is no such compiler, or if it does not know `-dumpmachine`.
    """

    def get_target_triple() -> str | None:
        return _triple.ask(command(compiler)) if compiler else None

    return get_target_triple


def _host_triple() -> str | None:
    return get_target_by_dump_machine(get_cc())()


def _shared_format() -> str:
    return "dll" if _is_windows_like() else "so"


def _executable_format() -> str:
    return "exe" if _is_windows_like() else ""


@exporter(output_format=_shared_format(), get_target_triple=_host_triple)
def create_shared(
    output: Arg,
    objects: Args,
    options: Sequence[Arg] | None = None,
    cc: Arg | None = None,
    cwd: Arg | None = None,
    ccache_env: Mapping[str, str] | None = None,
    *,
    launcher: str | None = None,
    timeout: float | None = None,
) -> None:
    """Link objects and sources into a shared library.

    Options stand before the objects, except those that name libraries (`-lm`, `libx.a`) and the linker's own: these follow the
    objects. `cc` may hold arguments ("ccache g++"). Paths are relative to `cwd`; `timeout` is in seconds and for each call.
    With `ccache_env` (variables added to the environment) or `launcher` ("ccache", "sccache") each source is compiled through
    the launcher on its own, so that its cache can serve it. CompileError when the compiler fails, ToolNotFound without one.
    """
    given = job(output, objects, options, cwd=cwd, ccache_env=ccache_env, launcher=launcher, timeout=timeout)
    _compile(given, cc, shared=True)


@exporter(output_format=_executable_format(), get_target_triple=_host_triple)
def create_executable(
    output: Arg,
    objects: Args,
    options: Sequence[Arg] | None = None,
    cc: Arg | None = None,
    cwd: Arg | None = None,
    ccache_env: Mapping[str, str] | None = None,
    *,
    launcher: str | None = None,
    timeout: float | None = None,
) -> None:
    """Link objects and sources into an executable: a shared library if `output` ends so, one object if it ends in .obj.

    The arguments are those of `create_shared`.
    """
    given = job(output, objects, options, cwd=cwd, ccache_env=ccache_env, launcher=launcher, timeout=timeout)
    _compile(given, cc, shared=given.output.endswith((".so", ".dylib")))


@exporter(output_format="a", get_target_triple=_host_triple)
def create_staticlib(output: Arg, inputs: Args, ar: Arg | None = None, *, timeout: float | None = None) -> None:
    """Pack objects into a static library, replacing an earlier one. Archives (.tar, .tar.gz, .tgz) are unpacked into it.

    Members of one base name are all kept. CompileError when `ar` (None: the one on PATH) fails; `timeout` is in seconds.
    """
    if not _is_linux_like():
        raise ValueError(_UNSUPPORTED)
    _linux_ar(output, inputs, ar, timeout=timeout)


def get_global_symbol_section_map(path: Arg, *, nm: Arg | None = None, timeout: float | None = None) -> dict[str, str]:
    """Return name -> section letter (T: text, D: data, ...) of the global symbols that a binary defines.

    Of a stripped library they are the dynamic ones. `nm` may be GNU's or LLVM's (None: the host's). FileNotFoundError if
    `path` is no file, CompileError if nm cannot read it.
    """
    if nm is None and not _is_linux_like():
        raise ValueError(_UNSUPPORTED)
    if not Path(path).is_file():
        msg = f"not a file: {os.fspath(path)!r}"
        raise FileNotFoundError(msg)
    # GNU's -U takes a value, and Apple's nm has no --defined-only.
    flags = ["-gU"] if nm is None and is_darwin() else ["-g", "--defined-only"]
    return _symbols.section_map(str(Path(path)), nm=command(nm or "nm"), flags=flags, timeout=timeout)


def cross_compiler(
    compile_func: Arg | Callable[..., object],
    options: Sequence[Arg] | None = None,
    output_format: str | None = None,
    get_target_triple: GetTriple | None = None,
    add_files: Args | None = None,
) -> CrossCompiler:
    """Return a compile function for `export_library(fcompile=...)` from a compiler's path or from another such function.

    Each call gets `options` and `add_files` beside its own, and passes `cc`, `cwd`, `ccache_env`, `launcher` and `timeout` on.
    The result has `output_format` and `get_target_triple`: the arguments, else those of `compile_func`; for a compiler's path
    the triple is what that compiler says when it is asked.
    """
    path = compile_func if isinstance(compile_func, str | os.PathLike) else None
    function = create_shared if isinstance(compile_func, str | os.PathLike) else compile_func
    own_triple = get_target_by_dump_machine(path) if path else None
    return CrossCompiler(
        function,
        cc=path,
        options=options,
        add_files=add_files,
        output_format=output_format,
        get_target_triple=get_target_triple or own_triple,
    )


def _compile(given: Job, cc: Arg | None, *, shared: bool) -> None:
    if _is_linux_like():
        _linux_compile(given, _compiler(cc, given.cwd), shared=shared)
    elif _is_windows_like():
        _windows_compile(given)
    else:
        raise ValueError(_UNSUPPORTED)


def _compiler(cc: Arg | None, cwd: Arg | None) -> tuple[str, ...]:
    chosen = cc or get_cc()
    if not chosen:
        msg = f"no C++ compiler found: none of {', '.join(_NAMES)} is on PATH"
        raise ToolNotFound(msg, looked=search_path(), fix="install g++ or clang, or set CXX to the path of a compiler")
    words = command(chosen)
    process.locate(words[0], cwd=cwd, fix="install it, or set CXX or CC (or pass cc=) to the path of a compiler")
    return words


def _linux_compile(given: Job, compiler: tuple[str, ...], *, shared: bool) -> None:
    if shared:
        driver = shared_driver(compiler, output=given.output, options=given.options)
    else:
        driver = Driver(command=compiler, flags=("-c",) if given.output.endswith(".obj") else ())
    build(driver, given)


def _windows_compile(given: Job) -> None:
    compiler = command(os.environ.get("TVM_WIN_CC") or "clang")
    process.locate(
        compiler[0], cwd=given.cwd, fix="install LLVM clang and put it on PATH, or set TVM_WIN_CC to its path"
    )
    base = ("-O2", f"--target={os.environ.get('TVM_WIN_TARGET') or 'x86_64'}")
    by_suffix = {".so": ("-shared",), ".dll": ("-shared",), ".obj": ("-c",)}
    kind = by_suffix.get(Path(given.output).suffix, ())
    build(Driver(command=compiler, flags=(*base, *kind), source_flags=base, options_last=True), given)


def _linux_ar(output: Arg, inputs: Args, ar: Arg | None, *, timeout: float | None = None) -> None:
    _static.pack(output, inputs, ar=(*command(ar or "ar"), "-crs"), timeout=timeout)
