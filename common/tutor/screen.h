// SPDX-License-Identifier: MIT
/// @file screen.h
/// The terminal, by ncurses. Whatever ends the program, the terminal is as it was before: signals
/// that can be waited for are left to watch.c, those that cannot (a crash) put it back here.
#ifndef TUTOR_SCREEN_H
#define TUTOR_SCREEN_H

#include "view.h"

/// Takes over the terminal. False: there is none, its kind is not known, or the program was built
/// without ncurses; `why` says which, and nothing has changed.
bool tutor_screen_open(const char **why);
/// Gives it back. Also in front of a stop; tutor_screen_return() goes on after it.
void tutor_screen_close(void);
void tutor_screen_return(void);

/// Rows and columns of now.
void tutor_screen_size(size_t *rows, size_t *columns);
void tutor_screen_draw(const tutor_frame *frame);
/// The next key that was typed, or -1: none, or the terminal is gone.
int tutor_screen_key(void);

#endif
