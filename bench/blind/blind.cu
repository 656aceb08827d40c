// SPDX-License-Identifier: MIT
// blind.cu - times the kernels of this folder: on a GPU with events, on the software GPU as
// modelled.
//
//   nvcc -O3 -arch=native bench/blind/*.cu -o blind && ./blind > measured.csv
//   simtcc bench/blind/*.cu -o blind && ./blind > modelled.csv
//
// The same program does both; blind [NAME...] runs some of them, --second those of the second set,
// whose results are checked; --quick only the smallest size, --profile the second size, once and
// without emptying the L2, for a profiler that does that; --parts says where modelled time goes.
// Method on a GPU: single launches between two events, the L2 emptied before each by reading 512
// MiB, which also keeps the device busy until launch and events are queued. Median of 15 after 3
// that are not counted. An empty kernel is timed in the same way (row `empty`). On the software GPU
// one launch with a cold L2, and the same row: launches are modelled back to back, here they are
// single.
#include "blind.cuh"

#include <algorithm>
#include <cmath>
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

static bool with_parts, for_profiler, quick, second_set;
static unsigned n_wrong;
static float4 *flush_buffer;
static const uint32_t FLUSH = 1u << 25; // float4s
static cudaEvent_t begin_event, end_event;

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

template <class T, class Make> static std::vector<T> fill(size_t n, Make make) {
  std::vector<T> host(n);
  for (size_t i = 0; i < n; i++) host[i] = make(i);
  return host;
}

