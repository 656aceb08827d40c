// SPDX-License-Identifier: MIT
// ptx/loc.c - source positions: .file, .loc with inlining, and debug sections (two of them kept for
// ptx/inline.c).
//
// A .loc names its call site by position only. The call site's own inlining is that of the latest
// record with the same position, which is what the compilers mean: they write the outer frame's
// .loc before the inner one's. Equal records are kept once.
// Source: PTX ISA, sections 11.5 (.loc, .file, .section).
#include "ptx/parser.h"

#include <string.h>

enum { KEY_RECORD, KEY_POSITION }; // scopes of the positions table

typedef struct position_key {
  uint32_t file, line, column;
  uint32_t inlined_at; // + 1; 0 in KEY_POSITION's keys
} position_key;

// The table's entry for `key`, created when missing.
static ptx_symbol *position(ptx_parser *p, uint32_t scope, const position_key *key, bool *is_new) {
  simt_str view = {(const char *)key, sizeof *key};
  ptx_symbol *found = ptx_table_find(&p->positions, view, scope);
  *is_new = found == NULL;
  if (found != NULL) return found;
  char *copy = ptx_alloc(p, &p->scratch, 1, sizeof *key);
  if (copy == NULL) return NULL;
  memcpy(copy, key, sizeof *key);
  view.at = copy;
  return ptx_table_add(p, &p->scratch, &p->positions, view, scope);
}

// Finds or appends the record and makes it the latest of its position.
bool ptx_add_loc(ptx_parser *p, ptx_loc loc, int32_t *index) {
  const uint32_t *depths = p->loc_depths.items;
  uint32_t depth = loc.inlined_at < 0 ? 0 : depths[loc.inlined_at] + 1;
  if (depth >= PTX_MAX_INLINE_DEPTH) {
    loc.inlined_at = -1;
    depth = 0;
  }
  position_key key = {loc.file, loc.line, loc.column, (uint32_t)(loc.inlined_at + 1)};
  bool is_new;
  ptx_symbol *record = position(p, KEY_RECORD, &key, &is_new);
  if (record == NULL) return false;
  if (is_new) {
    record->index = p->locs.n;
    ptx_loc *kept = ptx_array_push(p, &p->scratch, &p->locs, sizeof *kept);
    uint32_t *kept_depth = ptx_array_push(p, &p->scratch, &p->loc_depths, sizeof *kept_depth);
    if (kept == NULL || kept_depth == NULL) return false;
    *kept = loc;
    *kept_depth = depth;
  }
  *index = (int32_t)record->index;
  key.inlined_at = 0;
  ptx_symbol *latest = position(p, KEY_POSITION, &key, &is_new);
  if (latest == NULL) return false;
  latest->index = (uint32_t)*index;
  return true;
}

// The latest record at the call site's position, or a new one that is not inlined.
static bool find_call_site(ptx_parser *p, const ptx_loc *site, int32_t *index) {
  position_key key = {site->file, site->line, site->column, 0};
  const ptx_symbol *latest =
      ptx_table_find(&p->positions, (simt_str){(const char *)&key, sizeof key}, KEY_POSITION);
  if (latest == NULL) return ptx_add_loc(p, *site, index);
  *index = (int32_t)latest->index;
  return true;
}

static bool parse_position(ptx_parser *p, ptx_loc *loc) {
  uint64_t file, line, column;
  if (!ptx_expect_integer(p, UINT32_MAX, &file, "a file number") ||
      !ptx_expect_integer(p, UINT32_MAX, &line, "a line number") ||
      !ptx_expect_integer(p, UINT32_MAX, &column, "a column"))
    return false;
  *loc = (ptx_loc){(uint32_t)file + p->file_base, (uint32_t)line, (uint32_t)column, -1};
  return true;
}

static bool parse_function_name(ptx_parser *p) {
  simt_str label;
  int64_t offset = 0;
  return ptx_advance(p) && ptx_expect_word(p, &label, "a label after 'function_name'") &&
         ptx_parse_addend(p, &offset);
}

