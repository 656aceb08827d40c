// SPDX-License-Identifier: MIT
// ptx/unit.c - the units of a module: texts that are parsed one after the other into the same
// tables.
//
// The module's text is all their texts in sequence, so that a line number identifies one place;
// errors count lines in the unit's own text. File numbers and debug sections start afresh with
// every unit.
#include "ptx/parser.h"

#include <string.h>

#define LARGEST_TEXT_BYTES (UINT64_C(1) << 30)

const char *ptx_unit_name(const ptx_parser *p, uint32_t unit) { return p->units[unit].name; }

// NUL bytes at the very end (PTX embedded as a C string, or padded) are not text.
static size_t text_size(const ptx_unit *unit) {
  size_t n = unit->text_bytes;
  while (n > 0 && unit->text[n - 1] == '\0') n--;
  return n;
}

// Copies the texts into the module, each but the last with a line feed behind it.
static char *keep_texts(ptx_parser *p) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < p->n_units; i++) {
    total += text_size(&p->units[i]) + 1;
    if (total > LARGEST_TEXT_BYTES) {
      ptx_error(p, SIMT_UNSUPPORTED, 1, "%llu bytes of PTX are too many",
                (unsigned long long)total - 1);
      return NULL;
    }
  }
  char *copy = ptx_alloc(p, &p->module->arena, (size_t)total, 1), *at = copy;
  for (uint32_t i = 0; copy != NULL && i < p->n_units; i++) {
    const size_t n = text_size(&p->units[i]);
    if (n > 0) memcpy(at, p->units[i].text, n);
    at[n] = i + 1 < p->n_units ? '\n' : '\0';
    at += n + 1;
  }
  p->module->text = copy;
  p->module->text_bytes = copy != NULL ? (size_t)total - 1 : 0;
  return copy;
}

static uint32_t largest_file(const ptx_parser *p) {
  const ptx_file *files = p->files.items;
  uint32_t largest = 0;
  for (uint32_t i = 0; i < p->files.n; i++)
    if (files[i].number > largest) largest = files[i].number;
  return largest;
}

static void begin(ptx_parser *p, uint32_t unit, const char *at, size_t n) {
  p->unit = unit;
  p->name = p->units[unit].name;
  p->first_line = unit ? p->lexer.line : 0;
  p->file_base = unit ? largest_file(p) : 0;
  p->loc = -1;
  p->debug_info = p->debug_abbrev = (ptx_debug_section){.bytes = {0}};
  p->module->version_major = p->module->version_minor = 0;
  ptx_lex_begin(&p->lexer, at, n);
  p->lexer.line += p->first_line;
  p->token.line = p->lexer.line;
}

bool ptx_parse_units(ptx_parser *p, bool (*parse_directives)(ptx_parser *p)) {
  char *at = keep_texts(p);
  if (at == NULL) return false;
  for (uint32_t i = 0; i < p->n_units; i++) {
    const size_t n = text_size(&p->units[i]);
    at[n] = '\0'; // the lexer's end
    begin(p, i, at, n);
    if (!parse_directives(p) || !ptx_unwind_inlining(p)) return false;
    if (i + 1 < p->n_units) at[n] = '\n';
    at += n + 1;
  }
  return true;
}
