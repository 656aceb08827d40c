// SPDX-License-Identifier: MIT
// profile/model.c - see profile/model.h.
#include "profile/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/sm.h"
#include "profile/traffic.h"

static const simt_model_device devices[] = {
#include "profile/devices.def"
};

size_t simt_model_count(void) { return sizeof devices / sizeof devices[0]; }

const simt_model_device *simt_model_at(size_t index) {
  return index < simt_model_count() ? &devices[index] : NULL;
}

const simt_model_device *simt_model_find(const char *key) {
  if (key == NULL) return &devices[0];
  for (size_t i = 0; i < simt_model_count(); i++)
    if (strcmp(devices[i].key, key) == 0) return &devices[i];
  return NULL;
}

simt_unit simt_machine_op_unit(simt_machine_op op) {
  static const simt_unit units[SIMT_OP_COUNT] = {
#define SIMT_MACHINE_OP(name, unit) SIMT_UNIT_##unit,
#include "profile/machine_ops.def"
#undef SIMT_MACHINE_OP
  };
  return (unsigned)op < SIMT_OP_COUNT ? units[op] : SIMT_UNIT_NONE;
}

// ---- occupancy ---------------------------------------------------------------------------------

static uint32_t round_up(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

static uint32_t occupancy(const simt_model_device *device, uint32_t block_threads,
                          uint64_t shared_bytes, uint32_t registers, const char **limiter) {
  *limiter = "threads";
  if (block_threads == 0 || block_threads > 1024 || shared_bytes > device->shared_bytes_opt_in)
    return 0;
  uint32_t threads = round_up(block_threads, SIMT_LANES);
  uint32_t blocks = device->max_threads_per_sm / threads;
  uint32_t shared = round_up((uint32_t)shared_bytes + device->shared_bytes_reserved, 128);
  if (blocks > device->max_blocks_per_sm) {
    blocks = device->max_blocks_per_sm;
    *limiter = "blocks";
  }
  if (shared != 0 && device->shared_bytes_per_sm / shared < blocks) {
    blocks = device->shared_bytes_per_sm / shared;
    *limiter = "shared memory";
  }
  if (registers != 0) { // handed out per warp in units of 256
    uint32_t by_registers =
        device->registers_per_sm / (threads / SIMT_LANES * round_up(registers * SIMT_LANES, 256));
    if (by_registers < blocks) {
      blocks = by_registers;
      *limiter = "registers";
    }
  }
  return blocks;
}

uint32_t simt_model_resident(const simt_model_device *device, const simt_launch_info *info) {
  return simt_model_occupancy(device, info->block_threads, info->shared_bytes,
                              info->facts.registers);
}

uint32_t simt_model_occupancy(const simt_model_device *device, uint32_t block_threads,
                              uint64_t shared_bytes, uint32_t registers) {
  const char *limiter;
  return occupancy(device, block_threads, shared_bytes, registers, &limiter);
}

const char *simt_model_limiter(const simt_model_device *device, const simt_launch_info *info) {
  const char *limiter;
  uint32_t n =
      occupancy(device, info->block_threads, info->shared_bytes, info->facts.registers, &limiter);
  return info->n_blocks <= (uint64_t)n * device->n_sms ? "grid" : limiter;
}

// ---- the SM ------------------------------------------------------------------------------------

// A launch on its way through the model.
typedef struct estimate {
  const simt_model_device *device;
  const simt_launch_info *info;
  const simt_counters *counters;
  const simt_trace *trace;
  simt_plan plan;
  simt_traffic traffic;
  simt_sm_input input;
  simt_sm_result sm;
  const simt_block_trace **blocks; // [n_blocks] that the simulated SM gets
  size_t n_blocks;
  double share;  // blocks per SM
  double cycles; // of the busiest SM
  double scale;  // cycles over those that were simulated
  simt_model_time time;
} estimate;

// Of a grid that is traced as a whole, the blocks of the SM that has most to do.
static void choose_sm(estimate *e) {
  uint64_t sms = e->device->n_sms, heaviest = 0;
  double most = -1.0;
  bool whole = e->trace->n_blocks == e->info->n_blocks;
  for (uint64_t sm = 0; whole && sm < sms && sm < e->info->n_blocks; sm++) {
    double sum = 0.0;
    for (uint64_t b = sm; b < e->info->n_blocks; b += sms)
      sum += (double)e->trace->blocks[b].instructions + e->trace->blocks[b].sent;
    if (sum > most) most = sum, heaviest = sm;
  }
  for (uint64_t i = heaviest; i < e->trace->n_blocks; i += whole ? sms : 1)
    e->blocks[e->n_blocks++] = &e->trace->blocks[i];
}

// Instructions that the blocks have run over those that were traced: traces may be cut.
static double uncut(const estimate *e) {
  double ran = 0.0, recorded = 0.0;
  for (size_t i = 0; i < e->n_blocks; i++) {
    ran += (double)e->blocks[i]->instructions;
    recorded += (double)e->blocks[i]->recorded;
  }
  return recorded > 0.0 && ran > recorded ? ran / recorded : 1.0;
}

// From the traced blocks to all of the SM's: they go on ending at the rate between the end of the
// first wave and the beginning of the last.
static double carried_on(const estimate *e) {
  size_t n = e->n_blocks, resident = e->input.resident;
  double more = e->share - (double)n;
  if (more <= 0.0) return e->sm.cycles;
  size_t first = resident - 1, last = n > 2 * resident ? n - resident - 1 : n - 1;
  if (n <= resident || last <= first) return e->sm.cycles * e->share / (double)n;
  double rate = (e->sm.ended[last] - e->sm.ended[first]) / (double)(last - first);
  return e->sm.cycles + more * rate;
}

// Cycles of one block that has an SM to itself.
static double alone_cycles(const estimate *e) {
  double ended;
  simt_sm_input input = e->input;
  simt_sm_result result = {.ended = &ended};
  input.n_blocks = input.resident = 1;
  return simt_sm_run(&input, &result) ? result.cycles : 0.0;
}

// Blocks of different length, of a grid that was not traced as a whole: all SMs have as much to do
// on average; and the longest block goes on when the others are done.
static void weigh_blocks(estimate *e) {
  const simt_trace *t = e->trace;
  double sum = 0.0, most = 0.0, traced = 0.0;
  if (t->n_blocks == e->info->n_blocks) return;
  for (uint64_t i = 0; i < t->n_costs; i++) {
    sum += (double)t->cost[i];
    most = fmax(most, (double)t->cost[i]);
  }
  for (size_t i = 0; i < e->n_blocks; i++) traced += (double)e->blocks[i]->instructions;
  if (sum <= 0.0 || traced <= 0.0) return;
  double mean = sum / (double)(t->n_run ? t->n_run : t->n_costs),
         sample = traced / (double)e->n_blocks;
  e->cycles *= mean / sample;
  if (most < 2.0 * sample) return;
  // Its first access waits for DRAM no longer than a short block's does.
  const simt_model_device *d = e->device;
  double alone = alone_cycles(e), ran = (double)e->blocks[0]->instructions;
  double fixed = d->block_latency_cycles + d->block_end_cycles;
  if (e->counters->global_load_requests) fixed += d->latency_dram;
  fixed = fmin(alone, fixed);
  e->cycles = fmax(e->cycles, fixed + (alone - fixed) * most / ran);
}

// Cycles for which the blocks of a cluster keep one of its SMs busy, the one that receives most.
static double received_cycles(const estimate *e) {
  const simt_trace *t = e->trace;
  uint64_t sms = e->device->n_sms;
  double most = 0.0;
  for (uint64_t sm = 0; t->n_blocks == e->info->n_blocks && sm < sms; sm++) {
    double sum = 0.0;
    for (uint64_t b = sm; b < t->n_blocks; b += sms) sum += t->blocks[b].received;
    most = fmax(most, sum);
  }
  return most;
}

static bool simulate(estimate *e) {
  const simt_launch_info *info = e->info;
  uint32_t resident = simt_model_resident(e->device, info);
  uint64_t sms = e->device->n_sms;
  e->blocks = calloc(e->trace->n_blocks + 1, sizeof(void *));
  e->sm.ended = calloc(e->trace->n_blocks + 1, sizeof *e->sm.ended);
  if (!e->blocks || !e->sm.ended || e->trace->n_blocks == 0) return false;
  choose_sm(e);
  double read = e->traffic.dram_read_bytes, written = e->traffic.dram_write_bytes;
  double total = read + written;
  e->share = ceil((double)info->n_blocks / (double)sms);
  e->input =
      (simt_sm_input){.device = e->device,
                      .info = info,
                      .plan = &e->plan,
                      .blocks = e->blocks,
                      .n_blocks = e->n_blocks,
                      .resident = resident ? resident : 1,
                      .active_sms = info->n_blocks < sms ? (double)info->n_blocks : (double)sms,
                      .dram_pairs = e->traffic.dram_pairs,
                      .write_share = e->traffic.write_share,
                      .dram_mix = total > 0.0 ? 4.0 * read * written / (total * total) : 0.0};
  if (e->input.resident > e->n_blocks) e->input.resident = (uint32_t)e->n_blocks;
  if (!simt_sm_run(&e->input, &e->sm)) return false;
  e->cycles = carried_on(e) * uncut(e);
  weigh_blocks(e);
  e->cycles = fmax(e->cycles, received_cycles(e));
  e->scale = e->sm.cycles > 0.0 ? e->cycles / e->sm.cycles : 1.0;
  return true;
}

// ---- what one SM does not show -----------------------------------------------------------------

// Atomics that meet at one address, and at few: of the whole device.
static double atomic_ms(const estimate *e) {
  const simt_model_device *d = e->device;
  const simt_counters *c = e->counters;
  if (c->global_atomic_requests == 0) return 0.0;
  double lanes = (double)c->global_atomic_lanes, requests = (double)c->global_atomic_requests;
  double float_share = (double)c->global_atomic_float_lanes / lanes;
  double gathered = e->info->facts.atomics_are_uniform ? lanes / requests : 1.0;
  double serial = (double)c->global_atomic_max_degree *
                  (float_share / d->atomic_same_float_g_per_s +
                   (1.0 - float_share) / gathered / d->atomic_same_int_g_per_s);
  unsigned at = c->global_atomic_addresses
                    ? 63 - (unsigned)__builtin_clzll(c->global_atomic_addresses)
                    : 0; // the power of two below
  if (at >= SIMT_ATOMIC_SIZES) at = SIMT_ATOMIC_SIZES - 1;
  double share = simt_trace_share(e->trace, e->info->n_blocks);
  double far = (double)e->trace->far_atomic_lanes / share / lanes;
  double near_ns = float_share / d->atomic_near_float[at] +
                   (1.0 - float_share) / gathered / d->atomic_near_int[at];
  double far_ns =
      float_share / d->atomic_far_float[at] + (1.0 - float_share) / d->atomic_far_int[at];
  return fmax(serial, lanes * ((1.0 - far) * near_ns + far * far_ns)) * 1e-6;
}

static const char *name_of_largest(const simt_model_time *t) {
  const char *const names[] = {"issue", "lanes", "shared", "l1",      "barrier", "block",
                               "l2",    "dram",  "atomic", "latency", "launch"};
  const double parts[] = {t->issue_ms,   t->lanes_ms,   t->shared_ms, t->l1_ms,
                          t->barrier_ms, t->block_ms,   t->l2_ms,     t->dram_ms,
                          t->atomic_ms,  t->latency_ms, t->launch_ms};
  size_t largest = 0;
  for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i] > parts[largest]) largest = i;
  return names[largest];
}

