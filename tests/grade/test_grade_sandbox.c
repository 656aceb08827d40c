// SPDX-License-Identifier: MIT
// One program under limits: it ends, whatever it tries, and leaves no process behind.
#define _GNU_SOURCE
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grade/sandbox.h"
#include "run_suite.h"

static grade_run run;
static grade_diag diag;

static grade_status run_shell_with(const char *script, grade_limits limits) {
  const char *argv[] = {"/bin/sh", "-c", script, NULL};
  const char *environment[] = {"PATH=/usr/bin:/bin", NULL};
  grade_command command = {
      .argv = argv, .environment = environment, .directory = "/", .forward = -1, .limits = limits};
  free(run.output); // of the run before, in the same test
  run.output = NULL;
  return grade_sandbox_run(&command, &run, &diag);
}

static void run_shell(const char *script) {
  grade_limits limits = {.idle_s = 5, .cpu_s = 5, .file_bytes = 1 << 20, .output_bytes = 1000};
  ck_assert_msg(run_shell_with(script, limits) == GRADE_OK, "%s", diag.text);
}

static void tear_down(void) {
  free(run.output);
  run.output = NULL;
}

START_TEST(output_and_status_come_back)
{
  run_shell("echo out; echo err >&2; exit 3");
  ck_assert_int_eq(run.end, GRADE_EXITED);
  ck_assert_int_eq(run.code, 3);
  ck_assert_str_eq(run.output, "out\nerr\n");
  ck_assert(!run.output_cut);
}
END_TEST

START_TEST(signals_are_reported)
{
  run_shell("kill -SEGV $$");
  ck_assert_int_eq(run.end, GRADE_SIGNALLED);
  ck_assert_int_eq(run.code, SIGSEGV);
}
END_TEST

START_TEST(environment_stdin_and_descriptors_are_clean)
{
  setenv("LEAK", "secret", 1);
  int leaked = dup2(1, 77); // inheritable on purpose
  // Descriptor 3 may be the shell's own, of the folder it looks at.
  run_shell("echo \"[$LEAK]\"; cat\n"
            "for fd in /proc/$$/fd/*; do case ${fd##*/} in [0-3]) ;; *) echo $fd ;; esac; done");
  close(leaked);
  ck_assert_str_eq(run.output, "[]\n");
}
END_TEST

START_TEST(a_program_that_does_not_exist)
{
  const char *argv[] = {"/nonexistent/program", NULL};
  const char *environment[] = {NULL};
  grade_command command = {.argv = argv,
                           .environment = environment,
                           .forward = -1,
                           .limits = {.idle_s = 5, .cpu_s = 5, .output_bytes = 100}};
  ck_assert_int_eq(grade_sandbox_run(&command, &run, &diag), GRADE_NOT_STARTED);
  ck_assert_ptr_nonnull(strstr(diag.text, "/nonexistent/program"));
}
END_TEST

