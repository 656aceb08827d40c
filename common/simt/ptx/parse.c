// SPDX-License-Identifier: MIT
// ptx/parse.c - PTX text to an immutable module: the module's own directives, tokens and errors.
//
// Accepts PTX ISA 6.0-9.x as clang and nvcc write it. What PTX allows but this simulator cannot
// honour (textures, required clusters, aliases, vector registers) is SIMT_UNSUPPORTED,
// naming the directive; text that is not PTX is SIMT_SYNTAX_ERROR.
// Not modelled: constant expressions (compilers fold them), debug sections but for inlining.
// Source: PTX ISA, chapters 4 and 11.
#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_MAJOR = 6, NEWEST_MAJOR = 9 };

bool ptx_error(ptx_parser *p, simt_status status, uint32_t line, const char *format, ...) {
  char text[768];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  p->status = simt_fail(p->diag, status, "%s:%u: %s", p->name, line - p->first_line, text);
  return false;
}

static bool expected_at(ptx_parser *p, uint32_t line, const char *what) {
  const ptx_token *token = &p->token;
  if (token->kind == PTX_TOKEN_END)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "expected %s, found the end of the text", what);
  const char *dot = token->kind == PTX_TOKEN_DOTTED ? "." : "";
  const char *quote = token->kind == PTX_TOKEN_STRING ? "\"" : "";
  int size = token->text.size > 60 ? 60 : (int)token->text.size;
  return ptx_error(p, SIMT_SYNTAX_ERROR, line, "expected %s, found '%s%s%.*s%s%s'", what, dot,
                   quote, size, token->text.at, size < (int)token->text.size ? "..." : "", quote);
}

bool ptx_expected(ptx_parser *p, const char *what) { return expected_at(p, p->token.line, what); }

bool ptx_advance(ptx_parser *p) {
  p->previous_line = p->token.line;
  if (ptx_lex_next(&p->lexer, &p->token)) return true;
  return ptx_error(p, SIMT_SYNTAX_ERROR, p->lexer.line, "%s", p->lexer.error);
}

bool ptx_is_mark(const ptx_parser *p, char mark) { return p->token.mark == mark; }

bool ptx_is_dotted(const ptx_parser *p, const char *word) {
  return p->token.kind == PTX_TOKEN_DOTTED && simt_str_is(p->token.text, word);
}

bool ptx_expect_mark(ptx_parser *p, char mark, const char *where) {
  if (ptx_is_mark(p, mark)) return ptx_advance(p);
  char what[96];
  snprintf(what, sizeof what, "'%c' %s", mark, where);
  return expected_at(p, p->previous_line, what); // it is missing there, not on a later line
}

bool ptx_expect_word(ptx_parser *p, simt_str *word, const char *what) {
  if (p->token.kind != PTX_TOKEN_WORD) return ptx_expected(p, what);
  *word = p->token.text;
  return ptx_advance(p);
}

bool ptx_expect_integer(ptx_parser *p, uint64_t most, uint64_t *value, const char *what) {
  *value = 0;
  if (p->token.kind != PTX_TOKEN_INTEGER) return ptx_expected(p, what);
  if (p->token.bits > most)
    return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line, "%s is %llu, the maximum is %llu", what,
                     (unsigned long long)p->token.bits, (unsigned long long)most);
  *value = p->token.bits;
  return ptx_advance(p);
}

bool ptx_skip_statement(ptx_parser *p) {
  while (!ptx_is_mark(p, ';')) {
    if (p->token.kind == PTX_TOKEN_END || ptx_is_mark(p, '{') || ptx_is_mark(p, '}'))
      return ptx_expected(p, "';'");
    if (!ptx_advance(p)) return false;
  }
  return ptx_advance(p);
}

void *ptx_alloc(ptx_parser *p, simt_arena *arena, size_t n, size_t item_bytes) {
  size_t used = p->module->arena.used_bytes + p->scratch.used_bytes + p->body.arena.used_bytes;
  void *at = NULL;
  bool fits = item_bytes == 0 || n <= SIZE_MAX / item_bytes;
  if (fits &&
      (p->limit_bytes == 0 || (used <= p->limit_bytes && n * item_bytes <= p->limit_bytes - used)))
    at = simt_arena_alloc(arena, n * item_bytes, _Alignof(max_align_t));
  if (at == NULL && p->limit_bytes != 0)
    ptx_error(p, SIMT_OUT_OF_MEMORY, p->token.line,
              "the module needs more than its memory limit of %zu bytes", p->limit_bytes);
  else if (at == NULL) ptx_error(p, SIMT_OUT_OF_MEMORY, p->token.line, "out of host memory");
  return at;
}

