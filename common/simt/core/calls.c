// SPDX-License-Identifier: MIT
// core/calls.c - calls of functions that have bodies of their own: recursion, and calls through
// pointers.
//
// Every lane has a stack of what it needs on return: the registers that its caller still uses, and
// the instruction after the call. Registers are the warp's, so a body may use those of its caller;
// the ones that are still needed are saved and restored lane by lane. Where lanes call different
// functions, they reconverge after the call. A reconvergence point counts only for lanes at the
// same call depth as those that created it, since the same code may run at several depths.
// Not modelled: how large a frame is on hardware. A thread has room for more calls here than there,
// so that what runs on a GPU also runs here.
#include "core/calls.h"

#include <inttypes.h>
#include <string.h>

#include "core/fault.h"
#include "core/splits.h"

enum {
  DEFAULT_STACK_BYTES = 1024,
  SPARE = 16, // times CUDA's limit
  LARGEST_STACK_BYTES = 1 << 20,
  MOST_DEPTH = UINT16_MAX - 1
};

uint32_t simt_call_stack_bytes(uint64_t limit_bytes) {
  if (!limit_bytes) limit_bytes = DEFAULT_STACK_BYTES;
  if (limit_bytes > LARGEST_STACK_BYTES / SPARE) return LARGEST_STACK_BYTES + SIMT_ARGUMENT_BYTES;
  return (uint32_t)limit_bytes * SPARE / 16 * 16 + SIMT_ARGUMENT_BYTES;
}

void simt_calls_start(simt_warp *warp) {
  for (uint32_t lane = 0; warp->calls && lane < SIMT_LANES; lane++) warp->calls[lane].n = 0;
}

// ---- one lane's stack --------------------------------------------------------------------------

static bool reserve(simt_core *core, simt_call_stack *s, uint32_t n) {
  if (s->capacity - s->n >= n) return true;
  uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
  while (capacity - s->n < n) capacity *= 2;
  uint64_t *words = SIMT_ARENA_ARRAY(&core->arena, uint64_t, capacity);
  if (!words) return false;
  if (s->n) memcpy(words, s->words, s->n * sizeof *words);
  s->words = words;
  s->capacity = capacity;
  return true;
}

static uint32_t words_of(const simt_kernel *k, const simt_instr *call) {
  uint32_t n = 1; // the return address
  for (uint32_t i = 0; i < call->call.n_saved; i++)
    n += k->saved[call->call.first_saved + i].bytes == 16 ? 2 : 1;
  return n;
}

static void save(const simt_warp *w, const simt_kernel *k, const simt_instr *call, uint32_t lane,
                 simt_call_stack *s) {
  for (uint32_t i = 0; i < call->call.n_saved; i++) {
    const simt_saved *r = &k->saved[call->call.first_saved + i];
    const uint8_t *slot = w->regs + r->slot;
    uint64_t *word = &s->words[s->n++];
    *word = 0;
    if (!r->bytes) *word = *(const uint32_t *)(const void *)slot >> lane & 1;
    else memcpy(word, slot + (size_t)lane * r->bytes, r->bytes);
    s->n += r->bytes == 16;
  }
  s->words[s->n++] = call->pc + 1;
}

static void restore(simt_warp *w, const simt_kernel *k, const simt_instr *call, uint32_t lane,
                    simt_call_stack *s) {
  s->n -= words_of(k, call);
  const uint64_t *word = s->words + s->n;
  for (uint32_t i = 0; i < call->call.n_saved; i++) {
    const simt_saved *r = &k->saved[call->call.first_saved + i];
    uint8_t *slot = w->regs + r->slot;
    if (r->bytes) {
      memcpy(slot + (size_t)lane * r->bytes, word, r->bytes);
    } else {
      uint32_t *bits = (uint32_t *)(void *)slot;
      *bits = (*bits & ~(1u << lane)) | (uint32_t)*word << lane;
    }
    if (w->undefined.n_slots && w->undefined.lanes[r->slot / 4]) { // a copy of it was kept
      w->undefined.lanes[r->slot / 4] &= ~(1u << lane);
      w->undefined.n_slots -= !w->undefined.lanes[r->slot / 4];
    }
    word += r->bytes == 16 ? 2 : 1;
  }
}

