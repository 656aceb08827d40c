// SPDX-License-Identifier: MIT
// memory.cu - global memory: latencies by a chain of addresses, bandwidths of L1, L2 and DRAM, how
// they grow with the bytes in flight, and what scattered accesses cost.
#include "calibrate.cuh"

enum { LINE = 128, STEPS = 2048 };

// ---- latency -----------------------------------------------------------------------------------

__global__ void make_chain(char *buffer, uint64_t n_lines, uint64_t step) {
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n_lines;
       i += (uint64_t)gridDim.x * blockDim.x)
    *(uint64_t *)(buffer + i * LINE) = (i + step) % n_lines * LINE;
}

__global__ void chase(const char *buffer, uint64_t at, int n_steps, long long *out,
                      uint32_t *sink) {
  long long t0 = clock64();
  for (int i = 0; i < n_steps; i++) at = *(const volatile uint64_t *)(buffer + at);
  long long t1 = clock64();
  *out = t1 - t0;
  if (at == 1) *sink = 1;
}
__global__ void chase_l1(const char *buffer, int n_steps, long long *out, uint32_t *sink) {
  uint64_t at = 0;
  long long t0 = 0;
  for (int round = 0; round < 2; round++) {
    t0 = clock64();
    for (int i = 0; i < n_steps; i++)
      asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(at) : "l"(buffer + at));
  }
  long long t1 = clock64();
  *out = t1 - t0;
  if (at == 1) *sink = 1;
}

static void measure_chain(const Bench &b, const char *name, size_t bytes, bool l1) {
  if (bytes > b.bytes) bytes = b.bytes;
  uint64_t n = bytes / LINE, step = n / 3 | 1;
  int n_steps = l1 ? (int)n : STEPS;
  while (n % step == 0 || step % 3 == 0) step += 2;
  long long cycles = 0, least = 1ll << 60;
  make_chain<<<256, 256>>>(b.buffer, n, step);
  for (int i = 0; i < (b.quick ? 1 : 3); i++) { // each time elsewhere: else it is in the L2
    if (l1) chase_l1<<<1, 1>>>(b.buffer, n_steps, b.cycles, b.sink);
    else chase<<<1, 1>>>(b.buffer, n / 8 * (uint64_t)i * LINE, n_steps, b.cycles, b.sink);
    OK(cudaMemcpy(&cycles, b.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    least = std::min(least, cycles);
  }
  row(name, (double)least / n_steps, "cycles");
}

// ---- bandwidth ---------------------------------------------------------------------------------

__device__ __forceinline__ float all_of(float v) { return v; }
__device__ __forceinline__ float all_of(float4 v) { return v.x + v.y + v.z + v.w; }

// Every thread has UNROLL loads of a V in flight; `rounds` times over n elements of memory.
template <class V, int UNROLL>
__global__ void read(const V *x, uint64_t n, int rounds, uint32_t *sink) {
  uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
  float sum = 0;
  for (int r = 0; r < rounds; r++) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    for (; i + (UNROLL - 1) * stride < n; i += UNROLL * stride) {
      V v[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; k++) v[k] = __ldcg(&x[i + k * stride]);
#pragma unroll
      for (int k = 0; k < UNROLL; k++) sum += all_of(v[k]);
    }
  }
  if (sum == 0x12345677u) *sink = sum;
}

// A block's own piece of memory, over and over, out of L1: eight loads of WORDS words per thread.
template <int WORDS> __global__ void read_l1(const float *x, int rounds, uint32_t *sink) {
  const float *mine = x + (uint64_t)blockIdx.x * 8 * 1024 * WORDS + threadIdx.x * WORDS;
  float sum = 0, a = 0, b = 0, c = 0, d = 0;
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const float *at = mine + k * 1024 * WORDS;
      if (WORDS == 1) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(a) : "l"(at) : "memory");
      else
        asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(at)
                     : "memory");
      sum += a + b + c + d;
    }
    __syncthreads();
  }
  if (sum == 12345.0f) *sink = 1;
}

// Loads that hit the L1, by lanes STRIDE words apart: an odd STRIDE touches as many lines and has
// no two lanes at one bank; 32 touches 32 lines and one bank. `moves` is 0, which the compiler does
// not know: else it would load once and take the loads out of the loop.
template <int STRIDE>
__global__ void load_l1_apart(const float *x, int rounds, int moves, long long *out) {
  const float *mine = x + threadIdx.x % 32 * STRIDE;
  float sum = 0, a;
  long long t0 = 0;
  for (int r = -1; r < rounds; r++) { // the first round fills the L1
    const float *at = mine + (r & moves);
    if (r == 0) t0 = clock64();
#pragma unroll
    for (int k = 0; k < 8; k++) {
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(a) : "l"(at + k * 1024) : "memory");
      sum += a;
    }
  }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) *out = sum == 12345.0f ? 0 : t1 - t0;
}

