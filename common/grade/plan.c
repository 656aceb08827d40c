// SPDX-License-Identifier: MIT
// plan.c - what an exercise's verdicts are made of: its checks, the solution's counts that the
// rubric's rules are about, and a hash of all that they depend on.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compared.h"
#include "files.h"
#include "hash.h"
#include "programs.h"
#include "record.h"

// --- the solution's counts -----------------------------------------------------------------------

// The solution's instructions beside its counts, for what is like it: HASH.ptx for HASH.counts.
static grade_status keep_instructions(const grade_setup *setup, const char *counts,
                                      grade_diag *diag) {
  char path[GRADE_PATH_BYTES + 8];
  char *text = grade_compared_instructions(setup->work);
  snprintf(path, sizeof path, "%.*s.ptx", (int)(strlen(counts) - strlen(".counts")), counts);
  grade_status status = text ? grade_file_write(path, text, diag) : GRADE_OK;
  free(text);
  return status;
}

// Compiles the solution and runs the suite on it; its counts go to `path`.
static grade_status make_counts(const grade_setup *setup, const char *exercise, const char *text,
                                const char *path, grade_diag *diag) {
  char source[GRADE_NAME_BYTES + 8], place[GRADE_PATH_BYTES];
  grade_run run = {.output = NULL};
  snprintf(source, sizeof source, "%s.cu", exercise);
  if (!grade_path(place, setup->work, exercise, ".cu") ||
      !grade_work_write(place, text, strlen(text)))
    return grade_fail(diag, GRADE_IO_ERROR, "cannot write to %s: %s", setup->work, strerror(errno));
  grade_status status = grade_run_compiler(setup, source, -1, &run, diag);
  unlink(place);
  if (!status && (run.end != GRADE_EXITED || run.code != 0))
    status = grade_fail(diag, GRADE_NOT_STARTED, "the solution of %s does not compile: %.600s",
                        exercise, run.output);
  free(run.output);
  const grade_suite_call call = {exercise, "solution", "", GRADE_SUITE_RECORD};
  run.output = NULL;
  if (!status) status = grade_run_suite(setup, &call, &run, diag);
  if (!status && (run.end != GRADE_EXITED || run.code != 0))
    status = grade_fail(diag, GRADE_NOT_STARTED, "the solution of %s does not pass: %.600s",
                        exercise, run.output);
  free(run.output);
  if (!status) status = keep_instructions(setup, path, diag);
  grade_path(place, setup->work, "solution", ".counts");
  char *counts = status ? NULL : grade_work_read(place, GRADE_RESULT_BYTES);
  if (!status)
    status = counts ? grade_file_write(path, counts, diag)
                    : grade_fail(diag, GRADE_IO_ERROR, "cannot read %s", place);
  free(counts);
  unlink(place);
  return grade_work_empty(setup) || status
             ? status
             : grade_fail(diag, GRADE_IO_ERROR, "cannot empty %s", setup->work);
}

// Finds or makes the counts that the rubric's rules need; plan->counts names them.
static grade_status find_counts(const grade_setup *setup, grade_exercise *plan, grade_diag *diag) {
  char rubric[GRADE_PATH_BYTES], solution[GRADE_PATH_BYTES], suite[GRADE_PATH_BYTES],
      path[GRADE_PATH_BYTES];
  if (!setup->counts || !grade_has_rubric(setup, plan->name, rubric)) return GRADE_OK;
  grade_hash hash;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, setup->versions);
  grade_hash_number(&hash, grade_seed_of(setup, plan->name));
  bool read = grade_path(solution, setup->rubrics, plan->name, ".cu") &&
              grade_path(suite, setup->suites, plan->name, "") && grade_hash_file(&hash, suite) &&
              grade_hash_file(&hash, rubric) && grade_hash_file(&hash, solution);
  grade_hash_end(&hash, plan->counts);
  char *text = read ? grade_file_read(solution, GRADE_RESULT_BYTES) : NULL;
  if (!text)
    return grade_fail(diag, GRADE_IO_ERROR, "cannot read suite, rubric and solution of %s: %s",
                      plan->name, strerror(errno));
  grade_status status = GRADE_OK;
  if (!grade_path(path, setup->counts, plan->counts, ".counts"))
    status = grade_fail(diag, GRADE_IO_ERROR, "paths are too long");
  else if (access(path, R_OK) != 0) status = make_counts(setup, plan->name, text, path, diag);
  free(text);
  return status;
}

// What the verdicts of an exercise depend on besides the submission.
static grade_status identify(const grade_setup *setup, grade_exercise *plan, const char *text,
                             grade_diag *diag) {
  char path[GRADE_PATH_BYTES];
  grade_hash hash;
  grade_hash_begin(&hash);
  grade_hash_text(&hash, setup->versions);
  grade_hash_text(&hash, text);
  snprintf(path, sizeof path, "%s/%s", setup->suites, plan->name);
  if (!grade_hash_file(&hash, path))
    return grade_fail(diag, GRADE_NOT_STARTED, "cannot read %s: %s", path, strerror(errno));
  grade_hash_number(&hash, grade_seed_of(setup, plan->name));
  grade_hash_text(&hash, plan->counts); // of rubric and solution
  grade_hash_text(&hash, setup->check);
  grade_hash_text(&hash, setup->schedule);
  grade_hash_number(&hash, setup->memory_bytes);
  const double limits[] = {setup->compile_s, setup->check_s, setup->suite_s, setup->student_s};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    grade_hash_number(&hash, (uint64_t)(limits[i] * 1e6));
  grade_hash_end(&hash, plan->judge);
  return GRADE_OK;
}

grade_status grade_judge_plan(const grade_setup *setup, const char *name, grade_exercise *plan,
                              grade_diag *diag) {
  *plan = (grade_exercise){.state = GRADE_NOT_JUDGED};
  if (strlen(name) >= sizeof plan->name)
    return grade_fail(diag, GRADE_NOT_STARTED, "'%s' is too long a name", name);
  memcpy(plan->name, name, strlen(name) + 1);
  grade_run run;
  grade_status status = find_counts(setup, plan, diag);
  const grade_suite_call call = {name, "", plan->counts, GRADE_SUITE_PLAN};
  if (!status) status = grade_run_suite(setup, &call, &run, diag);
  if (status) return status;
  if (run.end == GRADE_EXITED && run.code == 2 && setup->one && *run.output)
    status = grade_fail(diag, GRADE_NOT_STARTED, "%.*s", (int)strlen(run.output) - 1, run.output);
  else if (run.end != GRADE_EXITED || run.code != 0 || run.output_cut)
    status = grade_fail(diag, GRADE_NOT_STARTED, "the suite of %s gives no plan: %.600s", name,
                        run.output);
  else status = grade_plan_read(plan, run.output, diag);
  if (!status && setup->versions) status = identify(setup, plan, run.output, diag);
  free(run.output);
  return status;
}
