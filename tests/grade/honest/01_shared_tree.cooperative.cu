// SPDX-License-Identifier: MIT
// A tree of cooperative groups, for any operation.
#include <cooperative_groups.h>
#include <math.h>
namespace cg = cooperative_groups;
struct larger {
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};
template <class Op> static __device__ void tree(cg::thread_block b, float *v, Op op) {
  for (unsigned count = b.size(); count > 1;) {
    const unsigned pairs = count / 2, rest = count - pairs;
    if (b.thread_rank() < pairs)
      v[b.thread_rank()] = op(v[b.thread_rank()], v[b.thread_rank() + rest]);
    b.sync();
    count = rest;
  }
}
extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  extern __shared__ float v[];
  cg::thread_block b = cg::this_thread_block();
  const unsigned me = b.thread_rank(), at = b.group_index().x * b.size() + me;
  v[me] = at < n ? larger()(in[at], -INFINITY) : -INFINITY;
  b.sync();
  tree(b, v, larger());
  if (me == 0) maxima[b.group_index().x] = v[0];
}
