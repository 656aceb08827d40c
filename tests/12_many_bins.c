// SPDX-License-Identifier: MIT
// 12_many_bins.c - judges lesson 12's kernels: any number of bins, any samples, exact counts.
//
// A kernel with counters of 8 bits overflows after 255 samples, one with 16 after 65,535: the cases
// are such that both do, beside neighbours that are empty, full, or belong to no bin.
#include "12_many_bins.h"

typedef struct way {
  const char *signature;
  unsigned bits;                // of a counter in shared memory; 0: none
  bool takes_parts, partitions; // has a parameter for the parts; is three kernels
  unsigned cluster;             // blocks of its clusters, or 0
  const char *adds;             // the kernel that adds up its copies, or NULL
  bool one_each;                // one sample a thread: the grid must cover the input
} way;

#define SHARED(name)                                                                               \
  name "(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts)"
#define GLOBAL(name) name "(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n)"
#define COPY(name)                                                                                 \
  name "(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n, unsigned parts, "        \
       "uint4 *copies)"
#define ADD(name)                                                                                  \
  name "(const uint4 *copies, unsigned *bins, unsigned n_bins, unsigned parts, unsigned teams)"
enum {
  GLOBAL_BINS,
  HOT_BINS,
  CROWD,
  WIDE,
  HALVES,
  THIRDS,
  BYTES,
  FIFTHS,
  COPIED_HALVES,
  COPIED_THIRDS,
  COPIED_BYTES,
  COPIED_FIFTHS,
  CLUSTER,
  FOLDED,
  PARTITION,
  N_WAYS
};
static const way ways[N_WAYS] = {
    [GLOBAL_BINS] = {.signature = GLOBAL("global_counts"), .one_each = true},
    [HOT_BINS] = {.signature = GLOBAL("hot_bins")},
    [WIDE] = {.signature = SHARED("wide_bins"), .bits = 32, .takes_parts = true},
    [HALVES] = {.signature = SHARED("half_bins"), .bits = 16, .takes_parts = true},
    [CROWD] = {.signature = GLOBAL("crowd_bins")},
    [THIRDS] = {.signature = SHARED("third_bins"), .bits = 10, .takes_parts = true},
    [BYTES] = {.signature = SHARED("byte_bins"), .bits = 8, .takes_parts = true},
    [FIFTHS] = {.signature = SHARED("fifth_bins"), .bits = 6, .takes_parts = true},
    [COPIED_HALVES] = {COPY("half_copies"), 16, true, .adds = ADD("add_half_copies")},
    [COPIED_THIRDS] = {COPY("third_copies"), 10, true, .adds = ADD("add_third_copies")},
    [COPIED_BYTES] = {COPY("byte_copies"), 8, true, .adds = ADD("add_byte_copies")},
    [COPIED_FIFTHS] = {COPY("fifth_copies"), 6, true, .adds = ADD("add_fifth_copies")},
    [CLUSTER] = {.signature = "cluster_bins(const unsigned *in, unsigned *bins, unsigned n_bins, "
                              "unsigned n, unsigned log_width)",
                 .cluster = 2},
    [FOLDED] = {.signature = GLOBAL("folded_bins"), .cluster = 2},
    [PARTITION] = {.signature = "partition(const unsigned *in, unsigned *bins, unsigned n_bins, "
                                "unsigned n, unsigned short *pool, chunk *chunks, ledger *log)",
                   .partitions = true},
};
// As in lessons/12_many_bins/counters.cuh and partition.cuh.
enum {
  DEBT_BYTES = 8 << 10,
  PART_BINS = 1 << 15,
  MOST_PARTS = 512,
  CHUNK = 2048,
  CHUNK_WORDS = 3,
  PER_THREAD = 16
};

// What the launches of one case share.
typedef struct setting {
  const bins_case *one;
  unsigned parts;
  void *in, *bins;
} setting;

// A launch with more shared memory than a block has without asking for it.
static void allow_bytes(wb_judge *judge, const wb_kernel *kernel, size_t shared_bytes) {
  if (cudaFuncSetAttribute((const void *)kernel->handle,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           (int)shared_bytes) != cudaSuccess)
    wb_judge_fail(judge, "%s: a block cannot have %zu bytes of shared memory", kernel->name,
                  shared_bytes);
}
static void launch_with(wb_judge *judge, const wb_kernel *kernel, unsigned grid, unsigned block,
                        size_t shared_bytes, void **arguments) {
  allow_bytes(judge, kernel, shared_bytes);
  wb_judge_launch(judge, kernel, grid, block, shared_bytes, arguments);
}

