// SPDX-License-Identifier: MIT
// table.c - the class's results, made anew from stored verdicts every time.
//
// Invariants: a row holds verdicts on exactly the student's files as they are now, and only on
// those; the table's bytes depend on submissions, roster and verdicts alone, not on the order in
// which, or on how many machines, they were judged.
#define _GNU_SOURCE
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compared.h"
#include "feedback.h"
#include "files.h"
#include "record.h"
#include "report.h"
#include "layout.h"
#include "source.h"
#include "store.h"
#include "text.h"

enum { NOTE_BYTES = 4096 };

typedef struct row {
  const grade_student *student;
  grade_exercise *exercises; // [n_plans]
  const grade_intake *intake;
  bool error, pending;
} row;

// Whether every exercise of the student should have a verdict after this run.
static bool is_due(const grade_class *job, const grade_student *student) {
  return student->selected && !job->only && !job->judge_nothing;
}

// --- one student
// -----------------------------------------------------------------------------------

static bool load_from(const char *out, const grade_subject *subject, grade_exercise *exercise) {
  char *folder = NULL;
  if (asprintf(&folder, "%s/verdicts", out) < 0) return false;
  bool found = grade_store_load(folder, subject, exercise);
  free(folder);
  return found;
}

static bool load(const grade_class *job, const grade_subject *subject, grade_exercise *exercise) {
  if (load_from(job->out, subject, exercise)) return true;
  for (const char *const *out = job->merged; out && *out; out++)
    if (load_from(*out, subject, exercise)) return true;
  return false;
}

void grade_table_look_up(const grade_class *job, const grade_student *student, int folder,
                         grade_exercise *exercise, bool *pending) {
  char file[GRADE_NAME_BYTES + 8], *text = NULL;
  grade_diag diag;
  grade_subject subject = {.student = student->name, .judge = exercise->judge};
  if (folder < 0) {
    grade_exercise_decide(exercise, GRADE_MISSING, "nothing was handed in");
    return;
  }
  snprintf(file, sizeof file, "%s.cu", exercise->name);
  grade_state state = grade_source_read(folder, file, &text, &subject.size_bytes, &diag);
  subject.text = text;
  if (state == GRADE_JUDGED) {
    grade_store_key(&subject, exercise);
    if (!load(job, &subject, exercise)) {
      grade_exercise_decide(exercise, GRADE_NOT_JUDGED,
                            is_due(job, student)
                                ? "the grader's process for this student gave no verdict"
                                : "not judged yet");
      *pending = true;
    } else if (*diag.text && !exercise->message) {
      exercise->message = grade_copy(diag.text); // how the file was found
    }
  } else {
    grade_exercise_decide(exercise, state, diag.text);
  }
  exercise->source = text;
}

static grade_status fill_row(const grade_class *job, row *one, int submissions) {
  grade_diag diag;
  const grade_student *student = one->student;
  int folder = student->present ? grade_source_open_folder(submissions, student->name, &diag) : -1;
  bool is_archive = folder < 0 && grade_layout_is_archive(student->name);
  grade_state unopened = errno == EACCES || is_archive ? GRADE_NOT_JUDGED : GRADE_REFUSED;
  if (is_archive) grade_fail(&diag, GRADE_IO_ERROR, "an archive that has not been unpacked");
  grade_status status = GRADE_OK;
  for (size_t i = 0; i < job->n_plans && !status; i++) {
    grade_exercise *exercise = &one->exercises[i];
    status = grade_plan_copy(exercise, &job->plans[i]);
    if (!status && student->present && folder < 0)
      grade_exercise_decide(exercise, unopened, diag.text);
    else if (!status) grade_table_look_up(job, student, folder, exercise, &one->pending);
    one->error = one->error || grade_exercise_has_grader_error(exercise);
  }
  if (folder >= 0) close(folder);
  return status;
}

static const char *status_of(const grade_class *job, const row *one) {
  if (one->error) return one->pending && !is_due(job, one->student) ? "pending" : "grader_error";
  return one->student->present ? "judged" : "missing";
}

static grade_status write_student(const grade_class *job, const grade_setup *setup, const row *one,
                                  grade_diag *diag) {
  char *path = NULL;
  grade_submission submission = {.student = one->student->shown,
                                 .id = one->student->id,
                                 .status = status_of(job, one),
                                 .exercises = one->exercises,
                                 .n_exercises = job->n_plans};
  cJSON *json = grade_report_json(&submission, setup->seed_name);
  grade_status status = asprintf(&path, "%s/students/%s.json", job->out, one->student->id) < 0
                            ? grade_fail(diag, GRADE_NO_MEMORY, "out of memory")
                            : grade_report_write_json(path, json, diag);
  if (!status) status = grade_feedback_write(job->out, one->student->id, &submission, diag);
  cJSON_Delete(json);
  free(path);
  return status;
}

// --- grades.csv ----------------------------------------------------------------------------------

static void add_note(char note[NOTE_BYTES], const char *exercise, const char *text) {
  size_t used = strlen(note);
  snprintf(note + used, NOTE_BYTES - used, "%s%.2s%s%.*s", used ? "; " : "", exercise,
           *exercise ? ": " : "", (int)strcspn(text, "\n"), text);
}

// The first one; intake.csv has all.
static void add_remarks(char note[NOTE_BYTES], const row *one) {
  const grade_remark *first;
  char text[GRADE_TEXT_BYTES];
  size_t n = grade_intake_count(one->intake, one->student->name, &first);
  if (n == 0) return;
  snprintf(text, sizeof text, "%.400s: %s%s", first->path, first->what,
           n > 1 ? "; more in intake.csv" : "");
  add_note(note, "", text);
}

