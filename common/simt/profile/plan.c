// SPDX-License-Identifier: MIT
// profile/plan.c - see profile/plan.h.
#include "profile/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/operands.h"
#include "profile/merge.h"

enum { MOST_OPERANDS = 12 };
static const double STATIC_MEMORY_LATENCY = 30.0; // for the order of instructions only

typedef struct placed { // an instruction of the basic block that is being put in order
  double time;
  uint32_t at;
} placed;

typedef struct planner {
  simt_plan *plan;
  const simt_model_device *device;
  const simt_launch_info *info;
  uint16_t *register_of; // [n_slots] by slot / 4: number of the register, 0: none yet
  uint32_t n_slots, n_steps, n_operands;
  uint32_t n_named, next_temporary; // registers that instructions name; in this basic block
  uint16_t *name;       // [n_named] what holds the register's value now, in this basic block
  uint16_t *writes;     // [n_named] writes that are still to come in this basic block
  double *ready, *read; // [n_registers] in the block that is put in order: written, last read
  placed *order;        // [longest basic block]
  simt_step *block;     // the same in the program's order
  bool *is_product;     // [n_registers] written by a product that an address sum can absorb
  bool *merged;         // [n_code] part of the instruction that uses its result
} planner;

// ---- registers ---------------------------------------------------------------------------------

static uint32_t highest_slot(const simt_launch_info *info) {
  uint32_t highest = 0, n;
  for (uint32_t pc = 0; pc < info->n_code; pc++) {
    const simt_operand_role *roles = simt_roles_of(info->code[pc].form, &n);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(&info->code[pc], roles[i]);
      if (slot != SIMT_NO_SLOT && slot > highest) highest = slot;
    }
  }
  return highest;
}

// Only what some instruction writes is a register; the rest is there from the start.
static void number_registers(planner *p) {
  uint32_t n, next = 1;
  for (uint32_t pc = 0; pc < p->info->n_code; pc++) {
    const simt_operand_role *roles = simt_roles_of(p->info->code[pc].form, &n);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(&p->info->code[pc], roles[i]);
      if (roles[i].role != SIMT_ROLE_RESULT || slot == SIMT_NO_SLOT) continue;
      if (p->register_of[slot / 4] == 0 && next < UINT16_MAX)
        p->register_of[slot / 4] = (uint16_t)next++;
    }
  }
  p->n_named = next;
}

// What a write goes to. Only the last one of a basic block is seen outside: the others get
// registers of their own, so that a slot which is used again (decode/slots.c) orders nothing.
static uint16_t name_result(planner *p, uint16_t number) {
  if (p->writes[number] > 0) p->writes[number]--;
  if (p->writes[number] == 0 || p->next_temporary >= UINT16_MAX) p->name[number] = number;
  else p->name[number] = (uint16_t)p->next_temporary++;
  if (p->next_temporary > p->plan->n_registers) p->plan->n_registers = p->next_temporary;
  return p->name[number];
}

static void begin_names(planner *p, const simt_code_block *block, uint32_t copies) {
  uint32_t n;
  for (uint32_t i = 0; i < p->n_named; i++) p->name[i] = (uint16_t)i, p->writes[i] = 0;
  p->next_temporary = p->n_named;
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    const simt_operand_role *roles = simt_roles_of(p->info->code[pc].form, &n);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(&p->info->code[pc], roles[i]);
      if (roles[i].role == SIMT_ROLE_RESULT && slot != SIMT_NO_SLOT)
        p->writes[p->register_of[slot / 4]] += (uint16_t)copies;
    }
  }
}

// ---- one instruction ---------------------------------------------------------------------------

static bool has_memory_event(const simt_instr *in) {
  if (in->form != ISA_LOAD && in->form != ISA_STORE && in->form != ISA_ATOM && in->form != ISA_RED)
    return false;
  return in->memory.space != PTX_SPACE_PARAM;
}

