"""Code generators: what turns the functions of one target kind into text."""

from collections.abc import Callable

from tvm._registry import Registry

# A generator takes a module of functions and a target and returns source text. Its arguments get their types with the IR of functions.
CodeGenerator = Callable[..., object]

_GENERATORS: Registry[str, CodeGenerator] = Registry("a target kind with a code generator")


def register_code_generator(
    kind: str,
    generator: CodeGenerator | None = None,
    *,
    load: Callable[[], CodeGenerator] | None = None,
    override: bool = False,
) -> None:
    """Register the code generator of a target kind, or what returns it at its first use."""
    _GENERATORS.register_given(kind, generator, load, override=override)


def unregister_code_generator(kind: str) -> None:
    """Remove the code generator of a target kind."""
    _GENERATORS.unregister(kind)


def get_code_generator(kind: str) -> CodeGenerator:
    """Return the code generator of a target kind. RegistryError lists the kinds that have one."""
    return _GENERATORS[kind]


def list_code_generators() -> list[str]:
    """Return the target kinds that have a code generator, sorted."""
    return _GENERATORS.names()