// Points per exercise (empty: not judged), then what was not simply judged.
static void print_row(FILE *out, const grade_class *job, const row *one, unsigned max_points) {
  char note[NOTE_BYTES] = "";
  unsigned points = 0;
  if (one->student->unlisted) add_note(note, "", "not on the roster");
  if (!one->student->present) add_note(note, "", "nothing was handed in");
  for (size_t i = 0; i < job->n_plans; i++) points += grade_exercise_points(&one->exercises[i]);
  grade_csv_field(out, one->student->shown);
  if (one->error) fprintf(out, ",%s,,", status_of(job, one));
  else fprintf(out, ",%s,%u,", status_of(job, one), points);
  fprintf(out, "%u", max_points);
  for (size_t i = 0; i < job->n_plans; i++) {
    const grade_exercise *exercise = &one->exercises[i];
    fputc(',', out);
    if (!grade_exercise_has_grader_error(exercise))
      fprintf(out, "%u", grade_exercise_points(exercise));
    if (exercise->message && one->student->present)
      add_note(note, exercise->name, exercise->message);
  }
  add_remarks(note, one);
  fputc(',', out);
  grade_csv_field(out, note);
  fputs("\r\n", out);
}

static grade_status write_csv(const grade_class *job, const char *name, const char *text,
                              grade_diag *diag) {
  char *path = NULL;
  if (!text || asprintf(&path, "%s/%s", job->out, name) < 0)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status status = grade_file_write(path, text, diag);
  free(path);
  return status;
}

// Processor time per exercise, for anyone who asks where the time goes; part of no result.
static void print_times(FILE *out, const grade_class *job, const row *one) {
  for (size_t i = 0; i < job->n_plans; i++) {
    if (!(one->exercises[i].cpu_s > 0)) continue;
    grade_csv_field(out, one->student->shown);
    fprintf(out, ",%s,%.3f\r\n", one->exercises[i].name, one->exercises[i].cpu_s);
  }
}

// The table's files, written row by row.
typedef struct table {
  const grade_class *job;
  const grade_setup *setup;
  const grade_intake *intake;
  unsigned max_points;
  FILE *grades, *times;
  char *grades_text, *times_text;
  size_t grades_bytes, times_bytes; // which closing the files writes as well
  grade_compared *programs;
} table;

static void add_programs(grade_compared *programs, const row *one, size_t n_plans) {
  for (size_t i = 0; i < n_plans; i++) {
    const grade_exercise *exercise = &one->exercises[i];
    if (exercise->source)
      grade_compared_add(programs, one->student->shown, exercise->name, exercise->source,
                         exercise->ptx);
  }
}

static grade_status write_row(const table *t, const grade_student *student,
                              grade_class_result *result, grade_diag *diag) {
  const grade_class *job = t->job;
  row one = {.student = student,
             .intake = t->intake,
             .exercises = calloc(job->n_plans, sizeof *one.exercises)};
  grade_status status = one.exercises ? fill_row(job, &one, t->intake->folder) : GRADE_NO_MEMORY;
  if (status) grade_fail(diag, status, "out of memory");
  else status = write_student(job, t->setup, &one, diag);
  if (!status) {
    print_row(t->grades, job, &one, t->max_points);
    print_times(t->times, job, &one);
    add_programs(t->programs, &one, job->n_plans);
  }
  result->n_pending += one.pending && !is_due(job, student);
  result->n_grader_errors +=
      one.error && student->selected && (!one.pending || is_due(job, student));
  for (size_t i = 0; one.exercises && i < job->n_plans; i++) grade_exercise_free(&one.exercises[i]);
  free(one.exercises);
  return status;
}

static grade_status begin(table *t, grade_diag *diag) {
  t->grades = open_memstream(&t->grades_text, &t->grades_bytes);
  t->times = open_memstream(&t->times_text, &t->times_bytes);
  if (!t->grades || !t->times) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status status = grade_compared_begin(&t->programs, t->job->out, diag);
  fputs("student,exercise,cpu_s\r\n", t->times);
  fputs("student,status,points,max_points", t->grades);
  for (size_t i = 0; i < t->job->n_plans; i++) {
    fprintf(t->grades, ",%s", t->job->plans[i].name);
    t->max_points += grade_exercise_max_points(&t->job->plans[i]);
    if (!status) grade_compared_add_solution(t->programs, t->setup, &t->job->plans[i]);
  }
  fputs(",note\r\n", t->grades);
  return status;
}

// Writes the files, or leaves those that there are when `status` is not GRADE_OK.
static grade_status end(table *t, grade_status status, grade_diag *diag) {
  bool whole = !t->grades || fclose(t->grades) == 0;
  whole = (!t->times || fclose(t->times) == 0) && whole;
  if (!status && !whole) status = grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status kept = grade_compared_end(t->programs, !status, status ? NULL : diag);
  if (!status) status = kept;
  if (!status) status = write_csv(t->job, "grades.csv", t->grades_text, diag);
  if (!status) status = write_csv(t->job, "times.csv", t->times_text, diag);
  free(t->grades_text);
  free(t->times_text);
  char *text = status ? NULL : grade_intake_csv(t->intake);
  if (!status) status = write_csv(t->job, "intake.csv", text, diag);
  free(text);
  return status;
}

grade_status grade_table_write(const grade_class *job, const grade_setup *setup,
                               const grade_roll *roll, const grade_intake *intake,
                               grade_class_result *result, grade_diag *diag) {
  table t = {.job = job, .setup = setup, .intake = intake};
  grade_status status = begin(&t, diag);
  result->n_students = roll->n;
  for (size_t i = 0; i < roll->n && !status; i++)
    status = write_row(&t, &roll->students[i], result, diag);
  return end(&t, status, diag);
}
