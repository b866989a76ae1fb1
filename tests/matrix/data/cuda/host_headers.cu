// Headers of the host compiler, which kernels include out of habit.
#include <assert.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <type_traits>

template <typename T>
__device__ typename std::enable_if<std::is_same<T, uint32_t>::value, uint64_t>::type widen(T x) { return x; }

extern "C" __global__ void host_headers(const uint32_t *x, uint64_t *y, int64_t n) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  assert(n > 0);
  if (i == 0) printf("%d elements, %f\n", static_cast<int>(n), sqrtf(2.0f));
  if (i < n) y[i] = widen(x[i]);
}
