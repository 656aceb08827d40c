// SPDX-License-Identifier: MIT
// shared.cu - shared memory, barriers and atomics on shared memory.
#include "calibrate.cuh"

enum { WORDS = 8192, LINKS = 256, BARRIERS = 64 };

__global__ void chase_shared(long long *out, uint32_t *sink) {
  __shared__ uint32_t s[WORDS];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = (uint32_t)(i + 33) % WORDS;
  __syncthreads();
  uint32_t at = threadIdx.x;
  long long t0 = clock64();
  for (int i = 0; i < LINKS; i++) at = s[at];
  long long t1 = clock64();
  if (threadIdx.x == 0) *out = t1 - t0;
  if (at == 0xffffffffu) *sink = at;
}

__device__ __forceinline__ uint32_t load_words(uint32_t at, int words) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
  if (words == 2)
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
  if (words == 4)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));
  return a + b + c + d;
}

// 32 warps load, neighbouring lanes neighbouring words; CONFLICT: lanes this many words apart.
template <int VECTOR, int CONFLICT, bool STORE>
__global__ void __launch_bounds__(1024) touch_shared(long long *out, uint32_t *sink) {
  __shared__ __align__(16) uint32_t s[WORDS];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = (uint32_t)i;
  uint32_t base = (uint32_t)__cvta_generic_to_shared(s), sum = 0;
  // Warps apart, lanes CONFLICT vectors apart.
  uint32_t word = (threadIdx.x % 32 * VECTOR * CONFLICT + threadIdx.x / 32 * VECTOR * 32) % WORDS;
  uint32_t at = base + word * 4;
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 16
  for (int i = 0; i < LINKS; i++) {
    if (STORE) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(sum));
    else sum += load_words(at, VECTOR);
  }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  if (sum == 0x12345677u) *sink = sum;
}

// SPREAD: words between neighbouring lanes' targets; 0: all on one word. Results are not used.
template <class T, int SPREAD>
__global__ void __launch_bounds__(1024) add_shared(long long *out, int n_links) {
  __shared__ T s[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0;
  __syncthreads();
  long long t0 = clock64();
  for (int i = 0; i < n_links; i++) atomicAdd(&s[threadIdx.x * SPREAD % 2048], (T)i);
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}

// The same with results that the next address depends on.
__global__ void chase_atomic(long long *out, uint32_t *sink) {
  __shared__ uint32_t s[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = 0;
  __syncthreads();
  uint32_t at = threadIdx.x;
  long long t0 = clock64();
  for (int i = 0; i < LINKS; i++) at = threadIdx.x + atomicAdd(&s[at], 0u);
  long long t1 = clock64();
  if (threadIdx.x == 0) *out = t1 - t0;
  if (at == 0xffffffffu) *sink = at;
}

__global__ void barriers(long long *out) {
  __syncthreads();
  long long t0 = clock64();
#pragma unroll
  for (int i = 0; i < BARRIERS; i++) __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}

static double cycles_of(const Bench &b) {
  long long cycles = 0;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&cycles, b.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
  return (double)cycles;
}

template <class Launch> static double best(const Bench &b, Launch launch) {
  double least = 1e30;
  for (int i = 0; i < (b.quick ? 1 : 3); i++) {
    launch();
    least = std::min(least, cycles_of(b));
  }
  return least;
}

template <int VECTOR, int CONFLICT, bool STORE>
static void touch(const Bench &b, const char *name) {
  double cycles =
      best(b, [&] { touch_shared<VECTOR, CONFLICT, STORE><<<b.n_sms, 1024>>>(b.cycles, b.sink); });
  row(name, cycles / (32.0 * LINKS), "cycles per warp and SM");
}

template <class T, int SPREAD> static void add(const Bench &b, const char *name) {
  int n = 64;
  double cycles = best(b, [&] { add_shared<T, SPREAD><<<b.n_sms, 1024>>>(b.cycles, n); });
  row(name, cycles / (32.0 * n), "cycles per warp and SM");
}

static void measure_barriers(const Bench &b) {
  for (int warps = 1; warps <= 32; warps *= 2) {
    char text[64];
    double cycles = best(b, [&] { barriers<<<1, warps * 32>>>(b.cycles); });
    snprintf(text, sizeof text, "latency_barrier_%d_warps", warps);
    row(text, cycles / BARRIERS, "cycles");
  }
  double ms = median_ms(b, 5, [&] { barriers<<<b.n_sms * 64, 256>>>(b.cycles + 1); });
  row("barrier_8_blocks_of_8_warps_ms", ms, "ms");
}

void calibrate_shared(const Bench &b) {
  row("latency_shared_load", best(b, [&] { chase_shared<<<1, 32>>>(b.cycles, b.sink); }) / LINKS,
      "cycles");
  touch<1, 1, false>(b, "interval_shared_load_4");
  touch<2, 1, false>(b, "interval_shared_load_8");
  touch<4, 1, false>(b, "interval_shared_load_16");
  touch<1, 2, false>(b, "interval_shared_load_2_way");
  touch<1, 8, false>(b, "interval_shared_load_8_way");
  touch<1, 32, false>(b, "interval_shared_load_32_way");
  touch<1, 1, true>(b, "interval_shared_store_4");
  touch<1, 8, true>(b, "interval_shared_store_8_way");
  row("latency_shared_atomic", best(b, [&] { chase_atomic<<<1, 32>>>(b.cycles, b.sink); }) / LINKS,
      "cycles");
  row("latency_shared_atomic_one_word",
      best(b, [&] { add_shared<uint32_t, 0><<<1, 32>>>(b.cycles, 64); }) / 64, "cycles");
  add<uint32_t, 1>(b, "interval_shared_atomic_u32");
  add<uint32_t, 0>(b, "interval_shared_atomic_u32_one_word");
  add<uint32_t, 8>(b, "interval_shared_atomic_u32_8_way");
  add<float, 1>(b, "interval_shared_atomic_f32");
  add<float, 0>(b, "interval_shared_atomic_f32_one_word");
  add<unsigned long long, 1>(b, "interval_shared_atomic_u64");
  measure_barriers(b);
}
