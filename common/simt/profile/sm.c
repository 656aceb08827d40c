// SPDX-License-Identifier: MIT
// profile/sm.c - see profile/sm.h. Warps wait in a heap by the time at which their next instruction
// could issue; the earliest one goes, and takes what it needs of schedulers, units and queues.
#include "profile/sm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/cache.h"
#include "profile/sm_memory.h"

enum { MOST_WARPS = 2048 / SIMT_LANES * 2 };

typedef struct sm_block sm_block;

typedef struct sm_warp {
  const simt_warp_trace *trace;
  uint32_t at;               // next word of the trace
  uint32_t after;            // the last instruction of the basic block before; SIMT_NO_PC: none
  uint32_t step, end;        // steps of the basic block it is in
  double time;               // when it can issue the next one, as far as order goes
  double candidate;          // the same, with operands
  double *ready;             // [n_registers]
  const simt_entry **memory; // [most_memory] what the accesses of this basic block did
  sm_block *block;
  uint8_t scheduler;
} sm_warp;

struct sm_block {
  uint32_t first_warp, live, waiting;
  double latest; // arrival at the barrier
  double end;
};

typedef struct sm {
  const simt_sm_input *in;
  simt_sm_result *out;
  simt_sm_memory memory;
  sm_warp *warps; // [resident * warps_per_block]
  sm_block *blocks;
  uint32_t *heap, n_heap; // warps by candidate
  double scheduler_free[SIMT_SCHEDULERS];
  double unit_free[SIMT_SCHEDULERS][SIMT_UNIT_COUNT];
  double issue_busy[SIMT_SCHEDULERS], unit_busy[SIMT_SCHEDULERS][SIMT_UNIT_COUNT];
  double last_start;
  size_t next_block, n_ended;
} sm;

// ---- the heap ----------------------------------------------------------------------------------

static bool before(const sm *s, uint32_t a, uint32_t b) {
  double x = s->warps[a].candidate, y = s->warps[b].candidate;
  return x < y || (x == y && a < b);
}

static void push(sm *s, uint32_t warp) {
  uint32_t i = s->n_heap++;
  for (; i > 0 && before(s, warp, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
    s->heap[i] = s->heap[(i - 1) / 2];
  s->heap[i] = warp;
}

static uint32_t pop(sm *s) {
  uint32_t top = s->heap[0], last = s->heap[--s->n_heap], i = 0;
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= s->n_heap) break;
    if (child + 1 < s->n_heap && before(s, s->heap[child + 1], s->heap[child])) child++;
    if (!before(s, s->heap[child], last)) break;
    s->heap[i] = s->heap[child];
    i = child;
  }
  if (s->n_heap) s->heap[i] = last;
  return top;
}

// ---- a warp's way through its trace ------------------------------------------------------------

static const simt_entry *entry_at(const sm_warp *w, uint32_t at) {
  return (const simt_entry *)(const void *)&w->trace->words[at];
}

// Where the accesses of one turn of a basic block begin in w->memory: reads them up to the next
// block.
static void read_accesses(const sm *s, sm_warp *w, uint32_t number, uint32_t offset) {
  const simt_plan *plan = s->in->plan;
  const simt_code_block *block = &s->in->info->code_blocks[number];
  for (w->at++; w->at < w->trace->n_words; w->at += 1 + entry_at(w, w->at)->n_lines) {
    const simt_entry *e = entry_at(w, w->at);
    if (e->kind == SIMT_ENTRY_BLOCK) break;
    if (e->pc >= block->first_pc && e->pc < block->first_pc + block->n_instrs)
      w->memory[offset + plan->memory_index[e->pc]] = e;
  }
}

// Whether the next SIMT_UNROLLED entries are all turns of this basic block.
static bool has_turns(const sm_warp *w, uint32_t number, uint32_t turn_back) {
  uint32_t at = w->at, turns = 0;
  while (at < w->trace->n_words && turns < SIMT_UNROLLED) {
    const simt_entry *e = entry_at(w, at);
    if (e->kind == SIMT_ENTRY_BLOCK && e->pc != number && e->pc != turn_back) return false;
    turns += e->kind == SIMT_ENTRY_BLOCK && e->pc == number;
    at += 1 + e->n_lines;
  }
  return turns == SIMT_UNROLLED;
}

// The next basic block: its steps, and what its accesses did. False: the trace is at its end.
static bool enter_block(sm *s, sm_warp *w) {
  const simt_plan *plan = s->in->plan;
  memset(w->memory, 0, plan->most_memory * sizeof *w->memory);
  while (w->at < w->trace->n_words && entry_at(w, w->at)->kind != SIMT_ENTRY_BLOCK)
    w->at += 1 + entry_at(w, w->at)->n_lines;
  if (w->at >= w->trace->n_words) return false;
  uint32_t number = entry_at(w, w->at)->pc;
  const simt_code_block *block = &s->in->info->code_blocks[number];
  // A branch that is taken costs the warp a while; going on behind it does not.
  if (w->after != SIMT_NO_PC && w->after + 1 != block->first_pc && w->after + 2 != block->first_pc)
    w->time += s->in->device->op[SIMT_OP_branch].latency;
  w->after = block->first_pc + block->n_instrs - 1;
  bool unrolled = plan->unrolled[number] < plan->unrolled[number + 1] &&
                  has_turns(w, number, plan->turn_back[number]);
  w->step = unrolled ? plan->unrolled[number] : plan->first[number];
  w->end = unrolled ? plan->unrolled[number + 1] : plan->first[number + 1];
  for (uint32_t turn = 0; turn < (unrolled ? SIMT_UNROLLED : 1u); turn++) {
    if (turn && entry_at(w, w->at)->pc != number) w->at++; // the way back between two turns
    read_accesses(s, w, number, turn * plan->n_memory[number]);
  }
  return true;
}

