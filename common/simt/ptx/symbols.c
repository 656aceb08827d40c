// SPDX-License-Identifier: MIT
// ptx/symbols.c - names of the parser: a hash table of (name, scope), growing arrays, scopes.
//
// Scopes of a function are numbered in the order in which they open: 0 holds the parameters, 1 is
// the body. Registers of a range `%r<12>` are created when they are first named, so a hostile
// `%r<4000000000>` costs nothing and a module holds only registers that it uses.
// Names that a function declares twice (callseq's `param0`), or that hide a module's name, are
// shown as `name@N`, which no PTX text can spell.
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

static uint32_t hash_of(simt_str name, uint32_t scope) { // FNV-1a
  uint32_t hash = 2166136261u ^ scope * 2654435761u;
  for (uint32_t i = 0; i < name.size; i++) hash = (hash ^ (unsigned char)name.at[i]) * 16777619u;
  return hash ^ hash >> 15;
}

// The slot that holds (name, scope), or the empty one where it belongs.
static ptx_symbol *slot_of(const ptx_table *table, simt_str name, uint32_t scope) {
  uint32_t at = hash_of(name, scope) & (table->capacity - 1);
  for (;; at = (at + 1) & (table->capacity - 1)) {
    ptx_symbol *slot = &table->slots[at];
    if (slot->name.at == NULL) return slot;
    if (slot->scope == scope && simt_str_equal(slot->name, name)) return slot;
  }
}

ptx_symbol *ptx_table_find(const ptx_table *table, simt_str name, uint32_t scope) {
  if (table->capacity == 0) return NULL;
  ptx_symbol *slot = slot_of(table, name, scope);
  return slot->name.at != NULL ? slot : NULL;
}

static bool table_grow(ptx_parser *p, simt_arena *arena, ptx_table *table) {
  ptx_table larger = {.n = table->n, .capacity = table->capacity ? 2 * table->capacity : 64};
  larger.slots = ptx_alloc(p, arena, larger.capacity, sizeof *larger.slots);
  if (larger.slots == NULL) return false;
  for (uint32_t i = 0; i < table->capacity; i++) {
    const ptx_symbol *old = &table->slots[i];
    if (old->name.at != NULL) *slot_of(&larger, old->name, old->scope) = *old;
  }
  *table = larger;
  return true;
}

// Adds a name that is not there yet. The pointer is valid until the next addition.
ptx_symbol *ptx_table_add(ptx_parser *p, simt_arena *arena, ptx_table *table, simt_str name,
                          uint32_t scope) {
  if (4 * (uint64_t)table->n >= 3 * (uint64_t)table->capacity && !table_grow(p, arena, table))
    return NULL;
  ptx_symbol *slot = slot_of(table, name, scope);
  *slot = (ptx_symbol){.name = name, .alias = name, .scope = scope};
  table->n++;
  return slot;
}

void *ptx_array_push(ptx_parser *p, simt_arena *arena, ptx_array *array, size_t item_bytes) {
  if (array->n == array->capacity) {
    uint32_t capacity = array->capacity ? 2 * array->capacity : 16;
    void *items = ptx_alloc(p, arena, capacity, item_bytes);
    if (items == NULL) return NULL;
    if (array->n != 0) memcpy(items, array->items, array->n * item_bytes);
    array->items = items;
    array->capacity = capacity;
  }
  return (char *)array->items + item_bytes * array->n++;
}

// A copy in the module's arena, exactly as long as the array. Not NULL for an empty array.
void *ptx_array_keep(ptx_parser *p, const ptx_array *array, size_t item_bytes) {
  void *kept = ptx_alloc(p, &p->module->arena, array->n, item_bytes);
  if (kept != NULL && array->n != 0) memcpy(kept, array->items, array->n * item_bytes);
  return kept;
}

enum { SCOPE_LINKED, SCOPE_OWN }; // of the globals: SCOPE_OWN + unit

ptx_symbol *ptx_find_global_symbol(const ptx_parser *p, simt_str name) {
  ptx_symbol *own = ptx_table_find(&p->globals, name, SCOPE_OWN + p->unit);
  return own != NULL ? own : ptx_table_find(&p->globals, name, SCOPE_LINKED);
}

ptx_symbol *ptx_add_global_symbol(ptx_parser *p, simt_str name, bool is_linked) {
  const bool is_own = !is_linked && p->n_units > 1;
  ptx_symbol *symbol =
      ptx_table_add(p, &p->scratch, &p->globals, name, is_own ? SCOPE_OWN + p->unit : SCOPE_LINKED);
  if (symbol == NULL || !is_own) return symbol;
  char *text = ptx_alloc(p, &p->module->arena, (size_t)name.size + 13, 1);
  if (text == NULL) return NULL;
  memcpy(text, name.at, name.size);
  int n = snprintf(text + name.size, 13, "@@%u", ++p->n_hoisted);
  symbol->alias = (simt_str){text, name.size + (uint32_t)n};
  return symbol;
}

static uint32_t parent_of(const ptx_parser *p, uint32_t scope) {
  return ((const uint32_t *)p->body.scopes.items)[scope];
}

static bool declared_twice(ptx_parser *p, simt_str name, uint32_t line) {
  return ptx_error(p, SIMT_SYNTAX_ERROR, line, "'%.*s' is declared twice in this scope",
                   SIMT_STR_ARG(name));
}

