# Types of the script namespaces. Written by `python -m tests.generated` from the tables.

from typing import Literal

from tvm.ir import Expr
from tvm.script.kinds import Value

class NkiNamespace:
    @staticmethod
    def activation(
        result: Expr,
        data: Value,
        opcode: Literal["exp", "sqrt"],
        bias: Value = 0.0,
        scale: Value = 1.0,
    ) -> Expr: ...
    @staticmethod
    def activation_reduce(
        reduce_res: Expr,
        act_res: Expr,
        data: Value,
        opcode: Literal["exp", "sqrt"],
        reduce_opcode: Literal["add", "sub", "mul", "max", "min"],
        bias: Value = 0.0,
        scale: Value = 1.0,
    ) -> Expr: ...
    @staticmethod
    def affine_select(result: Expr, pred: Value, true_value: Value, false_value: Value) -> Expr: ...
    @staticmethod
    def identity(result: Expr, size: Value) -> Expr: ...
    @staticmethod
    def load(res: Expr, data: Value) -> Expr: ...
    @staticmethod
    def matmul(res: Expr, lhs: Value, rhs: Value, accum: Value = True) -> Expr: ...
    @staticmethod
    def memset(result: Expr, value: Value) -> Expr: ...
    @staticmethod
    def reciprocal(result: Expr, data: Value) -> Expr: ...
    @staticmethod
    def scalar_tensor_scalar(
        result: Expr,
        data: Value,
        operand0: Value,
        operand1: Value,
        opcode0: Literal["add", "sub", "mul", "max", "min"],
        opcode1: Literal["add", "sub", "mul", "max", "min"],
        reverse0: bool = False,
        reverse1: bool = False,
    ) -> Expr: ...
    @staticmethod
    def scalar_tensor_tensor(
        result: Expr,
        data: Value,
        operand0: Value,
        operand1: Value,
        opcode0: Literal["add", "sub", "mul", "max", "min"],
        opcode1: Literal["add", "sub", "mul", "max", "min"],
        reverse0: bool = False,
        reverse1: bool = False,
    ) -> Expr: ...
    @staticmethod
    def store(res: Expr, data: Value) -> Expr: ...
    @staticmethod
    def tensor_copy(res: Expr, data: Value) -> Expr: ...
    @staticmethod
    def tensorreduce(
        result: Expr,
        data: Value,
        opcode: Literal["add", "sub", "mul", "max", "min"],
        negate: bool,
        *axes: int,
    ) -> Expr: ...
    @staticmethod
    def tensorscalar(
        result: Expr,
        operand0: Value,
        operand1: Value,
        opcode: Literal["add", "sub", "mul", "max", "min"],
        reverse: bool = False,
    ) -> Expr: ...
    @staticmethod
    def tensorscalar_reduce(
        reduce_res: Expr,
        tensorscalar_res: Expr,
        operand0: Value,
        operand1: Value,
        opcode: Literal["add", "sub", "mul", "max", "min"],
        reduce_opcode: Literal["add", "sub", "mul", "max", "min"],
        reverse: bool = False,
    ) -> Expr: ...
    @staticmethod
    def tensortensor(
        result: Expr,
        operand0: Value,
        operand1: Value,
        opcode: Literal["add", "sub", "mul", "max", "min"],
    ) -> Expr: ...
