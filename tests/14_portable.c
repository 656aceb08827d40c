// SPDX-License-Identifier: MIT
// 14_portable.c - judges lesson 14's own kernels, each with waves of 32 lanes and of 64.
//
// Counters are asserted exactly; the hand calculation stands beside them. A wave of 64 is two warps
// here, and what it costs is this machine's: on a GPU whose warps have 64 lanes its barriers and
// its stores are not there (tests/amd looks at what AMD's compiler makes).
#include "14_portable.h"

static size_t no_shared(unsigned block) { return (void)block, 0; }

#define KERNEL(mangled, bytes, items)                                                              \
  {                                                                                                \
    .signature = mangled "(const float *in, float *out, unsigned n)", .op = WB_SUM,                \
    .inputs = {"in"}, .output = "out", .shared_bytes = bytes, .per_thread = items                  \
  }
// NAME<LANES>: a template's kernel has a mangled name, which begins with the length of its own.
#define OF_LANES(mangled, lanes, bytes, items)                                                     \
  KERNEL("_Z" mangled "ILj" #lanes "EEvPKfPfj", bytes, items)

enum { TREE, FOLD, FIRST, STRIDE, KERNELS };
// [0]: waves of 32 lanes, [1]: of 64. The tree is the same for both. With one block for every
// blockDim.x elements, each thread of stride has one.
static const wb_blockwise kernels[2][KERNELS] = {
    {KERNEL("_Z4treePKfPfj", NULL, 2), OF_LANES("4fold", 32, NULL, 2),
     OF_LANES("5first", 32, no_shared, 2), OF_LANES("6stride", 32, no_shared, 1)},
    {KERNEL("_Z4treePKfPfj", NULL, 2), OF_LANES("4fold", 64, NULL, 2),
     OF_LANES("5first", 64, no_shared, 2), OF_LANES("6stride", 64, no_shared, 1)},
};
static const unsigned of_32[] = {32, 64, 128, 512, 1024, 256};
static const unsigned of_64[] = {64, 128, 512, 256};
static const unsigned *const blocks[2] = {of_32, of_64};
static const size_t n_blocks[2] = {COUNT(of_32), COUNT(of_64)};

typedef void (*family)(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                       size_t n_blocks);
static void run_family(wb_judge *judge, family run) {
  for (size_t w = 0; w < 2; w++)
    for (size_t k = 0; k < KERNELS; k++) run(judge, &kernels[w][k], blocks[w], n_blocks[w]);
}
static void lesson_one_block(wb_judge *judge) { run_family(judge, wb_blockwise_one_block); }
static void lesson_sizes(wb_judge *judge) { run_family(judge, wb_blockwise_sizes); }
static void lesson_tails(wb_judge *judge) { run_family(judge, wb_blockwise_tails); }

static void lesson_positions(wb_judge *judge) {
  static const unsigned some[] = {64, 256};
  for (size_t w = 0; w < 2; w++)
    for (size_t k = 0; k < KERNELS; k++)
      wb_blockwise_positions(judge, &kernels[w][k], some, COUNT(some));
}
static void lesson_specials(wb_judge *judge) {
  for (size_t w = 0; w < 2; w++)
    for (size_t k = 0; k < KERNELS; k++) wb_blockwise_specials(judge, &kernels[w][k], 128);
}
static void lesson_bounds(wb_judge *judge) {
  for (size_t w = 0; w < 2; w++)
    for (size_t k = 0; k < KERNELS; k++) wb_blockwise_bounds(judge, &kernels[w][k], 128);
}
static void lesson_stale(wb_judge *judge) {
  for (size_t w = 0; w < 2; w++)
    for (size_t k = 0; k < KERNELS; k++) wb_blockwise_stale(judge, &kernels[w][k], 128);
}

// stride as the program launches it: a grid that walks, and one block for the partial sums. Small
// whole numbers, so that every order gives the same float.
static void walk(wb_judge *judge, size_t w, unsigned n, unsigned grid, unsigned block) {
  wb_kernel kernel = wb_judge_kernel(judge, kernels[w][STRIDE].signature);
  float *x = wb_judge_host(judge, (n > 0 ? n : 1) * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge) + n);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
  void *partials = wb_judge_output(judge, "partials", grid * sizeof(float));
  void *out = wb_judge_output(judge, "out", sizeof(float));
  wb_judge_case(judge, "n = %u, waves of %u, then %u partial sums", n, w ? 64 : 32, grid);
  wb_judge_launch(judge, &kernel, grid, block, 0, (void *[]){&in, &partials, &n});
  wb_judge_launch(judge, &kernel, 1, block, 0, (void *[]){&partials, &out, &grid});
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = x,
                  .n = n,
                  .count = n,
                  .block = block,
                  .start_bits = WB_POISON};
  wb_judge_value(judge, &fold, *(const float *)wb_judge_get(judge, out));
  wb_judge_release(judge);
}
static void lesson_walks(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 127, 129, 3071, 3073, 7919, 65537};
  for (size_t w = 0; w < 2; w++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (unsigned grid = 1; grid <= 100; grid = 3 * grid + 1) walk(judge, w, sizes[s], grid, 128);
}

