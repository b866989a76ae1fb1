"""Tx.nvshmem: one-sided communication between GPUs. Sizes are in bytes; `pe` is the other processing element."""

from tvm.script.member import Member

API = "NVSHMEM API"
_COPY = "dst: pointer(), src: pointer(), nelems, pe"
_SIGNAL = "dst: pointer(), src: pointer(), nelems, sig_addr: pointer(), signal, sig_op: one('set', 'add'), pe"
_WARP = "All threads of the warp call it with the same arguments."
_BLOCK = "All threads of the CTA call it with the same arguments."
_GET = "Read `nelems` bytes of `src` at `pe` into `dst`, without waiting."
_PUT = "Write `nelems` bytes of `src` to `dst` at `pe`, without waiting."
_PUT_SIGNAL = (
    "Write as `putmem_nbi` does, then set or add `signal` at `sig_addr`, a uint64 in symmetric memory of `pe`."
)

MEMBERS = (
    Member("my_pe() -> 'int32'", "The number of this processing element.", source=f"{API}, NVSHMEM_MY_PE"),
    Member("n_pes() -> 'int32'", "How many processing elements there are.", source=f"{API}, NVSHMEM_N_PES"),
    Member("quiet()", "Wait until all that this element has sent is complete.", source=f"{API}, NVSHMEM_QUIET"),
    Member("fence()", "Order what is sent to each element before and after.", source=f"{API}, NVSHMEM_FENCE"),
    Member("barrier_all()", "Wait for all elements, and for all that was sent.", source=f"{API}, NVSHMEM_BARRIER_ALL"),
    Member(f"getmem_nbi({_COPY})", _GET, source=f"{API}, NVSHMEM_GET_NBI"),
    Member(f"getmem_nbi.warp({_COPY})", f"{_GET} {_WARP}", source=f"{API}, NVSHMEMX_GET_NBI"),
    Member(f"getmem_nbi.block({_COPY})", f"{_GET} {_BLOCK}", source=f"{API}, NVSHMEMX_GET_NBI"),
    Member(f"putmem_nbi({_COPY})", _PUT, source=f"{API}, NVSHMEM_PUT_NBI"),
    Member(f"putmem_nbi.warp({_COPY})", f"{_PUT} {_WARP}", source=f"{API}, NVSHMEMX_PUT_NBI"),
    Member(f"putmem_nbi.block({_COPY})", f"{_PUT} {_BLOCK}", source=f"{API}, NVSHMEMX_PUT_NBI"),
    Member(f"putmem_signal_nbi({_SIGNAL})", _PUT_SIGNAL, source=f"{API}, NVSHMEM_PUT_SIGNAL_NBI"),
    Member(f"putmem_signal_nbi.warp({_SIGNAL})", f"{_PUT_SIGNAL} {_WARP}", source=f"{API}, NVSHMEMX_PUT_SIGNAL_NBI"),
    Member(f"putmem_signal_nbi.block({_SIGNAL})", f"{_PUT_SIGNAL} {_BLOCK}", source=f"{API}, NVSHMEMX_PUT_SIGNAL_NBI"),
    Member(
        "signal_op(sig_addr: pointer(), signal, sig_op: one('set', 'add'), pe)",
        "Set or add `signal` at `sig_addr`, a uint64 in symmetric memory of `pe`.",
        source=f"{API}, NVSHMEMX_SIGNAL_OP",
    ),
    Member(
        "wait_until(ivar: pointer(), cmp: one('eq', 'ne', 'gt', 'ge', 'lt', 'le'), cmp_value, "
        "type: one('uint64_t', 'uint64') = 'uint64_t')",
        "Wait until the uint64 at `ivar` compares so with `cmp_value`.",
        source=f"{API}, NVSHMEM_WAIT_UNTIL",
    ),
)
