// SPDX-License-Identifier: MIT
// gpu_wavefronts.cu - asks a real GPU how many passes over the shared-memory banks a warp's access
// needs, and how fast same-address atomics are. Not part of the build: compile it with
// `nvcc -O3 -arch=native bench/gpu_wavefronts.cu -o /tmp/wavefronts` and run it on a GPU. Its
// output for one H200 is figures/data/h200-wavefronts.csv, against which tests/simt/test_counters.c
// checks the rule of common/simt/profile/counters.h.
//
// Method: 16 warps of one block issue the same load over and over; the pipe to shared memory takes
// one wavefront per cycle, so cycles per request is the number of wavefronts.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { WARPS = 16, LOADS = 512, UNROLL = 16 };

struct Pattern {
  const char *name;
  int width_bytes;
  uint32_t mask;
  uint32_t offset[32];
};

template <int WIDTH> __device__ uint32_t load_shared(uint32_t address) {
  uint32_t a, b, c, d;
  if (WIDTH == 4) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address));
    return a;
  }
  if (WIDTH == 8) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
    return a ^ b;
  }
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(address));
  return a ^ b ^ c ^ d;
}

template <int WIDTH> __device__ void store_shared(uint32_t address, uint32_t v) {
  if (WIDTH == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(v));
  if (WIDTH == 8) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(v));
  if (WIDTH == 16)
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(v));
}

template <int WIDTH, bool STORE>
__global__ void shared_access(Pattern p, long long *cycles, uint32_t *sink) {
  __shared__ uint32_t buffer[8192];
  for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x) buffer[i] = i;
  uint32_t lane = threadIdx.x & 31u, sum = 0;
  uint32_t address = (uint32_t)__cvta_generic_to_shared(buffer) + p.offset[lane];
  __syncthreads();
  long long begin = clock64();
  if (p.mask >> lane & 1u) {
    for (int i = 0; i < LOADS / UNROLL; i++) {
#pragma unroll
      for (int j = 0; j < UNROLL; j++) {
        if (STORE) store_shared<WIDTH>(address, lane);
        else sum ^= load_shared<WIDTH>(address);
      }
    }
  }
  __syncthreads();
  long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = sum + buffer[lane];
}

template <int WIDTH, bool STORE> static double cycles_per_request(const Pattern &p) {
  long long *cycles, best = 1ll << 60;
  uint32_t *sink;
  cudaMalloc(&cycles, 8);
  cudaMalloc(&sink, WARPS * 32 * 4);
  for (int k = 0; k < 5; k++) {
    long long now;
    shared_access<WIDTH, STORE><<<1, WARPS * 32>>>(p, cycles, sink);
    cudaMemcpy(&now, cycles, 8, cudaMemcpyDeviceToHost);
    if (now < best) best = now;
  }
  cudaFree(cycles);
  cudaFree(sink);
  return (double)best / (WARPS * LOADS);
}

template <typename Offset>
static void report(const char *name, int width, uint32_t mask, Offset offset) {
  Pattern p = {name, width, mask, {}};
  for (uint32_t l = 0; l < 32; l++) p.offset[l] = (uint32_t)offset(l);
  double load = width == 4   ? cycles_per_request<4, false>(p)
                : width == 8 ? cycles_per_request<8, false>(p)
                             : cycles_per_request<16, false>(p);
  double store = width == 4   ? cycles_per_request<4, true>(p)
                 : width == 8 ? cycles_per_request<8, true>(p)
                              : cycles_per_request<16, true>(p);
  printf("%s,%d,0x%08x,%.2f,%.2f,", name, width, mask, load, store);
  for (int l = 0; l < 32; l++) printf("%s%u", l ? " " : "", p.offset[l]);
  printf("\n");
}

