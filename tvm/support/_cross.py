"""A compile function with options, files and a triple of its own, for `export_library(fcompile=...)`."""

from collections.abc import Callable, Mapping, Sequence

from tvm.support._arguments import Arg, Args, listed, words
from tvm.support._exporter import GetTriple

# What export_library reads from a compile function beside the suffix and the triple.
_CARRIED = ("object_format", "need_system_lib")


class CrossCompiler:
    """A compile function that adds options and files to those of each call. It changes no list of its callers."""

    def __init__(
        self,
        compile_func: Callable[..., object],
        *,
        cc: Arg | None,
        options: Sequence[Arg] | None,
        add_files: Args | None,
        output_format: str | None,
        get_target_triple: GetTriple | None,
    ) -> None:
        """`cc` is passed to `compile_func` where a call names none; see `cc.cross_compiler` for the rest."""
        self._compile = compile_func
        self._cc = cc
        self._options = words(options)
        self._files = () if add_files is None else tuple(listed(add_files))
        self.output_format: str = output_format or getattr(compile_func, "output_format", None) or "so"
        inherited = getattr(compile_func, "get_target_triple", None)
        self.get_target_triple: GetTriple = get_target_triple or inherited or _no_triple
        for name in _CARRIED:
            if hasattr(compile_func, name):
                setattr(self, name, getattr(compile_func, name))

    def __call__(
        self,
        outputs: Arg,
        objects: Args,
        options: Sequence[Arg] | None = None,
        *,
        cc: Arg | None = None,
        cwd: Arg | None = None,
        ccache_env: Mapping[str, str] | None = None,
        launcher: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """Build `outputs` from `objects` and the added files; what is not given is not passed on."""
        passed = {
            "cc": cc or self._cc,
            "cwd": cwd,
            "ccache_env": ccache_env,
            "launcher": launcher,
            "timeout": timeout,
        }
        given = {name: value for name, value in passed.items() if value is not None}
        self._compile(outputs, [*listed(objects), *self._files], options=[*self._options, *words(options)], **given)


def _no_triple() -> None:
    return None
