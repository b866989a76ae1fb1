# Types of the script namespaces. Written by `python -m tests.generated` from the tables.

from typing import Literal

from tvm.ir import Expr
from tvm.script.kinds import Pointer, Value

class MetalNamespace:
    @staticmethod
    def make_filled_simdgroup_matrix(
        d: Pointer,
        index: Value,
        value: Value,
        col: Literal[8] = 8,
        row: Literal[8] = 8,
    ) -> Expr: ...
    @staticmethod
    def simd_shuffle(var: Value, lane: Value) -> Expr: ...
    @staticmethod
    def simd_shuffle_down(var: Value, delta: Value) -> Expr: ...
    @staticmethod
    def simd_shuffle_up(var: Value, delta: Value) -> Expr: ...
    @staticmethod
    def simdgroup_load(
        d: Pointer,
        index: Value,
        ptr: Pointer,
        stride: Value,
        col: Literal[8] = 8,
        row: Literal[8] = 8,
        transpose_matrix: bool = False,
    ) -> Expr: ...
    @staticmethod
    def simdgroup_multiply_accumulate(
        d: Pointer,
        index_d: Value,
        a: Pointer,
        index_a: Value,
        b: Pointer,
        index_b: Value,
        c: Pointer,
        index_c: Value,
    ) -> Expr: ...
    @staticmethod
    def simdgroup_store(
        d: Pointer,
        index: Value,
        ptr: Pointer,
        stride: Value,
        col: Literal[8] = 8,
        row: Literal[8] = 8,
        transpose_matrix: bool = False,
    ) -> Expr: ...
