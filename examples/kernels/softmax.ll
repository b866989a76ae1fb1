; Softmax over the last axis, float32, row-major: y[r, c] = exp(x[r, c]) / sum over k of exp(x[r, k]).
;
; x, y: [rows, cols], cols >= 1; they may be the same buffer. One work-item for each row. The row's maximum is taken off
; first, so that exp cannot overflow. No processor stands here: it is chosen when this is compiled.
target triple = "amdgcn-amd-amdhsa"

declare i64 @__ockl_get_global_id(i32)
declare float @__ocml_exp_f32(float)
declare float @llvm.maxnum.f32(float, float)

define amdgpu_kernel void @softmax(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %rows, i64 %cols) {
entry:
  %row = call i64 @__ockl_get_global_id(i32 0)
  %inside = icmp slt i64 %row, %rows
  br i1 %inside, label %start, label %done

start:
  %offset = mul i64 %row, %cols
  %in = getelementptr float, ptr addrspace(1) %x, i64 %offset
  %out = getelementptr float, ptr addrspace(1) %y, i64 %offset
  %first = load float, ptr addrspace(1) %in
  br label %maximum

maximum:
  %m.c = phi i64 [ 0, %start ], [ %m.next, %maximum ]
  %m.so.far = phi float [ %first, %start ], [ %largest, %maximum ]
  %m.at = getelementptr float, ptr addrspace(1) %in, i64 %m.c
  %m.value = load float, ptr addrspace(1) %m.at
  %largest = call float @llvm.maxnum.f32(float %m.so.far, float %m.value)
  %m.next = add i64 %m.c, 1
  %m.more = icmp slt i64 %m.next, %cols
  br i1 %m.more, label %maximum, label %exponential

exponential:
  %e.c = phi i64 [ 0, %maximum ], [ %e.next, %exponential ]
  %e.so.far = phi float [ 0.0, %maximum ], [ %sum, %exponential ]
  %e.from = getelementptr float, ptr addrspace(1) %in, i64 %e.c
  %e.value = load float, ptr addrspace(1) %e.from
  %e.lower = fsub float %e.value, %largest
  %e.power = call float @__ocml_exp_f32(float %e.lower)
  %e.to = getelementptr float, ptr addrspace(1) %out, i64 %e.c
  store float %e.power, ptr addrspace(1) %e.to
  %sum = fadd float %e.so.far, %e.power
  %e.next = add i64 %e.c, 1
  %e.more = icmp slt i64 %e.next, %cols
  br i1 %e.more, label %exponential, label %normalise

normalise:
  %scale = fdiv float 1.0, %sum
  br label %divide

divide:
  %d.c = phi i64 [ 0, %normalise ], [ %d.next, %divide ]
  %d.at = getelementptr float, ptr addrspace(1) %out, i64 %d.c
  %d.power = load float, ptr addrspace(1) %d.at
  %d.share = fmul float %d.power, %scale
  store float %d.share, ptr addrspace(1) %d.at
  %d.next = add i64 %d.c, 1
  %d.more = icmp slt i64 %d.next, %cols
  br i1 %d.more, label %divide, label %done

done:
  ret void
}
