// SPDX-License-Identifier: MIT
// probe.c - tries the fences.
//
// Invariant: a rung is used only after it was seen to work; there is no silent way down.
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fence.h"
#include "sandbox.h"

// A fenced shell must be able to write beside itself, and not to read `secret`.
static bool works(const char *place, const char *secret, grade_diag *diag) {
  static const char script[] = "echo yes >probe && ! (read line <\"$1\") 2>/dev/null";
  const char *const argv[] = {"/bin/sh", "-c", script, "sh", secret, NULL};
  const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
  char *probe = NULL;
  grade_run run;
  const grade_command command = {
      .argv = argv,
      .environment = environment,
      .directory = place,
      .fenced = true,
      .forward = -1,
      .limits = {.idle_s = 10, .cpu_s = 5, .file_bytes = 1 << 20, .output_bytes = 512}};
  if (grade_sandbox_run(&command, &run, diag)) return false;
  bool worked = run.end == GRADE_EXITED && run.code == 0;
  grade_fail(diag, GRADE_NOT_STARTED, "%s does not work here%s%.300s",
             grade_fence_name(grade_fence_current()), *run.output ? ": " : "", run.output);
  free(run.output);
  if (asprintf(&probe, "%s/probe", place) < 0) return false;
  worked = access(probe, F_OK) == 0 && worked;
  unlink(probe);
  free(probe);
  return worked;
}

static bool try_rung(grade_fence fence, const char *place, const char *secret, grade_diag *diag) {
  grade_fence_set(fence);
  return fence == GRADE_FENCE_LIMITS || works(place, secret, diag);
}

grade_status grade_fence_choose(const char *wanted, const char *work, grade_diag *diag) {
  char *place = NULL, *secret = NULL;
  int only = -1, rung = GRADE_FENCE_BUBBLEWRAP;
  for (int f = 0; wanted && f <= GRADE_FENCE_BUBBLEWRAP; f++)
    if (strcmp(wanted, grade_fence_name((grade_fence)f)) == 0) only = f;
  if (wanted && only < 0)
    return grade_fail(diag, GRADE_NOT_STARTED,
                      "there is no sandbox '%s': bubblewrap, landlock or limits", wanted);
  if (asprintf(&place, "%s/probe", work) < 0 || asprintf(&secret, "%s/secret", work) < 0)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  FILE *file = fopen(secret, "we");
  bool made = file && fputs("secret\n", file) >= 0;
  made = file && fclose(file) == 0 && made && mkdir(place, 0700) == 0;
  if (made && only >= 0) rung = try_rung((grade_fence)only, place, secret, diag) ? only : -1;
  else
    while (made && rung > 0 && !try_rung((grade_fence)rung, place, secret, diag)) rung--;
  unlink(secret);
  rmdir(place);
  free(place);
  free(secret);
  grade_fence_set(rung > 0 ? (grade_fence)rung : GRADE_FENCE_LIMITS);
  if (!made)
    return grade_fail(diag, GRADE_IO_ERROR, "cannot write to %s: %s", work, strerror(errno));
  return rung >= 0 ? GRADE_OK : GRADE_NOT_STARTED;
}
