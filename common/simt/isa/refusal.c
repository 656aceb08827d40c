// SPDX-License-Identifier: MIT
// isa/refusal.c - a refused instruction in words: as it is written, why it is refused, and the
// supported forms nearest to it.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "isa/isa.h"

// Lower is nearer: opcode first, then types, then modifiers.
static uint32_t row_distance(const isa_row *row, const isa_refusal *r) {
  simt_str opcode = r->instr->opcode;
  uint32_t distance = 64 * (uint32_t)simt_edit_distance(opcode.at, opcode.size, row->opcode);
  if (row->type != r->type) {
    distance += ptx_type_size_bytes(row->type) == ptx_type_size_bytes(r->type) ? 13 : 18;
  }
  if (row->source_type != r->source_type) distance += 13;
  distance += 4 * isa_count_modifiers(row->required & ~r->modifiers);
  distance += 4 * isa_count_modifiers(r->modifiers & ~(row->required | row->allowed));
  return distance;
}

static void append_nearest(simt_diag *diag, const isa_refusal *r) {
  const isa_row *nearest[3] = {NULL, NULL, NULL};
  uint32_t distances[3] = {3 * 64, 3 * 64, 3 * 64}; // farther opcodes are no help
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    const uint32_t distance = row_distance(&isa_rows[i], r);
    for (uint32_t k = 0; k < 3; k++) {
      if (distance >= distances[k]) continue;
      for (uint32_t m = 2; m > k; m--) nearest[m] = nearest[m - 1], distances[m] = distances[m - 1];
      nearest[k] = &isa_rows[i], distances[k] = distance;
      break;
    }
  }
  char forms[3][128];
  if (!nearest[0]) return;
  for (uint32_t k = 0; k < 3; k++) {
    if (nearest[k]) isa_spelling(nearest[k], forms[k], sizeof forms[k]);
    else forms[k][0] = 0;
  }
  simt_diag_append(diag, "nearest supported forms: %s%s%s%s%s", forms[0], nearest[1] ? ", " : "",
                   forms[1], nearest[2] ? ", " : "", forms[2]);
}

static void write_instruction(const ptx_instr *instr, char *out, size_t out_bytes) {
  size_t at = (size_t)snprintf(out, out_bytes, "%.*s", SIMT_STR_ARG(instr->opcode));
  for (uint32_t i = 0; i < instr->n_suffixes && at < out_bytes; i++) {
    at += (size_t)snprintf(out + at, out_bytes - at, ".%.*s", SIMT_STR_ARG(instr->suffixes[i]));
  }
}

// Opcodes that real programs use and that are deliberately not supported.
static const struct {
  const char *opcode, *sentence;
} left_out[] = {
    {"ldmatrix", "matrix instructions (tensor cores) are not modelled; use ordinary loads"},
    {"stmatrix", "matrix instructions (tensor cores) are not modelled; use ordinary stores"},
    {"wmma", "matrix instructions (tensor cores) are not modelled; use ordinary arithmetic"},
    {"mma", "matrix instructions (tensor cores) are not modelled; use ordinary arithmetic"},
    {"wgmma", "matrix instructions (tensor cores) are not modelled; use ordinary arithmetic"},
    {"tensormap", "bulk copies of tensors are not modelled; use cp.async"},
    {"alloca", "a stack that grows while a thread runs is not modelled; use an array or malloc()"},
    {"stacksave", "memory from alloca() is not modelled; use an array or malloc()"},
    {"istypep", "this question about textures is not supported"},
};

static const char *unknown_opcode(simt_str opcode) {
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (simt_str_is(opcode, left_out[i].opcode)) return left_out[i].sentence;
  return "unknown opcode";
}

static bool has_suffix(const ptx_instr *instr, const char *suffix) {
  for (uint32_t i = 0; i < instr->n_suffixes; i++)
    if (simt_str_is(instr->suffixes[i], suffix)) return true;
  return false;
}

// Asynchronous forms of other instructions.
static const struct {
  const char *opcode, *sentence;
} asynchronous[] = {
    {"red", "asynchronous reductions are not modelled; use red or atom"},
    {"st", "asynchronous stores are not modelled; use st"},
};
static const char *asynchronous_form(const ptx_instr *instr) {
  for (size_t i = 0; i < sizeof asynchronous / sizeof *asynchronous; i++)
    if (has_suffix(instr, "async") && simt_str_is(instr->opcode, asynchronous[i].opcode))
      return asynchronous[i].sentence;
  return NULL;
}

static const char *reason(const isa_refusal *r) {
  const char *known = asynchronous_form(r->instr);
  if (known) return known;
  switch (r->kind) {
  case ISA_REFUSED_NOTHING: return "";
  case ISA_REFUSED_OPCODE: return unknown_opcode(r->instr->opcode);
  case ISA_REFUSED_MODIFIER: return "unknown modifier";
  case ISA_REFUSED_REPETITION: return "repeats or contradicts another modifier:";
  case ISA_REFUSED_TYPES: return "it has more than two types";
  case ISA_REFUSED_COMBINATION:
    return r->modifiers & M_ASYNC ? "asynchronous operations other than cp.async are not modelled"
                                  : "no such combination of types and modifiers";
  case ISA_REFUSED_WITHOUT_SYNC:
    return "warp-wide operations without .sync were removed from PTX with sm_70; use the .sync "
           "form";
  case ISA_REFUSED_CONSTANT_STORE: return "constant memory cannot be written by a kernel";
  case ISA_REFUSED_NO_SPACE: return "it needs one state space";
  case ISA_REFUSED_TWO_SPACES: return "it names two state spaces";
  case ISA_REFUSED_BARRIER_SCOPE:
    return "a barrier is the block's (.cta), or barrier.cluster.arrive and barrier.cluster.wait";
  }
  return "";
}

simt_status isa_describe_refusal(const ptx_module *module, const isa_refusal *r, simt_diag *diag) {
  const ptx_instr *instr = r->instr;
  char written[256], where[512] = "", culprit[128] = "";
  write_instruction(instr, written, sizeof written);
  if (module && instr->loc >= 0) {
    char source[400];
    ptx_describe_loc(module, instr->loc, instr->line, source, sizeof source);
    snprintf(where, sizeof where, " (from %s)", source);
  }
  if (r->modifier.size && !asynchronous_form(instr))
    snprintf(culprit, sizeof culprit, " '.%.*s'", SIMT_STR_ARG(r->modifier));
  simt_fail(diag, SIMT_UNSUPPORTED, "%s:%u: unsupported instruction '%s'%s: %s%s",
            module && module->name ? module->name : "PTX", instr->line, written, where, reason(r),
            culprit);
  append_nearest(diag, r);
  return SIMT_UNSUPPORTED;
}
