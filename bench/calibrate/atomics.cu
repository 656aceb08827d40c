// SPDX-License-Identifier: MIT
// atomics.cu - atomics on global memory: on one address, on few, on neighbouring and on scattered
// ones.
#include "calibrate.cuh"

__device__ __forceinline__ uint32_t mixed(uint32_t x) {
  x *= 0x9e3779b1u;
  return x ^ x >> 15;
}

enum { NEIGHBOURS, SCATTERED };

// n lane operations on m addresses (a power of two); USED: their results are.
template <class T, int WHERE, bool USED>
__global__ void add_global(T *x, uint32_t m, uint32_t n, uint32_t *sink) {
  uint32_t step = gridDim.x * blockDim.x, sum = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t at = (WHERE == SCATTERED ? mixed(i) : i) & (m - 1);
    if (USED) sum += (uint32_t)atomicAdd(&x[at], (T)1);
    else atomicAdd(&x[at], (T)1);
  }
  if (sum == 0x12345677u) *sink = sum;
}

// One operation per warp on one address.
__global__ void add_leader(uint32_t *x, uint32_t n, float *y) {
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    if (threadIdx.x % 32 == 0) {
      if (y != nullptr) atomicAdd(y, 1.0f);
      else atomicAdd(x, i);
    }
}

__global__ void chase_global(uint32_t *x, long long *out, uint32_t *sink) {
  uint32_t at = 0;
  long long t0 = clock64();
  for (int i = 0; i < 256; i++) at = atomicAdd(&x[at], 0u);
  *out = clock64() - t0;
  if (at == 1) *sink = 1;
}

template <class T, int WHERE, bool USED>
static void rate(const Bench &b, const char *name, uint32_t log2_m) {
  uint32_t n = b.quick ? 1 << 14 : log2_m < 6 ? 1 << 21 : 1 << 24;
  if (b.quick && log2_m > 18) log2_m = 18;
  double ms = median_ms(b, 3, [&] {
    add_global<T, WHERE, USED><<<b.n_sms * 8, 256>>>((T *)b.buffer, 1u << log2_m, n, b.sink);
  });
  char text[96];
  snprintf(text, sizeof text, "atomic_%s_2^%u", name, log2_m);
  row(text, n / ms * 1e-6, "G lanes/s");
}

void calibrate_atomics(const Bench &b) {
  OK(cudaMemset(b.buffer, 0, b.bytes));
  chase_global<<<1, 1>>>((uint32_t *)b.buffer, b.cycles, b.sink);
  long long cycles;
  OK(cudaMemcpy(&cycles, b.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
  row("latency_atomic", (double)cycles / 256, "cycles");
  uint32_t n = b.quick ? 1 << 14 : 1 << 24;
  double ms =
      median_ms(b, 3, [&] { add_leader<<<b.n_sms * 8, 256>>>((uint32_t *)b.buffer, n, nullptr); });
  row("atomic_leader_u32", n / 32 / ms * 1e-6, "G requests/s");
  ms = median_ms(b, 3, [&] { add_leader<<<b.n_sms * 8, 256>>>(nullptr, n, (float *)b.buffer); });
  row("atomic_leader_f32", n / 32 / ms * 1e-6, "G requests/s");
  for (uint32_t log2_m : {0u, 1u, 2u, 3u, 5u, 8u, 12u, 16u, 20u, 24u, 27u}) {
    rate<uint32_t, NEIGHBOURS, false>(b, "u32_neighbours", log2_m);
    rate<uint32_t, SCATTERED, false>(b, "u32_scattered", log2_m);
    rate<uint32_t, SCATTERED, true>(b, "u32_scattered_used", log2_m);
    rate<float, NEIGHBOURS, false>(b, "f32_neighbours", log2_m);
    rate<float, SCATTERED, false>(b, "f32_scattered", log2_m);
  }
  rate<unsigned long long, SCATTERED, false>(b, "u64_scattered", 20);
  rate<double, SCATTERED, false>(b, "f64_scattered", 20);
}
