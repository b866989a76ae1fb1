// Softmax over the last axis, float32, row-major: y[r, c] = exp(x[r, c]) / sum over k of exp(x[r, k]).
#include <hip/hip_runtime.h>

// Threads of a block, a power of two. The reductions go through shared memory, so they hold for wave32 and wave64 alike.
constexpr int THREADS = 256;

// Combine one value of each thread by `combine`; every thread gets the result.
template <typename Combine>
__device__ float reduce(float value, float *shared, Combine combine) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int width = THREADS / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + width]);
    __syncthreads();
  }
  float result = shared[0];
  // Nobody may write to `shared` again before everybody has read the result.
  __syncthreads();
  return result;
}

// x, y: [rows, cols], cols >= 1; they may be the same buffer. Launch min(rows, any) blocks of THREADS threads. The row's
// maximum is taken off first, so that expf cannot overflow.
extern "C" __global__ void __launch_bounds__(THREADS) softmax(const float *x, float *y, ptrdiff_t rows, ptrdiff_t cols) {
  __shared__ float shared[THREADS];
  for (ptrdiff_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const float *in = x + r * cols;
    float *out = y + r * cols;
    float largest = -INFINITY;
    for (ptrdiff_t c = threadIdx.x; c < cols; c += THREADS) largest = fmaxf(largest, in[c]);
    largest = reduce(largest, shared, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
    for (ptrdiff_t c = threadIdx.x; c < cols; c += THREADS) {
      out[c] = expf(in[c] - largest);
      sum += out[c];
    }
    float scale = 1.0f / reduce(sum, shared, [](float a, float b) { return a + b; });
    for (ptrdiff_t c = threadIdx.x; c < cols; c += THREADS) out[c] *= scale;
  }
}
