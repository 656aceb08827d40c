// SPDX-License-Identifier: MIT
// ptx/declaration.c - variable declarations: space, attributes, alignment, type, dimensions.
//
// .global and .const variables that a function body declares are moved to the module under a name
// of their own (`x@@1`), since that is where their storage is.
// Not modelled: textures, samplers and surfaces, .unified, constant banks.
// Source: PTX ISA, sections 5.1-5.4, 11.4 (.attribute), 11.6 (linking).
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

static bool parse_align(ptx_parser *p, ptx_decl *decl) {
  uint64_t align;
  uint32_t line = p->token.line;
  if (!ptx_advance(p) || !ptx_expect_integer(p, PTX_MAX_ALIGN_BYTES, &align, "an alignment"))
    return false;
  if (align == 0 || (align & (align - 1)) != 0)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "an alignment must be a power of two, not %u",
                     (unsigned)align);
  if (!decl->is_pointer) decl->align_bytes = (uint32_t)align;
  return true;
}

// .attribute(.managed)
static bool parse_attribute(ptx_parser *p, ptx_decl *decl) {
  if (!ptx_advance(p) || !ptx_expect_mark(p, '(', "after '.attribute'")) return false;
  if (p->token.kind != PTX_TOKEN_DOTTED) return ptx_expected(p, "an attribute");
  if (!ptx_is_dotted(p, "managed"))
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "attribute '.%.*s' is not supported",
                     SIMT_STR_ARG(p->token.text));
  decl->is_managed = true;
  return ptx_advance(p) && ptx_expect_mark(p, ')', "after the attribute");
}

static bool is_space(simt_str word) {
  static const char *const spaces[] = {"global", "const", "shared", "local", "param"};
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
    if (simt_str_is(word, spaces[i])) return true;
  return false;
}

// One word of a declaration, after its state space.
static bool parse_decl_word(ptx_parser *p, ptx_decl *decl) {
  simt_str word = p->token.text;
  if (ptx_is_dotted(p, "align")) return parse_align(p, decl);
  if (ptx_is_dotted(p, "attribute")) return parse_attribute(p, decl);
  if (ptx_is_dotted(p, "ptr")) decl->is_pointer = true;
  else if (ptx_is_dotted(p, "v2")) decl->vector = 2;
  else if (ptx_is_dotted(p, "v4")) decl->vector = 4;
  else if (decl->is_pointer && is_space(word)) return ptx_advance(p);
  else if (decl->type != PTX_NO_TYPE) return ptx_expected(p, "a name");
  else if (!ptx_type_from_name(word, &decl->type))
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "type '.%.*s' is not supported",
                     SIMT_STR_ARG(word));
  return ptx_advance(p);
}

bool ptx_parse_decl(ptx_parser *p, ptx_decl *decl) {
  decl->vector = 1;
  decl->type = PTX_NO_TYPE;
  while (p->token.kind == PTX_TOKEN_DOTTED)
    if (!parse_decl_word(p, decl)) return false;
  if (decl->type == PTX_NO_TYPE) return ptx_expected(p, "a type");
  if (decl->type == PTX_PRED && decl->space != PTX_SPACE_REG)
    return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line, "a .pred can only be a register");
  return true;
}

// [3][4], [] or nothing. Vector elements become a last dimension.
bool ptx_parse_dimensions(ptx_parser *p, const ptx_decl *decl, ptx_dimensions *dimensions) {
  *dimensions = (ptx_dimensions){0};
  while (ptx_is_mark(p, '[')) {
    if (dimensions->n == PTX_MAX_DIMENSIONS)
      return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "more than %d dimensions",
                       PTX_MAX_DIMENSIONS);
    if (!ptx_advance(p)) return false;
    uint64_t *size = &dimensions->size[dimensions->n];
    if (dimensions->n == 0 && ptx_is_mark(p, ']')) dimensions->is_open = true;
    else if (!ptx_expect_integer(p, PTX_MAX_VARIABLE_BYTES, size, "an array size")) return false;
    dimensions->n++;
    if (!ptx_expect_mark(p, ']', "after the array size")) return false;
  }
  if (decl->vector != 1) dimensions->size[dimensions->n++] = decl->vector;
  return true;
}

