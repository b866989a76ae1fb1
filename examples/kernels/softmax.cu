// Softmax of each row of a float32 matrix. One block per row, a multiple of 32 threads, at most 1024.

static constexpr int kWarp = 32;

template <typename Op>
__device__ float reduce_warp(float value, Op op) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

// Every thread gets the reduction over the block.
template <typename Op>
__device__ float reduce_block(float value, float neutral, Op op) {
  __shared__ float partial[kWarp];
  int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  value = reduce_warp(value, op);
  __syncthreads();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = lane < (int)blockDim.x / kWarp ? partial[lane] : neutral;
  return reduce_warp(value, op);
}

struct Max {
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

struct Sum {
  __device__ float operator()(float x, float y) const { return x + y; }
};

extern "C" __global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int columns) {
  const float *row = in + (size_t)blockIdx.x * columns;
  float *result = out + (size_t)blockIdx.x * columns;

  float highest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) highest = fmaxf(highest, row[i]);
  highest = reduce_block(highest, -INFINITY, Max());

  // Without the maximum the exponential would overflow.
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - highest);
  sum = reduce_block(sum, 0.0f, Sum());

  for (int i = threadIdx.x; i < columns; i += blockDim.x) result[i] = expf(row[i] - highest) / sum;
}
