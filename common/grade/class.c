// SPDX-License-Identifier: MIT
// class.c - a class: who there is, one process per student, one row per student.
//
// Invariants: names are opaque (any bytes a file system allows) and never part of a path that the
// grader writes: student i's files are numbered. A worker that dies is a grader error of that
// student alone. Not here yet: resuming, rosters, archives.
#define _GNU_SOURCE
#include "class.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record.h"
#include "report.h"
#include "source.h"
#include "text.h"

enum { PATH_BYTES = 4096, SAFE_BYTES = 1100, RESULT_BYTES = 64 << 20 };

typedef struct student {
  char *name;            // as the file system has it
  char safe[SAFE_BYTES]; // as people see it
  pid_t worker;          // 0: not started or done
} student;

typedef struct class_run {
  const grade_class *job;
  const grade_setup *setup;
  int folder;
  student *students; // [n]
  size_t n, n_done;
  double start_s;
} class_run;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// --- who there is --------------------------------------------------------------------------------

static int by_name(const void *a, const void *b) {
  return strcmp(((const student *)a)->name, ((const student *)b)->name);
}

static grade_status add_student(class_run *run, const char *name) {
  student *students = realloc(run->students, (run->n + 1) * sizeof *students);
  if (!students) return GRADE_NO_MEMORY;
  run->students = students;
  student *s = &students[run->n];
  *s = (student){.name = grade_copy(name)};
  if (!s->name) return GRADE_NO_MEMORY;
  grade_text_safe(s->safe, sizeof s->safe, name);
  run->n++;
  return GRADE_OK;
}

// Every entry but hidden ones and plain files (a README beside the folders is no submission);
// links and oddities are listed, and refused later by name.
static bool is_submission(int folder, const char *name) {
  struct stat info;
  if (name[0] == '.' || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return !S_ISREG(info.st_mode);
}

static grade_status list_students(class_run *run, grade_diag *diag) {
  int copy = openat(run->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
  if (!dir) return grade_fail(diag, GRADE_IO_ERROR, "cannot list it: %s", strerror(errno));
  grade_status status = GRADE_OK;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    if (run->job->student && strcmp(entry->d_name, run->job->student) != 0) continue;
    if (is_submission(run->folder, entry->d_name)) status = add_student(run, entry->d_name);
  }
  closedir(dir);
  if (status) return grade_fail(diag, status, "out of memory");
  if (run->n == 0 && run->job->student)
    return grade_fail(diag, GRADE_IO_ERROR, "'%s' holds no folder '%s'", run->job->submissions,
                      run->job->student);
  if (run->n == 0)
    return grade_fail(diag, GRADE_IO_ERROR, "'%s' holds no folders to judge (one per student)",
                      run->job->submissions);
  qsort(run->students, run->n, sizeof *run->students, by_name);
  return GRADE_OK;
}

// --- one student, in a process of its own --------------------------------------------------------

static void result_path(char *out, const class_run *run, size_t index) {
  snprintf(out, PATH_BYTES, "%s/students/%04zu.json", run->job->out, index + 1);
}

static void judge_all(const class_run *run, const student *s, const grade_setup *setup,
                      grade_exercise *exercises) {
  grade_diag diag;
  char label[SAFE_BYTES + 2];
  int folder = grade_source_open_folder(run->folder, s->name, &diag);
  snprintf(label, sizeof label, "%s/", s->safe);
  for (size_t i = 0; i < run->job->n_plans; i++) {
    if (grade_plan_copy(&exercises[i], &run->job->plans[i])) {
      exercises[i].state = GRADE_NOT_JUDGED;
    } else if (folder < 0) {
      grade_exercise_decide(&exercises[i], GRADE_REFUSED, diag.text);
    } else {
      grade_judge_folder(setup, &exercises[i], folder, label);
    }
  }
  if (folder >= 0) close(folder);
}

// Never returns: exit status 0 when the student's results were written.
static void work_on(const class_run *run, size_t index) {
  char work[PATH_BYTES], path[PATH_BYTES];
  grade_setup setup = *run->setup;
  grade_diag diag;
  snprintf(work, sizeof work, "%s/work-%04zu", run->setup->work, index + 1);
  setup.work = work;
  setup.forward = -1;
  setup.stages = -1;
  grade_exercise *exercises = calloc(run->job->n_plans, sizeof *exercises);
  if (!exercises || (mkdir(work, 0700) != 0 && errno != EEXIST)) _exit(1);
  judge_all(run, &run->students[index], &setup, exercises);
  rmdir(work);
  grade_submission submission = {run->students[index].safe, exercises, run->job->n_plans};
  result_path(path, run, index);
  cJSON *json = grade_report_json(&submission, setup.seed);
  grade_status status = grade_report_write_json(path, json, &diag);
  if (status) fprintf(stderr, "%s\n", diag.text);
  _exit(status ? 1 : 0);
}

// --- all of them ---------------------------------------------------------------------------------

static void show_progress(const class_run *run, const student *latest) {
  double elapsed = now_s() - run->start_s;
  double left = elapsed / (double)run->n_done * (double)(run->n - run->n_done);
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K%zu of %zu judged, about %.0f s left%s", run->n_done, run->n, left,
            run->n_done == run->n ? "\r\033[K" : "");
  else fprintf(stderr, "%zu of %zu judged: %s\n", run->n_done, run->n, latest->safe);
}

