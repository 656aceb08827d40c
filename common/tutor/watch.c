// SPDX-License-Identifier: MIT
// watch.c - the loop of `make watch`: waits for keys, saves, programs and signals, passes them on
// to the model, and does what it asks for.
//
// Invariant: whatever way the loop is left, the terminal, the programs it started and its temporary
// folder are seen to.
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <ftw.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "job.h"
#include "model.h"
#include "progress.h"
#include "screen.h"

enum { VARIABLE_BYTES = TUTOR_NAME_BYTES + 16, NO_SIGNAL = 0 };

typedef struct watch {
  const tutor_watch_options *options;
  tutor_model model;
  tutor_watcher watcher;
  tutor_job judge, text;
  tutor_action text_action; // what `text` is for
  size_t n_printed;         // of judge.said, in plain lines
  int signals;              // signalfd
  int ended_by;             // a signal, or NO_SIGNAL
  bool full_screen, utf8, quits;
  bool has_terminal;                  // standard input is one
  char folder[64], variable[64 + 16]; // temporary files of the judging; "TMPDIR=..."
} watch;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static const char *lesson_of(const watch *w) { return w->model.lessons[w->model.lesson]; }

// --- temporary files: a judging that is stopped leaves its own behind ----------------------------

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *at) {
  (void)found, (void)kind, (void)at;
  return remove(path);
}