static bool is_constant(const planner *p, uint32_t slot) { return p->register_of[slot / 4] == 0; }

// A field whose place is known is a shift and a mask.
static bool is_shift_and_mask(const planner *p, const simt_instr *in) {
  return (in->id == ISA_BFE_U32 || in->id == ISA_BFE_S32) && is_constant(p, in->b) &&
         is_constant(p, in->c);
}

static void set_cost(const planner *p, simt_step *step, const simt_instr *in) {
  if (has_memory_event(in)) step->kind = SIMT_STEP_MEMORY;
  if (in->form == ISA_BARRIER || in->form == ISA_BARRIER_RED) step->kind = SIMT_STEP_BARRIER;
  if (in->form == ISA_CLUSTER_WAIT) {
    step->kind = SIMT_STEP_BARRIER; // its block's part of it
    step->latency = p->device->cluster_barrier_cycles[p->info->cluster_blocks > 2];
  }
  if (in->form == SIMT_FORM_GRID_SYNC) {
    step->kind = SIMT_STEP_GRID_SYNC;
    step->latency = p->device->grid_sync_cycles;
  }
  step->issue_cycles = 1.0;
  if (step->kind != SIMT_STEP_COMPUTE) return;
  simt_machine_op op = simt_machine_op_of(in);
  if (op == SIMT_OP_COUNT) {
    step->issue_cycles = 0.0;
    return;
  }
  simt_op_cost cost = p->device->op[op];
  step->unit = (uint8_t)simt_machine_op_unit(op);
  if (is_shift_and_mask(p, in)) {
    const simt_op_cost *shift = &p->device->op[SIMT_OP_compare],
                       *mask = &p->device->op[SIMT_OP_alu];
    cost = (simt_op_cost){shift->latency + mask->latency, shift->interval + mask->interval};
    step->unit = SIMT_UNIT_ALU;
    step->issue_cycles = 2.0;
  }
  step->latency = cost.latency;
  double interval = cost.interval;
  if (step->unit == SIMT_UNIT_SHARED) step->busy_cycles = interval;
  else if (step->unit != SIMT_UNIT_NONE) step->busy_cycles = interval * SIMT_SCHEDULERS;
  else step->issue_cycles = fmax(1.0, interval * SIMT_SCHEDULERS);
  if (p->merged[in->pc]) { // both take as long as one, in its unit
    step->issue_cycles = step->latency = 0.0;
    if (op == SIMT_OP_compare) step->busy_cycles /= 2.0; // a shift
  }
  if (in->form == ISA_MATCH) step->kind = SIMT_STEP_MATCH;
}

static void add_operands(planner *p, simt_step *step, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  step->operands = p->n_operands;
  for (int results = 0; results < 2; results++) {
    for (uint32_t i = 0; i < n; i++) {
      uint32_t slot = simt_operand_slot(in, roles[i]);
      if (slot == SIMT_NO_SLOT || (roles[i].role == SIMT_ROLE_RESULT) != results) continue;
      uint16_t number = p->register_of[slot / 4];
      if (number == 0) continue;
      p->plan->operands[p->n_operands++] = results ? name_result(p, number) : p->name[number];
      if (results) step->n_results++;
      else step->n_sources++;
    }
  }
}

// An address sum takes a product in with it: one multiply-add.
static void absorb(planner *p, simt_step *step, const simt_instr *in) {
  const uint16_t *operands = &p->plan->operands[step->operands];
  simt_machine_op op = step->kind == SIMT_STEP_COMPUTE ? simt_machine_op_of(in) : SIMT_OP_COUNT;
  bool adds = op == SIMT_OP_alu64 && simt_operation_of(in) == ISA_OPERATION_ADD;
  for (uint32_t i = 0; i < step->n_sources && adds; i++) {
    if (!p->is_product[operands[i]]) continue;
    step->issue_cycles = 0.0;
    step->latency = 0.0;
    adds = false;
  }
  for (uint32_t i = step->n_sources; i < (uint32_t)step->n_sources + step->n_results; i++)
    p->is_product[operands[i]] = op == SIMT_OP_mul_wide || op == SIMT_OP_shift64;
}