static void reap_one(class_run *run) {
  int status = 0;
  pid_t worker = wait(&status);
  for (size_t i = 0; i < run->n; i++) {
    if (worker <= 0 || run->students[i].worker != worker) continue;
    run->students[i].worker = 0;
    run->n_done++;
    show_progress(run, &run->students[i]);
  }
}

static void run_workers(class_run *run) {
  size_t running = 0;
  for (size_t i = 0; i < run->n; i++) {
    char path[PATH_BYTES];
    result_path(path, run, i);
    unlink(path); // an earlier run's verdict is no verdict any more
    if (running >= run->job->jobs) reap_one(run), running--;
    fflush(NULL);
    pid_t grader = getpid(), worker = fork();
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM); // a killed grader takes its workers along
      if (getppid() != grader) _exit(1);
      work_on(run, i);
    }
    run->students[i].worker = worker > 0 ? worker : 0;
    if (worker > 0) running++;
    else run->n_done++; // no results: a grader error of this student
  }
  for (; running > 0; running--) reap_one(run);
}

// --- grades.csv ----------------------------------------------------------------------------------

static cJSON *read_result(const class_run *run, size_t index) {
  char path[PATH_BYTES];
  result_path(path, run, index);
  FILE *file = fopen(path, "re");
  char *text = file ? malloc(RESULT_BYTES + 1) : NULL;
  size_t n = text ? fread(text, 1, RESULT_BYTES, file) : 0;
  if (file) fclose(file);
  cJSON *json = text ? cJSON_ParseWithLength(text, n) : NULL;
  free(text);
  return json;
}

static double number_of(const cJSON *json, const char *key) {
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

static const char *text_of(const cJSON *json, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
  return text ? text : "";
}

static const cJSON *exercise_of(const cJSON *json, const char *name) {
  const cJSON *exercise;
  cJSON_ArrayForEach (exercise, cJSON_GetObjectItemCaseSensitive(json, "exercises"))
    if (strcmp(text_of(exercise, "exercise"), name) == 0) return exercise;
  return NULL;
}

// Points per exercise (empty: not judged), then what was not simply judged. True: a grader error.
static bool print_row(FILE *out, const class_run *run, size_t index, unsigned max_points) {
  cJSON *json = read_result(run, index);
  bool error = !json || number_of(json, "grader_errors") != 0;
  char note[2048] = "";
  grade_csv_field(out, run->students[index].safe);
  if (error) fputs(",grader_error,,", out);
  else fprintf(out, ",judged,%.0f,", number_of(json, "points"));
  fprintf(out, "%u", max_points);
  for (size_t i = 0; i < run->job->n_plans; i++) {
    const cJSON *exercise = exercise_of(json, run->job->plans[i].name);
    bool judged =
        exercise && !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(exercise, "grader_error"));
    fputc(',', out);
    if (judged) fprintf(out, "%.0f", number_of(exercise, "points"));
    const char *message = exercise ? text_of(exercise, "message") : "";
    size_t used = strlen(note);
    if (*message && used < sizeof note - 1)
      snprintf(note + used, sizeof note - used, "%s%.2s: %.*s", used ? "; " : "",
               run->job->plans[i].name, (int)strcspn(message, "\n"), message);
  }
  fputc(',', out);
  grade_csv_field(out, json ? note : "the grader's process for this student broke down");
  fputs("\r\n", out);
  cJSON_Delete(json);
  return error;
}

static grade_status write_csv(const class_run *run, grade_class_result *result, grade_diag *diag) {
  char path[PATH_BYTES], *text = NULL;
  size_t size_bytes = 0;
  unsigned max_points = 0;
  FILE *out = open_memstream(&text, &size_bytes);
  if (!out) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  fputs("student,status,points,max_points", out);
  for (size_t i = 0; i < run->job->n_plans; i++) {
    fprintf(out, ",%s", run->job->plans[i].name);
    max_points += grade_exercise_max_points(&run->job->plans[i]);
  }
  fputs(",note\r\n", out);
  for (size_t i = 0; i < run->n; i++) result->n_grader_errors += print_row(out, run, i, max_points);
  result->n_students = run->n;
  if (fclose(out) != 0) return free(text), grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  snprintf(path, sizeof path, "%s/grades.csv", run->job->out);
  grade_status status = grade_report_write(path, text, diag);
  free(text);
  return status;
}

static grade_status prepare(class_run *run, grade_diag *diag) {
  char path[PATH_BYTES];
  run->folder = open(run->job->submissions, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (run->folder < 0)
    return grade_fail(diag, GRADE_IO_ERROR, "cannot open the submissions '%s': %s",
                      run->job->submissions, strerror(errno));
  snprintf(path, sizeof path, "%s/students", run->job->out);
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return grade_fail(diag, GRADE_IO_ERROR, "cannot make %s: %s", path, strerror(errno));
  return list_students(run, diag);
}

grade_status grade_class_run(const grade_class *job, const grade_setup *setup,
                             grade_class_result *result, grade_diag *diag) {
  *result = (grade_class_result){0};
  class_run run = {.job = job, .setup = setup, .folder = -1, .start_s = now_s()};
  grade_status status = prepare(&run, diag);
  if (!status) {
    run_workers(&run);
    status = write_csv(&run, result, diag);
  }
  if (run.folder >= 0) close(run.folder);
  for (size_t i = 0; i < run.n; i++) free(run.students[i].name);
  free(run.students);
  return status;
}
