// SPDX-License-Identifier: MIT
// main.c - the program `workbook`: what goes on around an exercise besides judging it.
//
//   workbook watch NN_name     judges an exercise whenever it is saved (make watch)
//   workbook record RESULTS    adds what the grader found to the file of progress
//   workbook note KIND KEY REST  puts another line there: an answer, a challenge that is met
//
// To be run in the workbook's folder. Environment: WORKBOOK_PROGRESS, the file of progress
// (exercises/progress.txt); BUILD, where the workbook was built (build).
// Exit: 0 done, 1 it could not be done, 2 wrong use.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "progress.h"
#include "results.h"
#include "watch.h"

enum { EXIT_DONE = 0, EXIT_NOT_DONE = 1, EXIT_WRONG_USE = 2 };

static const char *progress_path(void) {
  const char *path = getenv("WORKBOOK_PROGRESS");
  return path && *path ? path : "exercises/progress.txt";
}

static int complain(const tutor_diag *diag) {
  fprintf(stderr, "workbook: %s\n", diag->text);
  return EXIT_NOT_DONE;
}

// Locks the file's folder, so that two attempts that end at the same time write one after the
// other. Without the lock the file is still replaced as a whole.
static int lock_folder(const char *path) {
  char folder[TUTOR_PATH_BYTES];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  int fd = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) flock(fd, LOCK_EX);
  return fd;
}

static tutor_status record(const tutor_results *results, const char *path, tutor_diag *diag) {
  char today[TUTOR_DATE_BYTES];
  tutor_progress progress;
  tutor_today(today);
  tutor_status status = tutor_progress_read(&progress, path, diag);
  for (size_t i = 0; i < results->n_exercises && !status; i++) {
    const tutor_result *r = &results->exercises[i];
    if (r->grader_error || r->n_checks == 0) continue; // says nothing about the kernel
    status = tutor_progress_tried(&progress, r->name, r->points, r->max_points, today, diag);
  }
  if (!status) status = tutor_progress_write(&progress, path, diag);
  tutor_progress_free(&progress);
  return status;
}

static int run_record(const char *results_path) {
  tutor_results results;
  tutor_diag diag;
  const char *path = progress_path();
  tutor_status status = tutor_results_read(&results, results_path, &diag);
  int lock = lock_folder(path);
  if (!status) status = record(&results, path, &diag);
  if (lock >= 0) close(lock);
  tutor_results_free(&results);
  return status ? complain(&diag) : EXIT_DONE;
}

// For what the scripts find out. Exercises are recorded from results alone.
static int run_note(const char *kind, const char *key, const char *rest) {
  tutor_progress progress;
  tutor_diag diag;
  const char *path = progress_path();
  if (strcmp(kind, "lesson") == 0 || strcmp(kind, "version") == 0 || strpbrk(kind, " \n#") ||
      strpbrk(key, " \n") || strchr(rest, '\n') || !*kind || !*key) {
    fprintf(stderr, "workbook: '%s %s' is no note\n", kind, key);
    return EXIT_WRONG_USE;
  }
  int lock = lock_folder(path);
  tutor_status status = tutor_progress_read(&progress, path, &diag);
  if (!status) status = tutor_progress_set(&progress, kind, key, rest, &diag);
  if (!status) status = tutor_progress_write(&progress, path, &diag);
  tutor_progress_free(&progress);
  if (lock >= 0) close(lock);
  return status ? complain(&diag) : EXIT_DONE;
}

static int run_watch(const char *name) {
  static const char *const lessons[] = {TUTOR_EXERCISES};
  const char *build = getenv("BUILD");
  tutor_watch_options options = {.lessons = lessons,
                                 .n_lessons = sizeof lessons / sizeof *lessons,
                                 .build = build && *build ? build : "build",
                                 .progress = progress_path()};
  while (options.first < options.n_lessons && strcmp(lessons[options.first], name) != 0)
    options.first++;
  if (options.first < options.n_lessons) return tutor_watch(&options);
  fprintf(stderr, "workbook: there is no exercise '%s'; make list shows them\n", name);
  return EXIT_WRONG_USE;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "watch") == 0) return run_watch(argv[2]);
  if (argc == 3 && strcmp(argv[1], "record") == 0) return run_record(argv[2]);
  if (argc == 5 && strcmp(argv[1], "note") == 0) return run_note(argv[2], argv[3], argv[4]);
  fputs("usage: workbook watch NN_name | record RESULTS | note KIND KEY REST\n", stderr);
  return EXIT_WRONG_USE;
}
