// SPDX-License-Identifier: MIT
// ptx/function.c - functions: header, parameters, performance directives, and the statements of
// the body with their scopes.
//
// Nested { } scopes are walked with a counter, not by recursion, and bounded in depth. All their
// instructions belong to the function's flat list.
// Not modelled: .minnctapersm, .maxnreg and the like (advice).
// Source: PTX ISA, sections 5.4.5, 7.1 (functions), 11.2 (.entry, .func), 11.3 (performance).
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTION_PARAM_BYTES (UINT64_C(1) << 20)

static uint32_t align_up(uint32_t value, uint32_t align_bytes) {
  return (value + align_bytes - 1) & ~(align_bytes - 1);
}

static ptx_function *current(ptx_parser *p) {
  return &((ptx_function *)p->functions.items)[p->body.function];
}

static bool open_scope(ptx_parser *p) {
  ptx_body *body = &p->body;
  if (body->depth == PTX_MAX_SCOPES_DEEP)
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "scopes nest more than %d deep",
                     PTX_MAX_SCOPES_DEEP);
  uint32_t *parent = ptx_array_push(p, &body->arena, &body->scopes, sizeof *parent);
  if (parent == NULL) return false;
  *parent = body->scope;
  body->scope = body->scopes.n - 1;
  body->depth++;
  return true;
}

static void close_scope(ptx_parser *p) {
  p->body.scope = ((const uint32_t *)p->body.scopes.items)[p->body.scope];
  p->body.depth--;
}

static bool parse_reg_param(ptx_parser *p, ptx_param *param) {
  ptx_decl decl = {.space = PTX_SPACE_REG};
  uint32_t line;
  if (!ptx_advance(p) || !ptx_parse_decl(p, &decl)) return false;
  line = p->token.line;
  if (!ptx_expect_word(p, &param->name, "a parameter's name")) return false;
  param->type = decl.type;
  param->size_bytes = ptx_type_size_bytes(decl.type);
  param->align_bytes = param->size_bytes != 0 ? param->size_bytes : 1;
  param->reg = (int32_t)p->body.registers.n;
  return ptx_declare_registers(p, param->name, decl.type, false, 0, line);
}

// .param ...: `end_bytes` is the size of the parameter block so far.
static bool parse_memory_param(ptx_parser *p, ptx_param *param, uint64_t most_bytes,
                               uint32_t *end_bytes) {
  ptx_decl decl = {.space = PTX_SPACE_PARAM};
  ptx_dimensions dimensions;
  uint64_t size_bytes;
  if (!ptx_advance(p) || !ptx_parse_decl(p, &decl)) return false;
  uint32_t line = p->token.line;
  if (!ptx_expect_word(p, &param->name, "a parameter's name") ||
      !ptx_parse_dimensions(p, &decl, &dimensions) ||
      !ptx_size_of(p, &decl, &dimensions, most_bytes, &size_bytes))
    return false;
  param->type = decl.type;
  param->reg = -1;
  param->align_bytes = ptx_align_of(&decl);
  param->size_bytes = (uint32_t)size_bytes;
  param->offset_bytes = align_up(*end_bytes, param->align_bytes);
  *end_bytes = param->offset_bytes + param->size_bytes;
  if (*end_bytes > most_bytes)
    return ptx_error(p, SIMT_UNSUPPORTED, line, "more than %llu bytes of parameters",
                     (unsigned long long)most_bytes);
  return ptx_declare(p, param->name, PTX_SYMBOL_PARAM, 0, line) != NULL;
}