#ifdef WORKBOOK_SIMT
// What one block costs, by hand: words stored in shared memory, barriers (those of a tile count
// like the block's, once each), shuffles, __syncwarp().
typedef struct cost {
  uint64_t stored, barriers, shuffles, syncs;
} cost;

// Every thread stores once, and then s threads for s = B/2 ... 1: B - 1 more. A barrier each step.
static cost tree_cost(unsigned block) {
  return (cost){.stored = 2 * block - 1, .barriers = wb_blockwise_steps(block)};
}
// The same stores. With warps, five of the steps take a __syncwarp() in one warp instead; with
// tiles six of them take a barrier of 64 threads, which two warps can only have as a barrier.
static cost fold_cost(unsigned block, bool tiles) {
  cost c = {.stored = 2 * block - 1, .barriers = wb_blockwise_steps(block)};
  if (!tiles) c.barriers -= 5, c.syncs = 5;
  return c;
}
// W waves, and the first once more. With warps: five shuffles each, a word per wave, one barrier.
// With tiles: five shuffles in each of two warps; the step of 32 stores a word per thread and waits
// twice.
static cost first_cost(unsigned block, bool tiles) {
  const uint64_t waves = block / (tiles ? 64 : 32);
  if (!tiles) return (cost){.stored = waves, .barriers = 1, .shuffles = 5 * (waves + 1)};
  return (cost){
      .stored = block + 64 + waves, .barriers = 1 + 2 * (waves + 1), .shuffles = 10 * (waves + 1)};
}

static void expect(wb_judge *judge, cost want, uint64_t count) {
  const char *by_hand = "the hand calculation in tests/14_portable.c says otherwise";
  wb_judge_counter_is(judge, "shared_store_words", want.stored * count, by_hand);
  wb_judge_counter_is(judge, "block_barriers", want.barriers * count, by_hand);
  wb_judge_counter_is(judge, "shuffles", want.shuffles * count, by_hand);
  wb_judge_counter_is(judge, "warp_syncs", want.syncs * count, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
  wb_judge_release(judge);
}

static void lesson_counters(wb_judge *judge) {
  for (size_t w = 0; w < 2; w++)
    for (size_t b = 0; b < n_blocks[w]; b++)
      for (unsigned count = 1; count <= 5; count += 4) {
        const unsigned block = blocks[w][b], n = 2 * count * block;
        wb_blockwise_count(judge, &kernels[w][TREE], n, block);
        expect(judge, tree_cost(block), count);
        wb_blockwise_count(judge, &kernels[w][FOLD], n, block);
        expect(judge, fold_cost(block, w), count);
        wb_blockwise_count(judge, &kernels[w][FIRST], n, block);
        expect(judge, first_cost(block, w), count);
        wb_blockwise_count(judge, &kernels[w][STRIDE], count * block, block);
        expect(judge, first_cost(block, w), count);
      }
}
#endif

static const wb_check lesson_checks[] = {
    {"one_block", 1, "one full block of every size", NULL, lesson_one_block, false},
    {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},
    {"tails", 1, "a last block with few elements", NULL, lesson_tails, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false},
    {"walks", 1, "few blocks walk over the array", NULL, lesson_walks, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "words, barriers and shuffles as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"14_portable", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"magnitudes", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &portable_exercise);
}
