"""Tx.cuda: what each member takes, what it gives, and the operation that it calls.

`Member` says how a row is read. A packed pair of float32 is a uint64 with element 0 in its low half.
"""

from tvm.backend.cuda.rows import build, kinds
from tvm.script.member import Member

GUIDE = "CUDA C++ Programming Guide"
MATH = "CUDA Math API"
PTX = "PTX ISA"

_SHUFFLE = f"{GUIDE}, Warp Shuffle Functions"
_VOTE = f"{GUIDE}, Warp Vote Functions"
_ATOMIC = f"{GUIDE}, Atomic Functions"
_TIMER = "one u64 record: low word of the global timer in its upper half, then tag, event << 2 and kind"
_MMA_STORE = "16 x 16 accumulator tile of a warp"

BARRIERS = (
    Member("cta_sync()", "Wait for all threads of the CTA.", source=f"{GUIDE}, Synchronization Functions"),
    Member("warp_sync()", "Wait for all 32 lanes of the warp.", source=f"{GUIDE}, Synchronization Functions"),
    Member(
        "warpgroup_sync(bar_no: integer_value(0, 15))",
        "Wait for the 128 threads of a warpgroup at the named barrier `bar_no`, 0 to 15.",
        source=f"{PTX}, bar",
    ),
    Member("cluster_sync()", "Wait for all threads of the cluster (sm_90).", source=f"{PTX}, barrier.cluster"),
    Member(
        "grid_sync()",
        "Wait for all threads of the grid; the launch must be cooperative.",
        source=f"{GUIDE}, Grid Synchronization",
    ),
    Member(
        "thread_fence()",
        "Order this thread's memory accesses for the device.",
        source=f"{GUIDE}, Memory Fence Functions",
    ),
    Member(
        "nano_sleep(time)",
        "Suspend the thread for about `time` nanoseconds: 32 bits, at most one millisecond.",
        source=f"{GUIDE}, Nanosleep Function",
    ),
    Member(
        "syncthreads_and(cond) -> 'int64'",
        "Wait for the CTA; non-zero in every thread if `cond` is so in all.",
        source=f"{GUIDE}, Synchronization Functions",
    ),
    Member(
        "syncthreads_or(cond) -> 'int64'",
        "Wait for the CTA; non-zero in every thread if `cond` is so in any.",
        source=f"{GUIDE}, Synchronization Functions",
    ),
    Member(
        "mbarrier_wait(bar: barrier(), phase)",
        "Wait until the phase of parity `phase` of an mbarrier has completed, with acquire in the CTA (sm_90). "
        "`bar` is a pointer or a uint32 address in shared memory.",
        source=f"{PTX}, mbarrier.try_wait",
    ),
    Member(
        "mbarrier_wait_acquire_cluster(bar: pointer(), phase)",
        "Wait as `mbarrier_wait` does, with acquire in the cluster; `bar` is a pointer.",
        source=f"{PTX}, mbarrier.try_wait",
    ),
    Member(
        "elect_sync() -> 'uint32'",
        "1 in one elected lane of the warp, 0 in the others (sm_90).",
        source=f"{PTX}, elect.sync",
    ),
    Member(
        "trap_when_assert_failed(cond)", "Stop the kernel with a trap where `cond` is false.", source=f"{PTX}, trap"
    ),
    Member(
        "wait_until(dst: waited(), ptr: pointer(), predicate: any_object(), scope: one('cta', 'cluster', 'gpu', 'sys') = 'gpu', "
        "space: one('global') = 'global', ptx_type: one('b32', 's32', 'u32', 'b64', 's64', 'u64') = None, "
        "backoff_ns: integer(0) = None)",
        "Load the word at `ptr` into `dst` until `predicate` holds, then acquire it. The predicate is a callable of `dst` or a "
        "boolean expression that mentions it; `backoff_ns` is slept before each retry.",
        source=f"{PTX}, ld and Memory Consistency Model",
        build=build.wait_until,
    ),
)

