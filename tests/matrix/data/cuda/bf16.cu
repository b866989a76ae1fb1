#include <cuda_bf16.h>

extern "C" __global__ void bf16(const __nv_bfloat162 *x, const __nv_bfloat162 *y, __nv_bfloat162 *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = __hfma2(x[i], y[i], z[i]) * __float2bfloat162_rn(2.0f);
}