// Counters of one part in a block, in groups of 16 bytes.
static size_t quads_of(unsigned width, unsigned bits) {
  const unsigned each = 32 / bits;
  return ((width + each - 1) / each + 3) / 4;
}
static size_t bytes_of(unsigned width, unsigned bits) {
  return quads_of(width, bits) * 16 + (bits < 32 ? DEBT_BYTES : 0);
}

static void launch_shared(wb_judge *judge, const way *w, const setting *s) {
  wb_kernel kernel = wb_judge_kernel(judge, w->signature);
  unsigned n = s->one->n, n_bins = s->one->n_bins, parts = s->parts, teams = s->one->grid;
  const unsigned width = (n_bins - 1) / parts + 1, grid = teams * parts, block = s->one->block;
  const size_t bytes = bytes_of(width, w->bits), quads = quads_of(width, w->bits);
  void *in = s->in, *bins = s->bins, *copies = NULL;
  if (w->adds) copies = wb_judge_output(judge, "copies", grid * quads * 16);
  void *arguments[] = {&in, &bins, &n_bins, &n, &parts, &copies};
  launch_with(judge, &kernel, grid, block, bytes, arguments);
  if (!w->adds) return;
  wb_kernel add = wb_judge_kernel(judge, w->adds);
  void *of_add[] = {&copies, &bins, &n_bins, &parts, &teams};
  wb_judge_launch(judge, &add, (unsigned)((quads + 31) / 32) * parts, 64, 0, of_add);
}

// A whole number of clusters, as many as the case has blocks, or as their bins need.
static void launch_cluster(wb_judge *judge, const way *w, const setting *s) {
  wb_kernel kernel = wb_judge_kernel(judge, w->signature);
  unsigned n = s->one->n, n_bins = s->one->n_bins, log_width = 0;
  while (w->cluster << log_width < n_bins) log_width++;
  void *in = s->in, *bins = s->bins, *arguments[] = {&in, &bins, &n_bins, &n, &log_width};
  const size_t bytes =
      w == &ways[FOLDED] ? bytes_of(n_bins, 16) : quads_of(1u << log_width, 32) * 16;
  allow_bytes(judge, &kernel, bytes);
  wb_judge_launch_clusters(judge, &kernel, s->one->grid * w->cluster, s->one->block, bytes,
                           w->cluster, arguments);
}

static void launch_global(wb_judge *judge, const way *w, const setting *s) {
  wb_kernel kernel = wb_judge_kernel(judge, w->signature);
  unsigned n = s->one->n, n_bins = s->one->n_bins, block = s->one->block;
  const unsigned cover = n > 0 ? (n - 1) / block + 1 : 1;
  void *in = s->in, *bins = s->bins, *arguments[] = {&in, &bins, &n_bins, &n};
  wb_judge_launch(judge, &kernel, w->one_each ? cover : s->one->grid, block, 0, arguments);
}

static void launch_partition(wb_judge *judge, const way *w, const setting *s) {
  unsigned n = s->one->n, n_bins = s->one->n_bins, n_parts = (n_bins - 1) / PART_BINS + 1;
  const unsigned grid = s->one->grid, most = n / CHUNK + grid * n_parts, block = s->one->block;
  const size_t log_bytes = (1 + MOST_PARTS) * sizeof(uint32_t);
  void *in = s->in, *bins = s->bins,
       *pool = wb_judge_output(judge, "pool", (size_t)2 * most * CHUNK);
  void *chunks = wb_judge_output(judge, "chunks", (size_t)most * CHUNK_WORDS * sizeof(uint32_t));
  void *ordered = wb_judge_output(judge, "ordered", most * sizeof(uint32_t));
  void *log = wb_judge_output(judge, "log", log_bytes);
  wb_judge_put(judge, log, wb_judge_host(judge, log_bytes));
  wb_kernel partition = wb_judge_kernel(judge, w->signature);
  wb_kernel order = wb_judge_kernel(judge, "order_chunks(const chunk *chunks, const ledger *log, "
                                           "unsigned n_parts, unsigned *ordered)");
  wb_kernel count = wb_judge_kernel(
      judge, "count_chunks(const unsigned short *pool, const chunk *chunks, const ledger *log, "
             "const unsigned *ordered, unsigned *bins, unsigned n_bins)");
  void *of_partition[] = {&in, &bins, &n_bins, &n, &pool, &chunks, &log};
  void *of_order[] = {&chunks, &log, &n_parts, &ordered};
  void *of_count[] = {&pool, &chunks, &log, &ordered, &bins, &n_bins};
  const size_t words = n_bins < PART_BINS ? (n_bins + 3) / 4 * 4 : PART_BINS;
  launch_with(judge, &partition, grid, block, (size_t)PER_THREAD * block * sizeof(uint32_t),
              of_partition);
  wb_judge_launch(judge, &order, 2, 64, 0, of_order);
  launch_with(judge, &count, grid, block, words * sizeof(uint32_t), of_count);
}

