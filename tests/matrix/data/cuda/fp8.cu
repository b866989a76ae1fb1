#include <cuda_fp8.h>

extern "C" __global__ void fp8(const float4 *x, __nv_fp8x4_e4m3 *y, float4 *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __nv_fp8x4_e4m3(x[i]);
    z[i] = static_cast<float4>(__nv_fp8x4_e5m2(x[i]));
  }
}