static double largest(const simt_model_time *t) {
  const double parts[] = {t->issue_ms, t->lanes_ms, t->shared_ms, t->l1_ms,
                          t->block_ms, t->l2_ms,    t->dram_ms,   t->atomic_ms};
  double most = 0.0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) most = fmax(most, parts[i]);
  return most;
}

static void fill_parts(estimate *e) {
  simt_model_time *t = &e->time;
  const simt_sm_result *sm = &e->sm;
  double cycle_ms = 1e3 / (double)e->device->clock_hz, scaled = cycle_ms * e->scale;
  double unit = 0.0;
  for (int u = SIMT_UNIT_FMA; u <= SIMT_UNIT_XU; u++) unit = fmax(unit, sm->unit[u]);
  bool uses_global = e->counters->global_load_requests || e->counters->global_store_requests;
  bool uses_shared = e->counters->shared_load_requests || e->counters->shared_store_requests ||
                     e->counters->shared_atomic_requests || e->counters->shuffles;
  t->issue_ms = sm->issue * scaled;
  t->lanes_ms = unit * scaled;
  t->shared_ms = uses_shared || !uses_global ? fmax(sm->lsu, sm->network) * scaled : 0.0;
  t->l1_ms = uses_global && !uses_shared ? sm->lsu * scaled : 0.0;
  t->l2_ms = sm->port * scaled;
  t->dram_ms = sm->dram * scaled;
  t->atomic_ms = fmax(atomic_ms(e), sm->atomic * scaled);
  t->block_ms =
      e->share *
      fmax(e->device->block_start_cycles, e->device->warp_start_cycles * e->info->warps_per_block) *
      cycle_ms;
  t->l1_sectors = (double)sm->l1_sectors;
  t->l1_hits = (double)sm->l1_hits;
}