template <class T> static T *upload(const std::vector<T> &host) {
  T *device;
  OK(cudaMalloc(&device, host.size() * sizeof(T)));
  OK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

static float *zeros(size_t n) {
  float *device;
  OK(cudaMalloc(&device, n * sizeof *device));
  OK(cudaMemset(device, 0, n * sizeof *device));
  return device;
}

static Host make_host(uint32_t log2_n) {
  Host h = {};
  uint32_t n = h.n = 1u << log2_n, s = 1, row = 0;
  h.log2_n = log2_n;
  h.a = fill<float>(n, [&](size_t) { return (float)(next_random(&s) + 1) * 0x1p-25f; });
  h.b = fill<float>(n, [&](size_t) { return (float)(next_random(&s) + 1) * 0x1p-25f; });
  h.index = fill<uint32_t>(n, [&](size_t) {
    return (uint32_t)(((uint64_t)next_random(&s) << 8 | (next_random(&s) & 255)) % n);
  });
  h.rows = fill<uint32_t>(n / 8 + 1, [&](size_t i) {
    uint32_t first = i == 0 ? 0 : row;
    row = (uint32_t)(i * 8 + 8) + next_random(&s) % 9 - 4;
    return std::min(first, n);
  });
  h.bytes = fill<uint8_t>(n + 16, [&](size_t) { return (uint8_t)(next_random(&s) >> 5 & 3); });
  h.x = fill<double>(n / 2, [&](size_t) { return (double)next_random(&s) * 0x1p-24; });
  if (second_set)
    h.ascending = fill<uint32_t>(
        n, [&](size_t i) { return (uint32_t)(4 * (i % (n / 2))) + next_random(&s) % 4; });
  return h;
}

static uint32_t words_out(uint32_t n) { return std::max(n, 65536u); }

static Data make_data(const Host &h) {
  Data d = {};
  d.n = h.n;
  d.log2_n = h.log2_n;
  d.a = upload(h.a);
  d.b = upload(h.b);
  d.c = zeros(h.n);
  d.index = upload(h.index);
  d.out = (uint32_t *)zeros(words_out(h.n));
  d.rows = upload(h.rows);
  d.bytes = upload(h.bytes);
  d.x = upload(h.x);
  if (second_set) d.ascending = upload(h.ascending);
  return d;
}

static void free_data(const Data &d) {
  for (void *p : {(void *)d.a, (void *)d.b, (void *)d.c, (void *)d.index, (void *)d.out,
                  (void *)d.rows, (void *)d.bytes, (void *)d.x, (void *)d.ascending})
    OK(cudaFree(p));
}

static float run_once(const Data &d, void (*launch)(const Data &)) {
  float ms = 0.0f;
  OK(cudaMemset(d.out, 0, (size_t)words_out(d.n) * 4));
  if (second_set) OK(cudaMemset(d.c, 0, (size_t)d.n * 4));
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

// A few results, the first and the last among them, beside those of a host program.
static void check(const Kernel &kernel, const Host &h, const Data &d) {
  const uint32_t PLACES = 100, results = kernel.per == 0 ? 1 : d.n / kernel.per;
  for (uint32_t k = 0; k < PLACES; k++) {
    uint32_t at = k == 0 ? results - 1 : (uint32_t)((uint64_t)(k - 1) * 0x9e3779b1u % results);
    size_t size = kernel.result == BYTES ? 1 : 4;
    uint8_t bytes[4] = {};
    const uint8_t *from = (const uint8_t *)(kernel.result == FLOATS ? (void *)d.c : (void *)d.out);
    OK(cudaMemcpy(bytes, from + size * at, size, cudaMemcpyDeviceToHost));
    float real;
    uint32_t word;
    memcpy(&real, bytes, 4);
    memcpy(&word, bytes, 4);
    bool floats = kernel.result == FLOATS;
    double got = floats ? (double)real : (double)word, want = kernel.expected(h, at);
    if (fabs(got - want) <= (floats ? 1e-3 * std::max(1.0, fabs(want)) : 0.0)) continue;
    fprintf(stderr, "blind: %s, n = %u: result %u is %.9g instead of %.9g\n", kernel.name, d.n, at,
            got, want);
    n_wrong++;
    return;
  }
}

// A line of comment: where the modelled time goes.
static void print_parts() {
#ifdef __SIMTCC__
  simt_modelled m;
  simt_modelled_last_launch(&m);
  printf(
      "#   %s: latency %.6f issue %.6f units %.6f shared %.6f l1 %.6f block %.6f l2 %.6f dram %.6f "
      "atomic %.6f launch %.6f ms; l1 hits %.2f l2 hits %.2f dram %.3g + %.3g bytes; %u blocks "
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

static std::vector<Kernel> kernels_of_set() {
  std::vector<Kernel> all;
  std::vector<Kernels> files = {dense_kernels(), sparse_kernels(), grid_kernels(), search_kernels(),
                                arithmetic_kernels()};
  if (second_set)
    files = {signal_kernels(), learning_kernels(), field_kernels(), list_kernels(), bit_kernels()};
  for (const Kernels &file : files) all.insert(all.end(), file.first, file.first + file.n);
  return all;
}

static bool has_size(const Kernel &kernel, uint32_t log2_n) {
  if (for_profiler) return kernel.log2_sizes[1] == log2_n;
  if (quick) return kernel.log2_sizes[0] == log2_n;
  return std::count(kernel.log2_sizes, kernel.log2_sizes + 4, log2_n) > 0;
}

static void run_size(const std::vector<Kernel> &kernels, uint32_t log2_n, int argc, char **argv) {
  Host h = {};
  Data d = {};
  for (const Kernel &kernel : kernels) {
    if (!wanted(kernel.name, argc, argv) || !has_size(kernel, log2_n)) continue;
    if (d.n == 0) {
      h = make_host(log2_n);
      d = make_data(h);
    }
    run(kernel.name, kernel.kind, kernel.kept, d, kernel.launch);
    if (kernel.result != NOT_CHECKED) check(kernel, h, d);
  }
  if (d.n) free_data(d);
}

static void run_empty() {
  Data d = make_data(make_host(12));
  run("empty", "empty", false, d, [](const Data &) { empty<<<1, 1>>>(); });
  free_data(d);
}

static void prepare() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaEventCreate(&begin_event));
  OK(cudaEventCreate(&end_event));
  if (!is_modelled) OK(cudaMalloc(&flush_buffer, FLUSH * sizeof *flush_buffer));
  if (!is_modelled) OK(cudaMemset(flush_buffer, 0, FLUSH * sizeof *flush_buffer));
  printf("# device: %s, %s\nkernel,kind,half,n,median_ms,p10_ms,p90_ms,checksum\n", p.name,
         is_modelled ? "modelled" : "measured");
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    quick |= strcmp(argv[i], "--quick") == 0;
    for_profiler |= strcmp(argv[i], "--profile") == 0;
    with_parts |= strcmp(argv[i], "--parts") == 0;
    second_set |= strcmp(argv[i], "--second") == 0;
  }
  const std::vector<Kernel> kernels = kernels_of_set();
  prepare();
  run_empty();
  for (uint32_t log2_n = 12; log2_n <= 26; log2_n++) run_size(kernels, log2_n, argc, argv);
  if (n_wrong) fprintf(stderr, "blind: %u rows with wrong results\n", n_wrong);
  return n_wrong > 0;
}
