// SPDX-License-Identifier: MIT
// view.c - lays a screenful out: a title line, the pane, a status line, the keys.
#define _GNU_SOURCE
#include "view.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { REASON_LINES = 12 };

// The pane's lines as they grow; `failed` once memory has run out.
typedef struct page {
  tutor_frame frame;
  size_t columns, chosen; // chosen: the line to keep in view, or SIZE_MAX
  bool failed;
} page;

void tutor_frame_free(tutor_frame *frame) {
  for (size_t i = 0; i < frame->n_lines; i++) free(frame->lines[i].text);
  free(frame->lines);
  *frame = (tutor_frame){0};
}

// --- safe text -----------------------------------------------------------------------------------

// Bytes of the UTF-8 character at `at`, or 0 when there is none (or one that controls a terminal).
static size_t character(const char *at) {
  const unsigned char *u = (const unsigned char *)at;
  size_t n = u[0] < 0x80 ? 1 : u[0] >= 0xf0 && u[0] < 0xf5 ? 4 : u[0] >= 0xe0 ? 3 : 2;
  if (u[0] < 0x80) return u[0] >= 0x20 && u[0] != 0x7f ? 1 : 0;
  if (u[0] < 0xc2 || u[0] >= 0xf5) return 0;
  for (size_t i = 1; i < n; i++)
    if ((u[i] & 0xc0) != 0x80) return 0;
  return n == 2 && u[0] == 0xc2 && u[1] < 0xa0 ? 0 : n;
}

// Copies at most `columns` characters of [n_bytes] at `text`; what is not printable becomes '?', a
// tab one blank.
static char *safe_copy(const char *text, size_t n_bytes, size_t columns) {
  char *out = malloc(n_bytes + 1);
  size_t used = 0, shown = 0;
  if (!out) return NULL;
  for (size_t i = 0; i < n_bytes && shown < columns; shown++) {
    size_t n = character(text + i);
    if (n == 0 || i + n > n_bytes) {
      out[used++] = text[i] == '\t' ? ' ' : '?';
      i++;
      continue;
    }
    memcpy(out + used, text + i, n);
    used += n;
    i += n;
  }
  out[used] = '\0';
  return out;
}

// For a terminal that shows ASCII alone.
static void to_ascii(char *text) {
  size_t out = 0;
  for (size_t i = 0; text[i];) {
    size_t n = character(text + i);
    text[out++] = n > 1 ? '?' : text[i];
    i += n ? n : 1;
  }
  text[out] = '\0';
}

// --- lines ---------------------------------------------------------------------------------------

// A new last line without text yet; NULL: no memory.
static tutor_line *new_line(page *p, tutor_style style) {
  enum { STEP = 64 };
  tutor_frame *f = &p->frame;
  if (f->n_lines % STEP == 0) {
    tutor_line *lines = realloc(f->lines, (f->n_lines + STEP) * sizeof *lines);
    if (!lines) p->failed = true;
    else f->lines = lines;
  }
  if (p->failed) return NULL;
  f->lines[f->n_lines] = (tutor_line){NULL, style};
  return &f->lines[f->n_lines++];
}

static void add(page *p, tutor_style style, const char *text, size_t n_bytes) {
  tutor_line *line = new_line(p, style);
  if (line) line->text = safe_copy(text, n_bytes, p->columns);
  if (line && !line->text) p->failed = true;
}