// (...) of parameters or return values.
static bool parse_params(ptx_parser *p, bool is_entry, ptx_param **params, uint32_t *n_params,
                         uint32_t *end_bytes) {
  ptx_array list = {0};
  uint64_t most_bytes = is_entry ? PTX_MAX_PARAM_BYTES : MOST_FUNCTION_PARAM_BYTES;
  if (!ptx_advance(p)) return false; // '('
  while (!ptx_is_mark(p, ')')) {
    ptx_param *param = ptx_array_push(p, &p->body.arena, &list, sizeof *param);
    if (param == NULL) return false;
    if (ptx_is_dotted(p, "param") ? !parse_memory_param(p, param, most_bytes, end_bytes)
        : ptx_is_dotted(p, "reg") && !is_entry ? !parse_reg_param(p, param)
                                               : !ptx_expected(p, "'.param'"))
      return false;
    if (!ptx_is_mark(p, ')') && !ptx_expect_mark(p, ',', "or ')' after the parameter"))
      return false;
    if (p->token.kind == PTX_TOKEN_END) return ptx_expected(p, "')'");
  }
  *params = ptx_array_keep(p, &list, sizeof **params);
  *n_params = list.n;
  return *params != NULL && ptx_advance(p);
}

// 256[, 1[, 1]] of .maxntid, .reqntid and .reqnctapercluster
static bool parse_extent(ptx_parser *p, uint32_t extent[3], const char *what) {
  uint64_t value;
  if (!ptx_advance(p)) return false;
  extent[1] = extent[2] = 1;
  for (int i = 0; i < 3; i++) {
    uint32_t line = p->token.line;
    if (!ptx_expect_integer(p, UINT32_MAX, &value, "a number")) return false;
    if (value == 0) return ptx_error(p, SIMT_SYNTAX_ERROR, line, "%s", what);
    extent[i] = (uint32_t)value;
    if (!ptx_is_mark(p, ',') || i == 2) return true;
    if (!ptx_advance(p)) return false;
  }
  return true;
}

static bool parse_cluster_limit(ptx_parser *p, ptx_function *function) {
  uint64_t value;
  if (!ptx_advance(p) || !ptx_expect_integer(p, UINT32_MAX, &value, "a number of blocks"))
    return false;
  function->max_cluster_blocks = (uint32_t)value;
  return true;
}

static bool parse_performance(ptx_parser *p, ptx_function *function) {
  static const char *const with_number[] = {"minnctapersm", "maxnctapersm", "maxnreg",
                                            "abi_preserve", "abi_preserve_control"};
  static const char no_threads[] = "a block of 0 threads", no_blocks[] = "a cluster of 0 blocks";
  uint64_t ignored;
  if (ptx_is_dotted(p, "maxntid")) return parse_extent(p, function->max_threads, no_threads);
  if (ptx_is_dotted(p, "reqntid")) return parse_extent(p, function->required_threads, no_threads);
  if (ptx_is_dotted(p, "reqnctapercluster"))
    return parse_extent(p, function->required_cluster, no_blocks);
  if (ptx_is_dotted(p, "maxclusterrank")) return parse_cluster_limit(p, function);
  if (ptx_is_dotted(p, "explicitcluster")) {
    function->is_cluster_explicit = true;
    return ptx_advance(p);
  }
  if (ptx_is_dotted(p, "noreturn")) return ptx_advance(p);
  if (ptx_is_dotted(p, "pragma")) return ptx_advance(p) && ptx_skip_statement(p);
  if (ptx_is_dotted(p, "loc")) return ptx_parse_loc(p);
  for (size_t i = 0; i < sizeof with_number / sizeof with_number[0]; i++)
    if (ptx_is_dotted(p, with_number[i]))
      return ptx_advance(p) && ptx_expect_integer(p, UINT64_MAX, &ignored, "a number");
  return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "directive '.%.*s' is not supported",
                   SIMT_STR_ARG(p->token.text));
}

