// SPDX-License-Identifier: MIT
// simtcc: -arch=sm_90
// nvcc: -arch=sm_90
//
// Blocks of a cluster that wait at mbarriers of their own: for bulk reductions of another block,
// and for its threads, with and without a scope. Bulk reductions into global memory, atomics on
// vectors, and how much shared memory a block has.
#include <cstdint>
#include <cstdio>

static __device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
static __device__ uint32_t of_block(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
static __device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ uint32_t start(uint64_t *b, int count) {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  return rank;
}
#define WAIT(words, b, phase)                                                                      \
  do {                                                                                             \
    uint32_t done = 0;                                                                             \
    while (!done)                                                                                  \
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity" words ".b64 p, [%1], %2;\n"          \
                   "selp.u32 %0, 1, 0, p; }"                                                       \
                   : "=r"(done)                                                                    \
                   : "r"(at(b)), "r"(phase)                                                        \
                   : "memory");                                                                    \
  } while (0)

static __global__ void __cluster_dims__(2) sums(int *out) {
  __shared__ alignas(16) int own[32], sum[32];
  __shared__ alignas(8) uint64_t b;
  const uint32_t rank = start(&b, 1), t = threadIdx.x;
  own[t] = (int)(t + 100 * rank);
  sum[t] = 1000;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (t == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(at(&b)) : "memory");
  meet();
  if (t == 0)
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 "
        "[%0], [%1], 128, [%2];" ::"r"(of_block(at(sum), rank ^ 1)),
        "r"(at(own)), "r"(of_block(at(&b), rank ^ 1))
        : "memory");
  WAIT(".shared", &b, 0);
  out[blockIdx.x * 32 + t] = sum[t];
  meet();
}

static __global__ void __cluster_dims__(2) words(int *out, int rounds) {
  __shared__ int box[32];
  __shared__ alignas(8) uint64_t b;
  const uint32_t rank = start(&b, 32), t = threadIdx.x;
  meet();
  for (int k = 0; k < rounds; k++) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(of_block(at(&box[t]), rank ^ 1)),
                 "r"(k * 100 + rank * 1000 + t)
                 : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     of_block(at(&b), rank ^ 1))
                 : "memory");
    WAIT(".acquire.cluster.shared::cta", &b, k & 1);
    out[(blockIdx.x * rounds + k) * 32 + t] = box[31 - t];
    meet();
  }
}

static __global__ void reductions(int *out, float *sums) {
  __shared__ alignas(16) int s[64];
  __shared__ alignas(16) float f[64];
  s[threadIdx.x] = (int)threadIdx.x * 3 - 50;
  f[threadIdx.x] = threadIdx.x * .25f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
#define REDUCE(op, to, from)                                                                       \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op                            \
               " [%0], [%1], 256;" ::"l"(to),                                                      \
               "r"(at(from))                                                                       \
               : "memory")
  REDUCE("add.s32", out, s);
  REDUCE("min.s32", out + 64, s);
  REDUCE("max.u32", out + 128, s);
  REDUCE("and.b32", out + 192, s);
  REDUCE("xor.b32", out + 256, s);
  REDUCE("inc.u32", out + 320, s);
  REDUCE("add.f32", sums, f);
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static __global__ void vectors(float *f, unsigned *h) {
  const int t = (int)threadIdx.x;
  float a, b;
  unsigned x, y;
  asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
               : "=f"(a), "=f"(b)
               : "l"(f), "f"(2.f), "f"((float)t)
               : "memory");
  asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %2, %2};" ::"l"(f + 4), "f"(.5f), "f"(-1.f)
               : "memory");
  asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %1, %2, %2};" ::"l"(h), "r"(0x3f804000),
               "r"(0x40003f80)
               : "memory");
  asm volatile("red.global.min.noftz.v8.f16 [%0], {%1, %2, %1, %2, %1, %2, %3, %3};" ::"l"(h + 4),
               "h"((short)(0x3c00 + t)), "h"((short)(0x4400 - t)), "h"((short)0x7e00)
               : "memory");
  asm volatile("atom.global.max.noftz.v2.f16x2 {%0, %1}, [%2], {%3, %4};"
               : "=r"(x), "=r"(y)
               : "l"(h + 8), "r"(0x80000000u | (unsigned)t), "r"(0x3c003c00 + t)
               : "memory");
}

static __global__ void sizes(unsigned *out) {
  unsigned total;
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  *out = total;
}

int main() {
  int *data;
  float *f;
  unsigned *h;
  cudaMallocManaged(&data, 4096);
  cudaMallocManaged(&f, 1024);
  cudaMallocManaged(&h, 1024);
  sums<<<4, 32>>>(data);
  printf("%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 128; i += 11) printf(" %d", data[i]);
  words<<<4, 32>>>(data, 3);
  printf("\n%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 384; i += 29) printf(" %d", data[i]);
  for (int i = 0; i < 384; i++) data[i] = i < 192 ? 7 : i * 5 - 1700;
  for (int i = 0; i < 64; i++) f[i] = 1;
  reductions<<<2, 64>>>(data, f);
  printf("\n%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 384; i += 19) printf(" %d", data[i]);
  for (int i = 0; i < 64; i += 9) printf(" %g", f[i]);
  for (int i = 0; i < 16; i++) f[i] = 0, h[i] = i >= 4 && i < 8 ? 0x7bff7bff : 0;
  vectors<<<2, 32>>>(f, h);
  printf("\n%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 8; i++) printf(" %g", f[i]);
  for (int i = 0; i < 10; i++) printf(" %08x", h[i]);
  printf("\n");
  for (int bytes : {0, 1, 128, 129, 400}) {
    sizes<<<1, 1, bytes>>>(h);
    cudaDeviceSynchronize();
    printf("%d %u\n", bytes, h[0]);
  }
  cudaFree(data);
  cudaFree(f);
  cudaFree(h);
}
