// SPDX-License-Identifier: MIT
// test_timing.c - the order in which things are timed, graphs, and what counts as a tie. Nothing
// here asserts how long anything takes.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "cuda_check.h"
#include "timing.h"
#include "run_suite.h"

enum { N_ENTRIES = 3, MAX_STRETCHES = 4096, BUFFER_BYTES = 1 << 16 };

// Who was run, as stretches of the same entry: {0, 0, 1, 2, 2} is 0 twice, 1 once, 2 twice.
static struct stretch {
  int entry;
  unsigned length;
} stretches[MAX_STRETCHES];
static unsigned n_stretches, next_iteration;
static bool iterations_in_order;

static void note(int entry, unsigned iteration) {
  iterations_in_order = iterations_in_order && iteration == next_iteration;
  next_iteration = iteration + 1;
  if (n_stretches > 0 && stretches[n_stretches - 1].entry == entry) {
    stretches[n_stretches - 1].length++;
  } else if (n_stretches < MAX_STRETCHES) {
    stretches[n_stretches++] = (struct stretch){entry, 1};
  }
}

typedef struct worker {
  int entry;
  void *buffer; // device: [BUFFER_BYTES]; NULL: nothing to do
  cudaStream_t stream;
  bool elsewhere; // works where nothing is captured
} worker;

static void enqueue(void *data, unsigned iteration) {
  const worker *w = (const worker *)data;
  note(w->entry, iteration);
  if (w->buffer == NULL) return;
  if (w->elsewhere) cudaMemset(w->buffer, 0, BUFFER_BYTES); // on the default stream
  else cudaMemsetAsync(w->buffer, (int)(iteration & 1), BUFFER_BYTES, w->stream);
}

static worker workers[N_ENTRIES];
static wb_timed timed[N_ENTRIES];
static cudaStream_t stream;
static unsigned n_colds;

static void count_cold(cudaStream_t on) {
  ck_assert(on == stream);
  n_colds++;
}

static void setup(void) {
  n_stretches = next_iteration = n_colds = 0;
  iterations_in_order = true;
  ck_assert(WB_OK(cudaStreamCreate(&stream)));
  for (int i = 0; i < N_ENTRIES; i++) {
    workers[i] = (worker){i, NULL, stream, false};
    timed[i] = (wb_timed){.enqueue = enqueue, .data = &workers[i]};
  }
}

static void teardown(void) {
  wb_timed_release(timed, N_ENTRIES);
  for (int i = 0; i < N_ENTRIES; i++) cudaFree(workers[i].buffer);
  cudaStreamDestroy(stream);
}

static void give_buffers(void) {
  for (int i = 0; i < N_ENTRIES; i++)
    ck_assert(WB_OK(cudaMalloc(&workers[i].buffer, BUFFER_BYTES)));
}

START_TEST(entries_take_turns)
{
  const wb_timing_plan plan = {7, WB_GRAPH_SHORT, stream, NULL};
  ck_assert(wb_time_interleaved(timed, N_ENTRIES, &plan));
  ck_assert(iterations_in_order); // every run has a number of its own: a new input
  ck_assert_uint_ge(n_stretches, N_ENTRIES * (1 + 1 + 7));
  for (unsigned i = 0; i < n_stretches; i++)
    ck_assert_int_eq(stretches[i].entry, (int)(i % N_ENTRIES));
  for (int i = 0; i < N_ENTRIES; i++) {
    ck_assert_uint_eq(timed[i].timing.repeats, 7);
    ck_assert_uint_ge(timed[i].timing.batch, 1);
    ck_assert(timed[i].timing.p10_ms <= timed[i].timing.median_ms);
    ck_assert(timed[i].timing.median_ms <= timed[i].timing.p90_ms);
  }
}
END_TEST

// After two runs each for the plan, there are rounds that are not counted: more than were asked
// for.
START_TEST(rounds_are_warmed_up)
{
  const wb_timing_plan plan = {1, WB_GRAPH_SHORT, stream, NULL};
  ck_assert(wb_time_interleaved(timed, N_ENTRIES, &plan));
  ck_assert_uint_eq(stretches[0].length, 2);
  ck_assert_uint_ge(n_stretches, N_ENTRIES * 3);
}
END_TEST

