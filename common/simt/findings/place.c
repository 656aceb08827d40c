// SPDX-License-Identifier: MIT
// findings/place.c - from instruction indices, lane numbers and addresses to what a reader knows:
// source lines, threads, arrays and their elements.
//
// Not known here: the names of a kernel's pointers (PTX does not keep them), so global memory is
// named by its allocation; the shape of an array, so elements are counted through from its start.
#include <inttypes.h>
#include <string.h>

#include "findings/site.h"
#include "findings/set.h"
#include "base/names.h"

// ---- Source lines.

struct finding_name {
  struct finding_name *next;
  const char *text;
};

static const char *intern(simt_findings *set, simt_str name) {
  for (const struct finding_name *n = set->names; n; n = n->next)
    if (simt_str_is(name, n->text)) return n->text;
  struct finding_name *n = SIMT_ARENA_NEW(&set->arena, struct finding_name);
  char *copy = n ? simt_str_copy(&set->arena, name) : NULL;
  if (!copy) return "?";
  *n = (struct finding_name){set->names, copy};
  set->names = n;
  return copy;
}

static simt_str file_name(const ptx_module *module, uint32_t number) {
  for (uint32_t i = 0; i < module->n_files; i++)
    if (module->files[i].number == number) return module->files[i].name;
  return SIMT_STR("?");
}

static void locate_in_ptx(simt_findings *set, const simt_launch_info *l, uint32_t pc,
                          finding_place *out) {
  const char *name = l->module->name ? l->module->name : "PTX";
  out->in_ptx = true;
  out->n_frames = 1;
  out->frames[0].file = intern(set, simt_str_of(name));
  out->frames[0].line = l->code_ptx_line && pc < l->n_code ? l->code_ptx_line[pc] : 0;
}

// Frames from the innermost line that is not the toolkit's, at most FINDING_FRAMES; when there are
// more, the outermost one is kept as the last. False when the record has no line at all.
static bool take_frames(simt_findings *set, int32_t at, finding_place *out) {
  const ptx_module *module = set->launch.module;
  finding_frame toolkit = {NULL, 0};
  out->n_frames = 0;
  while (at >= 0 && (uint32_t)at < module->n_locs) {
    const ptx_loc *loc = &module->locs[at];
    at = loc->inlined_at;
    if (!loc->line) continue;
    simt_str file = file_name(module, loc->file);
    finding_frame frame = {intern(set, file), loc->line};
    if (!out->n_frames && ptx_is_toolkit(file)) {
      if (!toolkit.file) toolkit = frame;
      continue;
    }
    if (out->n_frames == FINDING_FRAMES) out->n_frames--;
    out->frames[out->n_frames++] = frame;
  }
  if (!out->n_frames && toolkit.file) out->frames[out->n_frames++] = toolkit;
  return out->n_frames > 0;
}

// Compilers give no line to what they merged from several: then the nearest instruction that has
// one tells where to look.
static void locate_line(simt_findings *set, uint32_t pc, finding_place *out) {
  const simt_launch_info *l = &set->launch;
  if (l->code_loc && pc < l->n_code) {
    if (take_frames(set, l->code_loc[pc], out)) return;
    out->is_near = true;
    for (uint32_t d = 1; d < l->n_code; d++) {
      if (pc + d < l->n_code && take_frames(set, l->code_loc[pc + d], out)) return;
      if (pc >= d && take_frames(set, l->code_loc[pc - d], out)) return;
    }
  }
  out->is_near = false;
  locate_in_ptx(set, l, pc, out);
}

// ---- Threads.

static void locate_thread(const simt_launch_info *l, const simt_site *site, finding_place *out) {
  uint32_t t = site->warp * SIMT_LANES + (site->lane < 0 ? 0 : (uint32_t)site->lane);
  const uint32_t *b = l->block, *g = l->grid;
  if (!b[0] || !b[1] || !g[0] || !g[1]) return;
  out->thread[0] = t % b[0];
  out->thread[1] = t / b[0] % b[1];
  out->thread[2] = t / b[0] / b[1];
  out->block[0] = site->block % g[0];
  out->block[1] = site->block / g[0] % g[1];
  out->block[2] = site->block / g[0] / g[1];
}

