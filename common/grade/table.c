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

#include "feedback.h"
#include "files.h"
#include "record.h"
#include "report.h"
#include "search.h"
#include "source.h"
#include "store.h"
#include "text.h"

enum { NOTE_BYTES = 4096 };

typedef struct row {
  const grade_student *student;
  grade_exercise *exercises; // [n_plans]
  bool error, pending;
} row;

// Whether this run should have left no exercise of the student's without a verdict.
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
  free(text);
}

static grade_status fill_row(const grade_class *job, row *one, int submissions) {
  grade_diag diag;
  const grade_student *student = one->student;
  int folder = student->present ? grade_source_open_folder(submissions, student->name, &diag) : -1;
  bool is_archive = folder < 0 && grade_search_is_archive(student->name);
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

static grade_status write_student(const grade_class *job, const grade_setup *setup, const row *one,
                                  grade_diag *diag) {
  char *path = NULL;
  grade_submission submission = {one->student->shown, one->exercises, job->n_plans};
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

// Points per exercise (empty: not judged), then what was not simply judged.
static void print_row(FILE *out, const grade_class *job, const row *one, unsigned max_points) {
  char note[NOTE_BYTES] = "";
  unsigned points = 0;
  if (one->student->unlisted) add_note(note, "", "not on the roster");
  if (!one->student->present) add_note(note, "", "nothing was handed in");
  for (size_t i = 0; i < job->n_plans; i++) points += grade_exercise_points(&one->exercises[i]);
  grade_csv_field(out, one->student->shown);
  bool pending = one->pending && !is_due(job, one->student);
  if (one->error) fprintf(out, ",%s,,", pending ? "pending" : "grader_error");
  else fprintf(out, ",%s,%u,", one->student->present ? "judged" : "missing", points);
  fprintf(out, "%u", max_points);
  for (size_t i = 0; i < job->n_plans; i++) {
    const grade_exercise *exercise = &one->exercises[i];
    fputc(',', out);
    if (!grade_exercise_has_grader_error(exercise))
      fprintf(out, "%u", grade_exercise_points(exercise));
    if (exercise->message && one->student->present)
      add_note(note, exercise->name, exercise->message);
  }
  fputc(',', out);
  grade_csv_field(out, note);
  fputs("\r\n", out);
}

static grade_status write_csv(const grade_class *job, const char *text, grade_diag *diag) {
  char *path = NULL;
  if (asprintf(&path, "%s/grades.csv", job->out) < 0)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  grade_status status = grade_file_write(path, text, diag);
  free(path);
  return status;
}

static grade_status write_row(FILE *out, const grade_class *job, const grade_setup *setup,
                              const grade_student *student, int folder, unsigned max_points,
                              grade_class_result *result, grade_diag *diag) {
  row one = {.student = student, .exercises = calloc(job->n_plans, sizeof *one.exercises)};
  grade_status status = one.exercises ? fill_row(job, &one, folder) : GRADE_NO_MEMORY;
  if (status) grade_fail(diag, status, "out of memory");
  else status = write_student(job, setup, &one, diag);
  if (!status) print_row(out, job, &one, max_points);
  result->n_pending += one.pending && !is_due(job, student);
  result->n_grader_errors +=
      one.error && student->selected && (!one.pending || is_due(job, student));
  for (size_t i = 0; one.exercises && i < job->n_plans; i++) grade_exercise_free(&one.exercises[i]);
  free(one.exercises);
  return status;
}

grade_status grade_table_write(const grade_class *job, const grade_setup *setup,
                               const grade_roll *roll, int folder, grade_class_result *result,
                               grade_diag *diag) {
  char *text = NULL;
  size_t size_bytes = 0;
  unsigned max_points = 0;
  FILE *out = open_memstream(&text, &size_bytes);
  if (!out) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  fputs("student,status,points,max_points", out);
  for (size_t i = 0; i < job->n_plans; i++) {
    fprintf(out, ",%s", job->plans[i].name);
    max_points += grade_exercise_max_points(&job->plans[i]);
  }
  fputs(",note\r\n", out);
  result->n_students = roll->n;
  grade_status status = GRADE_OK;
  for (size_t i = 0; i < roll->n && !status; i++)
    status = write_row(out, job, setup, &roll->students[i], folder, max_points, result, diag);
  bool whole = fclose(out) == 0;
  if (!status && !whole) status = grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  if (!status) status = write_csv(job, text, diag);
  free(text);
  return status;
}
