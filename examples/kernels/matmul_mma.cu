// C = A * B: A is M x K and B is K x N in fp16, C is M x N in float32, all row-major. M and N are multiples of 64, K of 32.
// Launch with a grid of (N / 64, M / 64) and 128 threads: each of the four warps makes a 32 x 32 tile with tensor cores.
#include <cuda_fp16.h>
#include <stdint.h>

static constexpr int kTileM = 64, kTileN = 64, kTileK = 32;
// Rows are padded by 16 bytes, so that the eight rows of a fragment lie in different banks.
static constexpr int kPad = 8;

__device__ uint32_t shared_address(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

// Four 8 x 8 matrices of fp16 from shared memory to the registers of a warp.
__device__ void load_fragment(uint32_t (&fragment)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row)));
}

// The same, each matrix transposed: B lies row by row, and the tensor core wants its columns.
__device__ void load_fragment_transposed(uint32_t (&fragment)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row)));
}

__device__ void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(128)
    matmul_mma(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) half tile_a[kTileM][kTileK + kPad];
  __shared__ __align__(16) half tile_b[kTileK][kTileN + kPad];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  size_t block_row = (size_t)blockIdx.y * kTileM, block_column = (size_t)blockIdx.x * kTileN;
  float sum[2][4][4] = {};

  for (int depth = 0; depth < k; depth += kTileK) {
    // 16 bytes a thread and turn.
    for (int i = threadIdx.x; i < kTileM * kTileK / 8; i += 128) {
      int row = i / (kTileK / 8), column = i % (kTileK / 8) * 8;
      *(uint4 *)&tile_a[row][column] = *(const uint4 *)&a[(block_row + row) * k + depth + column];
    }
    for (int i = threadIdx.x; i < kTileK * kTileN / 8; i += 128) {
      int row = i / (kTileN / 8), column = i % (kTileN / 8) * 8;
      *(uint4 *)&tile_b[row][column] = *(const uint4 *)&b[(size_t)(depth + row) * n + block_column + column];
    }
    __syncthreads();

    for (int step = 0; step < kTileK; step += 16) {
      uint32_t left[2][4], right[2][4];
      for (int i = 0; i < 2; ++i) load_fragment(left[i], &tile_a[warp_row + i * 16 + lane % 16][step + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j) {
        load_fragment_transposed(right[j], &tile_b[step + lane % 16][warp_column + j * 16 + lane / 16 * 8]);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          multiply_add(sum[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      size_t row = block_row + warp_row + i * 16 + lane / 4, column = block_column + warp_column + j * 8 + lane % 4 * 2;
      *(float2 *)&c[row * n + column] = make_float2(sum[i][j][0], sum[i][j][1]);
      *(float2 *)&c[(row + 8) * n + column] = make_float2(sum[i][j][2], sum[i][j][3]);
    }
  }
}