static void empty_folder(const watch *w) {
  if (*w->folder) nftw(w->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(watch *w) {
  const char *base = getenv("TMPDIR");
  snprintf(w->folder, sizeof w->folder, "%s/workbook-XXXXXX",
           base && *base && strlen(base) < 32 ? base : "/tmp");
  if (!mkdtemp(w->folder)) w->folder[0] = '\0';
  if (*w->folder) snprintf(w->variable, sizeof w->variable, "TMPDIR=%s", w->folder);
}

// --- what the model asks for ---------------------------------------------------------------------

static bool run_script(watch *w, tutor_job *job, const char *command, const char *third) {
  char lesson[VARIABLE_BYTES];
  tutor_diag diag;
  snprintf(lesson, sizeof lesson, "LESSON=%s", lesson_of(w));
  const char *const argv[] = {"common/scripts/lesson.sh", command, NULL};
  const char *environment[4] = {lesson};
  size_t n = 1;
  if (*w->variable) environment[n++] = w->variable;
  if (third) environment[n++] = third;
  if (!tutor_job_start(job, argv, environment, &diag)) return true;
  tutor_model_say(&w->model, "%s", diag.text);
  return false;
}

static void start_judging(watch *w) {
  char only[VARIABLE_BYTES];
  snprintf(only, sizeof only, "ONLY=%s", w->model.only);
  w->n_printed = 0;
  if (!run_script(w, &w->judge, "try", only)) tutor_model_judged(&w->model, NULL, w->model.status);
}

static void stop_judging(watch *w) {
  tutor_job_stop(&w->judge);
  empty_folder(w);
  make_folder(w);
}

static void start_text(watch *w, tutor_action action) {
  static const struct {
    tutor_action action;
    const char *command;
  } commands[] = {{TUTOR_DO_HINT, "hint"},   {TUTOR_DO_LIST, "list"},
                  {TUTOR_DO_RESET, "reset"}, {TUTOR_DO_SOLUTION, "show_solution"},
                  {TUTOR_DO_AFTER, "after"}, {TUTOR_DO_EXPLAIN, "explain_own"},
                  {TUTOR_DO_TRACE, "trace"}};
  char hint[VARIABLE_BYTES];
  snprintf(hint, sizeof hint, "HINT=%u", w->model.hint);
  tutor_job_stop(&w->text);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (commands[i].action == action && run_script(w, &w->text, commands[i].command, hint))
      w->text_action = action;
}

static void open_file(watch *w) {
  char path[TUTOR_NAME_BYTES + 16];
  tutor_progress progress;
  snprintf(path, sizeof path, "exercises/%s.cu", lesson_of(w));
  tutor_watcher_close(&w->watcher);
  tutor_watcher_open(&w->watcher, path, now_ms());
  if (w->watcher.why)
    tutor_model_say(&w->model, "Looking at the file every half second: %s.", w->watcher.why);
  if (!tutor_progress_read(&progress, w->options->progress, NULL))
    tutor_model_progress(&w->model, tutor_progress_lesson(&progress, lesson_of(w)).passed);
  tutor_progress_free(&progress);
  if (!w->full_screen) {
    printf("Watching %s: save it and it is judged. Ctrl-C ends this.\n", path);
    if (w->watcher.why) printf("%s\n", w->model.status);
    fflush(stdout);
  }
}

static void act(watch *w) {
  for (tutor_action action; (action = tutor_model_take(&w->model)) != TUTOR_DO_NOTHING;) {
    switch (action) {
    case TUTOR_DO_OPEN: open_file(w); break;
    case TUTOR_DO_JUDGE: start_judging(w); break;
    case TUTOR_DO_STOP: stop_judging(w); break;
    case TUTOR_DO_QUIT: w->quits = true; break;
    default:
      if (w->full_screen) start_text(w, action); // in plain lines nothing is asked for
    }
  }
}

// --- what happens --------------------------------------------------------------------------------

// Warns when a pass could not be added to the file of progress: the disk may be full.
static void check_recorded(watch *w) {
  tutor_progress progress;
  tutor_diag diag = {""};
  bool found = !tutor_progress_read(&progress, w->options->progress, &diag) &&
               tutor_progress_lesson(&progress, lesson_of(w)).passed;
  tutor_progress_free(&progress);
  if (!found)
    tutor_model_say(&w->model, "Passed, but it could not be recorded in %s. %s",
                    w->options->progress, diag.text);
}

static void finish_judging(watch *w) {
  char path[TUTOR_PATH_BYTES];
  tutor_results results;
  tutor_diag diag;
  snprintf(path, sizeof path, "%s/try/%s.json", w->options->build, lesson_of(w));
  tutor_status status = tutor_results_read(&results, path, &diag);
  tutor_model_judged(&w->model, status ? NULL : &results, w->judge.said);
  tutor_results_free(&results);
  const tutor_result *result = w->model.result;
  if (result && tutor_result_passed(result) && !*w->model.only) check_recorded(w);
  tutor_job_stop(&w->judge);
}

static void print_new(watch *w) {
  if (w->full_screen) return;
  fwrite(w->judge.said + w->n_printed, 1, w->judge.n_said - w->n_printed, stdout);
  w->n_printed = w->judge.n_said;
  fflush(stdout);
}

static void look_at_jobs(watch *w) {
  int status;
  while (w->judge.pid > 0 && tutor_job_read(&w->judge)) {
    bool compiling = strcmp(w->judge.line, "compiling") == 0;
    tutor_model_stage(&w->model, compiling ? TUTOR_COMPILING : TUTOR_JUDGING);
  }
  if (w->judge.pid > 0) print_new(w);
  if (tutor_job_ended(&w->judge, &status)) {
    print_new(w);
    finish_judging(w);
  }
  if (w->text.pid > 0) tutor_job_read(&w->text);
  if (tutor_job_ended(&w->text, &status)) {
    tutor_model_text(&w->model, w->text_action, w->text.said, status == 0);
    tutor_job_stop(&w->text);
  }
}

static void look_at_file(watch *w) {
  switch (tutor_watcher_look(&w->watcher, now_ms())) {
  case TUTOR_SAVED: tutor_model_saved(&w->model); break;
  case TUTOR_GONE:
    tutor_model_gone(&w->model);
    if (!w->full_screen) puts("The file is gone; it is judged when it is there again.");
    break;
  case TUTOR_UNCHANGED: break;
  }
}

static void stop_for_now(watch *w) {
  if (w->full_screen) tutor_screen_close();
  kill(getpid(), SIGSTOP); // SIGTSTP itself is blocked
  if (w->full_screen) tutor_screen_return();
}

static void look_at_signals(watch *w) {
  struct signalfd_siginfo found;
  while (read(w->signals, &found, sizeof found) == (ssize_t)sizeof found) {
    if (found.ssi_signo == SIGTSTP) stop_for_now(w);
    else if (found.ssi_signo != SIGCHLD) w->ended_by = (int)found.ssi_signo;
  }
}

static void look_at_keys(watch *w, short events) {
  int key;
  if (events & (POLLHUP | POLLERR | POLLNVAL)) w->ended_by = SIGHUP; // the terminal is gone
  while (w->full_screen && !w->ended_by && (key = tutor_screen_key()) >= 0) {
    tutor_model_key(&w->model, key);
    act(w);
  }
}

// --- the loop ------------------------------------------------------------------------------------

static void draw(watch *w) {
  size_t rows, columns;
  tutor_frame frame;
  if (!w->full_screen) return;
  tutor_screen_size(&rows, &columns);
  if (tutor_view(&w->model, rows, columns, w->utf8, &frame)) return;
  tutor_screen_draw(&frame);
  tutor_frame_free(&frame);
}

static void wait_for_something(watch *w) {
  enum { KEYS = 0, SIGNALS, N = 7 };
  // In plain lines, too, a terminal may be closed: the leader of its session need not pass it on.
  struct pollfd fds[N] = {
      [KEYS] = {w->has_terminal ? STDIN_FILENO : -1, w->full_screen ? POLLIN : 0, 0},
      [SIGNALS] = {w->signals, POLLIN, 0},
      {w->watcher.notices, POLLIN, 0},
      {w->judge.output, POLLIN, 0},
      {w->judge.stages, POLLIN, 0},
      {w->text.output, POLLIN, 0},
      {w->text.stages, POLLIN, 0}};
  int n = poll(fds, N, tutor_watcher_patience_ms(&w->watcher));
  look_at_signals(w);
  if (n > 0 && fds[KEYS].revents) look_at_keys(w, fds[KEYS].revents);
  look_at_jobs(w);
  look_at_file(w);
}

static bool begin(watch *w) {
  sigset_t waited;
  const char *why = "";
  sigemptyset(&waited);
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&waited, numbers[i]);
  sigprocmask(SIG_BLOCK, &waited, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); // a write that fails says so
  w->signals = signalfd(-1, &waited, SFD_NONBLOCK | SFD_CLOEXEC);
  if (w->signals < 0) return perror("workbook: signalfd"), false;
  setlocale(LC_ALL, "");
  w->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  make_folder(w);
  w->has_terminal = isatty(STDIN_FILENO);
  w->full_screen = tutor_screen_open(&why);
  if (!w->full_screen) fprintf(stderr, "Plain lines: %s.\n", why);
  return true;
}

static void end(watch *w) {
  tutor_job_stop(&w->judge);
  tutor_job_stop(&w->text);
  tutor_watcher_close(&w->watcher);
  empty_folder(w);
  if (w->full_screen) tutor_screen_close();
  tutor_model_free(&w->model);
  close(w->signals);
}

int tutor_watch(const tutor_watch_options *options) {
  watch w = {.options = options, .watcher = {.notices = -1}};
  w.judge = w.text = (tutor_job){.output = -1, .stages = -1};
  if (!begin(&w)) return 1;
  tutor_model_init(&w.model, options->lessons, options->n_lessons, options->first);
  for (;;) {
    act(&w);
    if (w.quits || w.ended_by) break;
    draw(&w);
    wait_for_something(&w);
  }
  end(&w);
  if (!w.ended_by) return 0;
  signal(w.ended_by, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  raise(w.ended_by);
  return 128 + w.ended_by;
}