static double operands_ready(const sm *s, const sm_warp *w, const simt_step *step) {
  const uint16_t *operands = &s->in->plan->operands[step->operands];
  double time = 0.0;
  for (uint32_t i = 0; i < step->n_sources; i++) time = fmax(time, w->ready[operands[i]]);
  return time;
}

static void set_results(const sm *s, sm_warp *w, const simt_step *step, double time) {
  const uint16_t *operands = &s->in->plan->operands[step->operands + step->n_sources];
  for (uint32_t i = 0; i < step->n_results; i++) w->ready[operands[i]] = time;
}

// On to the next step that costs something. False: the warp has ended.
static bool advance(sm *s, sm_warp *w) {
  for (;; w->step++) {
    while (w->step >= w->end)
      if (!enter_block(s, w)) return false;
    const simt_step *step = &s->in->plan->steps[w->step];
    if (step->issue_cycles > 0.0) {
      w->candidate = fmax(w->time, operands_ready(s, w, step));
      return true;
    }
    set_results(s, w, step, operands_ready(s, w, step));
  }
}

// ---- blocks ------------------------------------------------------------------------------------

static uint32_t warps_per_block(const sm *s) { return s->in->info->warps_per_block; }

static void end_warp(sm *s, sm_warp *w);

static void go_on(sm *s, sm_warp *w) {
  if (advance(s, w)) push(s, (uint32_t)(w - s->warps));
  else end_warp(s, w);
}

static void start_block(sm *s, sm_block *b, double now) {
  const simt_model_device *d = s->in->device;
  const simt_block_trace *trace = s->in->blocks[s->next_block++];
  double start = fmax(now, s->last_start);
  uint32_t n = warps_per_block(s);
  s->last_start = start + fmax(d->block_start_cycles, d->warp_start_cycles * n);
  b->live = n;
  b->waiting = 0;
  b->latest = b->end = start;
  for (uint32_t i = 0; i < n; i++) {
    sm_warp *w = &s->warps[b->first_warp + i];
    w->trace = &trace->warps[i];
    w->at = w->step = w->end = 0;
    w->after = SIMT_NO_PC;
    w->time = start + d->block_latency_cycles + d->warp_start_cycles * i;
    memset(w->ready, 0, s->in->plan->n_registers * sizeof *w->ready);
  }
  for (uint32_t i = 0; i < n; i++) go_on(s, &s->warps[b->first_warp + i]);
}

// All warps that still live have arrived at the barrier.
static void release(sm *s, sm_block *b) {
  uint32_t n = warps_per_block(s), log2 = 0;
  while (log2 < SIMT_BARRIER_LATENCIES - 1 && (1u << log2) < n) log2++;
  double time = b->latest + s->in->device->latency_barrier[log2];
  b->waiting = 0;
  b->latest = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    sm_warp *w = &s->warps[b->first_warp + i];
    if (w->candidate != INFINITY) continue;
    s->out->barrier_wait += time - w->time;
    w->time = time;
    w->step++;
    go_on(s, w);
  }
}

static void end_warp(sm *s, sm_warp *w) {
  sm_block *b = w->block;
  w->candidate = -INFINITY;
  b->end = fmax(b->end, w->time);
  if (--b->live) {
    if (b->waiting == b->live && b->waiting) release(s, b);
    return;
  }
  double end = b->end + s->in->device->block_end_cycles;
  s->out->ended[s->n_ended++] = end;
  s->out->cycles = fmax(s->out->cycles, end);
  if (s->next_block < s->in->n_blocks) start_block(s, b, end);
}

// ---- one step ----------------------------------------------------------------------------------

static void wait_at_barrier(sm *s, sm_warp *w, double time, double extra) {
  sm_block *b = w->block;
  w->time = time;
  w->candidate = INFINITY; // waits
  b->latest = fmax(b->latest, time + extra);
  if (++b->waiting == b->live) release(s, b);
}

// A match looks for one value after another. Each takes its share of the cycles to issue, and this
// many cycles longer until the result is there: figures/data/h100-match.csv.
#define MATCH_CYCLES_PER_VALUE 11.0

static uint32_t n_match_values(const sm_warp *w, const simt_step *step) {
  const simt_entry *e = w->memory[step->memory];
  return e ? e->passes : SIMT_LANES;
}