// "6.4" arrives as one decimal literal; its digits, not its value, are the version.
static bool parse_version(ptx_parser *p) {
  if (!ptx_is_dotted(p, "version")) return ptx_expected(p, "'.version' as the first directive");
  if (!ptx_advance(p)) return false;
  simt_str text = p->token.text;
  const char *dot = p->token.kind == PTX_TOKEN_F64 ? memchr(text.at, '.', text.size) : NULL;
  if (dot == NULL || text.size > 8) return ptx_expected(p, "a version such as 6.4");
  ptx_module *module = p->module;
  for (const char *c = text.at; c < text.at + text.size; c++) {
    uint32_t *part = c < dot ? &module->version_major : &module->version_minor;
    if (c != dot && (*c < '0' || *c > '9')) return ptx_expected(p, "a version such as 6.4");
    if (c != dot) *part = *part * 10 + (uint32_t)(*c - '0');
  }
  if (module->version_major < OLDEST_MAJOR || module->version_major > NEWEST_MAJOR)
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line,
                     "PTX ISA %u.%u is not supported, %d.0 to %d.x are", module->version_major,
                     module->version_minor, OLDEST_MAJOR, NEWEST_MAJOR);
  return ptx_advance(p);
}

// The architectures of the PTX ISA (table "Target Directive"), with an optional suffix a or f.
static bool is_known_target(simt_str word) {
  static const char *const known[] = {"50", "52",  "53",  "60",  "61",  "62",  "70",
                                      "72", "75",  "80",  "86",  "87",  "88",  "89",
                                      "90", "100", "101", "103", "110", "120", "121"};
  const char *digits = memchr(word.at, '_', word.size);
  size_t n = digits ? (size_t)(word.at + word.size - ++digits) : 0;
  if (n > 0 && (digits[n - 1] == 'a' || digits[n - 1] == 'f')) n--;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == n && memcmp(known[i], digits, n) == 0) return true;
  return false;
}

static bool parse_target(ptx_parser *p) {
  do {
    if (!ptx_advance(p)) return false;
    simt_str word;
    uint32_t line = p->token.line;
    if (!ptx_expect_word(p, &word, "a target such as sm_70")) return false;
    bool is_architecture = simt_str_starts(word, "sm_") || simt_str_starts(word, "compute_");
    if (is_architecture && !is_known_target(word))
      return ptx_error(p, SIMT_UNSUPPORTED, line,
                       "unknown target '%.*s': known architectures are sm_50 to sm_121",
                       SIMT_STR_ARG(word));
    if (is_architecture) p->module->target = word;
    else if (!simt_str_is(word, "debug") && !simt_str_is(word, "texmode_independent") &&
             !simt_str_is(word, "texmode_unified"))
      return ptx_error(p, SIMT_UNSUPPORTED, line, "target option '%.*s' is not supported",
                       SIMT_STR_ARG(word));
  } while (ptx_is_mark(p, ','));
  return true;
}

static bool parse_address_size(ptx_parser *p) {
  uint64_t bits;
  uint32_t line = p->token.line;
  if (!ptx_advance(p) || !ptx_expect_integer(p, 64, &bits, "an address size (32 or 64)"))
    return false;
  if (bits != 32 && bits != 64)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "an address size is 32 or 64, not %u",
                     (unsigned)bits);
  p->module->address_bits = (uint32_t)bits;
  return true;
}

static bool parse_pragma(ptx_parser *p) { return ptx_advance(p) && ptx_skip_statement(p); }

typedef struct module_directive {
  const char *name;
  bool (*parse)(ptx_parser *p);
} module_directive;

static const module_directive module_directives[] = {
    {"target", parse_target}, {"address_size", parse_address_size}, {"file", ptx_parse_file},
    {"loc", ptx_parse_loc},   {"section", ptx_parse_section},       {"pragma", parse_pragma},
};

