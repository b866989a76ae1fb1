; Matrix product, float32, row-major: c[m, n] = sum over k of a[m, k] * b[k, n].
;
; a: [m, k], b: [k, n], c: [m, n]; c overlaps neither. One work-item for each element: columns along x, rows along y. No
; processor stands here: it is chosen when this is compiled.
target triple = "amdgcn-amd-amdhsa"

declare i64 @__ockl_get_global_id(i32)
declare float @__ocml_fma_f32(float, float, float)

define amdgpu_kernel void @matmul(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %m, i64 %k, i64 %n) {
entry:
  %col = call i64 @__ockl_get_global_id(i32 0)
  %row = call i64 @__ockl_get_global_id(i32 1)
  %row.inside = icmp slt i64 %row, %m
  %col.inside = icmp slt i64 %col, %n
  %inside = and i1 %row.inside, %col.inside
  br i1 %inside, label %start, label %done

start:
  %a.offset = mul i64 %row, %k
  %a.row = getelementptr float, ptr addrspace(1) %a, i64 %a.offset
  %b.col = getelementptr float, ptr addrspace(1) %b, i64 %col
  %some = icmp sgt i64 %k, 0
  br i1 %some, label %product, label %write

product:
  %p = phi i64 [ 0, %start ], [ %p.next, %product ]
  %so.far = phi float [ 0.0, %start ], [ %sum, %product ]
  %a.at = getelementptr float, ptr addrspace(1) %a.row, i64 %p
  %a.value = load float, ptr addrspace(1) %a.at
  %b.offset = mul i64 %p, %n
  %b.at = getelementptr float, ptr addrspace(1) %b.col, i64 %b.offset
  %b.value = load float, ptr addrspace(1) %b.at
  %sum = call float @__ocml_fma_f32(float %a.value, float %b.value, float %so.far)
  %p.next = add i64 %p, 1
  %more = icmp slt i64 %p.next, %k
  br i1 %more, label %product, label %write

write:
  %result = phi float [ 0.0, %start ], [ %sum, %product ]
  %c.offset = mul i64 %row, %n
  %c.row = getelementptr float, ptr addrspace(1) %c, i64 %c.offset
  %c.at = getelementptr float, ptr addrspace(1) %c.row, i64 %col
  store float %result, ptr addrspace(1) %c.at
  br label %done

done:
  ret void
}
