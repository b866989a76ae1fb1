"""Whether two pieces of IR say the same."""

from collections.abc import Mapping
from dataclasses import fields

from tvm.ir.expr import Var
from tvm.ir.node import Node


def structural_equal(left: object, right: object, *, map_free_vars: bool = False) -> bool:
    """Say whether two nodes, or collections of nodes, have equal parts; where they came from (span) does not count.

    A variable equals only itself, unless `map_free_vars`: then the nth variable of one equals the nth of the other.
    """
    return _Comparison(map_free_vars=map_free_vars).equal(left, right)


class _Comparison:
    def __init__(self, *, map_free_vars: bool) -> None:
        self._map = map_free_vars
        self._left: dict[Var, Var] = {}
        self._right: dict[Var, Var] = {}

    def equal(self, left: object, right: object) -> bool:
        match left, right:
            case Var(), Var():
                return left is right or (self._map and left.ty == right.ty and self._paired(left, right))
            case Node(), Node():
                return type(left) is type(right) and self._equal_fields(left, right)
            case tuple() | list(), tuple() | list():
                return type(left) is type(right) and len(left) == len(right) and all(map(self.equal, left, right))
            case Mapping(), Mapping():
                return left.keys() == right.keys() and all(self.equal(left[key], right[key]) for key in left)
            case _:
                return type(left) is type(right) and bool(left == right)

    def _equal_fields(self, left: Node, right: Node) -> bool:
        names = [field.name for field in fields(left) if field.name != "span"]
        return all(self.equal(getattr(left, name), getattr(right, name)) for name in names)

    def _paired(self, left: Var, right: Var) -> bool:
        return self._left.setdefault(left, right) is right and self._right.setdefault(right, left) is left
