// SPDX-License-Identifier: MIT
// options.c - the grader's command line: every option takes a value.
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
  const char *name, *value, *help;
  size_t offset;
} option_row;

#define ROW(name, value, field, help)                                                              \
  { name, value, help, offsetof(grade_options, field) }
static const option_row option_rows[] = {
    ROW("--exercises", "DIR", exercises, "one's own exercises (exercises)"),
    ROW("--submissions", "DIR", submissions, "a class: one folder per student"),
    ROW("--student", "NAME", student, "of a class, this student only"),
    ROW("--exercise", "NN_name", exercise, "of a class, this exercise only"),
    ROW("--roster", "FILE", roster, "CSV of who there should be, with a column id or student"),
    ROW("--force", "yes", force, "judge also what has a verdict already"),
    ROW("--shard", "I/N", shard, "of a class, the I-th of N parts; --merge puts them together"),
    ROW("--merge", "D:E", merge, "judge nothing: the table, from these folders' verdicts as well"),
    ROW("--jobs", "N", jobs, "students judged at the same time (all cores)"),
    ROW("--names", "\"A B\"", names, "which exercises, separated by spaces (all)"),
    ROW("--try", "NN_name", only, "judge one file and show what the suite says"),
    ROW("--source", "FILE", source, "that file (exercises/NN_name.cu)"),
    ROW("--one", "CHECK", one, "of --try: this check alone"),
    ROW("--keep", "DIR", keep, "of --try: report, records, what kernels print (BUILD/try)"),
    ROW("--results", "FILE", results, "of --try: its records, as in results.json"),
    ROW("--stages", "FD", stages, "of --try: a line when compiling and when judging begins"),
    ROW("--out", "DIR", out, "where results go (BUILD/grade)"),
    ROW("--check", "LIST", check, "software GPU: checkers that must find nothing (none)"),
    ROW("--schedule", "S", schedule, "software GPU: order of threads, or sweep:K (lockstep)"),
    ROW("--seed", "N", seed, "base of all random inputs (1)"),
    ROW("--key", "FILE", key, "the instructor's key: random inputs no student knows"),
    ROW("--sandbox", "NAME", fence, "bubblewrap, landlock or limits (the best that works)"),
    ROW("--allow-unsafe", "yes", allow_unsafe, "a class with limits alone"),
    ROW("--build", "DIR", build, "where the workbook was built (build)"),
    ROW("--suites", "DIR", suites, "the trusted suites (BUILD/tests)"),
    ROW("--rubrics", "DIR", rubrics, "rubrics beside the solutions they are about (solutions)"),
    ROW("--compiler", "FILE", compiler, "compiles the device side to PTX"),
    ROW("--headers", "DIR", headers, "of that compiler: what a submission may include besides"),
    ROW("--unpacker", "FILE", unpacker, "reads archives, behind the fence"),
    ROW("--compiler-arguments", "A,B", compiler_arguments, "its arguments, comma-separated"),
    ROW("--compile-s", "S", compile_s, "limit of the compiler (30)"),
    ROW("--check-s", "S", check_s, "limit of one check (20)"),
    ROW("--suite-s", "S", suite_s, "limit of one exercise's suite (100)"),
    ROW("--student-s", "S", student_s, "of a class: limit of one student's exercises (300)"),
    ROW("--memory-mib", "N", memory_mib, "memory of compiler and suite (4096; 0: no limit)"),
};
#undef ROW
enum { N_ROWS = sizeof option_rows / sizeof *option_rows };

static void print_usage(FILE *out) {
  fputs("usage: grade [OPTION VALUE]...\n", out);
  for (size_t i = 0; i < N_ROWS; i++)
    fprintf(out, "  %-21s %-8s %s\n", option_rows[i].name, option_rows[i].value,
            option_rows[i].help);
}

int grade_options_parse(grade_options *options, int argc, char **argv) {
  enum { HELP = N_ROWS };
  struct option known[N_ROWS + 2] = {[HELP] = {"help", no_argument, NULL, HELP}};
  for (int r = 0; r < N_ROWS; r++)
    known[r] = (struct option){option_rows[r].name + strlen("--"), required_argument, NULL, r};
  int c;
  while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
    if (c == HELP) return print_usage(stdout), 1;
    if (c < 0 || c >= N_ROWS) break; // getopt_long has said why
    *(const char **)((char *)options + option_rows[c].offset) = optarg;
  }
  if (c == -1 && optind < argc) fprintf(stderr, "%s: unexpected '%s'\n", argv[0], argv[optind]);
  if (c == -1 && optind >= argc) return 0;
  print_usage(stderr);
  return 2;
}

bool grade_options_number(const char *name, const char *text, double least, double fallback,
                          double *value) {
  *value = fallback;
  if (!text) return true;
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= least && *value < 1e15) return true;
  fprintf(stderr, "grade: %s is '%s': a number of at least %g is needed\n", name, text, least);
  return false;
}

bool grade_options_shard(const char *text, unsigned *shard, unsigned *n_shards) {
  int used = 0;
  *shard = *n_shards = 1;
  if (!text) return true;
  bool read = sscanf(text, "%u/%u%n", shard, n_shards, &used) == 2 && !text[used];
  if (read && *shard >= 1 && *shard <= *n_shards && *n_shards <= 100000) return true;
  fprintf(stderr, "grade: --shard is '%s': I/N is needed, I from 1 to N, as 3/8\n", text);
  return false;
}

bool grade_options_choice(const char *name, const char *text, bool *value) {
  *value = text && strcmp(text, "yes") == 0;
  if (!text || *value || strcmp(text, "no") == 0) return true;
  fprintf(stderr, "grade: %s is '%s': yes or no is needed\n", name, text);
  return false;
}
