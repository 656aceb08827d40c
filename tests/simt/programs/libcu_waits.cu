// SPDX-License-Identifier: MIT
// simtcc: -arch=sm_90
// nvcc: -arch=sm_90
//
// Barriers of libcu++ with a completion function and of the device's scope, atomics of small types,
// bulk copies of cuda/barrier, scans of large tiles, a reduction into a temporary atomic_ref.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/utility>
namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
#pragma nv_diag_suppress static_var_with_dynamic_init
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
struct count_phase {
  int *phases;
  __device__ void operator()() noexcept { ++*phases; }
};
__global__ void completions(int *out) {
  using barrier = cuda::barrier<cuda::thread_scope_block, count_phase>;
  __shared__ int phases;
  __shared__ alignas(16) unsigned char room[sizeof(barrier)];
  barrier *b = reinterpret_cast<barrier *>(room);
  if (threadIdx.x == 0) {
    phases = 0;
    new (b) barrier(blockDim.x, count_phase{&phases});
  }
  __syncthreads();
  for (int i = 0; i < 5; i++) {
    auto token = b->arrive();
    b->wait(cuda::std::move(token));
    out[threadIdx.x] = phases;
    b->arrive_and_wait();
  }
  if (threadIdx.x % 4 == 3) {
    b->arrive_and_drop();
    return;
  }
  b->arrive_and_wait();
  b->arrive_and_wait();
  if (threadIdx.x == 0) out[64] = phases;
}
__device__ alignas(64) unsigned char grid_room[128];
__global__ void start(int n) {
  using barrier = cuda::barrier<cuda::thread_scope_device>;
  new (grid_room) barrier(n);
}
__global__ void across(int *data, int rounds) {
  auto &b = *reinterpret_cast<cuda::barrier<cuda::thread_scope_device> *>(grid_room);
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    const int next = data[(r & 1) * n + (i + 35) % n] + r;
    data[(~r & 1) * n + i] = next;
    b.arrive_and_wait();
  }
}
__device__ cuda::atomic<bool, cuda::thread_scope_device> ready{false};
__device__ cuda::atomic<short, cuda::thread_scope_device> shorts{-3};
__device__ cuda::atomic<unsigned char, cuda::thread_scope_device> bytes{250};
__device__ int message;
__global__ void small(int *out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      message = 77;
      ready.store(true, cuda::memory_order_release);
    }
  } else if (threadIdx.x == 0) {
    while (!ready.load(cuda::memory_order_acquire)) {}
    out[blockIdx.x] = message;
  }
  shorts.fetch_add(-2);
  bytes.fetch_add(3, cuda::memory_order_relaxed);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    unsigned char old = 1;
    bytes.compare_exchange_strong(old, 9);
    out[9] = (int)sizeof ready + (int)sizeof shorts;
  }
}
__global__ void bulk(const int *in, int *out) {
  __shared__ alignas(16) int s[256];
  __shared__ block_barrier b;
  if (threadIdx.x == 0) {
    init(&b, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  block_barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_global_to_shared(s, in, sizeof s, b);
    token = cuda::device::barrier_arrive_tx(b, 1, sizeof s);
  } else token = b.arrive();
  b.wait(cuda::std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = s[i] * 3 + i;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(out, s, sizeof s);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
__global__ void large(int *out) {
  __shared__ cg::block_tile_memory<256> room;
  auto block = cg::this_thread_block(room);
  auto tile = cg::tiled_partition<128>(block);
  out[threadIdx.x] = cg::inclusive_scan(tile, (int)threadIdx.x % 5) * 1000 +
                     cg::exclusive_scan(tile, 1, cg::plus<int>());
  auto warp = cg::tiled_partition<32>(block);
  cg::reduce_update_async(warp, cuda::atomic_ref<int, cuda::thread_scope_device>(out[300]),
                          (int)threadIdx.x, cg::plus<int>());
}
int main() {
  int *data;
  cudaMallocManaged(&data, 4096);
  for (int i = 0; i < 1024; i++) data[i] = 0;
  completions<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", data[0], data[62], data[64]);
  for (int i = 0; i < 512; i++) data[i] = i;
  start<<<1, 1>>>(256);
  across<<<4, 64>>>(data, 6);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 256; i++) sum = sum * 7 + data[i];
  printf("%d\n", sum);
  small<<<3, 32>>>(data);
  cudaDeviceSynchronize();
  int s = 0;
  unsigned char b = 0;
  cudaMemcpyFromSymbol(&s, shorts, 2);
  cudaMemcpyFromSymbol(&b, bytes, 1);
  printf("%d %d %d %d %d\n", data[1], data[2], data[9], (short)s, b);
  for (int i = 0; i < 256; i++) data[i] = i * 7;
  bulk<<<1, 64>>>(data, data + 512);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; i += 51) printf("%d ", data[512 + i]);
  printf("\n");
  data[300] = 0;
  large<<<1, 256>>>(data);
  const cudaError_t e = cudaDeviceSynchronize();
  for (int i = 0; i < 256; i += 37) printf("%d ", data[i]);
  printf("%d %s\n", data[300], cudaGetErrorName(e));
}