// ---- The instruction: what it moves, and what can run after it.

typedef struct walk { // over the basic blocks of a kernel
  const simt_launch_info *info;
  uint32_t *queue; // [n_code_blocks]
  bool *seen;      // [n_code_blocks]
  uint32_t n;
} walk;

static void visit_successors(walk *w, uint32_t block) {
  const simt_code_block *b = &w->info->code_blocks[block];
  for (uint32_t i = 0; i < b->n_successors; i++) {
    uint32_t next = b->successors[i];
    if (w->seen[next]) continue;
    w->seen[next] = true;
    w->queue[w->n++] = next;
  }
}

// The block of an instruction; blocks stand in the order of their instructions.
static uint32_t block_of(const simt_launch_info *l, uint32_t pc) {
  uint32_t low = 0, high = l->n_code_blocks;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (l->code_blocks[middle].first_pc <= pc) low = middle;
    else high = middle;
  }
  return low;
}

static bool reaches(walk *w, uint32_t from, uint32_t to) {
  visit_successors(w, from);
  for (uint32_t at = 0; at < w->n && !w->seen[to]; at++) visit_successors(w, w->queue[at]);
  return w->seen[to];
}

bool simt_finding_reaches(const simt_findings *set, uint32_t from_pc, uint32_t to_pc) {
  const simt_launch_info *l = &set->launch;
  if (!set->in_launch || !l->n_code_blocks || from_pc >= l->n_code || to_pc >= l->n_code)
    return true;
  uint32_t from = block_of(l, from_pc), to = block_of(l, to_pc);
  if (from == to && from_pc < to_pc) return true;
  simt_arena arena = {0};
  walk w = {.info = l,
            .queue = SIMT_ARENA_ARRAY(&arena, uint32_t, l->n_code_blocks),
            .seen = SIMT_ARENA_ARRAY(&arena, bool, l->n_code_blocks)};
  bool found = !w.queue || !w.seen || reaches(&w, from, to);
  simt_arena_free(&arena);
  return found;
}

static bool is_barrier(const simt_instr *in, bool block_only) {
  return in->form == ISA_BARRIER || in->form == ISA_BARRIER_RED || in->form == ISA_CLUSTER_WAIT ||
         (!block_only && in->form == ISA_WARP_SYNC);
}

// Looks for `to` from `pc` to the end of its block; false: not found, and *stopped when a barrier
// ended the search.
static bool scan_block(const simt_launch_info *l, uint32_t pc, uint32_t to, bool block_only,
                       bool *stopped) {
  const simt_code_block *b = &l->code_blocks[block_of(l, pc)];
  *stopped = false;
  for (; pc < b->first_pc + b->n_instrs && pc < l->n_code; pc++) {
    if (pc == to) return true;
    if ((*stopped = is_barrier(&l->code[pc], block_only))) return false;
  }
  return false;
}

bool simt_finding_reaches_freely(const simt_findings *set, uint32_t from_pc, uint32_t to_pc,
                                 bool block_only) {
  const simt_launch_info *l = &set->launch;
  if (!set->in_launch || !l->n_code_blocks || !l->code || from_pc >= l->n_code) return true;
  bool stopped, found = scan_block(l, from_pc + 1, to_pc, block_only, &stopped) &&
                        block_of(l, from_pc + 1) == block_of(l, from_pc);
  simt_arena arena = {0};
  walk w = {.info = l,
            .queue = SIMT_ARENA_ARRAY(&arena, uint32_t, l->n_code_blocks),
            .seen = SIMT_ARENA_ARRAY(&arena, bool, l->n_code_blocks)};
  if (!w.queue || !w.seen) found = true;
  bool is_last = block_of(l, from_pc + 1) != block_of(l, from_pc);
  if (!found && (is_last || !stopped)) visit_successors(&w, block_of(l, from_pc));
  for (uint32_t at = 0; at < w.n && !found; at++) {
    found = scan_block(l, l->code_blocks[w.queue[at]].first_pc, to_pc, block_only, &stopped);
    if (!found && !stopped) visit_successors(&w, w.queue[at]);
  }
  simt_arena_free(&arena);
  return found;
}