template <int STRIDE> static void measure_l1_apart(const Bench &b, const char *name) {
  long long cycles = 0, least = 1ll << 60;
  int rounds = b.quick ? 2 : 200;
  for (int i = 0; i < 3; i++) {
    load_l1_apart<STRIDE><<<1, 1024>>>((const float *)b.buffer, rounds, 0, b.cycles);
    OK(cudaMemcpy(&cycles, b.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    least = std::min(least, cycles);
  }
  row(name, (double)least / (8.0 * 32 * rounds), "cycles per warp and SM");
}

__global__ void write(float4 *y, uint64_t n, int rounds) {
  for (int r = 0; r < rounds; r++)
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
      y[i] = make_float4(1.0f, 2.0f, 3.0f, (float)r);
}

__global__ void copy(const float4 *x, float4 *y, uint64_t n, int rounds) {
  uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; r++)
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i + stride < n;
         i += 2 * stride) {
      float4 a = x[i], c = x[i + stride];
      y[i] = a;
      y[i + stride] = c;
    }
}

static uint64_t rounds_for(const Bench &b, uint64_t bytes) {
  uint64_t target = b.quick ? bytes : (uint64_t)2 << 30;
  return target > bytes ? target / bytes : 1;
}

template <class V, int UNROLL>
static double read_gb_per_s(const Bench &b, uint64_t bytes, int blocks, int threads) {
  bytes = std::min<uint64_t>(bytes, b.bytes);
  uint64_t turn = sizeof(V) * UNROLL * (uint64_t)blocks * (uint64_t)threads;
  if (bytes > turn) bytes = bytes / turn * turn; // what the loop really reads
  uint64_t rounds = rounds_for(b, bytes);
  double ms = median_ms(b, 3, [&] {
    read<V, UNROLL>
        <<<blocks, threads>>>((const V *)b.buffer, bytes / sizeof(V), (int)rounds, b.sink);
  });
  return (double)(bytes * rounds) / ms * 1e-6;
}

// Bandwidth against bytes in flight: threads per SM, loads of 4 bytes per thread.
static void measure_flight(const Bench &b, const char *where, uint64_t bytes) {
  static const int threads[] = {64, 128, 256, 512, 1024, 2048};
  char text[80];
  for (int t : threads) {
    int block = t > 512 ? 512 : t, blocks = b.n_sms * (t / block);
    uint64_t less =
        std::max<uint64_t>(bytes / (t < 256 ? 8 : 1), std::min(bytes, (uint64_t)24 << 20));
    snprintf(text, sizeof text, "read_%s_%d_threads_1", where, t);
    row(text, read_gb_per_s<float, 1>(b, less, blocks, block), "GB/s");
    snprintf(text, sizeof text, "read_%s_%d_threads_4", where, t);
    row(text, read_gb_per_s<float, 4>(b, less, blocks, block), "GB/s");
  }
}

static void measure_reads(const Bench &b) {
  const uint64_t l2 = (uint64_t)24 << 20, dram = (uint64_t)2 << 30;
  row("read_dram", read_gb_per_s<float4, 4>(b, dram, b.n_sms * 8, 256), "GB/s");
  row("read_l2", read_gb_per_s<float4, 4>(b, l2, b.n_sms * 8, 256), "GB/s");
  row("read_l2_4_bytes", read_gb_per_s<float, 4>(b, l2, b.n_sms * 8, 256), "GB/s");
  row("read_l2_one_sm", read_gb_per_s<float4, 4>(b, (uint64_t)1 << 20, 2, 1024) / 2, "GB/s per SM");
  measure_flight(b, "dram", (uint64_t)1 << 30);
  measure_flight(b, "l2", l2);
  int rounds = b.quick ? 2 : 2000;
  const float *x = (const float *)b.buffer;
  double ms = median_ms(b, 3, [&] { read_l1<1><<<b.n_sms, 1024>>>(x, rounds, b.sink); });
  row("read_l1_4_bytes", 8.0 * 1024 * 4 * rounds / ms * 1e-6, "GB/s per SM");
  ms = median_ms(b, 3, [&] { read_l1<4><<<b.n_sms, 1024>>>(x, rounds, b.sink); });
  row("read_l1_16_bytes", 8.0 * 1024 * 16 * rounds / ms * 1e-6, "GB/s per SM");
  measure_l1_apart<1>(b, "interval_l1_load_1_line");
  measure_l1_apart<9>(b, "interval_l1_load_9_lines");
  measure_l1_apart<33>(b, "interval_l1_load_33_lines");
  measure_l1_apart<32>(b, "interval_l1_load_32_way");
}