// ---- one basic block ---------------------------------------------------------------------------

static bool orders_memory(const simt_instr *in) {
  switch (in->form) {
  case ISA_BARRIER:
  case ISA_BARRIER_RED:
  case ISA_BARRIER_ARRIVE:
  case ISA_CLUSTER_ARRIVE:
  case ISA_CLUSTER_WAIT:
  case ISA_WARP_SYNC:
  case ISA_FENCE:
  case SIMT_FORM_GRID_SYNC: return true;
  default: return has_memory_event(in) && in->memory.order != ISA_WEAK;
  }
}

// Shared memory and the rest are told apart, as an assembler can; a generic access is of both.
enum { SHARED = 1, ELSEWHERE = 2, SPACES = 3 };
typedef struct memory_order {
  double after_stores[SPACES], after_loads[SPACES], after_all;
} memory_order;

static int spaces_of(const simt_instr *in) {
  if (in->memory.space == PTX_SPACE_SHARED) return SHARED;
  bool is_either =
      in->memory.space == PTX_SPACE_GENERIC || in->memory.space == PTX_SPACE_SHARED_CLUSTER;
  return is_either ? SHARED | ELSEWHERE : ELSEWHERE;
}

static double memory_bound(const simt_instr *in, const memory_order *m) {
  bool all = orders_memory(in), loads = in->form == ISA_LOAD;
  double time = in->form == ISA_BRANCH ? 0.0 : m->after_all;
  if (!all && !has_memory_event(in)) return time;
  int spaces = all ? SHARED | ELSEWHERE : spaces_of(in);
  for (int s = SHARED; s < SPACES; s++) {
    if (!(spaces & s)) continue;
    time = fmax(time, m->after_stores[s]);
    if (all || !loads) time = fmax(time, m->after_loads[s]);
  }
  return time;
}

static void note_memory(const simt_instr *in, double time, memory_order *m) {
  if (orders_memory(in)) m->after_all = time + 0.01;
  if (!has_memory_event(in)) return;
  int spaces = spaces_of(in);
  for (int s = SHARED; s < SPACES; s++) {
    if (!(spaces & s)) continue;
    if (in->form == ISA_LOAD) m->after_loads[s] = fmax(m->after_loads[s], time);
    else m->after_stores[s] = fmax(m->after_stores[s], time + 0.01);
  }
}

// The earliest time at which a step can come, and what it means for those behind it.
static double place(planner *p, const simt_step *step, const simt_instr *in, memory_order *m) {
  const uint16_t *operands = &p->plan->operands[step->operands];
  double time = memory_bound(in, m);
  for (uint32_t i = 0; i < step->n_sources; i++) time = fmax(time, p->ready[operands[i]]);
  for (uint32_t i = 0; i < step->n_results; i++)
    time = fmax(time, p->read[operands[step->n_sources + i]]);
  double latency = step->kind == SIMT_STEP_MEMORY ? STATIC_MEMORY_LATENCY : step->latency;
  for (uint32_t i = 0; i < step->n_sources; i++)
    p->read[operands[i]] = fmax(p->read[operands[i]], time);
  for (uint32_t i = 0; i < step->n_results; i++)
    p->ready[operands[step->n_sources + i]] = time + latency;
  note_memory(in, time, m);
  return time;
}

static int compare_placed(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

// Whether some move of the basic block copies `from` to `to` at its end: a counter in two
// registers.
static bool is_copied(const planner *p, const simt_code_block *block, uint32_t from, uint32_t to) {
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    const simt_instr *in = &p->info->code[pc];
    if (simt_operation_of(in) == ISA_OPERATION_MOVE && in->a == from && in->d == to) return true;
  }
  return false;
}

