"""Functions that make a file out of objects, with the attributes that `export_library` reads from them."""

from collections.abc import Callable
from typing import Generic, ParamSpec, Protocol, cast

P = ParamSpec("P")

GetTriple = Callable[[], str | None]


class Exporter(Protocol, Generic[P]):
    """A function with the suffix of what it makes, and its compiler's target triple (None: not known), asked at call time."""

    output_format: str
    get_target_triple: GetTriple

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Make the file."""


def exporter(*, output_format: str, get_target_triple: GetTriple) -> Callable[[Callable[P, None]], Exporter[P]]:
    """Return a decorator that gives a function the two attributes; the function stays itself."""

    def mark(function: Callable[P, None]) -> Exporter[P]:
        vars(function).update(output_format=output_format, get_target_triple=get_target_triple)
        return cast("Exporter[P]", function)

    return mark


class ObjectExporter(Protocol, Generic[P]):
    """A function with the suffix of the objects that it wants to be given."""

    object_format: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Make the file."""


def object_exporter(*, object_format: str) -> Callable[[Callable[P, None]], ObjectExporter[P]]:
    """Return a decorator that gives a function the attribute; the function stays itself."""

    def mark(function: Callable[P, None]) -> ObjectExporter[P]:
        vars(function).update(object_format=object_format)
        return cast("ObjectExporter[P]", function)

    return mark