bool simt_finding_waits_in_parts(const simt_findings *set) {
  const simt_launch_info *l = &set->launch;
  for (uint32_t pc = 0; set->in_launch && l->code && pc < l->n_code; pc++) {
    const simt_instr *in = &l->code[pc];
    bool waits = in->form == ISA_BARRIER || in->form == ISA_BARRIER_RED;
    if (waits && in->b != SIMT_NO_SLOT) return true;
  }
  return false;
}

static bool is_same_line(const simt_launch_info *l, int32_t x, int32_t y) {
  const ptx_loc *a = &l->module->locs[x], *b = &l->module->locs[y];
  return a->line == b->line && a->file == b->file;
}

// One line of the source has several stores when a loop was unrolled. A store that occurs in the
// kernel more than once because its function is called more than once counts as one.
bool simt_finding_is_unrolled(const simt_findings *set, uint32_t pc) {
  const simt_launch_info *l = &set->launch;
  const int32_t at =
      set->in_launch && l->code && l->code_loc && pc < l->n_code ? l->code_loc[pc] : -1;
  uint32_t first_line = 0; // in the PTX
  for (uint32_t i = 0; at >= 0 && i < l->n_code; i++) {
    const simt_instr *in = &l->code[i];
    if (in->form != ISA_STORE || in->loc < 0 || !is_same_line(l, in->loc, at)) continue;
    if (first_line && first_line != in->ptx_line) return true;
    first_line = in->ptx_line;
  }
  return false;
}

static ptx_type type_at(const simt_launch_info *l, uint32_t pc) {
  const simt_instr *in = simt_code_at(l, pc);
  return in && in->id < ISA_ID_COUNT ? isa_rows[in->id].type : PTX_NO_TYPE;
}

void simt_finding_locate(simt_findings *set, const simt_site *site, finding_place *out) {
  *out = (finding_place){.act = (simt_act)site->act,
                         .is_volatile = site->is_volatile,
                         .warp = site->warp,
                         .lane = site->lane,
                         .value_bytes = site->value_bytes,
                         .value = site->value};
  if (site->act == SIMT_ACT_NONE || !set->in_launch || !set->launch.module) return;
  locate_line(set, site->pc, out);
  locate_thread(&set->launch, site, out);
  if (site->value_bytes) out->type = type_at(&set->launch, site->pc);
}

void simt_finding_name_kernel(const simt_findings *set, finding_record *record) {
  char name[256];
  record->kernel[0] = '\0';
  if (!set->in_launch || !set->launch.kernel) return;
  snprintf(name, sizeof name, "%.*s", SIMT_STR_ARG(set->launch.kernel->name));
  simt_display_name(name, record->kernel, sizeof record->kernel);
}

// ---- Addresses.

static bool holds(const simt_launch_info *l, const simt_shared_variable *v, uint64_t offset) {
  uint64_t end = v->is_dynamic ? l->shared_bytes : v->offset_bytes + v->size_bytes;
  return offset >= v->offset_bytes && offset < end;
}

// The array that an access at `pc` to shared memory hit. The dynamic arrays of a kernel are one
// memory: then the one that the address was computed from is meant.
static const simt_shared_variable *shared_variable(const simt_launch_info *l, uint32_t pc,
                                                   uint64_t offset) {
  int array = l->facts.provenance && pc < l->n_code ? l->facts.provenance[pc] : -1;
  if (array >= 0 && (uint32_t)array < l->n_shared_variables &&
      holds(l, &l->shared_variables[array], offset))
    return &l->shared_variables[array];
  for (uint32_t i = 0; i < l->n_shared_variables; i++)
    if (holds(l, &l->shared_variables[i], offset)) return &l->shared_variables[i];
  return NULL;
}

