// Each processing element sends `count` floats to the next one in a ring and waits for those of the one before it.
// `inbox` and `arrived` are symmetric (nvshmem_malloc), `arrived` is zero before. Launch with one block on every element.
#include <nvshmem.h>

extern "C" __global__ void nvshmem_ring(const float *outbox, float *inbox, uint64_t *arrived, size_t count) {
  if (threadIdx.x == 0) {
    int next = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    // The signal comes after the data.
    nvshmem_putmem_signal_nbi(inbox, outbox, count * sizeof(float), arrived, 1, NVSHMEM_SIGNAL_SET, next);
    nvshmem_signal_wait_until(arrived, NVSHMEM_CMP_EQ, 1);
    nvshmem_quiet();
  }
}
