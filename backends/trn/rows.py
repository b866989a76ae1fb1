"""Tx.nki: the instructions of a Neuron core. What is written comes first; P is the partition axis.

Source: AWS Neuron, NKI API, nki.isa.
"""

from tvm.script.member import Member

NKI = "AWS Neuron, NKI API"
_ALU = "one('add', 'sub', 'mul', 'max', 'min')"
_FUNCTION = "one('exp', 'sqrt')"
_BOTH = "operand0, operand1"

MEMBERS = (
    Member(
        "load(res: element(), data)", "Copy from device memory to the state buffer.", source=f"{NKI}, nki.isa.dma_copy"
    ),
    Member(
        "store(res: element(), data)", "Copy from the state buffer to device memory.", source=f"{NKI}, nki.isa.dma_copy"
    ),
    Member("tensor_copy(res: element(), data)", "Copy between on-chip memories.", source=f"{NKI}, nki.isa.tensor_copy"),
    Member(
        "matmul(res: element(), lhs, rhs, accum = True)",
        "Multiply into PSUM: both operands have the summed axis on P, at most 128. Add to what is there where `accum` holds.",
        source=f"{NKI}, nki.isa.nc_matmul",
    ),
    Member(
        f"activation(result: element(), data, opcode: {_FUNCTION}, bias = 0.0, scale = 1.0)",
        "opcode(data * scale + bias) on the scalar engine.",
        source=f"{NKI}, nki.isa.activation",
    ),
    Member(
        f"activation_reduce(reduce_res: element(), act_res: element(), data, opcode: {_FUNCTION}, reduce_opcode: {_ALU}, "
        "bias = 0.0, scale = 1.0)",
        "As `activation`, and reduce its result over the free axes into `reduce_res`.",
        source=f"{NKI}, nki.isa.activation_reduce",
    ),
    Member(
        "reciprocal(result: element(), data)", "1 / data on the vector engine.", source=f"{NKI}, nki.isa.reciprocal"
    ),
    Member(
        f"tensorreduce(result: element(), data, opcode: {_ALU}, negate: flag(), *axes: integer())",
        "Reduce over trailing free axes; the opposite number where `negate` is set.",
        source=f"{NKI}, nki.isa.tensor_reduce",
    ),
    Member(
        f"tensortensor(result: element(), {_BOTH}, opcode: {_ALU})",
        "operand0 opcode operand1, element by element; not both in PSUM.",
        source=f"{NKI}, nki.isa.tensor_tensor",
    ),
    Member(
        f"tensorscalar(result: element(), {_BOTH}, opcode: {_ALU}, reverse: flag() = False)",
        "operand0 opcode operand1, where operand1 is a number or one for each partition; `reverse` swaps them.",
        source=f"{NKI}, nki.isa.tensor_scalar",
    ),
    Member(
        f"tensorscalar_reduce(reduce_res: element(), tensorscalar_res: element(), {_BOTH}, opcode: {_ALU}, reduce_opcode: {_ALU}, "
        "reverse: flag() = False)",
        "As `tensorscalar`, and reduce its result over the free axes into `reduce_res`.",
        source=f"{NKI}, nki.isa.tensor_scalar_reduce",
    ),
    Member(
        f"scalar_tensor_tensor(result: element(), data, {_BOTH}, opcode0: {_ALU}, opcode1: {_ALU}, reverse0: flag() = False, "
        "reverse1: flag() = False)",
        "(data opcode0 operand0) opcode1 operand1, where operand0 is a scalar and operand1 a tensor; each `reverse` swaps one.",
        source=f"{NKI}, nki.isa.scalar_tensor_tensor",
    ),
    Member(
        f"scalar_tensor_scalar(result: element(), data, {_BOTH}, opcode0: {_ALU}, opcode1: {_ALU}, reverse0: flag() = False, "
        "reverse1: flag() = False)",
        "(data opcode0 operand0) opcode1 operand1, where both operands are scalars; each `reverse` swaps one.",
        source=f"{NKI}, nki.isa.tensor_scalar",
    ),
    Member("memset(result: element(), value)", "Fill with a value.", source=f"{NKI}, nki.isa.memset"),
    Member(
        "identity(result: element(), size)",
        "Fill with the identity matrix of this size.",
        source=f"{NKI}, nki.isa.affine_select",
    ),
    Member(
        "affine_select(result: element(), pred, true_value, false_value)",
        "One of two values by a comparison of an affine expression of the indices with 0.",
        source=f"{NKI}, nki.isa.affine_select",
    ),
)
