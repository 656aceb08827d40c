// SPDX-License-Identifier: MIT
// findings/sentence.c - the headline of a finding, and who did what at a place, values included.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings/set.h"
#include "base/text.h"

// ---- Values.

static float as_float(uint64_t bits) {
  float value;
  uint32_t low = (uint32_t)bits;
  memcpy(&value, &low, sizeof value);
  return value;
}

static double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool is_float_type(ptx_type type) { return type == PTX_F32 || type == PTX_F64; }
static bool is_signed_type(ptx_type type) {
  return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}
static bool is_unsigned_type(ptx_type type) {
  return type == PTX_U8 || type == PTX_U16 || type == PTX_U32 || type == PTX_U64;
}

static int64_t sign_extended(uint64_t bits, uint8_t bytes) {
  unsigned unused = 64 - 8u * bytes;
  return (int64_t)(bits << unused) >> unused;
}

// Compilers write most integers as .b32 or .u32: small ones and small negative ones are shown so.
static void print_integer(const finding_place *p, char *out, size_t out_bytes) {
  int64_t value = sign_extended(p->value, p->value_bytes);
  if (is_signed_type(p->type) || (value < 0 && value > -65536))
    snprintf(out, out_bytes, "%" PRId64, value);
  else snprintf(out, out_bytes, "%" PRIu64, p->value);
}

static bool is_poison(const finding_place *p) {
  for (unsigned i = 0; i < p->value_bytes; i++)
    if ((p->value >> 8 * i & 0xff) != SIMT_POISON_BYTE) return false;
  return p->value_bytes >= 2;
}

static const char *print_value(const finding_place *p, char *out, size_t out_bytes) {
  double real = p->value_bytes == 8 ? as_double(p->value) : (double)as_float(p->value);
  bool is_float = is_float_type(p->type);
  if (!is_float && !is_signed_type(p->type) && !is_unsigned_type(p->type))
    is_float = p->value_bytes >= 4 && p->value > 0xfffff && simt_looks_like_float(real);
  char text[48];
  int digits = 2 * (p->value_bytes & 15);
  if (is_float) snprintf(text, sizeof text, "%.*g", p->value_bytes == 8 ? 15 : 7, real);
  else print_integer(p, text, sizeof text);
  if (is_poison(p))
    snprintf(out, out_bytes, "0x%0*" PRIx64 " (what uninitialised memory holds)", digits, p->value);
  else if (!is_float && p->value < 1024) snprintf(out, out_bytes, "%s", text);
  else snprintf(out, out_bytes, "%s (0x%0*" PRIx64 ")", text, digits, p->value);
  return out;
}

// ---- Sentences.

static void append_act(const finding_record *r, const finding_place *p, char *out, size_t bytes) {
  char value[96] = "";
  const char *target = r->target[0] ? r->target : "memory";
  bool is_initcheck = simt_finding_checker(r->kind) == SIMT_CHECKER_INITCHECK;
  if (p->value_bytes) print_value(p, value, sizeof value);
  switch (p->act) {
  case SIMT_ACT_READ:
    simt_text_append(out, bytes, "read %s%s%s", target, value[0] ? ", found " : "", value);
    break;
  case SIMT_ACT_WRITE:
    simt_text_append(out, bytes, "wrote %s%s%s", value, value[0] ? " to " : "", target);
    break;
  case SIMT_ACT_ATOMIC:
    simt_text_append(out, bytes, "did an atomic on %s%s%s", target,
                     !value[0]      ? ""
                     : is_initcheck ? ", found "
                                    : " with ",
                     value);
    break;
  case SIMT_ACT_BARRIER: simt_text_append(out, bytes, "came to a block barrier"); break;
  case SIMT_ACT_SYNCWARP: simt_text_append(out, bytes, "came to __syncwarp()"); break;
  case SIMT_ACT_SHUFFLE: simt_text_append(out, bytes, "came to a shuffle"); break;
  case SIMT_ACT_VOTE:
    simt_text_append(out, bytes, "came to a vote, match or warp-wide reduction");
    break;
  case SIMT_ACT_FENCE: simt_text_append(out, bytes, "executed a fence"); break;
  case SIMT_ACT_EXIT: simt_text_append(out, bytes, "left the kernel"); break;
  case SIMT_ACT_EXECUTE: simt_text_append(out, bytes, "executed an instruction"); break;
  case SIMT_ACT_NONE: break;
  }
}

const char *simt_finding_sentence(const finding_record *r, const finding_place *p, char *out,
                                  size_t out_bytes) {
  out[0] = '\0';
  const uint32_t *b = p->block, *t = p->thread;
  if (p->lane < 0)
    simt_text_append(out, out_bytes, "warp %u of block (%u,%u,%u) ", p->warp, b[0], b[1], b[2]);
  else
    simt_text_append(out, out_bytes, "thread (%u,%u,%u) of block (%u,%u,%u), warp %u lane %d, ",
                     t[0], t[1], t[2], b[0], b[1], b[2], p->warp, p->lane);
  append_act(r, p, out, out_bytes);
  return out;
}

const char *simt_finding_headline(const finding_record *r, char *out, size_t out_bytes) {
  bool is_note = r->severity == SIMT_SEVERITY_NOTE;
  bool names_space =
      r->kind >= SIMT_FINDING_race_read_after_write && r->kind <= SIMT_FINDING_race_same_value;
  snprintf(out, out_bytes, "%s: %s%s%s", simt_checker_name(simt_finding_checker(r->kind)),
           is_note ? "note: " : "", simt_finding_title(r->kind),
           !names_space                   ? ""
           : r->space == PTX_SPACE_SHARED ? ", in shared memory"
           : r->space == PTX_SPACE_GLOBAL ? ", in global memory"
                                          : "");
  return out;
}