// Whether control goes back from a basic block to itself, perhaps over a block that only branches.
static bool repeats(planner *p, uint32_t number) {
  const simt_code_block *blocks = p->info->code_blocks, *block = &blocks[number];
  for (uint32_t i = 0; i < block->n_successors; i++) {
    uint32_t next = block->successors[i];
    bool back = blocks[next].n_instrs == 1 && blocks[next].n_successors == 1 &&
                blocks[next].successors[0] == number;
    if (next != number && !back) continue;
    p->plan->turn_back[number] = next;
    return true;
  }
  return false;
}

// A loop of this one basic block, short, that counts by a constant.
static bool is_counted_loop(planner *p, uint32_t number) {
  enum { LONGEST = 40, MOST_LOADS = 4 };
  const simt_code_block *block = &p->info->code_blocks[number];
  bool counts = false;
  uint32_t loads = 0;
  if (!repeats(p, number) || block->n_instrs > LONGEST) return false;
  for (uint32_t pc = block->first_pc; pc < block->first_pc + block->n_instrs; pc++) {
    const simt_instr *in = &p->info->code[pc];
    loads += in->form == ISA_LOAD;
    if (orders_memory(in) || in->form == ISA_ATOM) return false;
    if (simt_operation_of(in) != ISA_OPERATION_ADD || isa_rows[in->id].klass != SIMT_CLASS_INTEGER)
      continue;
    bool constant = in->b != SIMT_NO_SLOT && p->register_of[in->b / 4] == 0;
    counts |= constant && (in->a == in->d || is_copied(p, block, in->d, in->a));
  }
  return counts && loads <= MOST_LOADS;
}

// Plans one instruction; returns when it comes.
static double plan_instr(planner *p, const simt_instr *in, simt_step *step, memory_order *m) {
  set_cost(p, step, in);
  add_operands(p, step, in);
  absorb(p, step, in);
  bool leaves = in->form == ISA_BRANCH || in->form == ISA_EXIT;
  return leaves ? INFINITY : place(p, step, in, m);
}

// The steps of a basic block, `copies` times one after another without the branches between.
static void plan_block(planner *p, uint32_t number, uint32_t copies) {
  const simt_code_block *block = &p->info->code_blocks[number];
  simt_plan *plan = p->plan;
  memory_order m = {0};
  uint32_t n_memory = 0, n = 0;
  size_t most = p->n_named + (size_t)block->n_instrs * MOST_OPERANDS * copies;
  memset(p->ready, 0, most * sizeof *p->ready);
  memset(p->read, 0, most * sizeof *p->read);
  memset(p->is_product, 0, most * sizeof *p->is_product);
  begin_names(p, block, copies);
  for (uint32_t i = 0; i < block->n_instrs * copies; i++) {
    const simt_instr *in = &p->info->code[block->first_pc + i % block->n_instrs];
    simt_step step = {.pc = in->pc};
    bool last = i >= block->n_instrs * (copies - 1);
    if (in->form == SIMT_FORM_MARKER || (!last && in->form == ISA_BRANCH)) continue;
    p->order[n] = (placed){plan_instr(p, in, &step, &m), n};
    if (step.kind == SIMT_STEP_MEMORY || step.kind == SIMT_STEP_MATCH) {
      if (i < block->n_instrs) plan->memory_index[step.pc] = n_memory;
      step.memory = (uint16_t)n_memory++;
    }
    p->block[n++] = step;
  }
  qsort(p->order, n, sizeof *p->order, compare_placed);
  for (uint32_t i = 0; i < n; i++) plan->steps[p->n_steps++] = p->block[p->order[i].at];
  if (copies == 1) plan->n_memory[number] = n_memory;
  if (n_memory > plan->most_memory) plan->most_memory = n_memory;
}

// ---- the plan ----------------------------------------------------------------------------------

