// SPDX-License-Identifier: MIT
// warm_up.c - judges the three kernels of the warm-up. It is not graded: what it teaches is
// how a thread finds its element.
#include "inputs.h"
#include "judge.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char unfilled[] =
    "nothing was written here: it still holds what was there before the launch. Is the blank "
    "filled in yet?";

static uint32_t bits_of(const void *word) {
  uint32_t bits;
  memcpy(&bits, word, sizeof bits);
  return bits;
}

// --- fill ---------------------------------------------------------------------------------------

static void check_fill(wb_judge *judge) {
  static const unsigned blocks[] = {1, 32, 100, 256, 1024};
  wb_kernel kernel = wb_judge_kernel(judge, "fill(float *out, float value)");
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned n = blocks[b];
    float value = 1.5f + (float)n;
    void *out = wb_judge_output(judge, "out", n * sizeof value);
    wb_judge_case(judge, "%u element%s, one thread each", n, n == 1 ? "" : "s");
    wb_judge_launch(judge, &kernel, 1, n, 0, (void *[]){&out, &value});
    const float *got = wb_judge_get(judge, out);
    for (unsigned i = 0; i < n; i++) {
      if (got[i] == value) continue;
      wb_why why =
          bits_of(&got[i]) != WB_POISON ? WB_UNKNOWN
          : i > 0 && got[0] == value
              ? WB_WHY("only some threads' elements were written: each thread has its own, "
                       "out[threadIdx.x]")
              : WB_UNFILLED(unfilled);
      wb_judge_fail_why(judge, why, "expected out[%u] = %g, got %g", i, (double)value,
                        (double)got[i]);
    }
    wb_judge_release(judge);
  }
}

// --- index --------------------------------------------------------------------------------------

static wb_why why_index(const unsigned *got, unsigned i, unsigned block) {
  if (bits_of(&got[i]) == WB_POISON && i == 0) return WB_UNFILLED(unfilled);
  if (bits_of(&got[i]) == WB_POISON)
    return WB_WHY("no thread wrote this element. threadIdx.x begins with 0 again in every block: "
                  "all threads of the blocks before count, too, and each block has blockDim.x");
  if (got[i] == i % block)
    return WB_WHY("this is the thread's place in its block; the blocks before it are not counted");
  return WB_UNKNOWN;
}

static void check_index(wb_judge *judge) {
  static const unsigned shapes[][2] = {{1, 32}, {2, 32}, {3, 64}, {7, 100}, {40, 256}};
  wb_kernel kernel = wb_judge_kernel(judge, "indices(unsigned *out)");
  for (size_t s = 0; s < COUNT(shapes); s++) {
    unsigned grid = shapes[s][0], block = shapes[s][1], n = grid * block;
    void *out = wb_judge_output(judge, "out", n * sizeof n);
    wb_judge_case(judge, "%u elements, %u blocks of %u threads", n, grid, block);
    wb_judge_launch(judge, &kernel, grid, block, 0, (void *[]){&out});
    const unsigned *got = wb_judge_get(judge, out);
    for (unsigned i = 0; i < n; i++)
      if (got[i] != i)
        wb_judge_fail_why(judge, why_index(got, i, block), "expected out[%u] = %u, got %u", i, i,
                          got[i]);
    wb_judge_release(judge);
  }
}

// --- guard --------------------------------------------------------------------------------------

static void check_guard(wb_judge *judge) {
  static const unsigned sizes[] = {32, 31, 33, 0, 1, 255, 257, 1000};
  static const unsigned blocks[] = {32, 256};
  wb_kernel kernel = wb_judge_kernel(judge, "guard(const float *in, float *out, unsigned n)");
  for (size_t s = 0; s < 2 * COUNT(sizes); s++) {
    unsigned n = sizes[s / 2], block = blocks[s % 2], grid = (n + block - 1) / block;
    float *x = wb_judge_host(judge, (n + 1) * sizeof *x);
    wb_fill_floats(WB_INPUT_UNIT, x, n, wb_judge_seed(judge) + n);
    void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
    void *out = wb_judge_output(judge, "out", n * sizeof *x);
    wb_judge_case(judge, "n = %u, blocks of %u threads", n, block);
    wb_judge_launch(judge, &kernel, grid ? grid : 1, block, 0, (void *[]){&in, &out, &n});
    const float *got = wb_judge_get(judge, out);
    for (unsigned i = 0; i < n; i++) {
      if (got[i] == 2 * x[i]) continue;
      bool untouched = bits_of(&got[i]) == WB_POISON;
      wb_why why = untouched && i == 0 ? WB_UNFILLED(unfilled)
                   : untouched
                       ? WB_WHY("the elements up to n belong to a thread each, also in the blocks "
                                "behind the first, and also the last one: i < n")
                       : (wb_why){WB_CAUSE_LESSON, "an element was written, with another value",
                                  "what is to be done with in[i]? Work it out by hand for in[0]"};
      wb_judge_fail_why(judge, why, "expected out[%u] = %g, got %g", i, (double)(2 * x[i]),
                        (double)got[i]);
    }
    wb_judge_release(judge);
  }
}

static const wb_check checks[] = {
    {"fill", 30, "each thread of a block writes its element", NULL, check_fill, false},
    {"index", 30, "each thread of a grid knows its number", NULL, check_index, false},
    {"guard", 40, "threads without an element do nothing",
     "the last block has as many threads as the others: ask i < n before reading or writing",
     check_guard, false},
};
static const wb_suite exercise = {"warm_up", checks, COUNT(checks)};

int main(int argc, char **argv) { return wb_judge_main(argc, argv, &exercise, &exercise); }