// ---- calls -------------------------------------------------------------------------------------

// The body that a lane calls; NULL after a fault.
static const simt_body *body_of(simt_core *core, simt_warp *w, const simt_instr *in,
                                uint32_t lane) {
  const simt_kernel *k = core->kernel;
  if (in->call.body != SIMT_NO_BODY) return &k->bodies[in->call.body];
  const uint64_t address = ((const uint64_t *)(const void *)(w->regs + in->a))[lane];
  const ptx_function *f = simt_function_at(k->module, address);
  const simt_body *body = NULL;
  for (uint32_t i = 0; f && i < k->n_bodies; i++)
    if (k->bodies[i].function == f) body = &k->bodies[i];
  if (body && body->signature == in->call.signature) return body;
  if (body)
    simt_fault(core, w, in, (int)lane, SIMT_INVALID_CALL,
               "call of '%.*s' through a pointer to another type of function: arguments or result "
               "differ in size",
               SIMT_STR_ARG(f->name));
  else if (!address)
    simt_fault(core, w, in, (int)lane, SIMT_INVALID_CALL, "call through a null function pointer");
  else
    simt_fault(core, w, in, (int)lane, SIMT_INVALID_CALL,
               "call through 0x%" PRIx64
               ", which is not the address of a function of this module: a "
               "pointer that was never set, or an address taken by the host",
               address);
  return NULL;
}

// One lane enters a body. False after a fault.
static bool enter(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t lane,
                  const simt_body *body) {
  uint64_t *frame = (uint64_t *)(void *)(w->regs + in->c) + lane;
  const uint64_t begin = *frame + in->call.frame_bytes;
  if (begin + body->frame_bytes > core->local_bytes - SIMT_ARGUMENT_BYTES)
    return simt_fault(core, w, in, (int)lane, SIMT_STACK_OVERFLOW,
                      "stack overflow: '%.*s' is called when %" PRIu64
                      " bytes of the thread's stack are in use (raise the limit with "
                      "cudaDeviceSetLimit(cudaLimitStackSize, ...), or recursion does not end)",
                      SIMT_STR_ARG(body->function->name), begin);
  simt_call_stack *s = &w->calls[lane];
  if (!reserve(core, s, words_of(core->kernel, in)))
    return simt_fault(core, w, in, (int)lane, SIMT_STACK_OVERFLOW,
                      "the host has no memory left for the stack of calls");
  save(w, core->kernel, in, lane, s);
  *frame = begin;
  return true;
}

bool simt_exec_call(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in) {
  const simt_split *split = &w->splits[*at];
  const uint32_t mask = split->mask;
  uint32_t target[SIMT_LANES];
  if (split->depth >= MOST_DEPTH)
    return simt_fault(core, w, in, __builtin_ctz(mask), SIMT_STACK_OVERFLOW,
                      "stack overflow: %d calls are nested", MOST_DEPTH);
  for (SIMT_EACH_LANE(lane, mask)) {
    const simt_body *body = body_of(core, w, in, lane);
    if (!body || !enter(core, w, in, lane, body)) return false;
    target[lane] = body->pc;
  }
  simt_split_scatter(core, w, at, target, in->pc + 1, 1);
  return true;
}

bool simt_exec_return(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in) {
  const uint32_t mask = w->splits[*at].mask;
  uint32_t target[SIMT_LANES];
  uint64_t *frame = (uint64_t *)(void *)(w->regs + in->c);
  for (SIMT_EACH_LANE(lane, mask)) {
    simt_call_stack *s = &w->calls[lane];
    target[lane] = (uint32_t)s->words[s->n - 1];
    const simt_instr *call = &core->kernel->code[target[lane] - 1];
    restore(w, core->kernel, call, lane, s);
    frame[lane] -= call->call.frame_bytes;
  }
  simt_split_scatter(core, w, at, target, SIMT_NO_PC, -1);
  return true;
}
