#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void cooperative(const float *x, float *sums) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  float sum = cg::reduce(warp, x[cg::this_grid().thread_rank()], cg::plus<float>());
  block.sync();
  if (warp.thread_rank() == 0) sums[block.group_index().x * warp.meta_group_size() + warp.meta_group_rank()] = sum;
}