WARP = (
    Member(
        "__shfl_sync(mask, var, lane, width) -> var.ty",
        "Read `var` of lane `lane`; `width` is a power of two up to 32.",
        source=_SHUFFLE,
        flat=None,
    ),
    Member(
        "__shfl_up_sync(mask, var, delta, width) -> var.ty",
        "Read `var` of the lane `delta` below.",
        source=_SHUFFLE,
        flat=None,
    ),
    Member(
        "__shfl_down_sync(mask, var, delta, width) -> var.ty",
        "Read `var` of the lane `delta` above.",
        source=_SHUFFLE,
        flat=None,
    ),
    Member(
        "__shfl_xor_sync(mask, var, lane_mask, width) -> var.ty",
        "Read `var` of the lane whose number differs in the bits of `lane_mask`.",
        source=_SHUFFLE,
        flat=None,
    ),
    Member("__activemask() -> 'uint32'", "The lanes that run this together.", source=_VOTE, flat=None),
    Member("any_sync(mask, pred) -> 'int32'", "1 if `pred` is not 0 in any lane of `mask`.", source=_VOTE),
    Member("ballot_sync(mask, pred) -> 'uint32'", "Bit i is set where `pred` of lane i is not 0.", source=_VOTE),
    Member(
        "ffs_u32(value) -> 'int32'",
        "The place of the lowest set bit, counted from 1; 0 for 0.",
        source=f"{MATH}, Integer Intrinsics, __ffs",
        effect="pure",
    ),
    Member(
        "reduce_add_sync_u32(mask, value) -> 'uint32'",
        "The sum over the lanes of `mask`, in each of them (sm_80).",
        source=f"{GUIDE}, Warp Reduce Functions",
    ),
    Member(
        "reduce_min_sync_u32(mask, value) -> 'uint32'",
        "The least over the lanes of `mask`, in each of them (sm_80).",
        source=f"{GUIDE}, Warp Reduce Functions",
    ),
    Member(
        "warp_reduce(value, op: one('sum', 'max', 'min'), width: power_of_two(2, 32) = 32) -> value.ty",
        "Reduce over groups of `width` lanes by xor shuffles; each lane of a group gets the result. All 32 lanes must take part.",
        source=_SHUFFLE,
    ),
    Member(
        "warp_sum(value, width: power_of_two(2, 32) = 32) -> value.ty",
        "The sum over each group of `width` lanes.",
        source=_SHUFFLE,
        calls="cuda.warp_reduce(value, 'sum', width)",
    ),
    Member(
        "warp_max(value, width: power_of_two(2, 32) = 32) -> value.ty",
        "The greatest of each group of `width` lanes; of floats a number wins over NaN.",
        source=_SHUFFLE,
        calls="cuda.warp_reduce(value, 'max', width)",
    ),
    Member(
        "warp_min(value, width: power_of_two(2, 32) = 32) -> value.ty",
        "The least of each group of `width` lanes; of floats a number wins over NaN.",
        source=_SHUFFLE,
        calls="cuda.warp_reduce(value, 'min', width)",
    ),
    Member(
        "cta_reduce(value, op: one('sum', 'max', 'min'), num_warps: power_of_two(1, 32), scratch: pointer()) -> value.ty",
        "Reduce over the CTA of `num_warps` warps; each thread gets the result. `scratch` is shared memory for `num_warps` values.",
        source=_SHUFFLE,
    ),
    Member(
        "cta_sum(value, num_warps: power_of_two(1, 32), scratch: pointer()) -> value.ty",
        "The sum over the CTA.",
        source=_SHUFFLE,
        calls="cuda.cta_reduce(value, 'sum', num_warps, scratch)",
    ),
    Member(
        "cta_max(value, num_warps: power_of_two(1, 32), scratch: pointer()) -> value.ty",
        "The greatest value of the CTA.",
        source=_SHUFFLE,
        calls="cuda.cta_reduce(value, 'max', num_warps, scratch)",
    ),
    Member(
        "cta_min(value, num_warps: power_of_two(1, 32), scratch: pointer()) -> value.ty",
        "The least value of the CTA.",
        source=_SHUFFLE,
        calls="cuda.cta_reduce(value, 'min', num_warps, scratch)",
    ),
)