static void launch(wb_judge *judge, const way *w, const setting *s) {
  if (w->partitions) launch_partition(judge, w, s);
  else if (w->cluster > 0) launch_cluster(judge, w, s);
  else if (w->takes_parts) launch_shared(judge, w, s);
  else launch_global(judge, w, s);
}

static void run(wb_judge *judge, const way *w, const bins_case *one, unsigned parts) {
  const size_t bins_bytes = one->n_bins * sizeof(uint32_t);
  const uint32_t *x = samples_of(judge, one);
  uint32_t *expected = wb_judge_host(judge, bins_bytes);
  for (unsigned v = 0; v < one->n_bins; v++) expected[v] = start_of(one, v);
  setting s = {.one = one, .parts = parts};
  s.in = wb_judge_input(judge, "in", x, one->n * sizeof *x, one->offset * sizeof *x);
  s.bins = wb_judge_output(judge, "bins", bins_bytes);
  wb_judge_put(judge, s.bins, expected);
  wb_judge_case(judge, "n = %u, n_bins = %u in %u parts, %s%s", one->n, one->n_bins, parts,
                pattern_name(one->pattern), one->counted ? ", bins hold counts already" : "");
  launch(judge, w, &s);
  const uint32_t *got = wb_judge_get(judge, s.bins);
  for (unsigned i = 0; i < one->n; i++) expected[x[i]]++;
  for (unsigned v = 0; v < one->n_bins; v++)
    if (got[v] != expected[v])
      wb_judge_fail(judge, "bins[%u]: expected %u, got %u", v, expected[v], got[v]);
}

static void run_all(wb_judge *judge, bins_case one, unsigned parts) {
  for (size_t w = 0; w < N_WAYS; w++) {
    if (parts > 1 && !ways[w].takes_parts) continue;
    run(judge, &ways[w], &one, parts);
    wb_judge_release(judge);
  }
}

// --- families ---------------------------------------------------------------------------------

static const unsigned blocks[] = {256, 32, 96, 1024};

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 3, 33, 511, 513, 4095, 4097, 30011};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      run_all(judge,
              (bins_case){sizes[s], 1000 + 7 * (unsigned)s, 3, blocks[b], UNIFORM, 0, 0, false}, 1);
}

static void lesson_patterns(wb_judge *judge) {
  for (pattern p = UNIFORM; p < N_PATTERNS; p++) {
    run_all(judge, (bins_case){50021, 5003, 2, 128, p, 777, 0, true}, 1);
    run_all(judge, (bins_case){20021, 256, 1, 64, p, 33, 0, false}, 1);
  }
}

// More than 255, and more than 65,535, of one value or of neighbours in one word.
static void lesson_overflow(wb_judge *judge) {
  for (unsigned hot = 20; hot < 24; hot++) {
    run_all(judge, (bins_case){140001, 100, 1, 32, EQUAL, hot, 0, false}, 1);
    run_all(judge, (bins_case){9001, 100, 1, 96, FILL, hot, 1, false}, 1);
    run_all(judge, (bins_case){270001, 100, 1, 32, WORD, hot, 0, false}, 1);
  }
}

static void lesson_few_bins(wb_judge *judge) {
  for (unsigned n_bins = 1; n_bins < 14; n_bins++) {
    run_all(judge, (bins_case){3000, n_bins, 1, 64, EQUAL, n_bins - 1, 0, false}, 1);
    run_all(judge, (bins_case){3000, n_bins, 2, 96, WORD, n_bins / 2, 0, false}, 1);
    run_all(judge, (bins_case){3000, n_bins, 2, 32, UNIFORM, 0, 0, false}, 1 + n_bins % 5);
  }
}

