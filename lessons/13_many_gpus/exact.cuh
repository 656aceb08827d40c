// SPDX-License-Identifier: MIT
// exact.cuh - lesson 11's superaccumulator on each GPU: whole numbers, which GPU 0 adds up and
// rounds once. So how many GPUs there were does not show in the result.
#ifndef MANY_GPUS_EXACT_CUH
#define MANY_GPUS_EXACT_CUH

#include "../../lessons/11_exact_sum/window.cuh" // from here, and from common/workbook
#include "sums.cuh"

typedef exact_state<float> float_state;
typedef struct states {
  device_pointer<float_state> of[WB_MAX_DEVICES];
} states;

//! [exact]
extern "C" __global__ void __launch_bounds__(1024)
    add_exactly(const float *in, float_state *state, size_t n) {
  add_share<4, true>(in, n, state);
}

// One block, on GPU 0: the digits of all GPUs, and one rounding.
extern "C" __global__ void round_states(states all, float *out, unsigned n_gpus) {
  float_state *sum = all.of[0];
  for (unsigned d = 1; d < n_gpus; d++) {
    if (threadIdx.x < number_format<float>::DIGITS)
      sum->digit[threadIdx.x] += all.of[d]->digit[threadIdx.x];
    if (threadIdx.x == 0) sum->seen |= all.of[d]->seen;
  }
  finish(sum, out, false);
}
//! [exact]

static void launch_exact(wb_launch *l) {
  const wb_shares *s = &l->shares;
  const int bytes = (int)(l->block * GROUPS * sizeof(double)); // a column for each thread
  states all = {};
  l->grid = blocks_for(s->width, l->block);
  fork(s);
  for (unsigned d = 0; d < s->devices; d++) {
    all.of[d] = (float_state *)s->room[d];
    use(d);
    WB_OK(cudaFuncSetAttribute(add_exactly, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    WB_OK(cudaMemsetAsync(all.of[d], 0, sizeof(float_state), lines[d].stream));
    add_exactly<<<l->grid, l->block, (size_t)bytes, lines[d].stream>>>(s->in[d], all.of[d],
                                                                       s->width);
  }
  join(s);
  round_states<<<1, WARP_SIZE>>>(all, (float *)l->out, s->devices);
}

#endif
