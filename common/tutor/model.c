// SPDX-License-Identifier: MIT
// model.c - the state machine of `make watch`.
//
// Invariants: at most one judging is asked for at a time, and a save during it stops it first;
// `result` points into `results` or is NULL; nothing but a key changes the lesson.
#define _GNU_SOURCE
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "  h        a hint; again: the next one, up to the third\n"
    "  n, p     the next lesson, the previous one\n"
    "  l        the list of lessons: up and down, Enter to open one\n"
    "  c        judge one check alone, or all of them again\n"
    "  Enter    judge again\n"
    "  e        what each line of your kernel costs\n"
    "  t        record a trace of your kernel, as a page\n"
    "  s        the solution; asks first when you have not passed\n"
    "  r        start again; asks first, and keeps your file in exercises/backup\n"
    "  up, down scroll; v or Esc goes back to the verdict\n"
    "  q        quit\n"
    "\n"
    "Your file is judged whenever you save it.";

static void ask_for(tutor_model *model, tutor_action action) {
  if (model->n_actions < TUTOR_MAX_ACTIONS) model->actions[model->n_actions++] = action;
}

static void set_text(char **place, const char *text) {
  free(*place);
  *place = text ? strdup(text) : NULL;
}

void tutor_model_say(tutor_model *model, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(model->status, sizeof model->status, format, arguments);
  va_end(arguments);
  model->status[strcspn(model->status, "\r\n")] = '\0';
}

static void show(tutor_model *model, tutor_pane pane) {
  model->pane = pane;
  model->scroll = model->cursor = 0;
}

static void show_text(tutor_model *model, const char *title, const char *text) {
  snprintf(model->title, sizeof model->title, "%s", title);
  set_text(&model->text, text);
  show(model, TUTOR_PANE_TEXT);
}

// --- judging -------------------------------------------------------------------------------------

static void judge(tutor_model *model) {
  if (model->phase != TUTOR_WAITING) ask_for(model, TUTOR_DO_STOP);
  model->phase = TUTOR_STARTING;
  ask_for(model, TUTOR_DO_JUDGE);
}

static void forget_verdict(tutor_model *model) {
  tutor_results_free(&model->results);
  model->result = NULL;
  set_text(&model->said, NULL);
  set_text(&model->after, NULL);
}

static void open_lesson(tutor_model *model, size_t lesson) {
  if (model->phase != TUTOR_WAITING) ask_for(model, TUTOR_DO_STOP);
  model->phase = TUTOR_WAITING;
  model->lesson = lesson;
  model->file_gone = model->passed = false;
  model->hint = 0;
  model->only[0] = model->status[0] = '\0';
  forget_verdict(model);
  show(model, TUTOR_PANE_VERDICT);
  ask_for(model, TUTOR_DO_OPEN);
  judge(model);
}

void tutor_model_init(tutor_model *model, const char *const *lessons, size_t n_lessons,
                      size_t first) {
  *model = (tutor_model){.lessons = lessons, .n_lessons = n_lessons};
  open_lesson(model, first < n_lessons ? first : 0);
}

void tutor_model_free(tutor_model *model) {
  forget_verdict(model);
  set_text(&model->text, NULL);
}

void tutor_model_saved(tutor_model *model) {
  model->file_gone = false;
  // A reset is a save too: that one leaves on the screen where the old file is.
  if (model->reset_at != model->n_judged + 1) model->status[0] = '\0';
  if (model->pane != TUTOR_PANE_ASK) show(model, TUTOR_PANE_VERDICT);
  judge(model);
}

void tutor_model_gone(tutor_model *model) {
  model->file_gone = true;
  if (model->phase != TUTOR_WAITING) ask_for(model, TUTOR_DO_STOP);
  model->phase = TUTOR_WAITING;
}

void tutor_model_stage(tutor_model *model, tutor_phase phase) {
  if (model->phase != TUTOR_WAITING) model->phase = phase;
}

void tutor_model_judged(tutor_model *model, tutor_results *results, const char *said) {
  forget_verdict(model);
  model->phase = TUTOR_WAITING;
  model->n_judged++;
  set_text(&model->said, said);
  if (!results) return;
  model->results = *results;
  *results = (tutor_results){0};
  for (size_t i = 0; i < model->results.n_exercises; i++)
    if (strcmp(model->results.exercises[i].name, model->lessons[model->lesson]) == 0)
      model->result = &model->results.exercises[i];
  if (!model->result || !tutor_result_passed(model->result) || *model->only) return;
  model->passed = true;
  ask_for(model, TUTOR_DO_AFTER);
}

void tutor_model_progress(tutor_model *model, bool passed) {
  model->passed = model->passed || passed;
}

// --- texts ---------------------------------------------------------------------------------------

