// SPDX-License-Identifier: MIT
// blind.cu - times the kernels of this folder: on a GPU with events, on the software GPU as
// modelled.
//
//   nvcc -O3 -arch=native bench/blind/*.cu -o blind && ./blind > measured.csv
//   simtcc bench/blind/*.cu -o blind && ./blind > modelled.csv
//
// The same program does both; blind [NAME...] runs some of them, --quick only the smallest size,
// --profile the second size, once and without emptying the L2, for a profiler that does that;
// --parts says where modelled time goes.
// Method on a GPU: single launches between two events, the L2 emptied before each by reading 512
// MiB, which also keeps the device busy until launch and events are queued. Median of 15 after 3
// that are not counted. An empty kernel is timed in the same way (row `empty`). On the software GPU
// one launch with a cold L2, and the same row: launches are modelled back to back, here they are
// single.
#include "blind.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef __SIMTCC__ // the software GPU: its launches are asked how they were modelled
#include "simt.h"
static const bool is_modelled = true;
static void make_cold() { simt_counters_reset(); }
#else
static const bool is_modelled = false;
static void make_cold() {}
#endif

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t ok_error = (call);                                                                 \
    if (ok_error != cudaSuccess) {                                                                 \
      fprintf(stderr, "blind: %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(ok_error));     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static __global__ void empty() {}
static __global__ void read_all(const float4 *x, uint32_t n, float *out) {
  float sum = 0.0f;
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) sum += x[i].x + x[i].w;
  if (sum == 12345.0f) *out = sum;
}

static bool with_parts, for_profiler;
static float4 *flush_buffer;
static const uint32_t FLUSH = 1u << 25; // float4s
static cudaEvent_t begin_event, end_event;

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

template <class T, class Make> static T *upload(size_t n, Make make) {
  std::vector<T> host(n);
  T *device;
  for (size_t i = 0; i < n; i++) host[i] = make(i);
  OK(cudaMalloc(&device, n * sizeof(T)));
  OK(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

static Data make_data(uint32_t log2_n) {
  Data d = {};
  uint32_t n = d.n = 1u << log2_n, s = 1, row = 0;
  d.log2_n = log2_n;
  d.a = upload<float>(n, [&](size_t) { return (float)(next_random(&s) + 1) * 0x1p-25f; });
  d.b = upload<float>(n, [&](size_t) { return (float)(next_random(&s) + 1) * 0x1p-25f; });
  d.c = upload<float>(n, [&](size_t) { return 0.0f; });
  d.index = upload<uint32_t>(n, [&](size_t) {
    return (uint32_t)(((uint64_t)next_random(&s) << 8 | (next_random(&s) & 255)) % n);
  });
  d.out = upload<uint32_t>(n > 65536 ? n : 65536, [&](size_t) { return 0u; });
  d.rows = upload<uint32_t>(n / 8 + 1, [&](size_t i) {
    uint32_t first = i == 0 ? 0 : row;
    row = (uint32_t)(i * 8 + 8) + next_random(&s) % 9 - 4;
    return std::min(first, n);
  });
  d.bytes = upload<uint8_t>(n + 16, [&](size_t) { return (uint8_t)(next_random(&s) >> 5 & 3); });
  d.x = upload<double>(n / 2, [&](size_t) { return (double)next_random(&s) * 0x1p-24; });
  return d;
}

static void free_data(const Data &d) {
  for (void *p : {(void *)d.a, (void *)d.b, (void *)d.c, (void *)d.index, (void *)d.out,
                  (void *)d.rows, (void *)d.bytes, (void *)d.x})
    OK(cudaFree(p));
}

static float run_once(const Data &d, void (*launch)(const Data &)) {
  float ms = 0.0f;
  OK(cudaMemset(d.out, 0, (size_t)(d.n > 65536 ? d.n : 65536) * 4));
  if (is_modelled) make_cold();
  else if (!for_profiler) read_all<<<1056, 256>>>(flush_buffer, FLUSH, d.c);
  OK(cudaEventRecord(begin_event));
  launch(d);
  OK(cudaEventRecord(end_event));
  OK(cudaEventSynchronize(end_event));
  OK(cudaGetLastError());
  OK(cudaEventElapsedTime(&ms, begin_event, end_event));
  return ms;
}

// Bits of the results, whatever they are.
static uint32_t checksum(const Data &d) {
  std::vector<uint32_t> out(d.n);
  uint32_t sum = 0;
  OK(cudaMemcpy(out.data(), d.out, (size_t)d.n * 4, cudaMemcpyDeviceToHost));
  for (uint32_t v : out) sum = sum * 31u + v;
  return sum;
}

// A line of comment: where the modelled time goes.
static void print_parts() {
#ifdef __SIMTCC__
  simt_modelled m;
  simt_modelled_last_launch(&m);
  printf(
      "#   %s: latency %.4f issue %.4f units %.4f shared %.4f l1 %.4f block %.4f l2 %.4f dram %.4f "
      "atomic %.4f launch %.4f ms; l1 hits %.2f l2 hits %.2f dram %.3g + %.3g bytes; %u blocks "
      "(%s)%s%s\n",
      m.bound, m.latency_ms, m.issue_ms, m.units_ms, m.shared_ms, m.l1_ms, m.block_ms, m.l2_ms,
      m.dram_ms, m.atomic_ms, m.launch_ms, m.l1_hit_rate, m.l2_hit_rate, m.dram_read_bytes,
      m.dram_write_bytes, m.resident_blocks, m.limiter, m.is_sampled ? ", sampled" : "",
      m.is_judged ? "" : ", not judged");
#endif
}

static void run(const char *name, const char *kind, bool kept, const Data &d,
                void (*launch)(const Data &)) {
  std::vector<float> ms;
  bool once = is_modelled || for_profiler;
  int runs = once ? 1 : 18, skipped = once ? 0 : 3;
  for (int i = 0; i < runs; i++) {
    float elapsed = run_once(d, launch);
    if (i >= skipped) ms.push_back(elapsed);
  }
  std::sort(ms.begin(), ms.end());
  size_t n = ms.size();
  printf("%s,%s,%s,%u,%.6f,%.6f,%.6f,%08x\n", name, kind, kept ? "kept" : "open", d.n, ms[n / 2],
         ms[n / 10], ms[n - 1 - n / 10], checksum(d));
  if (is_modelled && with_parts) print_parts();
  fflush(stdout);
}

static bool wanted(const char *name, int argc, char **argv) {
  bool any = false;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') continue;
    any = true;
    if (strcmp(argv[i], name) == 0) return true;
  }
  return !any;
}

int main(int argc, char **argv) {
  cudaDeviceProp p;
  bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  for_profiler = argc > 1 && strcmp(argv[1], "--profile") == 0;
  with_parts = argc > 1 && strcmp(argv[1], "--parts") == 0;
  const Kernels all[] = {dense_kernels(), sparse_kernels(), grid_kernels(), search_kernels(),
                         arithmetic_kernels()};
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaEventCreate(&begin_event));
  OK(cudaEventCreate(&end_event));
  if (!is_modelled) OK(cudaMalloc(&flush_buffer, FLUSH * sizeof *flush_buffer));
  if (!is_modelled) OK(cudaMemset(flush_buffer, 0, FLUSH * sizeof *flush_buffer));
  printf("# device: %s, %s\nkernel,kind,half,n,median_ms,p10_ms,p90_ms,checksum\n", p.name,
         is_modelled ? "modelled" : "measured");
  for (uint32_t log2_n = 12; log2_n <= 26; log2_n++) { // data of one size at a time
    Data d = {};
    for (const Kernels &kernels : all) {
      for (unsigned k = 0; k < kernels.n; k++) {
        const Kernel &kernel = kernels.first[k];
        if (!wanted(kernel.name, argc, argv)) continue;
        for (unsigned i = 0; i < (quick ? 1u : 4u); i++) {
          if (kernel.log2_sizes[i] != log2_n || (for_profiler && i != 1)) continue;
          if (d.n == 0) d = make_data(log2_n);
          run(kernel.name, kernel.kind, kernel.kept, d, kernel.launch);
        }
      }
    }
    if (log2_n == 12 && d.n == 0) d = make_data(log2_n);
    if (log2_n == 12) run("empty", "empty", false, d, [](const Data &) { empty<<<1, 1>>>(); });
    if (d.n) free_data(d);
  }
  return 0;
}
