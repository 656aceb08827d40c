// SPDX-License-Identifier: MIT
/// @file view.h
/// What `make watch` shows, as lines of styled text: the model in, a screenful out. Knows no
/// terminal. Text that comes from elsewhere is made safe: no control character reaches the screen.
#ifndef TUTOR_VIEW_H
#define TUTOR_VIEW_H

#include "model.h"

typedef enum tutor_style {
  TUTOR_PLAIN,
  TUTOR_TITLE,
  TUTOR_GOOD,
  TUTOR_BAD,
  TUTOR_FAINT,
  TUTOR_CHOSEN
} tutor_style;

/// One line, UTF-8, no wider than the screen.
typedef struct tutor_line {
  char *text; ///< owned
  tutor_style style;
} tutor_line;

typedef struct tutor_frame {
  tutor_line *lines; ///< [n_lines]; owned
  size_t n_lines;
} tutor_frame;

/// Draws `model` into exactly `rows` lines of at most `columns` columns (both at least 1). Bounds
/// model->scroll to what there is. TUTOR_NO_MEMORY leaves an empty frame.
tutor_status tutor_view(tutor_model *model, size_t rows, size_t columns, bool utf8,
                        tutor_frame *frame);
void tutor_frame_free(tutor_frame *frame);

#endif