uint32_t ptx_align_of(const ptx_decl *decl) {
  return decl->align_bytes != 0 ? decl->align_bytes
                                : ptx_type_size_bytes(decl->type) * decl->vector;
}

// Size in bytes; an open first dimension counts as 0.
bool ptx_size_of(ptx_parser *p, const ptx_decl *decl, const ptx_dimensions *dimensions,
                 uint64_t most_bytes, uint64_t *size_bytes) {
  uint64_t size = ptx_type_size_bytes(decl->type);
  bool is_empty = false;
  for (uint32_t i = 0; i < dimensions->n; i++) {
    uint64_t n = dimensions->size[i];
    if (n == 0) is_empty = true; // the others must still multiply without overflow
    if (n != 0 && size > most_bytes / n)
      return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "more than %llu bytes in one variable",
                       (unsigned long long)most_bytes);
    if (n != 0) size *= n;
  }
  *size_bytes = is_empty ? 0 : size;
  return true;
}

// name[dimensions] [= initialiser], with the properties given before it.
static bool parse_declarator(ptx_parser *p, const ptx_decl *decl, ptx_variable *variable) {
  ptx_dimensions dimensions;
  *variable = (ptx_variable){.line = p->token.line,
                             .space = decl->space,
                             .type = decl->type,
                             .align_bytes = ptx_align_of(decl),
                             .is_extern = decl->is_extern,
                             .is_visible = decl->is_visible,
                             .is_weak = decl->is_weak,
                             .is_managed = decl->is_managed};
  if (!ptx_expect_word(p, &variable->name, "a variable name") ||
      !ptx_parse_dimensions(p, decl, &dimensions) ||
      !ptx_size_of(p, decl, &dimensions, PTX_MAX_VARIABLE_BYTES, &variable->size_bytes))
    return false;
  if (ptx_is_mark(p, '=')) {
    if (decl->is_extern || (decl->space != PTX_SPACE_GLOBAL && decl->space != PTX_SPACE_CONST))
      return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line,
                       "only .global and .const variables of this module can be initialised");
    return ptx_advance(p) && ptx_parse_initialiser(p, variable, &dimensions);
  }
  if (dimensions.is_open && !decl->is_extern)
    return ptx_error(p, SIMT_SYNTAX_ERROR, variable->line, "array '%.*s' has no size",
                     SIMT_STR_ARG(variable->name));
  return true;
}

// A definition replaces an earlier .extern declaration; a later one changes nothing.
static bool join_variable(ptx_parser *p, ptx_variable *old, const ptx_variable *variable) {
  const bool both = !old->is_extern && !variable->is_extern;
  const bool is_other = old->unit != p->unit;
  if (is_other && (old->space != variable->space || (old->size_bytes && variable->size_bytes &&
                                                     old->size_bytes != variable->size_bytes)))
    return ptx_error(p, SIMT_INVALID_ARGUMENT, variable->line,
                     "variable '%.*s' has another size or state space than in %s",
                     SIMT_STR_ARG(variable->name), ptx_unit_name(p, old->unit));
  if (both && is_other && !old->is_weak && !variable->is_weak)
    return ptx_error(p, SIMT_INVALID_ARGUMENT, variable->line,
                     "variable '%.*s' is defined here and in %s", SIMT_STR_ARG(variable->name),
                     ptx_unit_name(p, old->unit));
  if (old->space != variable->space || (both && !is_other))
    return ptx_error(p, SIMT_SYNTAX_ERROR, variable->line, "'%.*s' is declared twice",
                     SIMT_STR_ARG(variable->name));
  if (variable->is_extern || (both && variable->is_weak)) {
    if (old->align_bytes < variable->align_bytes) old->align_bytes = variable->align_bytes;
    return true;
  }
  *old = *variable;
  return true;
}