REGISTERS = (
    Member(
        "cvta_generic_to_shared(ptr: pointer()) -> 'uint32'",
        "The address of a generic pointer in the shared window.",
        source=f"{PTX}, cvta",
        effect="pure",
    ),
    Member("smem_addr_from_uint64(cluster_addr) -> 'uint32'", "The low 32 bits of a shared address.", effect="pure"),
    Member(
        "sm100_2sm_leader_smem_addr(ptr: pointer()) -> 'uint32'",
        "The shared address of `ptr` in the even CTA of a pair: bit 24, the CTA's parity, is cleared (sm_100).",
        source=f"{PTX}, tcgen05, CTA pair",
        build=build.leader_address,
        calls="cuda.cvta_generic_to_shared",
    ),
    Member(
        "get_tmem_addr(addr, row_offset, col_offset) -> 'uint32'",
        "A tensor memory address `row_offset` lanes and `col_offset` columns on; each half wraps at 16 bits.",
        source=f"{PTX}, Tensor Memory Addressing",
        effect="pure",
    ),
    Member(
        "mov_sreg(bits: one(32, 64), reg_name: special_register()) -> int[bits]",
        "Read the special register `reg_name`, written without %: `clusterid.x`.",
        source=f"{PTX}, Special Registers",
    ),
    Member(
        "thread_rank() -> 'int32'",
        "The linear index of the thread in its CTA: x + y * Dx + z * Dx * Dy.",
        source=f"{GUIDE}, Thread Hierarchy",
        effect="pure",
    ),
    Member("clock64() -> 'uint64'", "The clock counter of the multiprocessor.", source=f"{GUIDE}, Time Function"),
    Member(
        "uint_as_float(bits) -> 'float32'",
        "The float32 of these bits.",
        source=f"{MATH}, Type Casting Intrinsics",
        effect="pure",
    ),
    Member(
        "float_as_uint(x) -> 'uint32'",
        "The bits of a float32.",
        source=f"{MATH}, Type Casting Intrinsics",
        effect="pure",
    ),
)

ARITHMETIC = (
    Member(
        "fdividef(x, y) -> 'float32'",
        "Divide approximately; 0 where 2^126 < |y| < 2^128.",
        source=f"{MATH}, Single Precision Intrinsics, __fdividef",
        effect="pure",
    ),
    Member("make_float2(x, y) -> 'uint64'", "Pack two float32, `x` in the low half.", effect="pure"),
    Member("float2_x(packed) -> 'float32'", "The low element of a pair.", effect="pure"),
    Member("float2_y(packed) -> 'float32'", "The high element of a pair.", effect="pure"),
    Member(
        "fmul2_rn(a, b) -> 'uint64'",
        "Multiply two pairs, round to nearest even (sm_100).",
        source=f"{PTX}, mul, f32x2",
        effect="pure",
    ),
    Member(
        "fadd2_rn(a, b) -> 'uint64'",
        "Add two pairs, round to nearest even (sm_100).",
        source=f"{PTX}, add, f32x2",
        effect="pure",
    ),
    Member(
        "float22bfloat162_rn(v0, v1) -> 'uint32'",
        "Two bfloat16, round to nearest even, `v0` in the low half (sm_80).",
        source=f"{MATH}, Bfloat16 Precision Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "float22bfloat162_rn_from_float2(packed) -> 'uint32'",
        "Two bfloat16 of a pair, round to nearest even (sm_80).",
        source=f"{MATH}, Bfloat16 Precision Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "bfloat1622float2(packed) -> 'uint64'",
        "A pair of two bfloat16, exactly.",
        source=f"{MATH}, Bfloat16 Precision Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "hmin2(a, b) -> 'uint32'",
        "The lesser of two bfloat16 each; a number wins over NaN (sm_80).",
        source=f"{MATH}, Bfloat162 Comparison Functions",
        effect="pure",
    ),
    Member(
        "hmax2(a, b) -> 'uint32'",
        "The greater of two bfloat16 each; a number wins over NaN (sm_80).",
        source=f"{MATH}, Bfloat162 Comparison Functions",
        effect="pure",
    ),
    Member(
        "fp8x4_e4m3_from_float4(x, y, z, w) -> 'uint32'",
        "Four float8_e4m3, round to nearest even, saturated to finite, `x` in the lowest byte (sm_89).",
        source=f"{MATH}, FP8 Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "half2float(src) -> 'float32'",
        "The float32 of a float16 value, exactly.",
        source=f"{MATH}, Half Precision Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "bfloat162float(src) -> 'float32'",
        "The float32 of a bfloat16 value, exactly.",
        source=f"{MATH}, Bfloat16 Precision Conversion and Data Movement",
        effect="pure",
    ),
    Member(
        "float22half2(dst: pointer(), src: pointer())",
        "Read 2 float32 at `src`, write 2 float16 at `dst`, round to nearest even.",
        source=f"{MATH}, Half Precision Conversion and Data Movement",
    ),
    Member(
        "half8tofloat8(src_addr: pointer(), dst_addr: pointer())",
        "Read 8 float16 at `src_addr` (aligned to 4 bytes), write 8 float32 at `dst_addr` (aligned to 8).",
        source=f"{MATH}, Half Precision Conversion and Data Movement",
    ),
    Member(
        "float8tohalf8(src_addr: pointer(), dst_addr: pointer())",
        "Read 8 float32 at `src_addr` (aligned to 8 bytes), write 8 float16 at `dst_addr`, round to nearest even.",
        source=f"{MATH}, Half Precision Conversion and Data Movement",
    ),
)

