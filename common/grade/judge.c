// SPDX-License-Identifier: MIT
// judge.c - from a submitted file to verdicts.
//
// Invariants: the submission is compiled with -ptx only, so that its host code is never even built;
// the suite gets the PTX by path; verdicts come from the suite's result file alone, never from
// output or exit status.
#define _GNU_SOURCE
#include "judge.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compared.h"
#include "fence.h"
#include "includes.h"
#include "programs.h"
#include "record.h"
#include "source.h"
#include "text.h"

static void decide(grade_exercise *exercise, grade_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void decide(grade_exercise *exercise, grade_state state, const char *format, ...) {
  char text[2 * GRADE_TEXT_BYTES], safe[4 * GRADE_TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  grade_text_message(safe, sizeof safe, text);
  if (grade_exercise_decide(exercise, state, safe)) exercise->state = GRADE_NOT_JUDGED;
}

// For who waits for a verdict; a reader that has gone is no reason to stop.
static void enter_stage(const grade_setup *setup, const char *line) {
  if (setup->stages > STDERR_FILENO && write(setup->stages, line, strlen(line)) < 0) return;
}

// --- compiling -----------------------------------------------------------------------------------

// The first line that holds `text`, or NULL.
static const char *line_with(const char *output, const char *text) {
  const char *found = strstr(output, text);
  while (found && found > output && found[-1] != '\n') found--;
  return found;
}

// What simtcc says itself, of a clang that broke down: it cannot tell that it was stopped.
static bool is_wrappers(const char *line) { return strncmp(line, "simtcc: ", 8) == 0; }

// The compiler's first error at a place of the submission, or in a header that it includes. What is
// said of anything else is no student's business, and may not be the student's fault.
static bool find_error(char *out, size_t out_bytes, const char *output, const char *source) {
  char in_file[GRADE_NAME_BYTES + 16], from_file[GRADE_NAME_BYTES + 48];
  snprintf(in_file, sizeof in_file, "%s:", source);
  snprintf(from_file, sizeof from_file, "In file included from %s:", source);
  const char *from = NULL;
  for (const char *at = output; (at = line_with(at, in_file)); at += strcspn(at, "\n")) {
    size_t length = strcspn(at, "\n");
    if (strncmp(at, from_file, strlen(from_file)) == 0 && !from) from = at;
    bool here = strncmp(at, in_file, strlen(in_file)) == 0 || is_wrappers(at);
    if (!here || !(memmem(at, length, "error", 5) || memmem(at, length, "clang", 5))) {
      if (!at[length]) break;
      continue;
    }
    snprintf(out, out_bytes, "%.*s", (int)length, at);
    return true;
  }
  if (from && strstr(output, "error"))
    snprintf(out, out_bytes, "an error in a header, i%.*s", (int)strcspn(from, "\n") - 1, from + 1);
  return from != NULL;
}

// An error with a place, "FILE:LINE:COLUMN: error:". That of a header of the system comes with the
// line of the submission that includes it (find_error); any other is the submission's own text
// under another name. What the compiler itself cannot do (a full disk) has no place.
static bool has_error_elsewhere(const char *output) {
  regex_t place;
  if (regcomp(&place, ":[0-9]+:[0-9]+: (fatal )?error: ", REG_EXTENDED | REG_NOSUB)) return false;
  bool found = regexec(&place, output, 0, NULL, 0) == 0;
  regfree(&place);
  return found;
}

static bool is_stopped(const grade_run *run) {
  return run->end == GRADE_TIMED_OUT || (run->end == GRADE_SIGNALLED && run->code == SIGXCPU);
}

// Whether the kernel ended the compiler for its time, as far as its wrappers still show: a shell
// that cleans up ends with a status of its own.
static bool has_spent_its_time(const grade_setup *setup, const grade_run *run) {
  return run->cpu_s > 0.75 * setup->compile_s;
}

enum { DIAGNOSTIC_LINES = 8 };

static bool begins_diagnostic(const char *line) {
  size_t length = strcspn(line, "\n");
  return memmem(line, length, ": error:", 8) || memmem(line, length, ": fatal error:", 14) ||
         memmem(line, length, ": warning:", 10) || memmem(line, length, ": note:", 7);
}

static bool is_error(const char *line) {
  size_t length = strcspn(line, "\n");
  return memmem(line, length, "error:", 6) != NULL;
}

static const char *line_after(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

// What is often written for a word of CUDA's, and the compiler takes for a name of its own.
static const char *meant_word(const char *line) {
  static const char *const words[][2] = {
      {"'__shared'", "__shared__"},         {"'__global'", "__global__"},
      {"'__device'", "__device__"},         {"'__syncthread'", "__syncthreads()"},
      {"'syncthreads'", "__syncthreads()"}, {"'__synchthreads'", "__syncthreads()"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(line, strcspn(line, "\n"), words[i][0], strlen(words[i][0]))) return words[i][1];
  return NULL;
}

// What helps with the error in line `first`, from the notes that follow it: where in the same text
// something begins, and why a function does not take the arguments.
static void show_help(const grade_setup *setup, const char *first, const char *notes) {
  static const char candidate[] = "candidate function not viable: ";
  const size_t name = strcspn(first, ":") + 1;
  const char *word = meant_word(first);
  if (word) dprintf(setup->forward, "CUDA's word is %s\n", word);
  for (const char *line = notes; *line && !is_error(line); line = line_after(line)) {
    const size_t length = strcspn(line, "\n");
    const char *why = memmem(line, length, candidate, sizeof candidate - 1);
    const bool is_own = strncmp(line, first, name) == 0 && memmem(line, length, ": note: ", 8);
    if (!why && !is_own) continue;
    if (why) why += sizeof candidate - 1;
    dprintf(setup->forward, "%.*s\n", (int)(why ? length - (size_t)(why - line) : length),
            why ? why : line);
    return;
  }
}

// Of what the compiler said, the first error (or, where it compiles, the first warning) with the
// lines that quote the source. Returns the number of errors.
static unsigned show_first(const grade_setup *setup, const char *output) {
  const char *first = NULL;
  unsigned n_errors = 0, n_lines = 0;
  for (const char *line = output; *line; line = line_after(line)) {
    if (!begins_diagnostic(line)) continue;
    if (!first || (is_error(line) && n_errors == 0)) first = line;
    n_errors += is_error(line);
  }
  const char *line = first;
  while (line && *line && n_lines < DIAGNOSTIC_LINES && !(n_lines > 0 && begins_diagnostic(line))) {
    dprintf(setup->forward, "%.*s\n", (int)strcspn(line, "\n"), line);
    line = line_after(line);
    n_lines++;
  }
  if (n_errors > 0) show_help(setup, first, line);
  return n_errors;
}

// For a person who tries one file: the compiler's first error, not all that it says.
static bool shows_first(const grade_setup *setup) {
  return setup->keep && setup->forward >= 0 && !setup->verbose;
}

static void explain_compiler(grade_exercise *exercise, const grade_setup *setup,
                             const grade_run *run, const char *source) {
  char line[512] = "";
  if (is_stopped(run))
    decide(exercise, GRADE_NOT_COMPILED, "does not compile: the compiler was stopped after %g s",
           setup->compile_s);
  else if (find_error(line, sizeof line, run->output, source) && shows_first(setup))
    decide(exercise, GRADE_NOT_COMPILED, "does not compile%s",
           show_first(setup, run->output) > 1
               ? ": begin with this error, others may follow from it (VERBOSE=1: all)"
               : "");
  else if (*line && !(is_wrappers(line) && has_spent_its_time(setup, run)))
    decide(exercise, GRADE_NOT_COMPILED, "does not compile: %s", line);
  else if (run->output_cut)
    decide(exercise, GRADE_NOT_COMPILED,
           "does not compile: the compiler said more than can be kept");
  else if (has_error_elsewhere(run->output))
    decide(exercise, GRADE_NOT_COMPILED,
           "does not compile: the error is at a place that is not in the submission, but to which "
           "one of its own lines points (#line, or # and a number)");
  else if (has_spent_its_time(setup, run))
    decide(exercise, GRADE_NOT_COMPILED, "does not compile: the compiler was stopped after %g s",
           setup->compile_s);
  else
    decide(exercise, GRADE_NOT_JUDGED,
           "the compiler failed without an error in the submission's own text");
}

// Whether the compiler can compile anything at all: where it cannot (no clang, a full disk), a
// submission that does not compile has lost nothing. False: `diag` has what it said.
static bool compiler_works(const grade_setup *setup, grade_diag *diag) {
  static const char control[] = "extern \"C\" __global__ void control(int *out) { *out = 1; }\n";
  char path[GRADE_PATH_BYTES];
  grade_run run;
  snprintf(path, sizeof path, "%s/control.cu", setup->work);
  if (!grade_work_write(path, control, sizeof control - 1)) {
    grade_fail(diag, GRADE_IO_ERROR, "cannot write %s: %s", path, strerror(errno));
    return false;
  }
  grade_status status = grade_run_compiler(setup, "control.cu", -1, &run, diag);
  unlink(path);
  if (status) return false;
  bool works = run.end == GRADE_EXITED && run.code == 0;
  snprintf(diag->text, sizeof diag->text, "%.*s", (int)strcspn(run.output, "\n"), run.output);
  free(run.output);
  return works;
}

// Records and lists of headers name the submission as the compiler does, by its full name: what
// they say is the same for every fence and says nothing of this machine without the folder, which
// is another one each time.
static void leave_out_folder(const grade_setup *setup, char *text) {
  char folder[PATH_MAX], *resolved = realpath(setup->work, NULL);
  snprintf(folder, sizeof folder, "%.*s/", (int)sizeof folder - 2,
           grade_fence_inside(resolved ? resolved : setup->work));
  const size_t length = strlen(folder);
  char *to = text;
  for (const char *from = text; *from;)
    if (strncmp(from, folder, length) == 0) from += length;
    else *to++ = *from++;
  *to = '\0';
  free(resolved);
}

// Refuses what was made of anything but its own text and headers.
static bool check_includes(const grade_setup *setup, grade_exercise *exercise, const char *source) {
  char path[GRADE_PATH_BYTES], found[PATH_MAX];
  char *dependencies = grade_path(path, setup->work, "module", ".d")
                           ? grade_work_read(path, GRADE_RESULT_BYTES)
                           : NULL;
  if (!dependencies) {
    decide(exercise, GRADE_NOT_JUDGED, "the compiler did not say what it had read");
    return false;
  }
  bool same_view = grade_fence_current() != GRADE_FENCE_BUBBLEWRAP;
  bool forbidden =
      grade_include_forbidden(dependencies, source, setup->headers, same_view, found, sizeof found);
  free(dependencies);
  leave_out_folder(setup, found);
  if (forbidden) decide(exercise, GRADE_REFUSED, "includes %s, which a submission may not", found);
  return !forbidden;
}

// For the suite, which names a warned line where it sees none itself.
static void keep_warnings(const grade_setup *setup, const char *output) {
  char path[GRADE_PATH_BYTES];
  if (*output && grade_path(path, setup->work, "warnings", ".txt"))
    grade_work_write(path, output, strlen(output));
}

// Compiles [work]/NN_name.cu to [work]/module.ptx.
static bool compile(const grade_setup *setup, grade_exercise *exercise) {
  char source[GRADE_NAME_BYTES + 8];
  snprintf(source, sizeof source, "%s.cu", exercise->name);
  grade_run run;
  grade_diag diag;
  if (grade_run_compiler(setup, source, shows_first(setup) ? -1 : setup->forward, &run, &diag))
    return decide(exercise, GRADE_NOT_JUDGED, "the compiler: %s", diag.text), false;
  bool compiled = run.end == GRADE_EXITED && run.code == 0;
  exercise->cpu_s += run.cpu_s;
  if (!compiled && !compiler_works(setup, &diag))
    decide(exercise, GRADE_NOT_JUDGED, "the compiler does not work: %s", diag.text);
  else if (!compiled) explain_compiler(exercise, setup, &run, source);
  else if (shows_first(setup)) show_first(setup, run.output);
  if (compiled) keep_warnings(setup, run.output);
  free(run.output);
  return compiled && check_includes(setup, exercise, source);
}

// --- the suite -----------------------------------------------------------------------------------

// Of what an exercise leaves in the work folder, these are kept where a person finds them. A copy
// that cannot be written is an old one that must not stay: no verdict depends on it.
static void keep_files(const grade_setup *setup) {
  static const char *const kept[] = {"results.jsonl", "output.txt", "report.html"};
  char from[GRADE_PATH_BYTES], to[GRADE_PATH_BYTES];
  for (size_t i = 0; setup->keep && i < sizeof kept / sizeof *kept; i++) {
    if (!grade_path(from, setup->work, kept[i], "") || !grade_path(to, setup->keep, kept[i], ""))
      continue;
    char *text = grade_work_read(from, GRADE_RESULT_BYTES);
    if (!text || !grade_work_write(to, text, strlen(text))) unlink(to);
    free(text);
  }
}

static void judge_module(const grade_setup *setup, grade_exercise *exercise, const char *shown) {
  grade_run run;
  grade_diag diag;
  const grade_suite_call call = {exercise->name, shown, exercise->counts, GRADE_SUITE_JUDGE};
  if (grade_run_suite(setup, &call, &run, &diag)) {
    decide(exercise, GRADE_NOT_JUDGED, "the suite could not be started: %s", diag.text);
    return;
  }
  exercise->cpu_s += run.cpu_s;
  char path[GRADE_PATH_BYTES];
  snprintf(path, sizeof path, "%s/results.jsonl", setup->work);
  char *text = grade_work_read(path, GRADE_RESULT_BYTES);
  if (text) leave_out_folder(setup, text);
  // 3: the suite broke down in some checks, and its records say in which.
  bool whole = run.end == GRADE_EXITED && (run.code == 0 || run.code == 1 || run.code == 3);
  exercise->state = GRADE_JUDGED;
  grade_status status = grade_records_read(exercise, text ? text : "", &diag);
  if (status) {
    free(exercise->message);
    exercise->message = grade_copy(diag.text);
    exercise->state = GRADE_NOT_JUDGED;
  } else if (!whole) {
    char message[128];
    if (run.end == GRADE_TIMED_OUT)
      snprintf(message, sizeof message, "the suite did not end within %g s", setup->suite_s);
    else snprintf(message, sizeof message, "the suite broke down (%d)", run.code);
    exercise->message = grade_copy(message);
  }
  keep_files(setup);
  free(text);
  free(run.output);
}

// --- one exercise --------------------------------------------------------------------------------

void grade_judge_text(const grade_setup *setup, grade_exercise *exercise, const char *shown,
                      const char *text, size_t size_bytes) {
  char source[GRADE_PATH_BYTES], safe[GRADE_PATH_BYTES / 2];
  grade_text_safe(safe, sizeof safe, shown);
  int length = snprintf(source, sizeof source, "%s/%s.cu", setup->work, exercise->name);
  if ((size_t)length >= sizeof source || !grade_work_empty(setup) ||
      !grade_work_write(source, text, size_bytes)) {
    decide(exercise, GRADE_NOT_JUDGED, "the grader cannot write to %s: %s", setup->work,
           strerror(errno));
    return;
  }
  enter_stage(setup, "compiling\n");
  if (compile(setup, exercise)) {
    if (setup->counts) exercise->ptx = grade_compared_instructions(setup->work);
    enter_stage(setup, "judging\n");
    judge_module(setup, exercise, safe);
  }
  unlink(source);
  grade_work_empty(setup);
}

void grade_judge_folder(const grade_setup *setup, grade_exercise *exercise, int folder,
                        const char *label) {
  char file[GRADE_NAME_BYTES + 8], shown[GRADE_PATH_BYTES], *text = NULL;
  size_t size_bytes = 0;
  grade_diag diag;
  snprintf(file, sizeof file, "%s.cu", exercise->name);
  snprintf(shown, sizeof shown, "%s%s", label, file);
  grade_state state = grade_source_read(folder, file, &text, &size_bytes, &diag);
  if (state == GRADE_JUDGED) grade_judge_text(setup, exercise, shown, text, size_bytes);
  else decide(exercise, state, "%s", diag.text);
  free(text);
}
