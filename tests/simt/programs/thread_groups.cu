// SPDX-License-Identifier: MIT
// One function for any group (thread_group), tiles whose size is known at run time, and the older
// forms of two graph calls.
// nvcc: -arch=sm_80
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

// The sum over a group, by a tree in shared memory; every thread of the group calls it.
__device__ int sum(cg::thread_group g, int *room, int value) {
  const unsigned rank = g.thread_rank();
  room[rank] = value;
  g.sync();
  for (unsigned half = g.size() / 2; half > 0; half /= 2) {
    if (rank < half) room[rank] += room[rank + half];
    g.sync();
  }
  const int all = room[0];
  g.sync();
  return all;
}

__global__ void sums(int *out) {
  __shared__ int room[96];
  cg::thread_block block = cg::this_thread_block();
  const int t = (int)block.thread_rank();
  out[t] = sum(block, room, t);
  cg::thread_group tile = cg::tiled_partition(block, 16);
  const int first = t / 16 * 16;
  out[64 + t] = sum(tile, room + first, t) + (int)tile.size();
  cg::thread_block_tile<8> fixed = cg::tiled_partition<8>(block);
  out[128 + t] = sum(fixed, room + t / 8 * 8, 1);
  if (t % 3 == 0) {
    cg::coalesced_group some = cg::coalesced_threads();
    cg::coalesced_group part = cg::tiled_partition(some, 4);
    out[192 + t] = (int)(100 * part.size() + part.thread_rank());
  } else {
    out[192 + t] = -1;
  }
  out[256 + t] = sum(cg::this_thread(), room + t, t);
}

__global__ void add(int *x) { atomicAdd(x, 1); }

static int run_graph(int *x) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<2, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&exec, graph, NULL, NULL, 0) != cudaSuccess) return -1;
  cudaGraphNode_t node;
  cudaGraphExecUpdateResult result;
  if (cudaGraphExecUpdate(exec, graph, &node, &result) != cudaSuccess) return -2;
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  int value;
  cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

// Both branches begin with the same question, which each asks for its own lanes.
__global__ void branches(int *out) {
  const int t = (int)threadIdx.x;
  if (t & 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    out[t] = (int)g.ballot(t > 20);
  } else {
    cg::coalesced_group g = cg::coalesced_threads();
    out[t] = (int)(g.size() * 1000 + g.ballot(t < 9));
  }
}

int main() {
  int *out, *x;
  static int h[320];
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&x, sizeof *x);
  cudaMemset(x, 0, sizeof *x);
  sums<<<1, 64>>>(out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int part = 0; part < 5; part++) {
    for (int i = 0; i < 64; i += 9) printf("%d ", h[64 * part + i]);
    printf("\n");
  }
  branches<<<1, 32>>>(out);
  cudaMemcpy(h, out, 2 * sizeof *h, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], h[1]);
  printf("%d\n", run_graph(x));
  cudaFree(out);
  cudaFree(x);
  return 0;
}