// .reg .b32 %r<12>, %x;
static bool parse_registers(ptx_parser *p) {
  ptx_decl decl = {.space = PTX_SPACE_REG};
  if (!ptx_advance(p) || !ptx_parse_decl(p, &decl)) return false;
  if (decl.vector != 1)
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "vector registers are not supported");
  for (;;) {
    simt_str name;
    uint64_t count = 0;
    uint32_t line = p->token.line;
    if (!ptx_expect_word(p, &name, "a register's name")) return false;
    bool is_range = ptx_is_mark(p, '<');
    if (is_range &&
        (!ptx_advance(p) || !ptx_expect_integer(p, UINT32_MAX, &count, "a number of registers") ||
         !ptx_expect_mark(p, '>', "after the number of registers")))
      return false;
    if (!ptx_declare_registers(p, name, decl.type, is_range, (uint32_t)count, line)) return false;
    if (!ptx_is_mark(p, ',')) return ptx_expect_mark(p, ';', "after the registers");
    if (!ptx_advance(p)) return false;
  }
}

static bool parse_body_directive(ptx_parser *p) {
  if (ptx_is_dotted(p, "reg")) return parse_registers(p);
  if (ptx_is_dotted(p, "loc")) return ptx_parse_loc(p);
  if (ptx_is_dotted(p, "param")) return ptx_parse_body_variables(p, PTX_SPACE_PARAM);
  if (ptx_is_dotted(p, "local")) return ptx_parse_body_variables(p, PTX_SPACE_LOCAL);
  if (ptx_is_dotted(p, "shared")) return ptx_parse_body_variables(p, PTX_SPACE_SHARED);
  if (ptx_is_dotted(p, "const")) return ptx_parse_body_variables(p, PTX_SPACE_CONST);
  if (ptx_is_dotted(p, "global")) return ptx_parse_body_variables(p, PTX_SPACE_GLOBAL);
  if (ptx_is_dotted(p, "pragma")) return ptx_advance(p) && ptx_skip_statement(p);
  if (ptx_is_dotted(p, "file")) return ptx_parse_file(p);
  return ptx_error(p, SIMT_UNSUPPORTED, p->token.line,
                   "directive '.%.*s' is not supported in a function", SIMT_STR_ARG(p->token.text));
}

static bool keep_targets(ptx_parser *p, simt_str name) {
  ptx_target_list list = {.name = name};
  if (!ptx_parse_targets(p, &list)) return false;
  ptx_target_list *kept = ptx_array_push(p, &p->body.arena, &p->body.lists, sizeof *kept);
  if (kept == NULL) return false;
  *kept = list;
  return true;
}

// `name:` is read up to the colon. A list of branch targets may follow, or one of call targets or a
// prototype, whose contents are not kept: calls through pointers do not need them.
static bool parse_label(ptx_parser *p, simt_str name, uint32_t line) {
  ptx_body *body = &p->body;
  const ptx_symbol *symbol = ptx_declare(p, name, PTX_SYMBOL_LABEL, body->labels.n, line);
  if (symbol == NULL) return false;
  simt_str alias = symbol->alias;
  ptx_label *label = ptx_array_push(p, &body->arena, &body->labels, sizeof *label);
  if (label == NULL || !ptx_advance(p)) return false;
  *label = (ptx_label){alias, body->instrs.n};
  if (ptx_is_dotted(p, "branchtargets")) return keep_targets(p, alias);
  if (ptx_is_dotted(p, "calltargets") || ptx_is_dotted(p, "callprototype"))
    return ptx_skip_statement(p);
  return true;
}

static bool parse_named(ptx_parser *p, int32_t guard, bool guard_negated, bool may_be_label) {
  simt_str name = p->token.text;
  uint32_t line = p->token.line;
  if (p->token.kind != PTX_TOKEN_WORD) return ptx_expected(p, "an instruction");
  ptx_token first = p->token;
  if (!ptx_advance(p)) return false;
  if (may_be_label && ptx_is_mark(p, ':')) return parse_label(p, name, line);
  char c = name.at[0];
  if (c == '%' || c == '$' || c == '_') {
    p->token = first;
    return ptx_expected(p, "an instruction");
  }
  return ptx_parse_instruction(p, name, line, guard, guard_negated);
}