// .loc file line column [, function_name LABEL[+offset], inlined_at file line column]
bool ptx_parse_loc(ptx_parser *p) {
  ptx_loc loc, site;
  if (!ptx_advance(p) || !parse_position(p, &loc)) return false;
  while (ptx_is_mark(p, ',')) {
    if (!ptx_advance(p)) return false;
    if (p->token.kind == PTX_TOKEN_WORD && simt_str_is(p->token.text, "function_name")) {
      if (!parse_function_name(p)) return false;
    } else if (p->token.kind == PTX_TOKEN_WORD && simt_str_is(p->token.text, "inlined_at")) {
      if (!ptx_advance(p) || !parse_position(p, &site) ||
          !find_call_site(p, &site, &loc.inlined_at))
        return false;
    } else {
      return ptx_expected(p, "'function_name' or 'inlined_at'");
    }
  }
  return ptx_add_loc(p, loc, &p->loc);
}

// Decodes the escape sequence at `at`: an octal number or the character itself, if a file name may
// well contain that character. Control characters and unknown escapes stay as written, so that no
// file name can send control sequences to a terminal. Returns the bytes read; 0: not replaced.
static uint32_t unescape(simt_str text, uint32_t at, char *out) {
  uint32_t left = text.size - at, value = 0, n = 1;
  if (text.at[at] != '\\' || left < 2) return 0;
  if (text.at[at + 1] == '\\' || text.at[at + 1] == '"') {
    *out = text.at[at + 1];
    return 2;
  }
  for (; n < left && n < 4 && text.at[at + n] >= '0' && text.at[at + n] <= '7'; n++)
    value = value * 8 + (uint32_t)(text.at[at + n] - '0');
  *out = (char)(unsigned char)value;
  return n == 4 && value > 0x7f && value <= 0xff ? 4 : 0;
}

// A file's name as the file system has it: compilers write "\303\274" for a "ü".
static bool plain_name(ptx_parser *p, simt_str *name) {
  if (memchr(name->at, '\\', name->size) == NULL) return true;
  char *plain = ptx_alloc(p, &p->module->arena, name->size, 1);
  if (plain == NULL) return false;
  uint32_t n = 0;
  for (uint32_t at = 0, used; at < name->size; at += used) {
    used = unescape(*name, at, &plain[n]);
    if (!used) plain[n] = name->at[at], used = 1;
    n++;
  }
  *name = (simt_str){plain, n};
  return true;
}

// .file number "name" [, timestamp, size]
bool ptx_parse_file(ptx_parser *p) {
  uint64_t number, ignored;
  if (!ptx_advance(p) || !ptx_expect_integer(p, UINT32_MAX, &number, "a file number")) return false;
  if (p->token.kind != PTX_TOKEN_STRING) return ptx_expected(p, "a file name in quotes");
  ptx_file *file = ptx_array_push(p, &p->scratch, &p->files, sizeof *file);
  if (file == NULL) return false;
  *file = (ptx_file){(uint32_t)number + p->file_base, p->token.text};
  if (!plain_name(p, &file->name)) return false;
  if (!ptx_advance(p)) return false;
  while (ptx_is_mark(p, ','))
    if (!ptx_advance(p) || !ptx_expect_integer(p, UINT64_MAX, &ignored, "a timestamp or a size"))
      return false;
  return true;
}

// The sections that say where calls were inlined; the others are skipped.
static ptx_debug_section *section_named(ptx_parser *p, simt_str name) {
  if (simt_str_is(name, "debug_info") || simt_str_is(name, ".debug_info")) return &p->debug_info;
  if (simt_str_is(name, "debug_abbrev") || simt_str_is(name, ".debug_abbrev"))
    return &p->debug_abbrev;
  return NULL;
}

// .section .debug_info { ... }: braces balanced.
bool ptx_parse_section(ptx_parser *p) {
  uint32_t line = p->token.line;
  if (!ptx_advance(p)) return false;
  if (p->token.kind != PTX_TOKEN_DOTTED && p->token.kind != PTX_TOKEN_WORD)
    return ptx_expected(p, "a section name");
  ptx_debug_section *section = section_named(p, p->token.text);
  if (!ptx_advance(p) || !ptx_expect_mark(p, '{', "after the section's name")) return false;
  for (uint32_t depth = 1; depth > 0;) {
    if (p->token.kind == PTX_TOKEN_END)
      return ptx_error(p, SIMT_SYNTAX_ERROR, line, "section is not closed");
    bool is_brace = ptx_is_mark(p, '{') || ptx_is_mark(p, '}');
    depth += ptx_is_mark(p, '{');
    depth -= ptx_is_mark(p, '}');
    if (section && !is_brace ? !ptx_debug_statement(p, section) : !ptx_advance(p)) return false;
  }
  return true;
}