static bool add_module_variable(ptx_parser *p, ptx_variable *variable) {
  const ptx_symbol *known = ptx_find_global_symbol(p, variable->name);
  const bool is_hoisted = p->body.depth > 0; // its name is unique already
  const bool is_linked =
      is_hoisted || variable->is_extern || variable->is_visible || variable->is_weak;
  variable->unit = p->unit;
  if (known != NULL && known->kind == PTX_SYMBOL_VARIABLE)
    return join_variable(p, (ptx_variable *)p->variables.items + known->index, variable);
  if (known != NULL)
    return ptx_error(p, SIMT_SYNTAX_ERROR, variable->line, "'%.*s' is declared twice",
                     SIMT_STR_ARG(variable->name));
  ptx_variable *kept = ptx_array_push(p, &p->scratch, &p->variables, sizeof *kept);
  if (kept == NULL) return false;
  *kept = *variable;
  ptx_symbol *symbol = ptx_add_global_symbol(p, variable->name, is_linked);
  if (symbol == NULL) return false;
  symbol->kind = PTX_SYMBOL_VARIABLE;
  symbol->index = p->variables.n - 1;
  kept->name = symbol->alias;
  return true;
}

bool ptx_parse_module_variables(ptx_parser *p, ptx_decl *decl) {
  decl->space = ptx_is_dotted(p, "global")  ? PTX_SPACE_GLOBAL
                : ptx_is_dotted(p, "const") ? PTX_SPACE_CONST
                                            : PTX_SPACE_SHARED;
  if (!ptx_advance(p) || !ptx_parse_decl(p, decl)) return false;
  for (;;) {
    ptx_variable variable;
    if (!parse_declarator(p, decl, &variable) || !add_module_variable(p, &variable)) return false;
    if (!ptx_is_mark(p, ',')) return ptx_expect_mark(p, ';', "after the variable");
    if (!ptx_advance(p)) return false;
  }
}

// Moves a body's .global or .const variable to the module.
static bool hoist(ptx_parser *p, ptx_variable *variable) {
  ptx_symbol *symbol =
      ptx_declare(p, variable->name, PTX_SYMBOL_VARIABLE, UINT32_MAX, variable->line);
  if (symbol == NULL) return false;
  char *text = ptx_alloc(p, &p->module->arena, (size_t)variable->name.size + 13, 1);
  if (text == NULL) return false;
  memcpy(text, variable->name.at, variable->name.size);
  int n = snprintf(text + variable->name.size, 13, "@@%u", ++p->n_hoisted);
  variable->name.at = text;
  variable->name.size += (uint32_t)n;
  symbol->alias = variable->name;
  return add_module_variable(p, variable);
}

static bool add_body_variable(ptx_parser *p, ptx_variable *variable) {
  if (variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST)
    return hoist(p, variable);
  ptx_body *body = &p->body;
  const ptx_symbol *symbol =
      ptx_declare(p, variable->name, PTX_SYMBOL_VARIABLE, body->variables.n, variable->line);
  if (symbol == NULL) return false;
  variable->name = symbol->alias;
  ptx_variable *kept = ptx_array_push(p, &body->arena, &body->variables, sizeof *kept);
  if (kept == NULL) return false;
  *kept = *variable;
  return true;
}

bool ptx_parse_body_variables(ptx_parser *p, ptx_space space) {
  ptx_decl decl = {.space = space};
  if (!ptx_advance(p) || !ptx_parse_decl(p, &decl)) return false;
  for (;;) {
    ptx_variable variable;
    if (!parse_declarator(p, &decl, &variable) || !add_body_variable(p, &variable)) return false;
    if (!ptx_is_mark(p, ',')) return ptx_expect_mark(p, ';', "after the variable");
    if (!ptx_advance(p)) return false;
  }
}