MEMORY = (
    Member(
        "ldg(addr: pointer(), dtype: dtype(), *, dst: any_object() = None, vec: one('', 'v2', 'v4') = '')",
        "Load through the read-only cache: the value of `dtype`, or with `vec` two or four values, stored through the pointers of "
        "`dst`. The address is aligned to what is loaded.",
        source=f"{GUIDE}, Read-Only Data Cache Load Function",
        effect="reads",
        build=build.ldg,
    ),
    Member(
        "atomic_add(res_addr: pointer(), value) -> value.ty",
        "Add to the word, relaxed at device scope, and give what it held. int32, uint32, uint64, float16, float32, float64.",
        source=_ATOMIC,
    ),
    Member(
        "atomic_cas(ptr: pointer(), old_val, new_val) -> old_val.ty",
        "Store `new_val` if the word holds `old_val`, and give what it held. int32, uint32, uint64.",
        source=_ATOMIC,
    ),
)

DEBUG = (
    Member(
        "func_call(func_name: identifier(), *args: any_value(), source_code: text(), return_type: result_type() = 'void', "
        "lazy_args: any_object() = ())",
        "Call the function or macro `func_name`, which `source_code` defines in front of the kernel. `lazy_args` are the places of "
        "arguments that a macro may evaluate more than once or not at all.",
        build=build.func_call,
    ),
    Member("printf(fmt: text(), *args: value())", "Print from the device.", source=f"{GUIDE}, Formatted Output"),
    Member(
        "timer_init(profiler_buffer: pointer(), profiler_tag: pointer(), profiler_write_offset: pointer(), num_groups, group_id)",
        "Set up a thread's profile: word 0 of the buffer holds groups << 32 | CTAs.",
        calls="timer_init_cuda",
    ),
    Member(
        "timer_start(event_type: event(), profiler_buffer: pointer(), profiler_tag: pointer(), profiler_write_offset: pointer(), "
        "profiler_write_stride, leader_cond)",
        f"Write the start of an event, where `leader_cond` holds: {_TIMER} 0.",
        calls="timer_start_cuda",
    ),
    Member(
        "timer_end(event_type: event(), profiler_buffer: pointer(), profiler_tag: pointer(), profiler_write_offset: pointer(), "
        "profiler_write_stride, leader_cond)",
        f"Write the end of an event, where `leader_cond` holds: {_TIMER} 1.",
        calls="timer_end_cuda",
    ),
    Member(
        "timer_finalize(profiler_buffer: pointer(), profiler_tag: pointer(), profiler_write_offset: pointer(), "
        "profiler_write_stride, leader_cond)",
        f"Write the end of a thread's profile, where `leader_cond` holds: {_TIMER} 3.",
        calls="timer_finalize_cuda",
    ),
    Member(
        "mma_fill(dtype: dtype(), local_size: integer(1), local_ptr: pointer(), offset) -> type[dtype]",
        "Write `local_size` zeros from `local_ptr[offset]`.",
        calls="mma_fill(local_size, local_ptr, offset)",
    ),
    Member(
        "mma_fill_legacy(dtype: dtype(), local_size: integer(1), local_ptr: pointer(), offset) -> type[dtype]",
        "Write `local_size` zeros from `local_ptr[offset]`.",
        calls="mma_fill_legacy(local_size, local_ptr, offset)",
    ),
    Member(
        "mma_store(dtype: dtype(), m: one(16), n: one(16), dst_ptr: pointer(), src_ptr: pointer(), src_offset, dst_stride) "
        "-> type[dtype]",
        f"Store the {_MMA_STORE}.",
        source=f"{PTX}, mma.m16n8k16, matrix fragments",
        calls="mma_store(m, n, dst_ptr, src_ptr, src_offset, dst_stride)",
    ),
    Member(
        "mma_store_legacy(dtype: dtype(), m: one(16), n: one(16), dst_ptr: pointer(), src_ptr: pointer(), src_offset, dst_stride) "
        "-> type[dtype]",
        f"Store the {_MMA_STORE}.",
        source=f"{PTX}, mma.m16n8k16, matrix fragments",
        calls="mma_store_legacy(m, n, dst_ptr, src_ptr, src_offset, dst_stride)",
    ),
)