static void addf(page *p, tutor_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void addf(page *p, tutor_style style, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  add(p, style, line, strlen(line));
}

// Every line of `text`, cut at the right edge; at most `limit`.
static void add_lines(page *p, tutor_style style, const char *text, size_t limit) {
  for (size_t i = 0; *text && i < limit; i++) {
    size_t n = strcspn(text, "\n");
    add(p, style, text, n);
    text += n + (text[n] == '\n');
  }
}

typedef struct grown {
  char *text;
  size_t n_bytes;
} grown;

static void grow(void *data, const char *text, size_t n_bytes) {
  grown *g = data;
  char *more = realloc(g->text, g->n_bytes + n_bytes + 1);
  if (!more) return;
  memcpy(more + g->n_bytes, text, n_bytes);
  g->text = more;
  g->n_bytes += n_bytes;
  more[g->n_bytes] = '\0';
}

// The same, with long lines broken.
static void add_wrapped(page *p, tutor_style style, int indent, const char *text, size_t limit) {
  grown wrapped = {0};
  const simt_sink sink = {grow, &wrapped};
  simt_print_wrapped(&sink, text, p->columns > 20 ? (int)p->columns : 20, indent, indent + 2);
  if (wrapped.text) add_lines(p, style, wrapped.text, limit);
  free(wrapped.text);
}

static void add_labelled(page *p, const char *label, const char *text) {
  char *line = NULL;
  if (!*text || asprintf(&line, "%s: %s", label, text) < 0) return;
  add_wrapped(p, TUTOR_PLAIN, 2, line, REASON_LINES);
  free(line);
}

// --- the verdict ---------------------------------------------------------------------------------

static void add_checks(page *p, const tutor_result *result) {
  static const char *const marks[] = {"ok", "FAIL", "ERROR"};
  static const tutor_style styles[] = {TUTOR_GOOD, TUTOR_BAD, TUTOR_BAD};
  for (size_t i = 0; i < result->n_checks; i++) {
    const tutor_check *c = &result->checks[i];
    addf(p, styles[c->outcome], "  %-5s %-20s %3u  %s", marks[c->outcome], c->name, c->max_points,
         c->about);
  }
}

static void add_first(page *p, const tutor_check *check) {
  addf(p, TUTOR_TITLE, "%s: %s", check->outcome == TUTOR_FAILED ? "First failure" : "Not judged",
       check->name);
  add_wrapped(p, TUTOR_PLAIN, 2, check->reason, REASON_LINES);
  if (*check->file) addf(p, TUTOR_PLAIN, "  at %s:%u", check->file, check->line);
  add_labelled(p, check->outcome == TUTOR_FAILED ? "likely cause" : "what happened",
               check->explanation);
  add_labelled(p, "hint", check->hint);
  addf(p, TUTOR_PLAIN, "%s", "");
}

static void add_result(page *p, const tutor_model *model) {
  const tutor_result *result = model->result;
  size_t n_passed = 0;
  const tutor_check *first = NULL;
  for (size_t i = 0; i < result->n_checks; i++) {
    if (result->checks[i].outcome == TUTOR_PASSED) n_passed++;
    else if (!first) first = &result->checks[i];
  }
  if (!result->judged) {
    add_wrapped(p, TUTOR_BAD, 0, result->message, REASON_LINES);
    addf(p, TUTOR_PLAIN, "%s", "");
    if (model->said) add_lines(p, TUTOR_PLAIN, model->said, SIZE_MAX);
    return;
  }
  addf(p, first ? TUTOR_BAD : TUTOR_GOOD, "%zu of %zu checks passed, %u of %u points%s", n_passed,
       result->n_checks, result->points, result->max_points, first ? "" : ": all is right");
  if (!first && model->after) { // the checks have nothing more to say
    addf(p, TUTOR_PLAIN, "%s", "");
    add_lines(p, TUTOR_PLAIN, model->after, SIZE_MAX);
    addf(p, TUTOR_PLAIN, "%s", "");
  }
  if (first)
    add_first(p, first); // what to do is on the first screen, however many checks there are
  add_checks(p, result);
}

static void add_verdict(page *p, const tutor_model *model) {
  const char *name = model->lessons[model->lesson];
  if (model->file_gone)
    addf(p, TUTOR_BAD, "exercises/%s.cu is gone. Save it again, or r brings the stub back.", name);
  if (model->result) add_result(p, model);
  else if (model->said) add_lines(p, TUTOR_PLAIN, model->said, SIZE_MAX);
  else if (!model->file_gone)
    addf(p, TUTOR_FAINT, "No verdict yet. Edit exercises/%s.cu and save it.", name);
}

// --- the other panes -----------------------------------------------------------------------------

// Its first line is the heading, then one line for each lesson.
static void add_list(page *p, const tutor_model *model) {
  const char *text = model->text ? model->text : "";
  for (size_t i = 0; *text; i++) {
    size_t n = strcspn(text, "\n");
    bool chosen = i == model->cursor + 1;
    if (chosen) p->chosen = p->frame.n_lines;
    add(p, chosen ? TUTOR_CHOSEN : i == 0 ? TUTOR_TITLE : TUTOR_PLAIN, text, n);
    text += n + (text[n] == '\n');
  }
  addf(p, TUTOR_FAINT, "Enter opens the lesson, Esc goes back.");
}

static void add_choice(page *p, const tutor_model *model) {
  size_t n = model->result ? model->result->n_checks : 0;
  addf(p, TUTOR_TITLE, "Judge which check? Enter chooses; every save judges it alone.");
  for (size_t i = 0; i <= n; i++) {
    const tutor_check *c = i ? &model->result->checks[i - 1] : NULL;
    bool chosen = i == model->cursor;
    if (chosen) p->chosen = p->frame.n_lines;
    addf(p, chosen ? TUTOR_CHOSEN : TUTOR_PLAIN, "  %-20s %s", c ? c->name : "(all)",
         c ? c->about : "every check");
  }
}

static void add_question(page *p, const tutor_model *model) {
  const char *name = model->lessons[model->lesson];
  if (model->asked == TUTOR_DO_RESET) {
    addf(p, TUTOR_TITLE, "Start exercises/%s.cu again?", name);
    addf(p, TUTOR_PLAIN, "Your file is kept in exercises/backup.");
  } else {
    addf(p, TUTOR_TITLE, "Show the solution of %s before you have passed?", name);
    addf(p, TUTOR_PLAIN, "Three hints come first: h.");
  }
  addf(p, TUTOR_PLAIN, "%s", "");
  addf(p, TUTOR_PLAIN, "y yes   any other key: no");
}

static void add_pane(page *p, const tutor_model *model) {
  switch (model->pane) {
  case TUTOR_PANE_VERDICT: add_verdict(p, model); break;
  case TUTOR_PANE_TEXT:
    if (*model->title) addf(p, TUTOR_TITLE, "%s", model->title);
    add_lines(p, TUTOR_PLAIN, model->text ? model->text : "", SIZE_MAX);
    break;
  case TUTOR_PANE_LIST: add_list(p, model); break;
  case TUTOR_PANE_CHECKS: add_choice(p, model); break;
  case TUTOR_PANE_ASK: add_question(p, model); break;
  }
}

// --- the screen ----------------------------------------------------------------------------------

static void add_head(page *p, const tutor_model *model) {
  static const char *const phases[] = {"waiting for a save", "starting", "compiling", "judging"};
  addf(p, TUTOR_TITLE, "%s  %s%s%s%s", model->lessons[model->lesson], phases[model->phase],
       *model->only ? ", only " : "", model->only, model->passed ? ", passed" : "");
}

static void move_line(page *to, tutor_line *from) {
  tutor_line *line = new_line(to, from->style);
  if (!line) return;
  line->text = from->text;
  from->text = NULL;
}

// As many lines of the pane as there is room for, from model->scroll on.
static void add_body(page *p, tutor_model *model, page *body, size_t room) {
  size_t n = body->frame.n_lines, most = n > room ? n - room : 0;
  if (body->chosen != SIZE_MAX) model->scroll = body->chosen >= room ? body->chosen - room + 1 : 0;
  if (model->scroll > most) model->scroll = most;
  for (size_t i = 0; i < room; i++) {
    if (model->scroll + i < n) move_line(p, &body->frame.lines[model->scroll + i]);
    else add(p, TUTOR_PLAIN, "", 0);
  }
}

static void add_foot(page *p, const tutor_model *model, size_t n_below) {
  static const char keys[] = "h hint  n next  p previous  l list  c check  e explain  t trace  "
                             "s solution  r reset  q quit  ? help";
  static const char few[] = "h hint  n next  p prev  l list  c check  s solution  r reset  ? help  "
                            "q quit";
  if (*model->status) addf(p, TUTOR_PLAIN, "%s", model->status);
  else if (n_below) addf(p, TUTOR_FAINT, "%zu more lines below: down", n_below);
  else add(p, TUTOR_PLAIN, "", 0);
  addf(p, TUTOR_FAINT, "%s", p->columns >= sizeof keys ? keys : few);
}

tutor_status tutor_view(tutor_model *model, size_t rows, size_t columns, bool utf8,
                        tutor_frame *frame) {
  enum { AROUND = 4 }; // title and the blank line below it, status, keys
  page p = {.columns = columns, .chosen = SIZE_MAX}, body = p;
  add_head(&p, model);
  if (rows > AROUND) {
    size_t room = rows - AROUND;
    add(&p, TUTOR_PLAIN, "", 0);
    add_pane(&body, model);
    add_body(&p, model, &body, room);
    size_t shown = model->scroll + room;
    add_foot(&p, model, body.frame.n_lines > shown ? body.frame.n_lines - shown : 0);
  }
  bool failed = p.failed || body.failed;
  tutor_frame_free(&body.frame);
  while (p.frame.n_lines > rows) free(p.frame.lines[--p.frame.n_lines].text);
  for (size_t i = 0; i < p.frame.n_lines && !utf8 && !failed; i++) to_ascii(p.frame.lines[i].text);
  if (failed) tutor_frame_free(&p.frame);
  *frame = p.frame;
  return failed ? TUTOR_NO_MEMORY : TUTOR_OK;
}
