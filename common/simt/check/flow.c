// SPDX-License-Identifier: MIT
// check/flow.c - see check/flow.h. Registers that hold the loaded value, or something made from it,
// are followed from the load to the next conditional branch.
//
// A use counts when the value leaves the lane (a store, a shuffle), decides where the lane goes, or
// is an address, also beyond the branch: who loads above it what is used there, wrote it so. What
// is made from the value is followed in turn, but not through a selection or a guard by a predicate
// that does not itself come of the value.
#include "check/flow.h"

#include <stdlib.h>

#include "findings/site.h"

// Whether a register holds the value, or something made from it.
typedef enum taint { CLEAN, TAINTED } taint;

typedef struct walk {
  const ptx_function *function;
  uint8_t *of;      // [n_registers] taint
  uint8_t *visited; // [n_instrs]
  bool used;
} walk;

// Calls `visit` for every register that an operand names.
static void each_register(const ptx_operand *o, void (*visit)(void *, int32_t), void *data) {
  bool is_register = o->kind == PTX_OPERAND_REGISTER ||
                     (o->kind == PTX_OPERAND_ADDRESS && o->base == PTX_OPERAND_REGISTER);
  if (is_register && o->reg >= 0) visit(data, o->reg);
  if (o->has_second && o->second >= 0) visit(data, o->second);
  for (uint32_t i = 0; i < o->n_items; i++) each_register(&o->items[i], visit, data);
}

static bool is_one_of(const ptx_instr *in, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (simt_str_is(in->opcode, names[i])) return true;
  return false;
}

// No register is written: what is read here leaves the lane or decides where it goes.
static bool has_no_result(const ptx_instr *in) {
  static const char *const names[] = {"st",     "red",   "bra",      "brx",     "call",
                                      "ret",    "exit",  "bar",      "barrier", "trap",
                                      "membar", "fence", "nanosleep"};
  return is_one_of(in, names, sizeof names / sizeof *names);
}

// Other lanes or memory get to see the operands, or an address comes of them.
static bool lets_out(const ptx_instr *in) {
  static const char *const names[] = {"ld", "ldu", "atom", "shfl", "vote", "match", "redux"};
  return has_no_result(in) || is_one_of(in, names, sizeof names / sizeof *names);
}

typedef struct operands { // what the operands hold
  const walk *walk;
  bool any_tainted, any_clean;
} operands;

static void look(void *data, int32_t reg) {
  operands *o = data;
  uint8_t t = o->walk->of[reg];
  o->any_tainted |= t != CLEAN;
  o->any_clean |= t == CLEAN;
}

static operands sources_of(const walk *w, const ptx_instr *in) {
  operands o = {.walk = w};
  for (uint32_t i = has_no_result(in) ? 0 : 1; i < in->n_operands; i++)
    each_register(&in->operands[i], look, &o);
  return o;
}

typedef struct result {
  walk *walk;
  uint8_t value;
} result;

static void put(void *data, int32_t reg) {
  const result *r = data;
  r->walk->of[reg] = r->value;
}

static void define(walk *w, const ptx_instr *in, uint8_t value) {
  result r = {w, value};
  if (!has_no_result(in) && in->n_operands) each_register(&in->operands[0], put, &r);
}

// Whether the instruction chooses by a predicate that does not come of the value.
static bool chooses(const walk *w, const ptx_instr *in, const operands *o) {
  if (simt_str_is(in->opcode, "selp") && in->n_operands == 4) {
    const ptx_operand *p = &in->operands[3];
    return p->kind != PTX_OPERAND_REGISTER || w->of[p->reg] == CLEAN;
  }
  bool combines =
      simt_instr_has(in, "pred") || (simt_str_is(in->opcode, "setp") && in->n_operands == 4);
  return combines && o->any_clean;
}

static void step(walk *w, const ptx_instr *in) {
  bool guarded = in->guard >= 0, guard = guarded && w->of[in->guard] != CLEAN;
  operands o = sources_of(w, in);
  if (guarded && !guard) return; // a condition: what it overwrites may stay
  if (!o.any_tainted && !guard) define(w, in, CLEAN);
  else if (lets_out(in)) w->used = true;
  else define(w, in, chooses(w, in, &o) ? CLEAN : TAINTED);
}

// From instruction `at` along the only way, as far as there is one.
static void follow(walk *w, uint32_t at) {
  static const char *const leaving[] = {"bra", "brx", "ret", "exit", "trap"};
  const ptx_function *f = w->function;
  while (at < f->n_instrs && !w->visited[at] && !w->used) {
    const ptx_instr *in = &f->instrs[at];
    w->visited[at] = true;
    step(w, in);
    bool leaves = is_one_of(in, leaving, sizeof leaving / sizeof *leaving);
    bool jumps = simt_str_is(in->opcode, "bra") && in->guard < 0 && in->n_operands;
    if (leaves && !jumps) return;
    int64_t target = jumps ? ptx_find_label(f, in->operands[0].name) : (int64_t)at + 1;
    if (target < 0) return;
    at = (uint32_t)target;
  }
}

typedef struct spread {
  walk *walk;
  bool changed;
} spread;

static void add_taint(void *data, int32_t reg) {
  spread *s = data;
  s->changed |= s->walk->of[reg] == CLEAN;
  s->walk->of[reg] = TAINTED;
}

// Code the walk did not come to, whatever its order: what is made there from the value is followed
// until nothing new holds it. Registers stay tainted.
static void look_elsewhere(walk *w) {
  const ptx_function *f = w->function;
  spread s = {w, true};
  while (s.changed && !w->used) {
    s.changed = false;
    for (uint32_t i = 0; i < f->n_instrs && !w->used; i++) {
      const ptx_instr *in = &f->instrs[i];
      bool guarded = in->guard >= 0, guard = guarded && w->of[in->guard] != CLEAN;
      operands o = sources_of(w, in);
      if (w->visited[i] || (guarded && !guard) || (!guard && !o.any_tainted)) continue;
      if (lets_out(in)) w->used = true;
      else if (in->n_operands && !chooses(w, in, &o))
        each_register(&in->operands[0], add_taint, &s);
    }
  }
}

// Whether elements of a load's result are used without a condition.
static bool is_used(const ptx_function *function, const ptx_instr *load, uint32_t elements) {
  walk w = {.function = function,
            .of = calloc(function->n_registers + 1u, 1),
            .visited = calloc(function->n_instrs + 1u, 1)};
  result r = {&w, TAINTED};
  const ptx_operand *d = &load->operands[0];
  if (w.of && w.visited) {
    if (d->kind == PTX_OPERAND_REGISTER) each_register(d, put, &r);
    for (uint32_t i = 0; i < d->n_items; i++)
      if (elements >> i & 1) each_register(&d->items[i], put, &r);
    follow(&w, (uint32_t)(load - function->instrs) + 1);
    look_elsewhere(&w);
  } else {
    w.used = true;
  }
  free(w.of);
  free(w.visited);
  return w.used;
}

bool simt_load_is_speculative(const simt_launch_info *info, uint32_t pc, uint32_t elements) {
  const ptx_function *function = NULL;
  const ptx_instr *in = simt_instr_of(info, pc, &function);
  if (!in || !simt_str_is(in->opcode, "ld") || in->n_operands < 2) return false;
  const ptx_operand *address = &in->operands[1];
  if (address->kind != PTX_OPERAND_ADDRESS || address->base != PTX_OPERAND_SYMBOL) return false;
  return !is_used(function, in, elements);
}
