// SPDX-License-Identifier: MIT
// class.c - a class: one process per student, one stored verdict per exercise, then the table.
//
// Invariants: a verdict is on the disk, under a key that names whose it is and on what, before the
// next submission is looked at; so a run that is killed at any instant goes on where it stopped,
// and no run can give a student another one's points. A worker that dies costs that student alone.
#define _GNU_SOURCE
#include "class.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "intake.h"
#include "judge.h"
#include "record.h"
#include "roll.h"
#include "source.h"
#include "store.h"
#include "table.h"

enum { PATH_BYTES = 4096, LEAST_ROOM_BYTES = 32 << 20 };

typedef struct class_run {
  const grade_class *job;
  const grade_setup *setup;
  char verdicts[PATH_BYTES]; // folder of the store
  grade_intake intake;
  int lock;
  grade_roll roll;
  pid_t *workers; // [roll.n]; 0: not started, or ended
  size_t n_selected, n_done;
  size_t *counts; // shared with the workers: [0] judged, [1] reused
  double start_s;
} class_run;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// --- one student, in a process of its own --------------------------------------------------------

// A student who has used up the processor time of a student is not judged on.
static void refuse_late(grade_exercise *exercise, double limit_s) {
  char text[160];
  snprintf(text, sizeof text,
           "not judged: the exercises before it took more than the %g s of processor time that a "
           "student has (--student-s)",
           limit_s);
  grade_exercise_decide(exercise, GRADE_REFUSED, text);
}

// Judges one exercise unless its verdict is stored already. False: the verdict could not be stored.
// Adds what it took, now or when it was judged, to `*cpu_s`.
static bool judge_one(const class_run *run, const grade_student *student, int folder,
                      const grade_setup *setup, const grade_exercise *plan, double *cpu_s) {
  char file[GRADE_NAME_BYTES + 8], shown[GRADE_SHOWN_BYTES + GRADE_NAME_BYTES + 8], *text = NULL;
  grade_exercise exercise = {.state = GRADE_NOT_JUDGED};
  grade_subject subject = {.student = student->name, .judge = plan->judge};
  grade_diag diag;
  bool stored = true;
  snprintf(file, sizeof file, "%s.cu", plan->name);
  snprintf(shown, sizeof shown, "%s/%s", student->shown, file);
  if (grade_source_read(folder, file, &text, &subject.size_bytes, &diag) != GRADE_JUDGED)
    return true; // the table says why, of the file as it is then
  subject.text = text;
  bool copied = grade_plan_copy(&exercise, plan) == GRADE_OK;
  if (copied) grade_store_key(&subject, &exercise);
  bool known = copied && !run->job->fresh && grade_store_load(run->verdicts, &subject, &exercise) &&
               !grade_exercise_has_grader_error(&exercise);
  __atomic_fetch_add(&run->counts[known], 1, __ATOMIC_RELAXED);
  if (copied && !known) {
    grade_store_forget(run->verdicts, &subject);
    grade_exercise_free(&exercise);
    copied = grade_plan_copy(&exercise, plan) == GRADE_OK;
    if (copied && *cpu_s > setup->student_s) refuse_late(&exercise, setup->student_s);
    else if (copied) grade_judge_text(setup, &exercise, shown, text, subject.size_bytes);
    stored = copied && grade_store_save(run->verdicts, &subject, &exercise, &diag) == GRADE_OK;
    if (!stored) fprintf(stderr, "grade: %s: %s\n", shown, diag.text);
  }
  *cpu_s += exercise.cpu_s;
  grade_exercise_free(&exercise);
  free(text);
  return stored;
}

// Never returns.
static void work_on(const class_run *run, size_t index) {
  char work[PATH_BYTES];
  grade_setup setup = *run->setup;
  grade_diag diag;
  const grade_student *student = &run->roll.students[index];
  snprintf(work, sizeof work, "%s/%04zu", run->setup->work, index + 1);
  setup.work = work;
  close(run->lock); // the grader's alone: a killed one does not keep the next one waiting
  setup.forward = -1;
  setup.stages = -1;
  int folder = grade_source_open_folder(run->intake.folder, student->name, &diag);
  if (folder < 0) _exit(0); // the table says why
  if (mkdir(work, 0700) != 0 && errno != EEXIST) _exit(1);
  bool stored = true;
  double cpu_s = 0;
  for (size_t i = 0; i < run->job->n_plans; i++) {
    const grade_exercise *plan = &run->job->plans[i];
    if (run->job->only && strcmp(run->job->only, plan->name) != 0) continue;
    stored = judge_one(run, student, folder, &setup, plan, &cpu_s) && stored;
  }
  grade_folder_remove(work);
  _exit(stored ? 0 : 1);
}

// --- all of them ---------------------------------------------------------------------------------

