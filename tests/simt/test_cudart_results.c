// SPDX-License-Identifier: MIT
// test_cudart_results.c - what a program leaves behind: counters, its exit status, the report.
#define _GNU_SOURCE 1 // mkstemp, setenv

#include "cudart_kernels.h"
#include "simt.h"
#include "run_suite.h"

START_TEST(counters_of_all_and_of_the_latest_launch)
{
  simt_counters all, last;
  cudaKernel_t kernel = kernel_of(load(kernels_text), "nothing");
  simt_counters_read(&all);
  ck_assert_uint_eq(all.launches, 0);
  for (unsigned i = 1; i <= 3; i++)
    OK(cudaLaunchKernel((const void *)kernel, (dim3){i, 1, 1}, (dim3){64, 1, 1}, NULL, 0, 0));
  simt_counters_read(&all);
  simt_counters_last_launch(&last);
  ck_assert_uint_eq(all.launches, 3);
  ck_assert_uint_eq(all.blocks, 6);
  ck_assert_uint_eq(last.launches, 1);
  ck_assert_uint_eq(last.warps, 6);
  simt_counters_reset();
  simt_counters_read(&all);
  ck_assert_uint_eq(all.blocks, 0);
}
END_TEST

START_TEST(counters_can_be_off)
{
  setenv("SIMT_COUNTERS", "0", 1);
  simt_counters all;
  OK(launch(kernel_of(load(kernels_text), "nothing"), NULL));
  simt_counters_read(&all);
  ck_assert_uint_eq(all.launches, 0);
}
END_TEST

// Counters are the same with a modelled time (_i: 0), which is not 0, and without.
START_TEST(modelled_times_can_be_off)
{
  if (_i) setenv("SIMT_MODEL", "0", 1);
  simt_counters all;
  simt_modelled parts;
  OK(launch(kernel_of(load(kernels_text), "nothing"), NULL));
  simt_counters_read(&all);
  simt_modelled_last_launch(&parts);
  ck_assert_uint_eq(all.launches, 1);
  ck_assert_uint_eq(all.blocks, 1);
  ck_assert_int_eq(simt_modelled_ms_last_launch() > 0.0, !_i);
  ck_assert_int_eq(parts.total_ms > 0.0, !_i);
}
END_TEST

static void no_fault(void) { launch(kernel_of(load(kernels_text), "nothing"), NULL); }
static void fault_then_reset(void) {
  fault_once();
  cudaDeviceReset();
}

static void fault_heard_by_sync(void) {
  fault_once();
  IS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}
static void fault_heard_by_copy(void) {
  int to = 0, from = 0;
  fault_once();
  IS(cudaErrorIllegalAddress, cudaMemcpy(&to, &from, 4, cudaMemcpyHostToHost));
}
static void fault_and_launches(void) {
  cudaKernel_t nothing = kernel_of(load(kernels_text), "nothing");
  fault_once();
  launch(nothing, NULL); // accepted, though it will not run
}
static void fault_and_last_error(void) { // nothing has waited for it: as on a GPU it knows of none
  fault_and_launches();
  OK(cudaGetLastError());
}

// A program that knows of its fault decides for itself.
START_TEST(exit_status_of_handled_faults)
{
  for (int checked = 0; checked < 2; checked++) {
    if (checked) setenv("SIMT_CHECK", "all", 1);
    ck_assert_int_eq(exit_status_of(fault_heard_by_sync, 0), 0);
    ck_assert_int_eq(exit_status_of(fault_heard_by_sync, 4), 4);
    ck_assert_int_eq(exit_status_of(fault_heard_by_copy, 0), 0);
    ck_assert_int_eq(exit_status_of(fault_and_last_error, 0), 86);
    ck_assert_int_eq(exit_status_of(fault_and_launches, 0), 86);
  }
}
END_TEST

START_TEST(exit_status_tells_of_faults)
{
  ck_assert_int_eq(exit_status_of(no_fault, 0), 0);
  ck_assert_int_eq(exit_status_of(fault_once, 0), 86);
  ck_assert_int_eq(exit_status_of(fault_once, 5), 5);
  ck_assert_int_eq(exit_status_of(fault_then_reset, 0), 0);
}
END_TEST

START_TEST(report_holds_findings_and_counters)
{
  const char *text = report_of(fault_once);
  ck_assert_ptr_nonnull(strstr(text, "\"error\": \"cudaErrorIllegalAddress\""));
  ck_assert_ptr_nonnull(strstr(text, "\"device\": \"modelled H200\""));
  ck_assert_ptr_nonnull(strstr(text, "\n  \"launched\": 1,\n"));
  ck_assert_ptr_nonnull(strstr(text, "\"launches\": 1"));
  ck_assert_ptr_nonnull(strstr(text, "\"class_warp_instructions\""));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cudart: results");
  TCase *results = tcase_create("results");
  tcase_add_test(results, counters_of_all_and_of_the_latest_launch);
  tcase_add_test(results, counters_can_be_off);
  tcase_add_loop_test(results, modelled_times_can_be_off, 0, 2);
  tcase_add_test(results, exit_status_of_handled_faults);
  tcase_add_test(results, exit_status_tells_of_faults);
  tcase_add_test(results, report_holds_findings_and_counters);
  suite_add_tcase(suite, results);
  setenv("SIMT_NOTES", "0", 1);
  return run_suite(suite);
}