// Linking directives, then the function or variable that they apply to.
static bool parse_linked(ptx_parser *p) {
  ptx_decl decl = {0};
  for (; p->token.kind == PTX_TOKEN_DOTTED;) {
    if (ptx_is_dotted(p, "extern")) decl.is_extern = true;
    else if (ptx_is_dotted(p, "visible")) decl.is_visible = true;
    else if (ptx_is_dotted(p, "weak") || ptx_is_dotted(p, "common")) decl.is_weak = true;
    else break;
    if (!ptx_advance(p)) return false;
  }
  if (p->token.kind != PTX_TOKEN_DOTTED) return ptx_expected(p, "a directive");
  if (ptx_is_dotted(p, "entry")) return ptx_parse_function(p, true, &decl);
  if (ptx_is_dotted(p, "func")) return ptx_parse_function(p, false, &decl);
  if (ptx_is_dotted(p, "global") || ptx_is_dotted(p, "const") || ptx_is_dotted(p, "shared"))
    return ptx_parse_module_variables(p, &decl);
  return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "directive '.%.*s' is not supported here",
                   SIMT_STR_ARG(p->token.text));
}

static bool parse_directives(ptx_parser *p) {
  if (!ptx_advance(p) || !parse_version(p)) return false;
  if (!ptx_is_dotted(p, "target")) return ptx_expected(p, "'.target' after '.version'");
  while (p->token.kind != PTX_TOKEN_END) {
    if (p->token.kind != PTX_TOKEN_DOTTED) return ptx_expected(p, "a directive");
    bool (*parse)(ptx_parser *) = parse_linked;
    for (size_t i = 0; i < sizeof module_directives / sizeof module_directives[0]; i++)
      if (ptx_is_dotted(p, module_directives[i].name)) parse = module_directives[i].parse;
    if (!parse(p)) return false;
  }
  return true;
}

static bool keep_tables(ptx_parser *p) {
  ptx_module *module = p->module;
  module->functions = ptx_array_keep(p, &p->functions, sizeof *module->functions);
  module->variables = ptx_array_keep(p, &p->variables, sizeof *module->variables);
  module->files = ptx_array_keep(p, &p->files, sizeof *module->files);
  module->locs = ptx_array_keep(p, &p->locs, sizeof *module->locs);
  module->n_functions = p->functions.n;
  module->n_variables = p->variables.n;
  module->n_files = p->files.n;
  module->n_locs = p->locs.n;
  return module->functions != NULL && module->variables != NULL && module->files != NULL &&
         module->locs != NULL;
}

static bool index_names(ptx_parser *p) {
  ptx_module *m = p->module;
  bool done = true;
  simt_arena_limit(&m->arena, p->limit_bytes);
  for (uint32_t i = 0; i < m->n_functions && done; i++)
    done = simt_map_add(&m->function_names, &m->arena, m->functions[i].name, i);
  for (uint32_t i = 0; i < m->n_variables && done; i++)
    done = simt_map_add(&m->variable_names, &m->arena, m->variables[i].name, i);
  simt_arena_limit(&m->arena, 0);
  return done ||
         ptx_error(p, SIMT_OUT_OF_MEMORY, p->token.line, "out of memory for the module's names");
}

static bool keep_name(ptx_parser *p, const char *name) {
  char *copy = ptx_alloc(p, &p->module->arena, strlen(name) + 1, 1);
  if (copy == NULL) return false;
  memcpy(copy, name, strlen(name) + 1);
  p->module->name = copy;
  return true;
}

simt_status ptx_parse(ptx_module **module, const char *name, const char *text, size_t text_bytes,
                      size_t memory_limit_bytes, simt_diag *diag) {
  const ptx_unit unit = {name, text, text_bytes};
  return ptx_link(module, name, &unit, 1, memory_limit_bytes, diag);
}

simt_status ptx_link(ptx_module **module, const char *name, const ptx_unit *units, uint32_t n_units,
                     size_t memory_limit_bytes, simt_diag *diag) {
  *module = NULL;
  ptx_module *made = calloc(1, sizeof *made);
  ptx_parser *p = calloc(1, sizeof *p);
  if (made == NULL || p == NULL) {
    free(made);
    free(p);
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "%s: out of host memory", name);
  }
  made->address_bits = 32; // PTX ISA 11.1.3: the default without .address_size
  p->module = made;
  made->n_units = n_units;
  p->name = name;
  p->units = units;
  p->n_units = n_units;
  p->diag = diag;
  p->limit_bytes = memory_limit_bytes;
  p->loc = -1;
  p->token.line = 1;
  bool done = keep_name(p, name) && ptx_parse_units(p, parse_directives) && keep_tables(p) &&
              index_names(p);
  simt_status status = done ? SIMT_OK : p->status;
  simt_arena_free(&p->body.arena);
  simt_arena_free(&p->scratch);
  free(p);
  if (done) *module = made;
  else ptx_module_free(made);
  return status;
}