static bool reserve(planner *p) {
  simt_arena *arena = &p->plan->arena;
  uint32_t longest = 1;
  for (uint32_t b = 0; b < p->info->n_code_blocks; b++)
    if (p->info->code_blocks[b].n_instrs > longest) longest = p->info->code_blocks[b].n_instrs;
  p->n_slots = highest_slot(p->info) / 4 + 1;
  p->register_of = SIMT_ARENA_ARRAY(arena, uint16_t, p->n_slots);
  p->plan->steps =
      SIMT_ARENA_ARRAY(arena, simt_step, (size_t)p->info->n_code * (1 + SIMT_UNROLLED) + 1);
  p->plan->first = SIMT_ARENA_ARRAY(arena, uint32_t, p->info->n_code_blocks + 1);
  p->plan->operands = SIMT_ARENA_ARRAY(
      arena, uint16_t, (size_t)p->info->n_code * MOST_OPERANDS * (1 + SIMT_UNROLLED) + 1);
  p->plan->unrolled = SIMT_ARENA_ARRAY(arena, uint32_t, p->info->n_code_blocks + 1);
  p->plan->turn_back = SIMT_ARENA_ARRAY(arena, uint32_t, p->info->n_code_blocks + 1);
  p->plan->n_memory = SIMT_ARENA_ARRAY(arena, uint32_t, p->info->n_code_blocks + 1);
  p->plan->memory_index = SIMT_ARENA_ARRAY(arena, uint32_t, p->info->n_code + 1);
  p->order = SIMT_ARENA_ARRAY(arena, placed, (size_t)longest * SIMT_UNROLLED);
  p->block = SIMT_ARENA_ARRAY(arena, simt_step, (size_t)longest * SIMT_UNROLLED);
  p->merged = SIMT_ARENA_ARRAY(arena, bool, (size_t)p->info->n_code + 1);
  if (!p->merged || !p->register_of || !p->plan->steps || !p->plan->first || !p->plan->operands ||
      !p->plan->memory_index || !p->plan->unrolled || !p->plan->turn_back || !p->plan->n_memory ||
      !p->order || !p->block)
    return false;
  memset(p->register_of, 0, p->n_slots * sizeof *p->register_of);
  memset(p->merged, 0, ((size_t)p->info->n_code + 1) * sizeof *p->merged);
  number_registers(p);
  if (!simt_find_merged(p->info, p->register_of, p->n_named, p->merged)) return false;
  size_t most = p->n_named + (size_t)longest * MOST_OPERANDS * SIMT_UNROLLED;
  p->plan->n_registers = p->n_named;
  p->name = SIMT_ARENA_ARRAY(arena, uint16_t, p->n_named);
  p->writes = SIMT_ARENA_ARRAY(arena, uint16_t, p->n_named);
  p->ready = SIMT_ARENA_ARRAY(arena, double, most);
  p->read = SIMT_ARENA_ARRAY(arena, double, most);
  p->is_product = SIMT_ARENA_ARRAY(arena, bool, most);
  return p->ready && p->read && p->is_product && p->name && p->writes;
}

bool simt_plan_make(simt_plan *plan, const simt_model_device *device,
                    const simt_launch_info *info) {
  planner p = {.plan = plan, .device = device, .info = info};
  memset(plan, 0, sizeof *plan);
  if (!info->code || !reserve(&p)) return false;
  plan->n_code_blocks = info->n_code_blocks;
  for (uint32_t b = 0; b < info->n_code_blocks; b++) {
    plan->first[b] = p.n_steps;
    plan_block(&p, b, 1);
  }
  plan->first[info->n_code_blocks] = p.n_steps;
  for (uint32_t b = 0; b < info->n_code_blocks; b++) {
    plan->unrolled[b] = p.n_steps;
    if (is_counted_loop(&p, b)) plan_block(&p, b, SIMT_UNROLLED);
  }
  plan->unrolled[info->n_code_blocks] = p.n_steps;
  return true;
}

void simt_plan_free(simt_plan *plan) {
  simt_arena_free(&plan->arena);
  memset(plan, 0, sizeof *plan);
}
