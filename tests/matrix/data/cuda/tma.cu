#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

// The tensor memory accelerator came with sm_90; its header, and the driver's tensor map, are there for any arch.
static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) >= 64, "the driver's tensor map");

extern "C" __global__ void tma(const __grid_constant__ CUtensorMap map, float *y) {
  __shared__ alignas(128) float tile[32][32];
#if __CUDA_ARCH__ >= 900
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    const int corner[] = {0, static_cast<int>(blockIdx.x) * 32};
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, &tile, &map, corner,
                                    cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(static_cast<cuda::barrier<cuda::thread_scope_block>::arrival_token &&>(token));
#else
  tile[threadIdx.x][0] = sizeof(map);
  __syncthreads();
#endif
  y[threadIdx.x] = tile[threadIdx.x][0];
}
