"""Tx.metal: what each member takes, what it gives, and the operation that it calls."""

from tvm.script.member import Member

MSL = "Metal Shading Language Specification"
_SHUFFLE = f"{MSL}, SIMD-Group Functions"
_MATRIX = f"{MSL}, SIMD-Group Matrix Functions"
_MOVED = (
    "d: pointer(), index, ptr: pointer(), stride, col: one(8) = 8, row: one(8) = 8, transpose_matrix: flag() = False"
)

MEMBERS = (
    Member(
        "simd_shuffle(var, lane) -> var.ty", "Read `var` of lane `lane` of the SIMD-group.", source=_SHUFFLE, flat=None
    ),
    Member(
        "simd_shuffle_up(var, delta) -> var.ty", "Read `var` of the lane `delta` below.", source=_SHUFFLE, flat=None
    ),
    Member(
        "simd_shuffle_down(var, delta) -> var.ty", "Read `var` of the lane `delta` above.", source=_SHUFFLE, flat=None
    ),
    Member(
        "make_filled_simdgroup_matrix(d: pointer(), index, value, col: one(8) = 8, row: one(8) = 8)",
        "Fill matrix `index` of `d` with `value`. Matrices have 8 columns and 8 rows.",
        source=_MATRIX,
        calls="make_filled_simdgroup_matrix",
    ),
    Member(
        f"simdgroup_load({_MOVED})",
        "Load matrix `index` of `d` from `ptr`, whose rows are `stride` elements apart.",
        source=_MATRIX,
        calls="simdgroup_load",
    ),
    Member(
        f"simdgroup_store({_MOVED})",
        "Store matrix `index` of `d` at `ptr`, whose rows are `stride` elements apart.",
        source=_MATRIX,
        calls="simdgroup_store",
    ),
    Member(
        "simdgroup_multiply_accumulate(d: pointer(), index_d, a: pointer(), index_a, b: pointer(), index_b, c: pointer(), index_c)",
        "Set matrix `index_d` of `d` to a * b + c.",
        source=_MATRIX,
        calls="simdgroup_multiply_accumulate",
    ),
)