static void lesson_parts(wb_judge *judge) {
  for (unsigned parts = 2; parts <= 9; parts++)
    for (pattern p = UNIFORM; p < N_PATTERNS; p++)
      run_all(judge, (bins_case){9001, 1003 + parts, 1 + parts % 2, 64, p, 501, parts % 4, true},
              parts);
}

// Parts of the partition: whole ones, and a last one that is not; chunks that are full at the end.
static void lesson_large(wb_judge *judge) {
  static const unsigned bins[] = {PART_BINS, PART_BINS + 1, 3 * PART_BINS, 100000, 32 * PART_BINS};
  for (size_t b = 0; b < COUNT(bins); b++)
    for (pattern p = UNIFORM; p < N_PATTERNS; p++) {
      bins_case one = {20011, bins[b], 3, 64, p, PART_BINS - 2, (unsigned)p % 4, false};
      run(judge, &ways[PARTITION], &one, 1);
      wb_judge_release(judge);
    }
  for (unsigned n = CHUNK - 1; n <= 5 * CHUNK; n += CHUNK / 2) {
    bins_case one = {n, 2 * PART_BINS, 1, 128, EQUAL, PART_BINS + 3, 0, true};
    run(judge, &ways[PARTITION], &one, 1);
    one.pattern = WORD, one.hot = PART_BINS - 2; // both sides of a border
    run(judge, &ways[PARTITION], &one, 1);
    wb_judge_release(judge);
  }
}

static void lesson_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 5; offset++)
      for (unsigned n = 1021; n <= 1026; n++) {
        wb_judge_guards(judge, guards);
        run_all(judge, (bins_case){n, 57 + offset, 2, 64, UNIFORM, 0, offset, false}, 1 + n % 2);
      }
}

#ifdef WORKBOOK_SIMT
static const char *const by_hand = "the hand calculation in tests/12_many_bins.c says otherwise";

// N samples 0, 1, 2 … in N / 16 threads. Each sample is read once for each part, four by a load,
// and counted in shared memory once; each block adds each of its bins once. Equal samples are hot:
// they are counted in registers, each warp hands them over in two atomics, for the slot and for the
// sum, and each block adds them once.
static void lesson_counters(wb_judge *judge) {
  enum { N = 1 << 15, GRID = 4, BLOCK = 512, N_BINS = 1024, WARPS = GRID * BLOCK / LANES };
  for (size_t w = WIDE; w <= FIFTHS; w++)
    for (unsigned parts = 1; parts <= 2; parts++) {
      run(judge, &ways[w], &(bins_case){N, N_BINS, GRID, BLOCK, ROUND, 0, 0, false}, parts);
      wb_judge_counter_is(judge, "global_load_requests", N / LANES / 4 * parts, by_hand);
      wb_judge_counter_is(judge, "shared_atomic_lanes", N, by_hand);
      wb_judge_counter_is(judge, "global_atomic_lanes", N_BINS * GRID, by_hand);
      run(judge, &ways[w], &(bins_case){N, N_BINS, GRID, BLOCK, EQUAL, 5, 0, false}, parts);
      wb_judge_counter_is(judge, "shared_atomic_lanes", w == WIDE ? N : 2 * WARPS, by_hand);
      wb_judge_counter_is(judge, "global_atomic_lanes", GRID, by_hand);
      wb_judge_release(judge);
    }
  run(judge, &ways[HOT_BINS], &(bins_case){N, N_BINS, GRID, BLOCK, EQUAL, 5, 0, false}, 1);
  wb_judge_counter_is(judge, "global_atomic_lanes", WARPS, by_hand);
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, grids, blocks and numbers of bins", NULL, lesson_sizes, false},
    {"patterns", 1, "uniform, skewed, equal, sorted, full neighbours", NULL, lesson_patterns,
     false},
    {"overflow", 1, "more samples than a counter holds", NULL, lesson_overflow, false},
    {"few_bins", 1, "words with counters that belong to no bin", NULL, lesson_few_bins, false},
    {"parts", 1, "each block counts a part of the bins", NULL, lesson_parts, false},
    {"large", 1, "the partition's parts and chunks", NULL, lesson_large, false},
    {"bounds", 1, "stays inside its arrays, at every offset", NULL, lesson_bounds, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "loads and atomics as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"12_many_bins", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"mirrored", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &many_bins_exercise);
}