DESCRIPTORS = (
    Member(
        "runtime_instr_desc(desc: pointer(), sf_id)",
        "Set the scale factor id, 0 to 3, of A and B in an instruction descriptor.",
        source=f"{PTX}, tcgen05, Instruction descriptor",
    ),
    Member(
        "wgmma.noop_barrier(reg)",
        "Keep the compiler from moving accesses of the accumulator register `reg` (uint32 or float32) over this place.",
        source=f"{PTX}, wgmma.fence",
    ),
    Member(
        "wgmma.encode_matrix_descriptor(desc: pointer(), addr: pointer(), ldo, sdo, swizzle)",
        "Write the 64-bit descriptor of a matrix in shared memory. `ldo` and `sdo` are offsets in 16 bytes; `swizzle` is 0 none, "
        "1 32 bytes, 2 64 bytes, 3 128 bytes (sm_90).",
        source=f"{PTX}, wgmma, Matrix descriptor",
    ),
    Member(
        "tcgen05.encode_matrix_descriptor(desc: pointer(), addr: pointer(), ldo, sdo, swizzle)",
        "Write the 64-bit descriptor of a matrix in shared memory. `ldo` and `sdo` are offsets in 16 bytes; `swizzle` is 0 none, "
        "1 32 bytes, 2 64 bytes, 3 128 bytes, 4 128 bytes with atoms of 32 (sm_100).",
        source=f"{PTX}, tcgen05, Shared memory descriptor",
    ),
    Member(
        "tcgen05.encode_instr_descriptor(desc: pointer(), *, d_dtype: mma_type(), a_dtype: mma_type(), b_dtype: mma_type(), "
        "M: integer(1), N: integer(1), K: integer(1), trans_a: flag(), trans_b: flag(), n_cta_groups: one(1, 2) = 1, "
        "neg_a: flag() = False, neg_b: flag() = False, sat_d: flag() = False, is_sparse: flag() = False)",
        "Write the 32-bit instruction descriptor of tcgen05.mma (sm_100).",
        source=f"{PTX}, tcgen05, Instruction descriptor",
    ),
    Member(
        "tcgen05.encode_instr_descriptor_block_scaled(desc: pointer(), *, d_dtype: mma_type(), a_dtype: mma_type(), "
        "b_dtype: mma_type(), sfa_dtype: mma_type(), sfb_dtype: mma_type(), sfa_tmem_addr, sfb_tmem_addr, M: integer(1), "
        "N: integer(1), K: integer(1), trans_a: flag(), trans_b: flag(), n_cta_groups: one(1, 2) = 1, neg_a: flag() = False, "
        "neg_b: flag() = False, is_sparse: flag() = False)",
        "Write the 32-bit instruction descriptor of tcgen05.mma with block scaling (sm_100). The scale factor ids are 0: "
        "`runtime_instr_desc` sets them.",
        source=f"{PTX}, tcgen05, Instruction descriptor",
    ),
)

_IKET = "In normal builds nothing is left of it."

IKET = (
    Member("iket.mark(name: text(), payload = None)", f"Mark an event in the in-kernel trace. {_IKET}"),
    Member(
        "iket.range_start(name: text(), payload = None) -> 'uint32'",
        f"Start a range; gives the token that `range_end` takes. {_IKET}",
    ),
    Member("iket.range_end(token, payload = None)", f"End the range of a token; a token of 0 is no range. {_IKET}"),
    Member("iket.range_push(name: text(), payload = None)", f"Start a range that `range_pop` ends. {_IKET}"),
    Member("iket.range_pop()", f"End the range that was pushed last. {_IKET}"),
    Member("iket.sentinel_token(name: text()) -> 'uint32'", f"A token of no range of this name. {_IKET}"),
    Member(
        "iket.official_event(event_id: integer(0), source_code: text() = '', payload = None) -> 'uint32'",
        "The event in the form that traced builds have; `source_code` defines what it calls.",
    ),
)

MEMBERS = (*BARRIERS, *WARP, *REGISTERS, *ARITHMETIC, *MEMORY, *DEBUG, *DESCRIPTORS, *IKET)
KINDS = kinds.KINDS