static void show_progress(const class_run *run, const grade_student *latest) {
  double elapsed = now_s() - run->start_s;
  double left = elapsed / (double)run->n_done * (double)(run->n_selected - run->n_done);
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K%zu of %zu judged, about %.0f s left%s", run->n_done, run->n_selected,
            left, run->n_done == run->n_selected ? "\r\033[K" : "");
  else fprintf(stderr, "%zu of %zu judged: %s\n", run->n_done, run->n_selected, latest->shown);
}

static void reap_one(class_run *run) {
  pid_t worker = wait(NULL);
  for (size_t i = 0; i < run->roll.n; i++) {
    if (worker <= 0 || run->workers[i] != worker) continue;
    run->workers[i] = 0;
    run->n_done++;
    show_progress(run, &run->roll.students[i]);
  }
}

static void run_workers(class_run *run) {
  size_t running = 0;
  for (size_t i = 0; i < run->roll.n; i++) {
    if (!run->roll.students[i].selected) continue;
    if (running >= run->job->jobs) reap_one(run), running--;
    fflush(NULL);
    pid_t grader = getpid(), worker = fork();
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM); // a killed grader takes its workers along
      if (getppid() != grader) _exit(1);
      work_on(run, i);
    }
    run->workers[i] = worker > 0 ? worker : 0;
    if (worker > 0) running++;
    else run->n_done++; // no verdicts: the table says so
  }
  for (; running > 0; running--) reap_one(run);
}

static grade_status select_students(class_run *run, grade_diag *diag) {
  const grade_class *job = run->job;
  run->n_selected = grade_roll_select(&run->roll, job->student, job->shard, job->n_shards);
  if (run->n_selected > 0 || job->judge_nothing || (!job->student && run->roll.n > 0))
    return GRADE_OK;
  if (job->student)
    return grade_fail(diag, GRADE_IO_ERROR, "'%s' holds no folder '%s'", job->submissions,
                      job->student);
  return grade_fail(diag, GRADE_IO_ERROR, "'%s' holds no folders to judge (one per student)",
                    job->submissions);
}

static grade_status take_in(class_run *run, grade_diag *diag) {
  char work[PATH_BYTES];
  snprintf(work, sizeof work, "%.4000s/intake", run->setup->work);
  const grade_intake_from from = {.submissions = run->job->submissions,
                                  .work = work,
                                  .unpacker = run->job->unpacker ? run->job->unpacker : "",
                                  .memory_bytes = run->setup->memory_bytes,
                                  .plans = run->job->plans,
                                  .n_plans = run->job->n_plans};
  return grade_intake_open(&run->intake, &from, diag);
}

static grade_status prepare(class_run *run, grade_diag *diag) {
  const grade_class *job = run->job;
  char students[PATH_BYTES];
  if ((size_t)snprintf(run->verdicts, sizeof run->verdicts, "%s/verdicts", job->out) >=
          sizeof run->verdicts ||
      (size_t)snprintf(students, sizeof students, "%s/students", job->out) >= sizeof students)
    return grade_fail(diag, GRADE_IO_ERROR, "the name of the folder for results is too long");
  // Where verdicts could not be written, students would wait for nothing.
  if (grade_folder_room(job->out) < LEAST_ROOM_BYTES)
    return grade_fail(diag, GRADE_IO_ERROR, "%s: less than %d MiB of disk space is left", job->out,
                      LEAST_ROOM_BYTES >> 20);
  run->lock = grade_folder_lock(job->out, diag);
  if (run->lock < 0) return GRADE_IO_ERROR;
  grade_status status = grade_folder_make(run->verdicts, diag);
  if (!status) status = grade_folder_make(students, diag);
  snprintf(students, sizeof students, "%.4000s/feedback", job->out);
  if (!status) status = grade_folder_make(students, diag);
  if (!status) status = take_in(run, diag);
  if (!status) status = grade_roll_read(&run->roll, run->intake.folder, job->roster, diag);
  if (!status) status = select_students(run, diag);
  if (status) return status;
  run->workers = calloc(run->roll.n + 1, sizeof *run->workers);
  run->counts = mmap(NULL, 2 * sizeof *run->counts, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!run->workers || run->counts == MAP_FAILED)
    return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  return GRADE_OK;
}

grade_status grade_class_run(const grade_class *job, const grade_setup *setup,
                             grade_class_result *result, grade_diag *diag) {
  *result = (grade_class_result){0};
  class_run run = {
      .job = job, .setup = setup, .intake = {.folder = -1}, .lock = -1, .start_s = now_s()};
  grade_status status = prepare(&run, diag);
  if (!status) {
    if (!job->judge_nothing) run_workers(&run);
    result->n_judged = run.counts[0];
    result->n_reused = run.counts[1];
    status = grade_table_write(job, setup, &run.roll, &run.intake, result, diag);
  }
  grade_intake_close(&run.intake);
  if (run.lock >= 0) close(run.lock);
  free(run.workers);
  grade_roll_free(&run.roll);
  return status;
}