static bool parse_statement(ptx_parser *p) {
  if (p->token.kind == PTX_TOKEN_DOTTED) return parse_body_directive(p);
  if (p->token.kind == PTX_TOKEN_WORD) return parse_named(p, -1, false, true);
  if (ptx_is_mark(p, '{')) return open_scope(p) && ptx_advance(p);
  if (ptx_is_mark(p, ';')) return ptx_advance(p);
  if (ptx_is_mark(p, '@')) {
    int32_t guard;
    bool negated;
    return ptx_parse_guard(p, &guard, &negated) && parse_named(p, guard, negated, false);
  }
  if (ptx_is_mark(p, '}')) {
    close_scope(p);
    return ptx_advance(p);
  }
  return ptx_expected(p, "an instruction, a directive, a label or '}'");
}

static int by_name(const void *left, const void *right) {
  simt_str a = ((const ptx_label *)left)->name, b = ((const ptx_label *)right)->name;
  int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static bool keep_body(ptx_parser *p) {
  ptx_body *body = &p->body;
  ptx_function *function = current(p);
  if (body->labels.n > 1) qsort(body->labels.items, body->labels.n, sizeof(ptx_label), by_name);
  function->registers = ptx_array_keep(p, &body->registers, sizeof(ptx_register));
  function->variables = ptx_array_keep(p, &body->variables, sizeof(ptx_variable));
  function->instrs = ptx_array_keep(p, &body->instrs, sizeof(ptx_instr));
  function->labels = ptx_array_keep(p, &body->labels, sizeof(ptx_label));
  function->target_lists = ptx_array_keep(p, &body->lists, sizeof(ptx_target_list));
  function->n_target_lists = body->lists.n;
  function->n_registers = body->registers.n;
  function->n_variables = body->variables.n;
  function->n_instrs = body->instrs.n;
  function->n_labels = body->labels.n;
  function->has_body = true;
  return function->registers != NULL && function->variables != NULL && function->instrs != NULL &&
         function->labels != NULL && function->target_lists != NULL;
}

static bool parse_body(ptx_parser *p) {
  uint32_t line = p->token.line;
  p->loc = -1;
  if (!open_scope(p) || !ptx_advance(p)) return false;
  while (p->body.depth > 0) {
    if (p->token.kind == PTX_TOKEN_END)
      return ptx_error(p, SIMT_SYNTAX_ERROR, line, "the function's body is not closed");
    if (!parse_statement(p)) return false;
  }
  return ptx_resolve_pending(p) && keep_body(p);
}

static bool same_params(const ptx_param *a, uint32_t n_a, const ptx_param *b, uint32_t n_b) {
  if (n_a != n_b) return false;
  for (uint32_t i = 0; i < n_a; i++)
    if (a[i].size_bytes != b[i].size_bytes || (a[i].reg < 0) != (b[i].reg < 0)) return false;
  return true;
}

static bool differs(ptx_parser *p, const ptx_function *function, const ptx_function *old) {
  if (old->unit != p->unit)
    return ptx_error(p, SIMT_INVALID_ARGUMENT, function->line,
                     "function '%.*s' has other parameters or results than in %s",
                     SIMT_STR_ARG(function->name), ptx_unit_name(p, old->unit));
  return ptx_error(p, SIMT_SYNTAX_ERROR, function->line,
                   "'%.*s' differs from its declaration on line %u", SIMT_STR_ARG(function->name),
                   old->line - p->first_line);
}

static bool defined_twice(ptx_parser *p, const ptx_function *function, const ptx_function *old) {
  if (old == NULL || old->unit == p->unit)
    return ptx_error(p, SIMT_SYNTAX_ERROR, function->line, "'%.*s' is declared twice",
                     SIMT_STR_ARG(function->name));
  return ptx_error(p, SIMT_INVALID_ARGUMENT, function->line,
                   "function '%.*s' is defined here and in %s", SIMT_STR_ARG(function->name),
                   ptx_unit_name(p, old->unit));
}

static bool push_function(ptx_parser *p, const ptx_function *function) {
  ptx_function *kept = ptx_array_push(p, &p->scratch, &p->functions, sizeof *kept);
  if (kept == NULL) return false;
  *kept = *function;
  p->body.function = p->functions.n - 1;
  return true;
}

// clang declares another file's kernel, whose address it takes, as a function.
static bool are_of_one_kind(const ptx_function *a, const ptx_function *b) {
  const ptx_function *function = a->is_entry ? b : a;
  return a->is_entry == b->is_entry || (function->is_extern && !function->has_body);
}

// A name that is known already: a repeated declaration, the definition of a declared function, or
// another definition of a weak one, which is parsed and then dropped.
static bool join_function(ptx_parser *p, const ptx_function *function, uint32_t index) {
  ptx_function *old = (ptx_function *)p->functions.items + index;
  const bool defines = ptx_is_mark(p, '{'), both = defines && old->has_body;
  if (both && (old->unit == p->unit || (!old->is_weak && !function->is_weak)))
    return defined_twice(p, function, old);
  if (!are_of_one_kind(old, function) ||
      !same_params(old->params, old->n_params, function->params, function->n_params) ||
      !same_params(old->returns, old->n_returns, function->returns, function->n_returns))
    return differs(p, function, old);
  p->body.is_discarded = both && function->is_weak;
  if (p->body.is_discarded) return push_function(p, function);
  const simt_str name = old->name;
  if (defines) *old = *function;
  old->is_entry |= function->is_entry;
  old->name = name;
  p->body.function = index;
  return true;
}

// Enters the function under its name: a new one, or the definition of one that was declared.
static bool enter_function(ptx_parser *p, ptx_function *function) {
  const ptx_symbol *known = ptx_find_global_symbol(p, function->name);
  const bool is_linked = function->is_extern || function->is_visible || function->is_weak;
  function->unit = p->unit;
  if (known != NULL && known->kind == PTX_SYMBOL_FUNCTION)
    return join_function(p, function, known->index);
  if (known != NULL) return defined_twice(p, function, NULL);
  ptx_symbol *symbol = ptx_add_global_symbol(p, function->name, is_linked);
  if (symbol == NULL) return false;
  symbol->kind = PTX_SYMBOL_FUNCTION;
  symbol->index = p->functions.n;
  function->name = symbol->alias;
  return push_function(p, function);
}

static void discard_function(ptx_parser *p) {
  ptx_function *f = current(p);
  f->is_entry = f->has_body = false;
  f->n_instrs = f->n_variables = 0;
  f->name = SIMT_STR("");
}

// Everything before the body: (returns) name (parameters) performance directives.
static bool parse_header(ptx_parser *p, ptx_function *function) {
  uint32_t return_bytes = 0;
  if (!ptx_advance(p)) return false; // .entry, .func
  if (!function->is_entry && ptx_is_mark(p, '(') &&
      !parse_params(p, false, &function->returns, &function->n_returns, &return_bytes))
    return false;
  function->line = p->token.line;
  if (!ptx_expect_word(p, &function->name, "a function's name")) return false;
  if (ptx_is_mark(p, '(') && !parse_params(p, function->is_entry, &function->params,
                                           &function->n_params, &function->param_bytes))
    return false;
  while (p->token.kind == PTX_TOKEN_DOTTED)
    if (!parse_performance(p, function)) return false;
  return true;
}

bool ptx_parse_function(ptx_parser *p, bool is_entry, const ptx_decl *linking) {
  ptx_function function = {.is_entry = is_entry,
                           .is_extern = linking->is_extern,
                           .is_weak = linking->is_weak,
                           .is_visible = linking->is_visible};
  simt_arena_free(&p->body.arena);
  p->body = (ptx_body){0};
  uint32_t *root = ptx_array_push(p, &p->body.arena, &p->body.scopes, sizeof *root);
  if (root == NULL) return false;
  *root = 0;
  if (!parse_header(p, &function) || !enter_function(p, &function)) return false;
  if (ptx_is_mark(p, '{')) {
    const bool done = parse_body(p);
    if (done && p->body.is_discarded) discard_function(p);
    return done;
  }
  return ptx_expect_mark(p, ';', "or a body after the function's header");
}