START_TEST(graphs_hold_at_least_20_runs)
{
  const wb_timing_plan plan = {5, WB_GRAPH_ALWAYS, stream, count_cold};
  give_buffers();
  ck_assert(wb_time_interleaved(timed, N_ENTRIES, &plan));
  for (int i = 0; i < N_ENTRIES; i++) {
    ck_assert_ptr_nonnull(timed[i].graph);
    ck_assert_uint_ge(timed[i].timing.graph_runs, 20);
    ck_assert(isfinite(timed[i].timing.graph_median_ms));
    ck_assert(timed[i].timing.graph_p10_ms <= timed[i].timing.graph_p90_ms);
  }
  ck_assert_uint_eq(n_colds, N_ENTRIES * (1 + 5)); // before every graph, also the uncounted ones
  ck_assert(WB_OK(cudaGraphLaunch(timed[0].graph, stream)));
  ck_assert(WB_OK(cudaStreamSynchronize(stream)));
}
END_TEST

START_TEST(what_cannot_be_captured_has_no_graph_time)
{
  const wb_timing_plan plan = {2, WB_GRAPH_ALWAYS, stream, NULL};
  give_buffers();
  workers[1].elsewhere = true;
  ck_assert(wb_time_interleaved(timed, N_ENTRIES, &plan));
  ck_assert_ptr_nonnull(timed[0].graph);
  ck_assert_ptr_null(timed[1].graph);
  ck_assert(isnan(timed[1].timing.graph_median_ms));
  ck_assert_uint_eq(timed[1].timing.graph_runs, 0);
  ck_assert_ptr_nonnull(timed[2].graph); // one that fails does not spoil the next
  ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}
END_TEST

START_TEST(slow_entries_take_part_in_fewer_rounds)
{
  ck_assert_uint_eq(wb_rounds_for(1.0, 1, 20), 20);
  ck_assert_uint_eq(wb_rounds_for(0.001, 1000, 20), 20);
  ck_assert_uint_eq(wb_rounds_for(79.0, 1, 20), 10);
  ck_assert_uint_eq(wb_rounds_for(199.0, 1, 20), 5);
  ck_assert_uint_eq(wb_rounds_for(201.0, 1, 20), 3);
  ck_assert_uint_eq(wb_rounds_for(1900.0, 1, 20), 3);
  ck_assert_uint_eq(wb_rounds_for(1900.0, 1, 1), 1);
}
END_TEST

START_TEST(one_run_is_one_run)
{
  wb_timing timing;
  ck_assert(wb_time_once(&timing, enqueue, &workers[0]));
  ck_assert_uint_eq(n_stretches, 1);
  ck_assert_uint_eq(stretches[0].length, 1);
  ck_assert_uint_eq(timing.repeats, 1);
  ck_assert(timing.p10_ms == timing.median_ms && timing.p90_ms == timing.median_ms);
  ck_assert(isnan(timing.graph_median_ms));
}
END_TEST

START_TEST(ties_lie_within_the_larger_spread)
{
  const wb_timing calm = {.median_ms = 1.0, .p10_ms = 0.99, .p90_ms = 1.01};
  const wb_timing near = {.median_ms = 1.015, .p10_ms = 1.01, .p90_ms = 1.02};
  const wb_timing far = {.median_ms = 1.03, .p10_ms = 1.02, .p90_ms = 1.035};
  const wb_timing noisy = {.median_ms = 1.2, .p10_ms = 1.1, .p90_ms = 1.35};
  const wb_timing none = {.median_ms = NAN, .p10_ms = NAN, .p90_ms = NAN};
  ck_assert(wb_ties(&calm, &calm) && wb_ties(&calm, &near) && wb_ties(&near, &calm));
  ck_assert(!wb_ties(&calm, &far) && !wb_ties(&far, &calm));
  ck_assert(wb_ties(&calm, &noisy) && wb_ties(&noisy, &far));
  ck_assert(!wb_ties(&none, &calm) && !wb_ties(&none, &none));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("timing");
  TCase *cases = tcase_create("timing");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, entries_take_turns);
  tcase_add_test(cases, rounds_are_warmed_up);
  tcase_add_test(cases, graphs_hold_at_least_20_runs);
  tcase_add_test(cases, what_cannot_be_captured_has_no_graph_time);
  tcase_add_test(cases, slow_entries_take_part_in_fewer_rounds);
  tcase_add_test(cases, one_run_is_one_run);
  tcase_add_test(cases, ties_lie_within_the_larger_spread);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
