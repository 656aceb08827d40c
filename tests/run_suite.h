// SPDX-License-Identifier: MIT
// run_suite.h - the end of a Check program.
#ifndef TESTS_RUN_SUITE_H
#define TESTS_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

// Runs the suite, which it frees, as Check's environment variables say; the program's exit status.
static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