static void shared_patterns() {
  const uint32_t all = 0xffffffffu;
  printf("pattern,width_bytes,mask,load_cycles_per_request,store_cycles_per_request,offsets\n");
  for (int stride = 1; stride <= 32; stride *= 2) {
    char name[32];
    snprintf(name, sizeof name, "stride%d", stride);
    report(name, 4, all, [=](uint32_t l) { return l * 4u * (uint32_t)stride; });
  }
  report("stride33", 4, all, [](uint32_t l) { return l * 132u; });
  report("broadcast", 4, all, [](uint32_t) { return 64u; });
  report("two words of one bank", 4, all, [](uint32_t l) { return (l & 1u) * 128u; });
  report("reversed", 4, all, [](uint32_t l) { return (31u - l) * 4u; });
  for (int w = 8; w <= 16; w *= 2) {
    uint32_t u = (uint32_t)w;
    report("contiguous", w, all, [=](uint32_t l) { return l * u; });
    report("broadcast", w, all, [](uint32_t) { return 64u; });
    report("first 8 lanes", w, 0xffu, [=](uint32_t l) { return l * u; });
    report("first 16 lanes", w, 0xffffu, [=](uint32_t l) { return l * u; });
    report("first 24 lanes", w, 0xffffffu, [=](uint32_t l) { return l * u; });
    report("even lanes", w, 0x55555555u, [=](uint32_t l) { return l * u; });
    report("even lanes packed", w, 0x55555555u, [=](uint32_t l) { return l / 2 * u; });
    report("every 4th lane packed", w, 0x11111111u, [=](uint32_t l) { return l / 4 * u; });
    report("lanes 0-7 and 16-23 packed", w, 0x00ff00ffu,
           [=](uint32_t l) { return (l % 16 + l / 16 * 8) * u; });
    report("lanes 0-3 of each 8 packed", w, 0x0f0f0f0fu,
           [=](uint32_t l) { return (l % 8 + l / 8 * 4) * u; });
    report("pairs share", w, all, [=](uint32_t l) { return l / 2 * u; });
    report("lane and lane^2 share", w, all,
           [=](uint32_t l) { return (l & 1u | l >> 1 & 14u) * u; });
    report("lane and lane^4 share", w, all,
           [=](uint32_t l) { return (l & 3u | l >> 1 & 12u) * u; });
    report("fours share", w, all, [=](uint32_t l) { return l / 4 * u; });
    report("eights share", w, all, [=](uint32_t l) { return l / 8 * u; });
    report("halves share", w, all, [=](uint32_t l) { return l % 16 * u; });
    report("quarters share", w, all, [=](uint32_t l) { return l % 8 * u; });
    report("stride 2", w, all, [=](uint32_t l) { return l * 2 * u; });
    report("stride 4", w, all, [=](uint32_t l) { return l * 4 * u; });
    report("stride 3", w, all, [=](uint32_t l) { return l * 3 * u; });
    report("same bank", w, all, [](uint32_t l) { return l * 128; });
    report("two lanes far apart, same bank", w, 0x80000001u, [](uint32_t l) { return l * 128; });
    report("two lanes far apart, other bank", w, 0x80000001u, [=](uint32_t l) { return l * u; });
    report("pairs share in the lower half", w, all,
           [=](uint32_t l) { return (l < 16 ? l / 2 : l) * u; });
    report("pairs share in lanes 0-7 of each half", w, all,
           [=](uint32_t l) { return (l & 8u ? l : l / 2) * u; });
    report("lower half lane^1 upper half lane^2", w, all,
           [=](uint32_t l) { return (l < 16 ? l / 2 : 16 + (l & 1u | l >> 1 & 6u)) * u; });
    report("upper half shares, lower half sleeps", w, 0xffff0000u,
           [=](uint32_t l) { return l / 2 * u; });
    report("lower half shares, upper half one word each", w, all,
           [=](uint32_t l) { return l < 16 ? 0 : l * u; });
    report("bit-reversed", w, all, [=](uint32_t l) {
      return (l >> 4 & 1u | l >> 2 & 2u | l & 4u | l << 2 & 8u | l << 4 & 16u) * u;
    });
  }
}

// One address known to the compiler (aggregated for int), or one it cannot know to be common.
template <typename T> __global__ void atomic_known(T *out, const T *x) {
  atomicAdd(out, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
template <typename T> __global__ void atomic_unknown(T *out, const T *x, uint32_t modulus) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + i % modulus, x[i]);
}
template <typename T> __global__ void atomic_used(T *out, const T *x, T *old) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = atomicAdd(out, x[i]);
}
template <typename T> __global__ void atomic_per_block(T *out, const T *x) {
  if (threadIdx.x == 0) atomicAdd(out, x[blockIdx.x]);
}
template <typename T> __global__ void atomic_shared(T *out, const T *x, uint32_t modulus) {
  __shared__ T bins[1024];
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  T v = x[threadIdx.x];
  for (int k = 0; k < 256; k++) atomicAdd(&bins[(threadIdx.x + k * 32u) % modulus], v);
  __syncthreads();
  atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}

template <typename Launch> static double best_ms(Launch launch) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float best = 1e30f;
  for (int k = 0; k < 7; k++) {
    float ms;
    cudaEventRecord(a);
    launch();
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    if (ms < best) best = ms;
  }
  return best;
}

template <typename T> static void atomics(const char *type) {
  const uint32_t n = 1u << 24;
  T *x, *out, *old;
  cudaMalloc(&x, n * sizeof(T));
  cudaMalloc(&old, n * sizeof(T));
  cudaMalloc(&out, 1 << 20);
  cudaMemset(x, 0, n * sizeof(T));
  cudaMemset(out, 0, 1 << 20);
  printf("atomic known address,%s,%.4f ms,%u lanes\n", type,
         best_ms([=] { atomic_known<<<n / 256, 256>>>(out, x); }), n);
  printf("atomic known address result used,%s,%.4f ms,%u lanes\n", type,
         best_ms([=] { atomic_used<<<n / 256, 256>>>(out, x, old); }), n);
  for (uint32_t m = 1; m <= 1024; m *= 4)
    printf("atomic modulus %u,%s,%.4f ms,%u lanes\n", m, type,
           best_ms([=] { atomic_unknown<<<n / 256, 256>>>(out, x, m); }), n);
  printf("atomic per block,%s,%.4f ms,%u lanes\n", type,
         best_ms([=] { atomic_per_block<<<1 << 20, 256>>>(out, x); }), 1u << 20);
  printf("no atomic,%s,%.4f ms,%u blocks\n", type,
         best_ms([=] { atomic_per_block<<<1 << 20, 32>>>(out, x); }), 1u << 20);
  for (uint32_t m = 1; m <= 1024; m *= 2)
    printf("shared atomic modulus %u,%s,%.4f ms,%u requests per SM\n", m, type,
           best_ms([=] { atomic_shared<<<132 * 8, 256>>>(out, x, m); }), 8u * 8 * 256);
  cudaFree(x);
  cudaFree(out);
  cudaFree(old);
}

int main() {
  shared_patterns();
  atomics<int>("int");
  atomics<float>("float");
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