void tutor_model_text(tutor_model *model, tutor_action action, const char *text, bool done) {
  if (!done || action == TUTOR_DO_RESET) tutor_model_say(model, "%s", text);
  if (!done) return;
  if (action == TUTOR_DO_RESET) model->reset_at = model->n_judged + 1;
  switch (action) {
  case TUTOR_DO_HINT: show_text(model, "", text); break; // it says its own number
  case TUTOR_DO_LIST:
    set_text(&model->text, text);
    show(model, TUTOR_PANE_LIST);
    model->cursor = model->lesson;
    break;
  case TUTOR_DO_SOLUTION: show_text(model, "The solution", text); break;
  case TUTOR_DO_EXPLAIN: show_text(model, "What each line costs", text); break;
  case TUTOR_DO_TRACE: show_text(model, "Trace", text); break;
  case TUTOR_DO_AFTER: set_text(&model->after, text); break;
  default: break; // a reset shows in the file itself
  }
}

// --- keys ----------------------------------------------------------------------------------------

static void ask(tutor_model *model, tutor_action action) {
  show(model, TUTOR_PANE_ASK);
  model->asked = action;
}

static void show_hint(tutor_model *model) {
  if (model->hint < TUTOR_N_HINTS) model->hint++;
  ask_for(model, TUTOR_DO_HINT);
}

static void show_solution(tutor_model *model) {
  if (model->passed) ask_for(model, TUTOR_DO_SOLUTION);
  else ask(model, TUTOR_DO_SOLUTION);
}

static void move_lesson(tutor_model *model, bool forward) {
  size_t last = model->n_lessons - 1;
  if (forward ? model->lesson == last : model->lesson == 0)
    tutor_model_say(model, "This is the %s lesson.", forward ? "last" : "first");
  else open_lesson(model, forward ? model->lesson + 1 : model->lesson - 1);
}

static bool scroll(tutor_model *model, int key) {
  enum { PAGE = 10 };
  size_t *at = model->pane == TUTOR_PANE_LIST || model->pane == TUTOR_PANE_CHECKS ? &model->cursor
                                                                                  : &model->scroll;
  size_t step = key == TUTOR_KEY_PAGE_UP || key == TUTOR_KEY_PAGE_DOWN ? PAGE : 1;
  if (key == TUTOR_KEY_DOWN || key == TUTOR_KEY_PAGE_DOWN) *at += step; // the view bounds it
  else if (key == TUTOR_KEY_UP || key == TUTOR_KEY_PAGE_UP) *at -= *at < step ? *at : step;
  else return false;
  size_t n = model->pane == TUTOR_PANE_LIST     ? model->n_lessons
             : model->pane == TUTOR_PANE_CHECKS ? 1 + (model->result ? model->result->n_checks : 0)
                                                : model->scroll + 1;
  if (*at >= n) *at = n - 1;
  return true;
}

// Enter: chooses where there is something to choose, judges again elsewhere.
static void choose(tutor_model *model) {
  if (model->pane == TUTOR_PANE_LIST) {
    open_lesson(model, model->cursor);
    return;
  }
  if (model->pane == TUTOR_PANE_CHECKS) {
    const char *name =
        model->cursor > 0 && model->result ? model->result->checks[model->cursor - 1].name : "";
    snprintf(model->only, sizeof model->only, "%s", name);
  }
  show(model, TUTOR_PANE_VERDICT);
  if (!model->file_gone) judge(model);
}

static void answer(tutor_model *model, int key) {
  tutor_action action = model->asked;
  show(model, TUTOR_PANE_VERDICT);
  if (key == 'y' || key == 'Y') ask_for(model, action);
  else tutor_model_say(model, "Nothing was changed.");
  if (key == 'q') ask_for(model, TUTOR_DO_QUIT);
}

void tutor_model_key(tutor_model *model, int key) {
  if (model->pane == TUTOR_PANE_ASK) {
    answer(model, key);
    return;
  }
  model->status[0] = '\0';
  model->reset_at = 0;
  if (scroll(model, key)) return;
  switch (key) {
  case 'q': ask_for(model, TUTOR_DO_QUIT); break;
  case 'n': move_lesson(model, true); break;
  case 'p': move_lesson(model, false); break;
  case 'h': show_hint(model); break;
  case 'l': ask_for(model, TUTOR_DO_LIST); break;
  case 's': show_solution(model); break;
  case 'r': ask(model, TUTOR_DO_RESET); break;
  case 'c': show(model, TUTOR_PANE_CHECKS); break;
  case 't': ask_for(model, TUTOR_DO_TRACE); break;
  case 'e': ask_for(model, TUTOR_DO_EXPLAIN); break;
  case 'v':
  case TUTOR_KEY_ESCAPE: show(model, TUTOR_PANE_VERDICT); break;
  case TUTOR_KEY_ENTER: choose(model); break;
  case '?': show_text(model, "Keys", help); break;
  default: tutor_model_say(model, "? shows the keys.");
  }
}

tutor_action tutor_model_take(tutor_model *model) {
  if (model->n_actions == 0) return TUTOR_DO_NOTHING;
  tutor_action action = model->actions[0];
  model->n_actions--;
  memmove(model->actions, model->actions + 1, model->n_actions * sizeof *model->actions);
  return action;
}
