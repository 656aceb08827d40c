// SPDX-License-Identifier: MIT
// simtcc: -arch=sm_90
// nvcc: -arch=sm_90
//
// Bulk copies that one thread asks for: to shared memory, where an mbarrier counts their bytes, and
// back to global memory; two stages in flight; and as cuda::memcpy_async of nvcc's headers makes
// them of aligned pieces.
#include <cstdint>
#include <cstdio>
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

static __device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ void copy_in(void *to, const void *from, uint32_t bytes, uint64_t *counter) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(at(to)),
               "l"(from), "r"(bytes), "r"(at(counter))
               : "memory");
}
static __device__ void expect(uint64_t *counter, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(counter)), "r"(bytes)
               : "memory");
}
static __device__ void wait(uint64_t *counter, uint32_t phase) {
  uint32_t is_done = 0;
  while (!is_done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_done)
                 : "r"(at(counter)), "r"(phase)
                 : "memory");
}

static __global__ void there_and_back(int *data, int step) {
  __shared__ alignas(128) int s[256];
  __shared__ alignas(8) uint64_t counter;
  const int t = (int)threadIdx.x, first = (int)blockIdx.x * 256;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&counter)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    expect(&counter, 1024);
    copy_in(s, data + first, 512, &counter);
    copy_in(s + 128, data + first + 128, 512, &counter);
  }
  wait(&counter, 0);
  for (int i = t; i < 256; i += (int)blockDim.x) s[i] += step + i % 3;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(data + first),
                 "r"(at(s)), "r"(1024)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

static __global__ void stages(const float *in, float *out, int n_tiles) {
  __shared__ alignas(128) float tiles[2][128];
  __shared__ alignas(8) uint64_t counters[2];
  const int t = (int)threadIdx.x;
  if (t < 2) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&counters[t])) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  float sum = 0;
  for (int k = -1; k < n_tiles; k++) {
    if (t == 0 && k + 1 < n_tiles) {
      uint64_t *counter = &counters[(k + 1) & 1];
      expect(counter, 512);
      copy_in(tiles[(k + 1) & 1], in + (k + 1) * 128, 512, counter);
    }
    if (k < 0) continue;
    wait(&counters[k & 1], (uint32_t)(k >> 1) & 1);
    sum = sum * 0.5f + tiles[k & 1][(t + k) & 127];
    __syncthreads();
  }
  out[t] = sum;
}

static __global__ void pieces(const int *in, int *out) {
  __shared__ alignas(16) int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    if (threadIdx.x == 0) cuda::memcpy_async(s, in + 64 * k, cuda::aligned_size_t<16>(256), b);
    b.arrive_and_wait();
    sum = sum * 3 + s[(threadIdx.x * 5 + 1) & 63];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *data;
  float *in, *out;
  cudaMallocManaged(&data, 4096);
  cudaMallocManaged(&in, 7 * 512);
  cudaMallocManaged(&out, 512);
  for (int i = 0; i < 1024; i++) data[i] = i * 5;
  for (int i = 0; i < 7 * 128; i++) in[i] = (float)(i % 31) - 9.5f;
  there_and_back<<<4, 64>>>(data, 1000);
  stages<<<1, 128>>>(in, out, 7);
  cudaDeviceSynchronize();
  for (int i = 0; i < 1024; i += 73) printf("%d ", data[i]);
  printf("\n");
  for (int i = 0; i < 128; i += 17) printf("%a ", out[i]);
  printf("\n");
  pieces<<<1, 64>>>(data, (int *)out);
  const cudaError_t error = cudaDeviceSynchronize();
  for (int i = 0; i < 64; i += 9) printf("%d ", ((int *)out)[i]);
  printf("%s\n", cudaGetErrorName(error));
  cudaFree(data);
  cudaFree(in);
  cudaFree(out);
}
