// SPDX-License-Identifier: MIT
// gpu_many_gpus.cu - lesson 13 on all GPUs of a machine: what a link between two of them carries,
// and how the lesson's sums and all-reduces go from one GPU to all. Not part of the build:
// `make measure PARTS=many-gpus` compiles and runs it. Its output for two H200s is
// figures/data/h200-many-gpus.csv, from which the chapter quotes.
//
// Method: before each launch the second-level caches of all GPUs are overwritten. `queued`: a
// kernel keeps GPU 0 busy until the host has enqueued everything, so that only the GPUs' time is
// measured; `lone`: nothing waits, and the host's calls are part of the time. Events on GPU 0,
// around all that the GPUs do; medians of 15, of 5 where a launch takes more than 4 ms. `bytes` is
// what is added up (sums), the length of a vector (across), or what crosses a link in one direction
// (links). The results of the last launch are checked: a wrong one ends the program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "chunks.cuh"
#include "exact.cuh"
#include "nccl.cuh"
#include "sums.cuh"
#include "vectors.cuh"

enum { LOG_MOST_SHARE = 30, LOG_MOST_VECTOR = 28, COLD_BYTES = 192 << 20, BLOCK = 256 };
enum { QUEUE_CYCLES = 6000000, SHORT_MS = 4, HOPS = 64 }; // some 3 ms; how long is "long"; signals

static unsigned n_gpus, devices = 1;
static wb_launch now; // what is launched next
static void *cold[WB_MAX_DEVICES];
static float *total, *in_host;    // GPU 0's; [1 << LOG_MOST_VECTOR] of the host, page-locked
static unsigned long long *count; // GPU 0's

unsigned wb_devices_used(void) { return devices; }
bool wb_check_cuda(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess) return true;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
  exit(1);
}

// --- numbers ------------------------------------------------------------------------------------

// 1 or -1: floats add them up without rounding, in any order.
static __host__ __device__ float number(unsigned gpu, size_t i) {
  unsigned long long x = i + ((size_t)gpu << 40) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x >> 63 ? 1.0f : -1.0f;
}
static __global__ void fill(float *x, size_t n, unsigned gpu) {
  for (size_t i = grid_rank(); i < n; i += grid_size()) x[i] = number(gpu, i);
}
// How many of GPU `gpu`'s first n numbers are 1.
static __global__ void count_ones(size_t n, unsigned gpu, unsigned long long *ones) {
  unsigned mine = 0;
  for (size_t i = grid_rank(); i < n; i += grid_size()) mine += number(gpu, i) > 0;
  atomicAdd(ones, mine);
}
static __global__ void count_wrong(const float *out, size_t n, unsigned devices,
                                   unsigned long long *wrong) {
  unsigned mine = 0;
  for (size_t i = grid_rank(); i < n; i += grid_size()) {
    float sum = 0;
    for (unsigned d = 0; d < devices; d++) sum += number(d, i);
    mine += out[i] != sum;
  }
  if (mine > 0) atomicAdd(wrong, mine);
}