// Executes the warp's next step; where it goes on is set.
static void issue(sm *s, sm_warp *w) {
  const simt_step *step = &s->in->plan->steps[w->step];
  uint32_t k = w->scheduler;
  double time = fmax(w->candidate, s->scheduler_free[k]);
  bool shared = step->unit == SIMT_UNIT_SHARED;
  double *unit = shared ? &s->memory.lsu_free : &s->unit_free[k][step->unit];
  if (step->unit != SIMT_UNIT_NONE && !shared) time = fmax(time, *unit);
  uint32_t values = step->kind == SIMT_STEP_MATCH ? n_match_values(w, step) : SIMT_LANES;
  double issue_cycles = step->issue_cycles, latency = step->latency;
  if (values < SIMT_LANES) {
    issue_cycles = fmax(1.0, issue_cycles * values / SIMT_LANES);
    latency = fmax(1.0, latency - (double)(SIMT_LANES - values) * MATCH_CYCLES_PER_VALUE);
  }
  s->scheduler_free[k] = time + issue_cycles;
  s->issue_busy[k] += issue_cycles;
  s->out->steps++;
  if (step->unit != SIMT_UNIT_NONE) {
    double begin = fmax(time, *unit);
    *unit = begin + step->busy_cycles;
    if (shared) s->memory.lsu_busy += step->busy_cycles;
    else s->unit_busy[k][step->unit] += step->busy_cycles;
    set_results(s, w, step, begin + step->latency);
  } else if (step->kind == SIMT_STEP_COMPUTE || step->kind == SIMT_STEP_MATCH) {
    set_results(s, w, step, time + latency);
  }
  w->time = time + issue_cycles;
  if (step->kind == SIMT_STEP_BARRIER || step->kind == SIMT_STEP_GRID_SYNC) {
    wait_at_barrier(s, w, w->time, step->latency);
    return;
  }
  if (step->kind == SIMT_STEP_MEMORY) {
    const simt_entry *e = w->memory[step->memory];
    double done = e ? simt_sm_access(&s->memory, e, time, &w->time) : time;
    set_results(s, w, step, done);
    w->block->end = fmax(w->block->end, e && e->kind == SIMT_ENTRY_STORE ? time : 0.0);
  }
  w->step++;
  go_on(s, w);
}

// ---- the run -----------------------------------------------------------------------------------

static bool reserve(sm *s, simt_arena *arena) {
  const simt_sm_input *in = s->in;
  uint32_t n = warps_per_block(s), resident = in->resident;
  s->warps = SIMT_ARENA_ARRAY(arena, sm_warp, (size_t)resident * n);
  s->blocks = SIMT_ARENA_ARRAY(arena, sm_block, resident);
  s->heap = SIMT_ARENA_ARRAY(arena, uint32_t, (size_t)resident * n + 1);
  if (!s->warps || !s->blocks || !s->heap) return false;
  for (uint32_t b = 0; b < resident; b++) {
    s->blocks[b].first_warp = b * n;
    for (uint32_t i = 0; i < n; i++) {
      sm_warp *w = &s->warps[b * n + i];
      *w = (sm_warp){.block = &s->blocks[b], .scheduler = (uint8_t)(i % SIMT_SCHEDULERS)};
      if (n % SIMT_SCHEDULERS) w->scheduler = (uint8_t)((b * n + i) % SIMT_SCHEDULERS);
      w->ready = SIMT_ARENA_ARRAY(arena, double, in->plan->n_registers);
      w->memory = SIMT_ARENA_ARRAY(arena, const simt_entry *, in->plan->most_memory + 1);
      if (!w->ready || !w->memory) return false;
    }
  }
  return simt_sm_memory_create(&s->memory, in);
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(sm *s) {
  simt_sm_result *out = s->out;
  for (int k = 0; k < SIMT_SCHEDULERS; k++) {
    out->issue = fmax(out->issue, s->issue_busy[k]);
    for (int u = 0; u < SIMT_UNIT_COUNT; u++) out->unit[u] = fmax(out->unit[u], s->unit_busy[k][u]);
  }
  out->lsu = s->memory.lsu_busy;
  out->network = s->memory.network_busy;
  out->port = s->memory.port_busy;
  out->dram = s->memory.dram_busy;
  out->atomic = s->memory.atomic_busy;
  out->l1_sectors = s->memory.l1_sectors;
  out->l1_hits = s->memory.l1_hits;
  qsort(out->ended, s->n_ended, sizeof *out->ended, compare_doubles);
}

bool simt_sm_run(const simt_sm_input *input, simt_sm_result *result) {
  sm s = {.in = input, .out = result};
  simt_arena arena = {0};
  double *ended = result->ended;
  *result = (simt_sm_result){.ended = ended};
  bool ok = reserve(&s, &arena);
  for (uint32_t b = 0; ok && b < input->resident && s.next_block < input->n_blocks; b++)
    start_block(&s, &s.blocks[b], 0.0);
  while (ok && s.n_heap) issue(&s, &s.warps[pop(&s)]);
  if (ok) report(&s);
  simt_sm_memory_destroy(&s.memory);
  simt_arena_free(&arena);
  return ok;
}
