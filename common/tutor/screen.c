// SPDX-License-Identifier: MIT
// screen.c - ncurses, and the terminal's own modes.
#define _GNU_SOURCE
#include "screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#ifndef TUTOR_NCURSES

bool tutor_screen_open(const char **why) {
  *why = "this program was built without ncurses";
  return false;
}
void tutor_screen_close(void) {}
void tutor_screen_return(void) {}
void tutor_screen_size(size_t *rows, size_t *columns) { *rows = 24, *columns = 80; }
void tutor_screen_draw(const tutor_frame *frame) { (void)frame; }
int tutor_screen_key(void) { return -1; }

#else
#include <curses.h>

// For the handler of a crash, which may call next to nothing: what to write and to set.
static struct termios modes_before;
static char farewell[256];
static SCREEN *screen;
static bool is_colored;

static void crash(int number) {
  if (write(STDOUT_FILENO, farewell, strlen(farewell)) >= 0 || farewell[0])
    tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
  signal(number, SIG_DFL);
  raise(number);
}

// The terminal's own text for `name`, or "".
static const char *capability(const char *name) {
  char copy[8] = ""; // tigetstr takes no const everywhere
  strncpy(copy, name, sizeof copy - 1);
  const char *text = tigetstr(copy);
  return text && text != (char *)-1 ? text : "";
}

// Collects what ends full-screen mode. Padding is for terminals of another age.
static void prepare_farewell(void) {
  static const char *const names[] = {"sgr0", "rmkx", "rmcup", "cnorm"};
  farewell[0] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = capability(names[i]);
    if (strlen(farewell) + strlen(text) + 1 < sizeof farewell) strcat(farewell, text);
  }
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], crash);
}

static void set_modes(void) {
  cbreak(); // Ctrl-C and Ctrl-Z stay signals
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  curs_set(0);
  set_escdelay(50);
}

static void choose_colors(void) {
  const char *none = getenv("NO_COLOR");
  if ((none && *none) || !has_colors() || start_color() == ERR) return;
  if (use_default_colors() == ERR) return;
  init_pair(TUTOR_GOOD, COLOR_GREEN, -1);
  init_pair(TUTOR_BAD, COLOR_RED, -1);
  is_colored = true;
}

bool tutor_screen_open(const char **why) {
  *why = "input or output is no terminal";
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return false;
  tcgetattr(STDIN_FILENO, &modes_before);
  *why = "this kind of terminal is not known ($TERM)";
  screen = newterm(NULL, stdout, stdin); // initscr() would end the program
  if (!screen) return false;
  if (!*capability("cup")) { // a teletype, or one that calls itself "dumb"
    endwin();
    delscreen(screen);
    *why = "this kind of terminal cannot place its cursor ($TERM)";
    return false;
  }
  set_modes();
  choose_colors();
  prepare_farewell();
  return true;
}

void tutor_screen_close(void) { endwin(); }

void tutor_screen_return(void) {
  clearok(curscr, TRUE);
  refresh();
}

void tutor_screen_size(size_t *rows, size_t *columns) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
      is_term_resized(size.ws_row, size.ws_col))
    resizeterm(size.ws_row, size.ws_col);
  *rows = LINES > 0 ? (size_t)LINES : 24;
  *columns = COLS > 0 ? (size_t)COLS : 80;
}

static chtype style_of(tutor_style style) {
  switch (style) {
  case TUTOR_TITLE: return A_BOLD;
  case TUTOR_GOOD:
  case TUTOR_BAD: return is_colored ? (chtype)COLOR_PAIR(style) : A_NORMAL;
  case TUTOR_FAINT: return A_NORMAL;
  case TUTOR_CHOSEN: return A_REVERSE;
  case TUTOR_PLAIN: break;
  }
  return A_NORMAL;
}

void tutor_screen_draw(const tutor_frame *frame) {
  erase();
  for (size_t i = 0; i < frame->n_lines && i < (size_t)LINES; i++) {
    attrset((int)style_of(frame->lines[i].style));
    mvaddstr((int)i, 0, frame->lines[i].text);
  }
  attrset((int)A_NORMAL);
  refresh();
}

int tutor_screen_key(void) {
  for (;;) {
    int key = getch();
    switch (key) {
    case ERR: return -1;
    case KEY_UP: return TUTOR_KEY_UP;
    case KEY_DOWN: return TUTOR_KEY_DOWN;
    case KEY_PPAGE: return TUTOR_KEY_PAGE_UP;
    case KEY_NPAGE: return TUTOR_KEY_PAGE_DOWN;
    case KEY_ENTER:
    case '\r': return TUTOR_KEY_ENTER;
    case KEY_RESIZE: continue; // the size is asked for before each drawing
    default: return key;
    }
  }
}
#endif
