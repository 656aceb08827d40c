// SPDX-License-Identifier: MIT
// warp_sum.cu - what the stepper's test steps through: a sum by shuffles, first in each warp, then,
// through shared memory, over the warps of a block. warp_sum.ptx is made from it:
// clang-format off
//   simtcc -ptx warp_sum.cu -o warp_sum.ptx
extern "C" __global__ void warp_sum(const int *in, int *out, int n) {
  __shared__ int partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  if (i < n)
    sum = in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp > 0)
    return;
  sum = lane < blockDim.x / 32 ? partial[lane] : 0;
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    out[blockIdx.x] = sum;
}
