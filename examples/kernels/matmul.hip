// Matrix product, float32, row-major: c[m, n] = sum over k of a[m, k] * b[k, n].
#include <hip/hip_runtime.h>

// A block makes one TILE x TILE tile of c.
constexpr int TILE = 16;

// a: [m, k], b: [k, n], c: [m, n]; c overlaps neither. Launch ceil(n / TILE) x ceil(m / TILE) blocks of TILE x TILE threads.
extern "C" __global__ void __launch_bounds__(TILE * TILE)
    matmul(const float *a, const float *b, float *c, ptrdiff_t m, ptrdiff_t k, ptrdiff_t n) {
  __shared__ float tile_a[TILE][TILE];
  // One column more: neighbours in a column would else lie in the same bank.
  __shared__ float tile_b[TILE][TILE + 1];
  ptrdiff_t row = static_cast<ptrdiff_t>(blockIdx.y) * TILE + threadIdx.y;
  ptrdiff_t col = static_cast<ptrdiff_t>(blockIdx.x) * TILE + threadIdx.x;
  float sum = 0.0f;
  for (ptrdiff_t start = 0; start < k; start += TILE) {
    ptrdiff_t a_col = start + threadIdx.x, b_row = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < TILE; p++) sum = fmaf(tile_a[threadIdx.y][p], tile_b[p][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
