// SPDX-License-Identifier: MIT
// One atomic for all lanes of a warp that come together: the first of them adds for all and hands
// its result on. The variable has no value in the other lanes before the shuffle, which a compiler
// must not take for a promise that there are none.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ int next_of_group(int *counter) {
  cg::coalesced_group group = cg::coalesced_threads();
  int first;
  if (group.thread_rank() == 0) first = atomicAdd(counter, (int)group.size());
  return group.shfl(first, 0) + (int)group.thread_rank();
}

__device__ int next_of_mask(int *counter) {
  unsigned mask = __activemask();
  int lane = threadIdx.x % 32, leader = __ffs((int)mask) - 1, first;
  if (lane == leader) first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  return first + __popc(mask & ((1u << lane) - 1));
}

__device__ int next_of_tile(int *counter, bool is_wanted) {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned wanted = tile.ballot(is_wanted);
  int first;
  if (tile.thread_rank() == 0) first = atomicAdd(counter, __popc(wanted));
  first = tile.shfl(first, 0);
  return first + __popc(wanted & ((1u << tile.thread_rank()) - 1));
}

__global__ void filter(const int *in, int n, int *counters, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_wanted = i < n && in[i] % 3 == 1;
  int at = next_of_tile(&counters[2], is_wanted);
  if (!is_wanted) return;
  out[2 * n + at] = in[i];
  out[next_of_group(&counters[0])] = in[i];
  out[n + next_of_mask(&counters[1])] = in[i];
}

int main() {
  enum { N = 1000 };
  static int in[N], out[3][N];
  int *device_in, *device_out, *counters, counted[3];
  for (int i = 0; i < N; i++) in[i] = i * 7 % 1000;
  cudaMalloc(&device_in, sizeof in);
  cudaMalloc(&device_out, sizeof out);
  cudaMalloc(&counters, sizeof counted);
  cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(device_out, 0, sizeof out);
  cudaMemset(counters, 0, sizeof counted);
  filter<<<(N + 127) / 128, 128>>>(device_in, N, counters, device_out);
  cudaMemcpy(counted, counters, sizeof counted, cudaMemcpyDeviceToHost);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  int wanted = 0, total = 0;
  for (int i = 0; i < N; i++)
    if (in[i] % 3 == 1) wanted++, total += in[i];
  for (int way = 0; way < 3; way++) {
    int sum = 0;
    for (int i = 0; i < N; i++) sum += out[way][i];
    printf("way %d: %s, %s\n", way, counted[way] == wanted ? "counted right" : "miscounted",
           sum == total ? "all there" : "some lost");
  }
  cudaFree(device_in);
  cudaFree(device_out);
  cudaFree(counters);
}