// The element's number when the address is a whole number of elements from the array's start.
static int64_t element_of(uint64_t from_start, uint32_t width_bytes) {
  return width_bytes && from_start % width_bytes == 0 ? (int64_t)(from_start / width_bytes) : -1;
}

static void name_element(finding_record *record, uint64_t from_start, uint64_t size_bytes) {
  record->element = element_of(from_start, record->width_bytes);
  if (record->element == 0 && size_bytes == record->width_bytes)
    snprintf(record->target, sizeof record->target, "%s", record->symbol); // a single variable
  else if (record->element >= 0)
    snprintf(record->target, sizeof record->target, "%s[%" PRId64 "]", record->symbol,
             record->element);
  else
    snprintf(record->target, sizeof record->target, "byte %" PRIu64 " of %s", from_start,
             record->symbol);
}

static void name_shared(const simt_findings *set, const simt_finding *f, finding_record *record) {
  const simt_launch_info *l = &set->launch;
  const simt_shared_variable *v =
      set->in_launch
          ? shared_variable(l, f->second.act != SIMT_ACT_NONE ? f->second.pc : f->first.pc,
                            f->address)
          : NULL;
  if (!v) {
    snprintf(record->target, sizeof record->target, "byte %" PRIu64 " of the block's shared memory",
             f->address);
    return;
  }
  simt_display_variable(v->name.at, v->name.size, record->symbol, sizeof record->symbol);
  name_element(record, f->address - v->offset_bytes, v->is_dynamic ? 0 : v->size_bytes);
}

static const char *allocated_by(simt_allocation_kind kind) {
  switch (kind) {
  case SIMT_ALLOCATION_PINNED: return "cudaMallocHost";
  case SIMT_ALLOCATION_MANAGED: return "cudaMallocManaged";
  case SIMT_ALLOCATION_REGISTERED: return "cudaHostRegister";
  case SIMT_ALLOCATION_HEAP: return "malloc() in a kernel";
  default: return "cudaMalloc";
  }
}

static void name_global(const simt_findings *set, const simt_finding *f, finding_record *record) {
  const simt_allocation *a = set->memory ? simt_memory_find(set->memory, f->address, 1) : NULL;
  if (!a) {
    snprintf(record->target, sizeof record->target, "address 0x%" PRIx64, f->address);
    return;
  }
  uint64_t from_start = f->address - a->address;
  if (a->name) {
    simt_display_variable(a->name, strlen(a->name), record->symbol, sizeof record->symbol);
    name_element(record, from_start, a->size_bytes);
    return;
  }
  if (a->label[0] && from_start >= a->label_offset_bytes) {
    snprintf(record->symbol, sizeof record->symbol, "%s", a->label);
    from_start -= a->label_offset_bytes;
    name_element(record, from_start, 0);
    return;
  }
  record->element = element_of(from_start, record->width_bytes);
  bool whole = record->element >= 0;
  snprintf(record->target, sizeof record->target,
           "%s %" PRIu64 " of allocation #%" PRIu64 " (%s, %" PRIu64 " bytes)",
           whole ? "element" : "byte", whole ? (uint64_t)record->element : from_start, a->serial,
           allocated_by(a->kind), a->size_bytes);
}

void simt_finding_target(const simt_findings *set, const simt_finding *f, finding_record *record) {
  record->symbol[0] = record->target[0] = '\0';
  record->element = -1;
  if (f->space == PTX_SPACE_SHARED) name_shared(set, f, record);
  else if (f->space == PTX_SPACE_GLOBAL) name_global(set, f, record);
}
