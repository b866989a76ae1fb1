// How often each of the 256 byte values occurs. `bins` must be zero before. Launch with any grid and block of one dimension.
#include <stdint.h>

static constexpr int kBins = 256;

extern "C" __global__ void histogram(const uint8_t *__restrict__ data, uint32_t *__restrict__ bins, uint64_t count) {
  // Counting in shared memory first: global memory then sees one atomic per block and bin.
  __shared__ uint32_t local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();

  uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }
}
