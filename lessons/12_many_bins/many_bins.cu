// SPDX-License-Identifier: MIT
// Lesson 12, beyond the ten: many bins.
//
// Question: lesson 08 counts into 256 bins, a private copy in each block. What if there are 65,536,
// or 16 million? A multiprocessor has 227 KiB of shared memory, and no more.
//
// Idea: make the copy smaller, or let several blocks share the bins, or sort the samples first.
//   global     one global atomic per sample, as in lesson 00
//   hot        the same, with the values that a warp meets most often in its registers
//   wide       a copy per block, 32 bits per counter, in as much shared memory as there is
//   parts      each block counts a part of the bins only, and several blocks read each sample
//   plain      counters of 16 bits, two in a word; what overflows goes to the bins at once
//   halves     the same with 16 samples under way per thread, and hot values in registers
//   thirds     three counters of 10 bits in a word, in two parts
//   copies     as halves, but blocks store their counters, and a second kernel adds them up
//   cluster    the bins are dealt out over the shared memory of two blocks
//   folded     as halves, but two blocks add their counters to each other's first
//   fifths     five counters of 6 bits in a word
//   crowd      as global, but lanes of a warp with the same value send one atomic
//   partition  samples sorted by the high bits of their bins, then each part counted on its own
//
// Predict before you run: 65,536 bins. How many samples go to global memory in each? And what does
// skew, half of the samples in one bin, do to each?
#include "choose.cuh"
#include "lesson.h"
#include "plain.cuh"

// Every kernel adds to bins[n_bins] how often each value occurs in in[n]; blockDim.x is a multiple
// of 32. These variants take blocks of their own size.
static job begin(wb_launch *l, unsigned block) {
  WB_OK(cudaMemsetAsync(l->out, 0, l->n_bins * sizeof(unsigned)));
  l->block = block;
  return job{(const unsigned *)l->in_ints, (unsigned *)l->out, l->n_bins, l->n, l->scratch, 0};
}
static void count(wb_launch *l, plan p) {
  job j = begin(l, p.by <= BY_CROWD ? 256 : THREADS);
  launch_plan(&j, p);
  l->grid = j.grid;
}
static void by_plain(wb_launch *l) {
  const job j = begin(l, THREADS);
  const size_t bytes = (j.n_bins + 1) / 2 * sizeof(unsigned);
  l->grid = at_most(j.n / (16 * THREADS) + 1, multiprocessors());
  WB_OK(
      cudaFuncSetAttribute(plain_halves, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
  plain_halves<<<l->grid, THREADS, bytes>>>(j.in, j.bins, j.n_bins, j.n);
}
static void by_global(wb_launch *l) { count(l, plan{BY_GLOBAL, 1}); }
static void by_hot(wb_launch *l) { count(l, plan{BY_HOT, 1}); }
static void by_wide(wb_launch *l) { count(l, plan{BY_WIDE, 1}); }
static void by_parts(wb_launch *l) { count(l, plan{BY_WIDE, 2}); }
static void by_halves(wb_launch *l) { count(l, plan{BY_HALVES, 1}); }
static void by_thirds_parts(wb_launch *l) { count(l, plan{BY_THIRDS, 2}); }
static void by_copies(wb_launch *l) { count(l, plan{BY_HALVES, 1, true}); }
static void by_cluster(wb_launch *l) { count(l, plan{BY_CLUSTER, 2}); }
static void by_folded(wb_launch *l) { count(l, plan{BY_FOLDED, 2}); }
static void by_crowd(wb_launch *l) { count(l, plan{BY_CROWD, 1}); }
static void by_fifths(wb_launch *l) { count(l, plan{BY_FIFTHS, 1, true}); }
static void by_partition(wb_launch *l) { count(l, plan{BY_PARTITION, 1}); }

// What a block asks for must be there: part_bytes() of the variant's counters, in KiB.
template <int KIB> static const char *needs(unsigned n, unsigned block) {
  int most = 0;
  (void)n, (void)block;
  if (!WB_OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0)))
    return "the device does not say how much shared memory a block can have";
  return KIB << 10 <= most ? nullptr : "needs more shared memory than a block can have here";
}
static const char *needs_clusters(unsigned n, unsigned block) {
  if (!has_clusters()) return "needs a GPU with clusters (sm_90), and code for it";
  return needs<136>(n, block);
}
static size_t room(unsigned n, unsigned n_bins) {
  return (room_bytes(n, n_bins) + sizeof(float) - 1) / sizeof(float);
}

// clang-format off
// One row for each way to count and each input; `--variant 2^18` runs those with so many bins.
#define ROW(name_, text, log_bins, group_, kind, launch_, refuse_)                                \
  {.name = name_, .summary = text, .launch = launch_, .input = WB_INT, .output = WB_INT,          \
   .result = WB_RESULT_HISTOGRAM, .samples = kind, .n_bins = 1u << log_bins,                      \
   .group = group_, .scratch_elements = room, .refuse = refuse_}
#define ROWS(suffix, group, kind)                                                                 \
  ROW("global" suffix, "one global atomic each", 16, group, kind, by_global,                      \
      nullptr),                                                                                   \
  ROW("hot" suffix, "two hot values in registers", 16, group, kind, by_hot,                       \
      nullptr),                                                                                   \
  ROW("parts" suffix, "32 bits, half of the bins each", 16, group, kind, by_parts,                \
      needs<128>),                                                                                \
  ROW("plain" suffix, "16 bits per counter", 16, group, kind, by_plain,                           \
      needs<128>),                                                                                \
  ROW("halves" suffix, "16 bits, four loads, hot values", 16, group, kind, by_halves,             \
      needs<136>),                                                                                \
  ROW("copies" suffix, "the same, added up by a second kernel", 16, group, kind, by_copies,       \
      needs<136>),                                                                                \
  ROW("cluster" suffix, "32 bits, in two blocks' shared memory", 16, group, kind, by_cluster,     \
      needs_clusters),                                                                            \
  ROW("folded" suffix, "16 bits, two blocks add up theirs first", 16, group, kind, by_folded,     \
      needs_clusters)

static const wb_variant variants[] = {
    ROWS("", "2^16", WB_SAMPLES_UNIFORM),
    ROWS("_skewed", "skewed", WB_SAMPLES_SKEWED),
    ROW("global_12", "4,096 bins: one atomic each", 12, "2^12", WB_SAMPLES_UNIFORM, by_global,
        nullptr),
    ROW("wide_12", "32 bits per counter", 12, "2^12", WB_SAMPLES_UNIFORM, by_wide, nullptr),
    ROW("thirds_18", "262,144 bins: 10 bits each", 18, "2^18", WB_SAMPLES_UNIFORM, by_thirds_parts,
        needs<179>),
    ROW("fifths_18", "262,144 bins: 6 bits each", 18, "2^18", WB_SAMPLES_UNIFORM, by_fifths,
        needs<213>),
    ROW("crowd_18", "2^18: lanes with equal samples send one", 18, "2^18", WB_SAMPLES_SKEWED,
        by_crowd, nullptr),
    ROW("global_20", "a million bins: one atomic each", 20, "2^20", WB_SAMPLES_UNIFORM, by_global,
        nullptr),
    ROW("partition_20", "sorted by the high bits", 20, "2^20", WB_SAMPLES_UNIFORM, by_partition,
        needs<128>),
};

static const wb_lesson lesson = {
    .name = "12_many_bins",
    .title = "more bins than a block has room for",
    .taught = "Small counters, and no count lost.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"global adds", "global_atomic_lanes", nullptr},
                     {"passes/add", "shared_atomic_passes", "shared_atomic_requests"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
