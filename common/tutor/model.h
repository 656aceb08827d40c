// SPDX-License-Identifier: MIT
/// @file model.h
/// `make watch` as a state machine: what happened goes in, what is to be done comes out. It makes
/// no system call, so that a test can walk through it; view.h shows it, watch.c does what it asks.
///
/// It never goes on to another lesson by itself.
#ifndef TUTOR_MODEL_H
#define TUTOR_MODEL_H

#include "results.h"

typedef enum tutor_phase {
  TUTOR_WAITING,  ///< for a save
  TUTOR_STARTING, ///< asked for, not begun
  TUTOR_COMPILING,
  TUTOR_JUDGING
} tutor_phase;

typedef enum tutor_pane {
  TUTOR_PANE_VERDICT,
  TUTOR_PANE_TEXT,   ///< hint, solution, costs, help
  TUTOR_PANE_LIST,   ///< of lessons, to choose one
  TUTOR_PANE_CHECKS, ///< of this exercise, to choose one or all
  TUTOR_PANE_ASK     ///< a question: y, or anything else for no
} tutor_pane;

/// What watch.c is to do, in the order asked.
typedef enum tutor_action {
  TUTOR_DO_NOTHING,
  TUTOR_DO_OPEN,  ///< watch the file of `lesson` from now on
  TUTOR_DO_JUDGE, ///< judge it; `only` names one check, or is ""
  TUTOR_DO_STOP,  ///< end the judging that runs
  TUTOR_DO_HINT,  ///< the following end in tutor_model_text(); of `hint`
  TUTOR_DO_LIST,
  TUTOR_DO_SOLUTION,
  TUTOR_DO_RESET,
  TUTOR_DO_EXPLAIN,
  TUTOR_DO_TRACE,
  TUTOR_DO_AFTER, ///< what there is to say after a pass
  TUTOR_DO_QUIT
} tutor_action;

/// Keys that are no characters.
enum { TUTOR_KEY_UP = 0x100, TUTOR_KEY_DOWN, TUTOR_KEY_PAGE_UP, TUTOR_KEY_PAGE_DOWN };
enum { TUTOR_KEY_ENTER = '\n', TUTOR_KEY_ESCAPE = 27 };
enum { TUTOR_MAX_ACTIONS = 8, TUTOR_N_HINTS = 3 };

typedef struct tutor_model {
  const char *const *lessons; ///< [n_lessons], not owned
  size_t n_lessons, lesson;
  tutor_phase phase;
  bool file_gone;
  bool passed; ///< the exercise, now or on an earlier day: its solution is no secret
  tutor_results results;
  const tutor_result *result; ///< of this lesson in `results`, or NULL
  char *said;                 ///< what the judging printed when there are no records; owned
  char *after;                ///< TUTOR_DO_AFTER's text, or NULL; owned
  char only[TUTOR_NAME_BYTES];
  tutor_pane pane;
  tutor_action asked; ///< TUTOR_PANE_ASK: what is done for y
  char title[64];     ///< of TUTOR_PANE_TEXT
  char *text;         ///< of TUTOR_PANE_TEXT and TUTOR_PANE_LIST; owned
  unsigned hint;      ///< shown last; 0: none
  size_t scroll, cursor;
  unsigned n_judged; ///< verdicts so far
  char status[200];  ///< one line: what was just done, or went wrong
  unsigned reset_at; ///< n_judged + 1 when the file was reset; 0: not since the last key
  tutor_action actions[TUTOR_MAX_ACTIONS];
  size_t n_actions;
} tutor_model;

/// Begins with lesson `first` of [n_lessons] and asks to open and judge it.
void tutor_model_init(tutor_model *model, const char *const *lessons, size_t n_lessons,
                      size_t first);
void tutor_model_free(tutor_model *model);

// --- what happened -------------------------------------------------------------------------------

void tutor_model_key(tutor_model *model, int key);
void tutor_model_saved(tutor_model *model);
void tutor_model_gone(tutor_model *model); ///< the file is deleted
void tutor_model_stage(tutor_model *model, tutor_phase phase);
/// The judging has ended. Takes over `results` (NULL: there are none) and copies `said`.
void tutor_model_judged(tutor_model *model, tutor_results *results, const char *said);
/// TUTOR_DO_HINT and its like have ended with `text`; `done` false: it went wrong.
void tutor_model_text(tutor_model *model, tutor_action action, const char *text, bool done);
/// What the file of progress says of the lesson that is open.
void tutor_model_progress(tutor_model *model, bool passed);
void tutor_model_say(tutor_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The next thing to do, or TUTOR_DO_NOTHING.
tutor_action tutor_model_take(tutor_model *model);

#endif