START_TEST(waiting_for_nothing_is_limited)
{
  grade_limits limits = {.idle_s = 0.3, .cpu_s = 5, .file_bytes = 1000, .output_bytes = 1000};
  ck_assert_int_eq(run_shell_with("trap '' TERM; echo begun; sleep 60", limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_TIMED_OUT);
  ck_assert_str_eq(run.output, "begun\n");
  ck_assert(run.seconds < 30);
}
END_TEST

// Takes longer than it may wait, whatever the machine does: of its processes one can always go on.
START_TEST(the_clock_on_the_wall_ends_nothing_that_computes)
{
  grade_limits limits = {.idle_s = 0.3, .cpu_s = 5, .file_bytes = 1000, .output_bytes = 1000};
  const char *script = "sh -c 'while [ $(cut -d. -f1 /proc/uptime) -le $0 ]; do :; done' "
                       "$(($(cut -d. -f1 /proc/uptime) + 1)) | cat; echo end";
  ck_assert_int_eq(run_shell_with(script, limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_EXITED);
  ck_assert_str_eq(run.output, "end\n");
  ck_assert(run.seconds > 1);
}
END_TEST

START_TEST(processor_time_of_all_processes_is_limited)
{
  grade_limits limits = {
      .idle_s = 60, .cpu_s = 60, .all_cpu_s = 1, .file_bytes = 1000, .output_bytes = 1000};
  const char *busy = "sh -c 'while :; do :; done' & sh -c 'while :; do :; done' & wait";
  ck_assert_int_eq(run_shell_with(busy, limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_TIMED_OUT);
}
END_TEST

START_TEST(processor_time_is_limited)
{
  grade_limits limits = {.idle_s = 100, .cpu_s = 1, .file_bytes = 1000, .output_bytes = 1000};
  ck_assert_int_eq(run_shell_with("while :; do :; done", limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_TIMED_OUT);
  ck_assert(run.seconds < 90);
  // Also where a shell in between makes an exit status of the signal; not what ends well in time.
  ck_assert_int_eq(run_shell_with("sh -c 'while :; do :; done'; exit 1", limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_TIMED_OUT);
  ck_assert_int_eq(run_shell_with("exit 1", limits), GRADE_OK);
  ck_assert_int_eq(run.end, GRADE_EXITED);
}
END_TEST

START_TEST(output_is_limited_and_does_not_block)
{
  run_shell("yes | head -c 5000000; echo end");
  ck_assert(run.output_cut);
  ck_assert_uint_eq(strlen(run.output), 1000);
  ck_assert_int_eq(run.end, GRADE_EXITED);
}
END_TEST

START_TEST(file_size_is_limited)
{
  run_shell("f=$(mktemp) && head -c 9000000 /dev/zero >$f; wc -c <$f; rm -f $f");
  ck_assert_ptr_nonnull(strstr(run.output, "1048576"));
}
END_TEST

START_TEST(memory_is_limited)
{
  grade_limits limits = {
      .idle_s = 5, .cpu_s = 5, .memory_bytes = 64 << 20, .file_bytes = 1000, .output_bytes = 1000};
  ck_assert_int_eq(run_shell_with("head -c 200000000 /dev/zero | tail | wc -c", limits), GRADE_OK);
  ck_assert_ptr_null(strstr(run.output, "200000000"));
}
END_TEST

START_TEST(escaped_descendants_are_ended)
{
  char script[128], mark[64];
  snprintf(mark, sizeof mark, "/tmp/grade-sandbox-%ld", (long)getpid());
  unlink(mark);
  snprintf(script, sizeof script, "setsid sh -c 'sleep 0.6; touch %s' & echo started", mark);
  run_shell(script);
  ck_assert_int_eq(run.end, GRADE_EXITED);
  usleep(1000000);
  ck_assert_int_ne(access(mark, F_OK), 0);
}
END_TEST

START_TEST(nul_bytes_in_output_are_visible)
{
  run_shell("printf 'a\\000b'");
  ck_assert_str_eq(run.output, "a?b");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("grade_sandbox");
  TCase *tcase = tcase_create("sandbox");
  tcase_set_timeout(tcase, 120);
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_test(tcase, output_and_status_come_back);
  tcase_add_test(tcase, signals_are_reported);
  tcase_add_test(tcase, environment_stdin_and_descriptors_are_clean);
  tcase_add_test(tcase, a_program_that_does_not_exist);
  tcase_add_test(tcase, waiting_for_nothing_is_limited);
  tcase_add_test(tcase, the_clock_on_the_wall_ends_nothing_that_computes);
  tcase_add_test(tcase, processor_time_of_all_processes_is_limited);
  tcase_add_test(tcase, processor_time_is_limited);
  tcase_add_test(tcase, output_is_limited_and_does_not_block);
  tcase_add_test(tcase, file_size_is_limited);
  tcase_add_test(tcase, memory_is_limited);
  tcase_add_test(tcase, escaped_descendants_are_ended);
  tcase_add_test(tcase, nul_bytes_in_output_are_visible);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