static void measure_writes(const Bench &b) {
  for (int where = 0; where < 2; where++) {
    uint64_t bytes =
        std::min<uint64_t>(where ? (uint64_t)1 << 30 : (uint64_t)12 << 20, b.bytes / 2);
    uint64_t turn = 2 * 16 * 256 * 8 * (uint64_t)b.n_sms;
    bytes = bytes / turn * turn; // what the loop of the copy really moves
    int rounds = (int)rounds_for(b, bytes);
    double ms = median_ms(
        b, 3, [&] { write<<<b.n_sms * 8, 256>>>((float4 *)b.buffer, bytes / 16, rounds); });
    row(where ? "write_dram" : "write_l2", (double)bytes * rounds / ms * 1e-6, "GB/s");
    char *to = b.buffer + b.bytes / 2;
    ms = median_ms(b, 3, [&] {
      copy<<<b.n_sms * 8, 256>>>((const float4 *)b.buffer, (float4 *)to, bytes / 16, rounds);
    });
    row(where ? "copy_dram" : "copy_l2", 2.0 * (double)bytes * rounds / ms * 1e-6, "GB/s");
  }
}

// ---- scattered accesses ------------------------------------------------------------------------

__device__ __forceinline__ uint32_t mix(uint32_t x) {
  x *= 0x9e3779b1u;
  return x ^ x >> 15;
}

// Every lane its own sector, anywhere in memory, four in flight; n_sectors and n_words are powers
// of two. The last round may go beyond n: as many for every thread.
template <bool STORE>
__global__ void scattered(uint32_t *x, uint32_t n_sectors, uint32_t n, uint32_t *sink) {
  uint32_t sum = 0, step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * step) {
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t at = (mix(i + k * step) & (n_sectors - 1)) * 8;
      if (STORE) x[at] = i;
      else sum += __ldcg(&x[at]);
    }
  }
  if (sum == 0x12345677u) *sink = sum;
}

// Lanes `stride_words` apart, warps side by side: so many sectors per request.
template <bool STORE>
__global__ void strided(uint32_t *x, uint32_t stride_words, uint32_t n, uint32_t n_words,
                        uint32_t *sink) {
  uint32_t sum = 0, step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * step) {
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t at = (i + k * step) * stride_words & (n_words - 1);
      if (STORE) x[at] = i;
      else sum += __ldcg(&x[at]);
    }
  }
  if (sum == 0x12345677u) *sink = sum;
}

static void measure_scattered(const Bench &b, const char *where, uint64_t bytes) {
  bytes = std::min<uint64_t>(bytes, b.bytes);
  uint32_t n = b.quick ? 1 << 14 : 1 << 25;
  char text[80];
  uint32_t *x = (uint32_t *)b.buffer;
  double ms =
      median_ms(b, 3, [&] { scattered<false><<<b.n_sms * 8, 256>>>(x, bytes / 32, n, b.sink); });
  snprintf(text, sizeof text, "scattered_load_%s", where);
  row(text, n / ms * 1e-6, "G sectors/s");
  ms = median_ms(b, 3, [&] { scattered<true><<<b.n_sms * 8, 256>>>(x, bytes / 32, n, b.sink); });
  snprintf(text, sizeof text, "scattered_store_%s", where);
  row(text, n / ms * 1e-6, "G sectors/s");
  for (uint32_t stride = 2; stride <= 32; stride *= 2) {
    uint32_t words = (uint32_t)(bytes / 4);
    ms =
        median_ms(b, 3, [&] { strided<false><<<b.n_sms * 8, 256>>>(x, stride, n, words, b.sink); });
    snprintf(text, sizeof text, "strided_%u_load_%s", stride, where);
    row(text, n / ms * 1e-6, "G lanes/s");
    ms = median_ms(b, 3, [&] { strided<true><<<b.n_sms * 8, 256>>>(x, stride, n, words, b.sink); });
    snprintf(text, sizeof text, "strided_%u_store_%s", stride, where);
    row(text, n / ms * 1e-6, "G lanes/s");
  }
}

void calibrate_memory(const Bench &b) {
  measure_chain(b, "latency_l1", (size_t)32 << 10, true);
  measure_chain(b, "latency_l2_4_mib", (size_t)4 << 20, false);
  measure_chain(b, "latency_l2_24_mib", (size_t)24 << 20, false);
  measure_chain(b, "latency_dram_512_mib", (size_t)512 << 20, false);
  measure_chain(b, "latency_dram_2_gib", (size_t)2 << 30, false);
  OK(cudaMemset(b.buffer, 0, b.bytes));
  measure_reads(b);
  measure_writes(b);
  measure_scattered(b, "l2", (uint64_t)16 << 20);
  measure_scattered(b, "dram", (uint64_t)2 << 30);
}
