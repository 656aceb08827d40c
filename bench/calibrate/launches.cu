// SPDX-License-Identifier: MIT
// launches.cu - what a launch, a block and a grid-wide barrier cost, and the first touch of memory.
#include "calibrate.cuh"

#include <cooperative_groups.h>

__global__ void nothing() {}

__global__ void work_for(long long n_cycles) {
  long long begin = clock64();
  while (clock64() - begin < n_cycles) {}
}

// Blocks that only begin and end; the argument keeps the store.
__global__ void pass_through(uint32_t *y, uint32_t never) {
  if (threadIdx.x == never) *y = 1;
}
__global__ void store_one(uint32_t *y) { y[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void load_one(const uint32_t *x, uint32_t *y) {
  uint32_t v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (v == 0x12345677u) *y = v;
}
__global__ void touch_pages(const uint32_t *x, uint64_t stride_words, uint32_t *y) {
  uint32_t v = x[(blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) * stride_words];
  if (v == 0x12345677u) *y = v;
}
__global__ void flush(const float4 *x, uint64_t n, uint32_t *sink) {
  float sum = 0;
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
       i += (uint64_t)gridDim.x * blockDim.x)
    sum += x[i].x;
  if (sum == 12345.0f) *sink = 1;
}

__global__ void grid_syncs(int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = 0; i < n; i++) grid.sync();
}

template <class Launch> static double batch_ns(const Bench &b, int n, Launch launch) {
  if (b.quick) n = 2;
  double ms = median_ms(b, 5, [&] {
    for (int i = 0; i < n; i++) launch();
  });
  return ms / n * 1e6;
}

static void measure_blocks(const Bench &b) {
  static const int sizes[] = {32, 64, 128, 256, 512, 1024};
  char text[80];
  for (int threads : sizes) {
    int blocks = b.n_sms * (b.quick ? 4 : 512);
    double ms = median_ms(b, 5, [&] { pass_through<<<blocks, threads>>>(b.sink, 4096); });
    snprintf(text, sizeof text, "block_empty_%d_threads", threads);
    row(text, ms * 1e6 / blocks, "ns per block");
    int n = b.quick ? 1 << 12 : 1 << 22;
    ms = median_ms(b, 5, [&] { store_one<<<n / threads, threads>>>((uint32_t *)b.buffer); });
    snprintf(text, sizeof text, "block_store_%d_threads", threads);
    row(text, ms * 1e6 / (n / threads), "ns per block");
    ms = median_ms(b, 5, [&] { load_one<<<n / threads, threads>>>((uint32_t *)b.buffer, b.sink); });
    snprintf(text, sizeof text, "block_load_l2_%d_threads", threads);
    row(text, ms * 1e6 / (n / threads), "ns per block");
  }
}

static void measure_first_touch(const Bench &b) {
  const float4 *other = (const float4 *)(b.buffer + b.bytes / 2);
  auto cold = [&] { flush<<<b.n_sms * 8, 256>>>(other, b.bytes / 2 / 16, b.sink); };
  row("event_empty_cold",
      median_ms(
          b, 21, [] { nothing<<<1, 1>>>(); }, cold) *
          1e6,
      "ns");
  row("event_empty_1056_cold",
      median_ms(
          b, 21, [&] { nothing<<<b.n_sms * 8, 256>>>(); }, cold) *
          1e6,
      "ns");
  row("event_one_load_cold",
      median_ms(
          b, 21, [&] { load_one<<<1, 32>>>((uint32_t *)b.buffer, b.sink); }, cold) *
          1e6,
      "ns");
  row("event_load_per_sm_cold",
      median_ms(
          b, 21, [&] { load_one<<<b.n_sms, 256>>>((uint32_t *)b.buffer, b.sink); }, cold) *
          1e6,
      "ns");
  uint64_t stride = b.bytes / 2 / 4 / ((uint64_t)b.n_sms * 256);
  row("event_load_pages_cold",
      median_ms(
          b, 21, [&] { touch_pages<<<b.n_sms, 256>>>((uint32_t *)b.buffer, stride, b.sink); },
          cold) *
          1e6,
      "ns");
  row("event_load_16_mib_cold",
      median_ms(
          b, 11, [&] { load_one<<<16384, 256>>>((uint32_t *)b.buffer, b.sink); }, cold) *
          1e6,
      "ns");
}

static void measure_grid_sync(const Bench &b) {
  for (int per_sm = 1; per_sm <= 8; per_sm *= 2) {
    char text[64];
    int n = b.quick ? 2 : 200, blocks = b.n_sms * per_sm;
    void *arguments[] = {&n};
    double ms = median_ms(b, 3, [&] {
      OK(cudaLaunchCooperativeKernel((void *)grid_syncs, dim3(blocks), dim3(256), arguments, 0, 0));
    });
    snprintf(text, sizeof text, "grid_sync_%d_blocks_per_sm", per_sm);
    row(text, ms / n * 1e6, "ns");
  }
}

void calibrate_launches(const Bench &b) {
  row("launch_batch_empty", batch_ns(b, 400, [] { nothing<<<1, 1>>>(); }), "ns per launch");
  row("launch_batch_empty_1056", batch_ns(b, 400, [&] { nothing<<<b.n_sms * 8, 256>>>(); }),
      "ns per launch");
  long long cycles = b.quick ? 100 : 19800;
  row("launch_batch_19800_cycles", batch_ns(b, 200, [&] { work_for<<<1, 32>>>(cycles); }),
      "ns per launch");
  row("event_19800_cycles", median_ms(b, 21, [&] { work_for<<<1, 32>>>(cycles); }) * 1e6, "ns");
  row("event_empty", median_ms(b, 21, [] { nothing<<<1, 1>>>(); }) * 1e6, "ns");
  measure_first_touch(b);
  measure_blocks(b);
  measure_grid_sync(b);
}