// The name that the module shows: `name` itself, or name@N when that would be ambiguous.
static bool choose_alias(ptx_parser *p, simt_str name, simt_str *alias) {
  ptx_body *body = &p->body;
  *alias = name;
  bool is_global = ptx_find_global_symbol(p, name) != NULL;
  if (ptx_table_find(&body->table, name, PTX_SCOPE_DECLARED) == NULL) {
    if (ptx_table_add(p, &body->arena, &body->table, name, PTX_SCOPE_DECLARED) == NULL)
      return false;
    if (!is_global) return true;
  }
  char *text = ptx_alloc(p, &p->module->arena, (size_t)name.size + 12, 1);
  if (text == NULL) return false;
  memcpy(text, name.at, name.size);
  int n = snprintf(text + name.size, 12, "@%u", ++body->n_renamed);
  *alias = (simt_str){text, name.size + (uint32_t)n};
  return true;
}

// Declares a label, variable or parameter in the current scope of the body.
ptx_symbol *ptx_declare(ptx_parser *p, simt_str name, ptx_symbol_kind kind, uint32_t index,
                        uint32_t line) {
  ptx_body *body = &p->body;
  simt_str alias = name;
  if (ptx_table_find(&body->table, name, body->scope) != NULL) {
    declared_twice(p, name, line);
    return NULL;
  }
  if (kind != PTX_SYMBOL_PARAM && !choose_alias(p, name, &alias)) return NULL;
  if (kind == PTX_SYMBOL_PARAM && // a body's own name must not hide it
      ptx_table_find(&body->table, name, PTX_SCOPE_DECLARED) == NULL &&
      ptx_table_add(p, &body->arena, &body->table, name, PTX_SCOPE_DECLARED) == NULL)
    return NULL;
  ptx_symbol *symbol = ptx_table_add(p, &body->arena, &body->table, name, body->scope);
  if (symbol == NULL) return NULL;
  symbol->kind = kind;
  symbol->alias = alias;
  symbol->index = index;
  return symbol;
}

static ptx_symbol *add_register(ptx_parser *p, simt_str name, ptx_type type, uint32_t scope) {
  ptx_body *body = &p->body;
  ptx_register *reg = ptx_array_push(p, &body->arena, &body->registers, sizeof *reg);
  if (reg == NULL) return NULL;
  *reg = (ptx_register){name, type};
  ptx_symbol *symbol = ptx_table_add(p, &body->arena, &body->table, name, scope);
  if (symbol == NULL) return NULL;
  symbol->kind = PTX_SYMBOL_REGISTER;
  symbol->index = body->registers.n - 1;
  return symbol;
}

bool ptx_declare_registers(ptx_parser *p, simt_str name, ptx_type type, bool is_range,
                           uint32_t count, uint32_t line) {
  ptx_body *body = &p->body;
  uint32_t scope = is_range ? PTX_SCOPE_RANGES | body->scope : body->scope;
  if (ptx_table_find(&body->table, name, scope) != NULL) return declared_twice(p, name, line);
  if (!is_range) return add_register(p, name, type, scope) != NULL;
  ptx_symbol *range = ptx_table_add(p, &body->arena, &body->table, name, scope);
  if (range == NULL) return false;
  range->kind = PTX_SYMBOL_RANGE;
  range->count = count;
  range->type = type;
  return true;
}

// The range of `scope` that holds the register `name`: %r12 may be %r<13>'s or %r1<3>'s.
static const ptx_symbol *range_of(ptx_parser *p, simt_str name, uint32_t scope) {
  uint64_t number = 0, weight = 1;
  for (uint32_t prefix = name.size; prefix > 1 && weight <= UINT32_MAX; weight *= 10) {
    char c = name.at[--prefix];
    if (c < '0' || c > '9') return NULL;
    number += weight * (uint64_t)(c - '0');
    if (c == '0' && weight != 1) continue; // %r01 is not %r1
    const ptx_symbol *range =
        ptx_table_find(&p->body.table, (simt_str){name.at, prefix}, PTX_SCOPE_RANGES | scope);
    if (range != NULL && number < range->count) return range;
  }
  return NULL;
}

// The nearest declaration of `name` in the function, seen from `scope`; NULL when there is none or
// memory is exhausted (p->status says which).
ptx_symbol *ptx_find_symbol(ptx_parser *p, simt_str name, uint32_t scope) {
  for (;; scope = parent_of(p, scope)) {
    ptx_symbol *symbol = ptx_table_find(&p->body.table, name, scope);
    if (symbol != NULL) return symbol;
    const ptx_symbol *range = range_of(p, name, scope);
    if (range != NULL) return add_register(p, name, range->type, scope);
    if (scope == 0) return NULL;
  }
}

bool ptx_resolve_pending(ptx_parser *p) {
  ptx_pending *pending = p->body.pending.items;
  for (uint32_t i = 0; i < p->body.pending.n; i++) {
    ptx_operand *operand = pending[i].operand;
    const ptx_symbol *symbol = ptx_find_symbol(p, operand->name, pending[i].scope);
    if (symbol == NULL && p->status != SIMT_OK) return false;
    operand->reg = -1;
    bool local = symbol != NULL && symbol->kind != PTX_SYMBOL_REGISTER;
    const ptx_symbol *global = local ? NULL : ptx_find_global_symbol(p, operand->name);
    if (!local && (symbol != NULL || global == NULL))
      return ptx_error(p, SIMT_SYNTAX_ERROR, pending[i].line, "'%.*s' is not declared",
                       SIMT_STR_ARG(operand->name));
    operand->name = local ? symbol->alias : global->alias;
  }
  return true;
}
