// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80 -diag-suppress 20054
//
// Asynchronous copies: barriers with arrive and wait, pipelines of a block and of a thread, copies
// of a group, the C interface.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void barrier_copy(const int *in, int *out) {
  __shared__ int s[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof s, bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void block_pipeline(const int *in, int *out) {
  __shared__ int s[2][128];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto pipe = cuda::make_pipeline(block, &st);
  int sum = 0;
  for (int i = 0, f = 0; i < 4; i++) {
    for (; f < 4 && f < i + 2; f++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[f % 2], in + f * 128, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[i % 2][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void group_copy(const int *in, int *out) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void primitives(const int4 *in, int *out) {
  __shared__ int4 s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x].x;
}
__global__ void thread_pipeline(const int *in, int *out) {
  auto p = cuda::make_pipeline();
  __shared__ int s[64];
  p.producer_acquire();
  cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<4>(4), p);
  p.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(p);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
  p.consumer_release();
}
__global__ void arrive_then_wait(int *out) { // split arrive/wait
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  auto t = bar.arrive();
  int own = threadIdx.x * 2;
  bar.wait(std::move(t));
  out[threadIdx.x] = own + s[63 - threadIdx.x];
  if (threadIdx.x % 2) bar.arrive_and_drop();
  else {
    bar.arrive_and_wait();
    bar.arrive_and_wait();
  }
}
int main() {
  int *in, *out;
  cudaMallocManaged(&in, 2048);
  cudaMallocManaged(&out, 2048);
  for (int i = 0; i < 512; i++) in[i] = i;
  auto show = [&](const char *n, int k) {
    printf("%s %s:", n, cudaGetErrorName(cudaDeviceSynchronize()));
    long h = 0;
    for (int i = 0; i < k; i++) h = h * 31 + out[i];
    printf(" %d %d %ld\n", out[0], out[k - 1], h);
  };
  barrier_copy<<<1, 256>>>(in, out);
  show("a", 256);
  block_pipeline<<<1, 128>>>(in, out);
  show("b", 128);
  group_copy<<<1, 256>>>(in, out);
  show("c", 256);
  primitives<<<1, 64>>>((int4 *)in, out);
  show("d", 64);
  thread_pipeline<<<1, 64>>>(in, out);
  show("e", 64);
  arrive_then_wait<<<1, 64>>>(out);
  show("f", 64);
  cudaFree(in);
  cudaFree(out);
}