// The whole: what a launch costs, and on top of it what the busiest SM does or what holds all up.
static void add_up(estimate *e) {
  simt_model_time *t = &e->time;
  const simt_model_device *d = e->device;
  double cycle_ms = 1e3 / (double)d->clock_hz;
  fill_parts(e);
  double work = e->cycles * cycle_ms;
  bool loads = e->counters->global_load_requests || e->counters->global_atomic_requests;
  if (loads && t->dram_read_bytes > 0.0)
    work += d->first_touch_ns * 1e-6 * e->input.active_sms / d->n_sms;
  t->latency_ms = fmax(0.0, work - largest(t));
  work = fmax(work, t->atomic_ms);
  t->launch_ms = d->launch_gap_ns * 1e-6;
  t->total_ms = t->launch_ms + work;
  t->bound = name_of_largest(t);
}

simt_model_time simt_model_explain(const simt_model_device *device, const simt_launch_info *info,
                                   const simt_counters *counters, const simt_trace *trace,
                                   simt_l2 *l2) {
  estimate e = {.device = device, .info = info, .counters = counters, .trace = trace};
  simt_model_time *t = &e.time;
  t->launch_ms = t->total_ms = device->launch_gap_ns * 1e-6;
  t->bound = "launch";
  t->limiter = simt_model_limiter(device, info);
  t->resident_blocks = simt_model_resident(device, info);
  if (trace && simt_plan_make(&e.plan, device, info) &&
      simt_traffic_run(&e.traffic, l2, device, trace, info)) {
    t->l2_sectors = e.traffic.l2_sectors;
    t->l2_hits = e.traffic.l2_hits;
    t->dram_read_bytes = e.traffic.dram_read_bytes;
    t->dram_write_bytes = e.traffic.dram_write_bytes;
    bool whole = !trace->lost && !trace->touches.lost;
    if (simt_model_uses_cluster_memory(info) && device->cluster_latency[0] == 0.0)
      t->beyond = SIMT_CLUSTER_MEMORY;
    if (simt_model_waits_for_blocks(info)) t->beyond = SIMT_BLOCKS_WAIT;
    t->is_judged = simulate(&e) && whole && t->beyond == SIMT_NOT_BEYOND;
    t->is_sampled = e.traffic.is_sampled || simt_trace_share(trace, info->n_blocks) < 1.0 ||
                    e.share > (double)e.n_blocks;
    if (e.sm.ended && e.cycles > 0.0) add_up(&e);
  }
  free(e.blocks);
  free(e.sm.ended);
  simt_traffic_free(&e.traffic);
  simt_plan_free(&e.plan);
  return e.time;
}

double simt_model_copy_ms(const simt_model_device *device, size_t size_bytes,
                          simt_model_copy kind) {
  double bytes = (double)size_bytes, gb_per_s = device->host_gb_per_s;
  bool by_device = kind == SIMT_COPY_DEVICE_TO_DEVICE || kind == SIMT_COPY_SET;
  if (kind == SIMT_COPY_DEVICE_TO_DEVICE)
    gb_per_s = device->copy_gb_per_s / 2.0; // reads and writes
  if (kind == SIMT_COPY_SET) gb_per_s = device->dram_write_gb_per_s;
  return (by_device ? device->launch_gap_ns : device->copy_launch_ns) * 1e-6 +
         bytes / gb_per_s * 1e-6;
}
