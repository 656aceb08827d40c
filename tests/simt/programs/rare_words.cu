// SPDX-License-Identifier: MIT
// Atomics of 2 and 16 bytes whose order is an argument, accesses for memory-mapped devices, special
// registers that few programs ask for, and questions about parameters.
// flags: -arch=sm_90
#include <cstdio>

struct alignas(16) pair {
  long long first, second;
};

__global__ void count(pair *sum, unsigned short *half) {
  pair seen;
  __nv_atomic_load(sum, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  for (bool done = false; !done;) {
    pair next = {seen.first + 1, seen.second + (int)threadIdx.x};
    done = __nv_atomic_compare_exchange(sum, &seen, &next, false, __NV_ATOMIC_ACQ_REL,
                                        __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  if (threadIdx.x) return;
  unsigned short expected = 3, wanted = 7;
  const bool swapped =
      __nv_atomic_compare_exchange(half, &expected, &wanted, false, __NV_ATOMIC_RELAXED,
                                   __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  pair stored = {8, 9};
  __nv_atomic_store(sum + 1, &stored, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  printf("%d %d\n", swapped, expected);
}

__global__ void ask(const __grid_constant__ pair given, unsigned *word) {
  unsigned value, bytes;
  unsigned long long graph;
  asm volatile("ld.mmio.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word));
  asm volatile("st.mmio.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value + 1) : "memory");
  asm volatile("mov.u32 %0, %%aggr_smem_size;" : "=r"(bytes));
  asm volatile("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));
  const size_t address = __cvta_generic_to_grid_constant(&given);
  const pair *same = (const pair *)__cvta_grid_constant_to_generic(address);
  printf("%u %d %llu %d %lld\n", *word, bytes > 0, graph, __isGridConstant(word), same->second);
}

int main() {
  pair *sum;
  unsigned short *half;
  cudaMallocManaged(&sum, 2 * sizeof *sum);
  cudaMallocManaged(&half, 2 * sizeof(unsigned));
  sum[0] = sum[1] = {0, 0};
  half[0] = 3;
  half[2] = half[3] = 0;
  count<<<1, 64>>>(sum, half);
  cudaDeviceSynchronize();
  printf("%lld %lld %lld %lld %d\n", sum[0].first, sum[0].second, sum[1].first, sum[1].second,
         half[0]);
  ask<<<1, 1>>>(sum[1], (unsigned *)half + 1);
  cudaDeviceSynchronize();
  cudaFree(sum);
  cudaFree(half);
}