static unsigned long long counted() { // and begins anew
  unsigned long long n = 0;
  WB_OK(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
  WB_OK(cudaMemset(count, 0, sizeof n));
  return n;
}

// The sum of all shares: of GPUs' numbers, or of the host's.
static void check_sum(const char *what, bool is_from_host) {
  const unsigned width = now.shares.width;
  long long expected = 0;
  float got = 0;
  if (is_from_host)
    for (size_t i = 0; i < (size_t)width * devices; i++) expected += (long long)in_host[i];
  for (unsigned d = 0; d < devices && !is_from_host; d++) {
    count_ones<<<1056, 256>>>(width, d, count);
    expected += 2 * (long long)counted() - width;
  }
  WB_OK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
  if (got == (float)expected) return;
  fprintf(stderr, "%s, %u GPUs, %u each: %.9g in place of %lld\n", what, devices, width, got,
          expected);
  exit(1);
}
static void check_vectors(const char *what) {
  for (unsigned d = 0; d < devices; d++) {
    count_wrong<<<1056, 256>>>(now.shares.out[d], now.shares.width, devices, count);
    const unsigned long long wrong = counted();
    if (wrong == 0) continue;
    fprintf(stderr, "%s, %u GPUs: %llu of %u elements of GPU %u are wrong\n", what, devices, wrong,
            now.shares.width, d);
    exit(1);
  }
}

// --- time ---------------------------------------------------------------------------------------

static __global__ void keep_busy() {
  const long long begin = clock64();
  while (clock64() - begin < QUEUE_CYCLES) {}
}

static double ms_of(void (*work)(), bool is_queued) {
  static cudaEvent_t begin, end;
  float ms = 0;
  if (begin == nullptr) WB_OK(cudaEventCreate(&begin)), WB_OK(cudaEventCreate(&end));
  for (unsigned d = 0; d < n_gpus; d++) {
    use(d);
    WB_OK(cudaMemsetAsync(cold[d], 0, COLD_BYTES));
    WB_OK(cudaDeviceSynchronize());
  }
  use(0);
  if (is_queued) keep_busy<<<1, 1>>>();
  WB_OK(cudaEventRecord(begin));
  work();
  WB_OK(cudaEventRecord(end));
  WB_OK(cudaEventSynchronize(end));
  WB_OK(cudaEventElapsedTime(&ms, begin, end));
  return ms;
}

static double median_ms(void (*work)(), bool is_queued, double *best) {
  std::vector<double> ms;
  for (size_t i = 0, repeat = 15; i < repeat; i++) {
    ms.push_back(ms_of(work, is_queued));
    if (i == 0 && ms[0] > SHORT_MS) repeat = 5;
  }
  std::sort(ms.begin(), ms.end());
  *best = ms[0];
  return ms[ms.size() / 2];
}

// A row. `is_long`: the host enqueues for longer than GPU 0 is kept busy.
static void measure(const char *experiment, const char *what, size_t bytes, void (*work)(),
                    bool is_long = false) {
  double best_lone = 0, best = 0;
  ms_of(work, false); // opens streams and connections
  const double lone = median_ms(work, false, &best_lone);
  const double queued = is_long ? lone : median_ms(work, true, &best);
  printf("%s,%s,%u,%zu,%.2f,%.2f,%.2f\n", experiment, what, devices, bytes, 1e3 * lone,
         1e3 * queued, 1e3 * (is_long ? best_lone : best));
  fflush(stdout);
}

// --- links: GPUs 0 and 1 ------------------------------------------------------------------------

static void copy_between(unsigned to, unsigned from) {
  fetch(to, now.shares.out[to], now.shares.in[from], now.n);
}
static void copy_one_way() {
  fork(&now.shares);
  copy_between(1, 0);
  join(&now.shares);
}
static void copy_both_ways() {
  fork(&now.shares);
  copy_between(1, 0);
  copy_between(0, 1);
  join(&now.shares);
}
static void read_by(unsigned gpu, unsigned other) {
  use(gpu);
  sum_share<<<MOST_BLOCKS, BLOCK, 0, lines[gpu].stream>>>(now.shares.in[other],
                                                          now.shares.room[gpu], now.n);
}
static void read_one_way() {
  fork(&now.shares);
  read_by(0, 1);
  join(&now.shares);
}
static void read_both_ways() {
  fork(&now.shares);
  read_by(0, 1);
  read_by(1, 0);
  join(&now.shares);
}
static void signals() { // there and back, HOPS times
  for (unsigned i = 0; i < HOPS; i++) {
    mark(0);
    wait_for(1, 0);
    mark(1);
    wait_for(0, 1);
  }
  use(0);
}

static void do_nothing(void *) {}
static void call_host() { WB_OK(cudaLaunchHostFunc(lines[0].stream, do_nothing, nullptr)); }

static void measure_links() {
  now.shares.devices = devices = 2;
  for (unsigned log_n = 0; log_n <= LOG_MOST_VECTOR; log_n += 4) {
    const size_t bytes = sizeof(float) << log_n;
    now.n = 1u << log_n;
    measure("links", "copy", bytes, copy_one_way);
    measure("links", "copies", bytes, copy_both_ways);
    measure("links", "read", bytes, read_one_way);
    measure("links", "reads", bytes, read_both_ways);
  }
  fork(&now.shares);
  join(&now.shares);
  measure("links", "signals", 0, signals);
  measure("links", "host_function", 0, call_host, true);
}

// --- the lesson ---------------------------------------------------------------------------------

static void (*launched)(wb_launch *);
static void launch() { launched(&now); }

typedef struct way {
  const char *name;
  void (*launch)(wb_launch *);
} way;
static const way sums[] = {{"one_gpu", launch_one_gpu},
                           {"host_adds", launch_host_adds},
                           {"peer_copies", launch_peer_copies},
                           {"peer_reads", launch_peer_reads},
                           {"exact", launch_exact},
                           NCCL_VARIANT({"nccl_sum", launch_nccl_sum})};
static const way vectors[] = {{"star", launch_star},
                              {"tree", launch_tree},
                              {"ring", launch_ring},
                              NCCL_VARIANT({"nccl", launch_nccl})};
static const way from_host[] = {{"whole", launch_whole}, {"chunks", launch_chunks}};

static void set_size(unsigned width) {
  now.shares.devices = devices;
  now.shares.width = width;
  now.n = width * devices;
}

// NCCL's connections are made once, for all GPUs.
static bool is_possible(const way &w) {
  return devices == n_gpus || strncmp(w.name, "nccl", 4) != 0;
}

static void measure_sums() {
  for (unsigned log_n = 16; log_n <= LOG_MOST_SHARE + 3; log_n++) {
    const size_t n = (size_t)1 << log_n, width = (n + devices - 1) / devices;
    if (width > (size_t)1 << LOG_MOST_SHARE) continue;
    set_size((unsigned)width);
    for (const way &w : sums) {
      if (!is_possible(w)) continue;
      launched = w.launch;
      measure("sums", w.name, n * sizeof(float), launch);
      check_sum(w.name, false);
    }
  }
}
static void measure_vectors() {
  for (unsigned log_n = 8; log_n <= LOG_MOST_VECTOR; log_n += 2) {
    set_size(1u << log_n);
    for (const way &w : vectors) {
      if (!is_possible(w)) continue;
      launched = w.launch;
      measure("across", w.name, sizeof(float) << log_n, launch);
      check_vectors(w.name);
    }
  }
}
static void measure_from_host() {
  for (unsigned log_n = 20; log_n <= LOG_MOST_VECTOR; log_n += 4) {
    set_size((1u << log_n) / devices);
    for (const way &w : from_host) {
      launched = w.launch;
      measure("from_host", w.name, sizeof(float) << log_n, launch, true);
      check_sum(w.name, true);
    }
  }
}

static void open_gpu(unsigned d) {
  const size_t most_share = (size_t)1 << LOG_MOST_SHARE, most_vector = (size_t)1 << LOG_MOST_VECTOR;
  float *in;
  use(d);
  for (unsigned other = 0; other < n_gpus; other++)
    if (other != d) WB_OK(cudaDeviceEnablePeerAccess((int)other, 0));
  WB_OK(cudaMalloc(&in, most_share * sizeof *in));
  WB_OK(cudaMalloc(&now.shares.out[d], most_vector * sizeof *in));
  WB_OK(cudaMalloc(&now.shares.room[d], WB_SHARE_ROOM * sizeof *in));
  WB_OK(cudaMalloc(&cold[d], COLD_BYTES));
  fill<<<1056, 256>>>(in, most_share, d);
  WB_OK(cudaDeviceSynchronize());
  now.shares.in[d] = in;
}

int main() {
  int found = 0;
  WB_OK(cudaGetDeviceCount(&found));
  n_gpus = found < WB_MAX_DEVICES ? (unsigned)found : WB_MAX_DEVICES;
  if (n_gpus < 2) {
    fprintf(stderr, "gpu_many_gpus: one GPU; this measures what is between two\n");
    return 1;
  }
  now.block = BLOCK;
  now.shares.peers = true;
  for (unsigned d = 0; d < n_gpus; d++) open_gpu(d);
  use(0);
  WB_OK(cudaMalloc(&total, sizeof *total));
  WB_OK(cudaMalloc(&count, sizeof *count));
  WB_OK(cudaMemset(count, 0, sizeof *count));
  WB_OK(cudaMallocHost(&now.shares.host, WB_SHARE_ROOM * sizeof(float)));
  WB_OK(cudaMallocHost(&in_host, sizeof(float) << LOG_MOST_VECTOR));
  for (size_t i = 0; i < (size_t)1 << LOG_MOST_VECTOR; i++) in_host[i] = number(0, i);
  now.shares.in_host = in_host;
  now.out = total;
  printf("# method: bench/gpu_many_gpus.cu; cold second-level caches; medians of 15 launches timed "
         "by events on GPU 0, of 5 where they are long; signals: %d times there and back\n"
         "# key: experiment/what/devices/bytes\n"
         "experiment,what,devices,bytes,lone_us,queued_us,best_us\n",
         HOPS);
  measure_links();
  for (devices = 1; devices <= n_gpus; devices++) {
    now.out = total;
    measure_sums();
    measure_from_host();
    if (devices > 1) now.out = now.shares.out[0], measure_vectors();
  }
  return 0;
}
