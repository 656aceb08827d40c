// SPDX-License-Identifier: MIT
// contention.c - judges the kernels of bench/contention.cu: every slot, not just their sum, which
// is what the program itself verifies.
#include "inputs.h"
#include "judge.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BLOCK = 256 };

static unsigned grid_for(unsigned n) { return n / BLOCK + (n % BLOCK != 0); }

static double float_at(const void *slots, unsigned j) { return (double)((const float *)slots)[j]; }
static double int_at(const void *slots, unsigned j) { return ((const int *)slots)[j]; }
static double double_at(const void *slots, unsigned j) { return ((const double *)slots)[j]; }

typedef struct slot_kernel {
  const char *signature;
  size_t slot_bytes;
  bool takes_ints; // its input
  double (*at)(const void *slots, unsigned j);
} slot_kernel;

static const slot_kernel kernels[] = {
    {"add_to_slots(const float *in, float *slots, unsigned n, unsigned k)", sizeof(float), false,
     float_at},
    {"add_ints_to_slots(const int *in, int *slots, unsigned n, unsigned k)", sizeof(int), true,
     int_at},
    {"add_to_double_slots(const float *in, double *slots, unsigned n, unsigned k)", sizeof(double),
     false, double_at},
};

// n values over k slots: slot j must hold the sum of in[j], in[j + k] …
static void run_slots(wb_judge *judge, const slot_kernel *one, unsigned n, unsigned k) {
  wb_kernel kernel = wb_judge_kernel(judge, one->signature);
  float *x = wb_judge_host(judge, n * sizeof *x);
  int *ints = wb_judge_host(judge, n * sizeof *ints);
  int64_t *want = wb_judge_host(judge, k * sizeof *want);
  wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge) + n);
  for (unsigned i = 0; i < n; i++) ints[i] = (int)x[i], want[i % k] += ints[i];
  void *in =
      wb_judge_input(judge, "in", one->takes_ints ? (void *)ints : (void *)x, n * sizeof *x, 0);
  void *slots = wb_judge_output(judge, "slots", k * one->slot_bytes);
  void *arguments[] = {&in, &slots, &n, &k};
  wb_judge_put(judge, slots, wb_judge_host(judge, k * one->slot_bytes)); // zeros
  wb_judge_case(judge, "n = %u, k = %u slots", n, k);
  wb_judge_launch(judge, &kernel, grid_for(n), BLOCK, 0, arguments);
  const void *got = wb_judge_get(judge, slots);
  for (unsigned j = 0; j < k; j++)
    if (!(one->at(got, j) == (double)want[j]))
      wb_judge_fail(judge, "expected slots[%u] = %lld, got %.9g", j, (long long)want[j],
                    one->at(got, j));
}

static void check_slots(wb_judge *judge) {
  static const unsigned slots[] = {1, 3, 32, 1000, 32768};
  for (size_t f = 0; f < COUNT(kernels); f++)
    for (size_t k = 0; k < COUNT(slots); k++)
      for (unsigned n = 7919; n <= 7920; n++) {
        run_slots(judge, &kernels[f], n, slots[k]);
        wb_judge_release(judge);
      }
}

// n ones over k halves; a half stops at 2^11. Slot j gets one more than the rest if j < n % k.
static void check_halves(wb_judge *judge) {
  static const unsigned sizes[] = {1, 100, 2047, 2048, 2049, 7919}, slots[] = {1, 2, 3, 33};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (size_t i = 0; i < COUNT(slots); i++) {
      wb_kernel kernel =
          wb_judge_kernel(judge, "count_in_half_slots(void *slots, unsigned n, unsigned k)");
      unsigned n = sizes[s], k = slots[i];
      void *halves = wb_judge_output(judge, "slots", k * sizeof(uint16_t));
      void *arguments[] = {&halves, &n, &k};
      wb_judge_put(judge, halves, wb_judge_host(judge, k * sizeof(uint16_t))); // zeros
      wb_judge_case(judge, "%u ones over %u halves", n, k);
      wb_judge_launch(judge, &kernel, grid_for(n), BLOCK, 0, arguments);
      const uint16_t *got = wb_judge_get(judge, halves);
      for (unsigned j = 0; j < k; j++) {
        unsigned count = n / k + (j < n % k), want = count < 2048 ? count : 2048;
        unsigned exponent = got[j] >> 10, fraction = got[j] & 0x3ff;
        // An integer from 1 to 2^11 has the exponent 15 to 26.
        unsigned value = exponent < 15 || exponent > 26 ? 0
                         : exponent == 26               ? 2 * (1024 + fraction)
                                                        : (1024 + fraction) >> (25 - exponent);
        if (value != want)
          wb_judge_fail(judge, "expected slots[%u] = %u, got %u (bits 0x%04x)", j, want, value,
                        got[j]);
      }
      wb_judge_release(judge);
    }
}

static const wb_check checks[] = {
    {"slots", 1, "floats, ints and doubles over k slots", NULL, check_slots, false},
    {"halves", 1, "ones over k halves, which stick at 2^11", NULL, check_halves, false},
};
static const wb_suite suite = {"contention", checks, COUNT(checks)};

int main(int argc, char **argv) { return wb_judge_main(argc, argv, &suite, &suite); }
