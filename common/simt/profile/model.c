// SPDX-License-Identifier: MIT
// profile/model.c - see profile/model.h. Constants that belong to a device are in
// profile/devices.def; those here are properties of the model and were fitted once to
// figures/data/h200-model.csv.
#include "profile/model.h"

#include <math.h>
#include <string.h>

// Two resources that are both nearly full slow each other down: p-norms, from soft to hard.
static const double MEMORY_NORM = 2.2;    // latency against DRAM bandwidth
static const double RESOURCE_NORM = 10.0; // all others

// Machine instructions that one PTX instruction becomes. Parameters are read from constant memory
// as operands, most moves disappear, a compare and the branch on it stay two.
static const double class_expansion[SIMT_CLASS_COUNT] = {
    [SIMT_CLASS_INTEGER] = 1,     [SIMT_CLASS_FP16] = 1,    [SIMT_CLASS_FP32] = 1,
    [SIMT_CLASS_FP64] = 1,        [SIMT_CLASS_SPECIAL] = 2, [SIMT_CLASS_DIVISION] = 19,
    [SIMT_CLASS_CONVERT] = 1,     [SIMT_CLASS_COMPARE] = 1, [SIMT_CLASS_MOVE] = 0.3,
    [SIMT_CLASS_PARAMETER] = 0.1, [SIMT_CLASS_GLOBAL] = 1,  [SIMT_CLASS_SHARED] = 1,
    [SIMT_CLASS_LOCAL] = 1,       [SIMT_CLASS_ATOMIC] = 1,  [SIMT_CLASS_BARRIER] = 1,
    [SIMT_CLASS_SHUFFLE] = 1,     [SIMT_CLASS_VOTE] = 1,    [SIMT_CLASS_BRANCH] = 1,
    [SIMT_CLASS_CONTROL] = 1,
};

static const double DIVISION_INTEGER_OPS = 16.0; // of a division's machine instructions
static const double DIVISION_SPECIAL_OPS = 3.0;
static const double DIVISION_LATENCY = 80.0; // cycles, from end to end
static const double INTEGER_SHARE = 0.4;     // of integer work that only the integer lanes can do
static const double CHAIN_ALU = 1.0;     // of a warp's instructions that wait for the one before
static const double CHAIN_SHARED = 26.0; // cycles around every turn through shared memory
static const double CHAIN_CONFLICT =
    5.0; // a turn is two loads and a store in conflict, of the unluckiest warp
static const double FLOAT_SHARED_ATOMIC_PASSES = 3.0; // a compare-and-swap loop instead of one add
static const double SHARED_ATOMIC_REQUEST = 2.0;      // passes around every shared atomic

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

// ---- occupancy ---------------------------------------------------------------------------------

static uint32_t round_up(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

uint32_t simt_model_occupancy(const simt_model_device *device, uint32_t block_threads,
                              uint64_t shared_bytes, uint32_t registers) {
  if (block_threads == 0 || block_threads > 1024 || shared_bytes > device->shared_bytes_opt_in)
    return 0;
  uint32_t threads = round_up(block_threads, SIMT_LANES);
  uint32_t blocks = device->max_threads_per_sm / threads;
  uint32_t shared = round_up((uint32_t)shared_bytes + device->shared_bytes_reserved, 128);
  if (blocks > device->max_blocks_per_sm) blocks = device->max_blocks_per_sm;
  if (shared != 0 && device->shared_bytes_per_sm / shared < blocks)
    blocks = device->shared_bytes_per_sm / shared;
  if (registers != 0) { // handed out per warp in units of 256
    uint32_t by_registers =
        device->registers_per_sm / (threads / SIMT_LANES * round_up(registers * SIMT_LANES, 256));
    if (by_registers < blocks) blocks = by_registers;
  }
  return blocks;
}

// ---- the parts ---------------------------------------------------------------------------------

// What one launch asks for, per SM where that makes sense.
typedef struct work {
  const simt_model_device *device;
  const simt_counters *c;
  double n_sms, warps_per_block, blocks, warps;
  double resident_blocks; // per SM
  double cycle_ms;
} work;

static double count_of(const work *w, simt_class class) {
  return (double)w->c->class_warp_instructions[class];
}

static double issue_cycles(const work *w) {
  double machine = 0.0;
  for (int k = 0; k < SIMT_CLASS_COUNT; k++)
    machine += count_of(w, (simt_class)k) * class_expansion[k];
  return machine / w->device->schedulers_per_sm / w->n_sms;
}

static double lane_cycles(const work *w) {
  const simt_model_device *d = w->device;
  double division = count_of(w, SIMT_CLASS_DIVISION);
  double parts[] = {
      (count_of(w, SIMT_CLASS_FP32) + count_of(w, SIMT_CLASS_FP16)) / d->lanes_fp32,
      count_of(w, SIMT_CLASS_FP64) / d->lanes_fp64,
      (count_of(w, SIMT_CLASS_INTEGER) * INTEGER_SHARE + count_of(w, SIMT_CLASS_COMPARE) +
       division * DIVISION_INTEGER_OPS) /
          d->lanes_integer,
      (count_of(w, SIMT_CLASS_SPECIAL) + count_of(w, SIMT_CLASS_CONVERT) +
       division * DIVISION_SPECIAL_OPS) /
          d->lanes_special,
  };
  double most = 0.0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) most = fmax(most, parts[i]);
  return most * (double)SIMT_LANES / w->n_sms;
}

static double shared_cycles(const work *w) {
  const simt_counters *c = w->c;
  double float_share = c->shared_atomic_lanes
                           ? (double)c->shared_atomic_float_lanes / (double)c->shared_atomic_lanes
                           : 0.0;
  double atomic =
      (double)c->shared_atomic_passes * (1.0 + float_share * (FLOAT_SHARED_ATOMIC_PASSES - 1.0)) +
      SHARED_ATOMIC_REQUEST * (double)c->shared_atomic_requests;
  double shuffle = (double)((c->shuffles + c->votes) * SIMT_LANES) / w->device->lanes_shuffle;
  return ((double)(c->shared_load_wavefronts + c->shared_store_wavefronts) + shuffle + atomic) /
         w->n_sms;
}

static double fetched_sectors(const simt_counters *c) { // not in L1
  return (double)(c->global_load_sectors - c->global_load_repeated_sectors +
                  c->global_store_sectors);
}

// Sectors that would not be there if every lane's neighbour asked for the bytes next to its own.
static double l1_cycles(const work *w) {
  const simt_counters *c = w->c;
  double requests =
      (double)(c->global_load_requests + c->global_store_requests + c->local_requests);
  double packed = (double)(c->global_load_bytes + c->global_store_bytes) / 32.0;
  double scattered = fmax(0.0, fetched_sectors(c) - packed);
  return (requests + scattered * w->device->scattered_sector_cycles +
          (double)c->global_load_repeated_sectors * w->device->repeated_sector_cycles) /
         w->n_sms;
}

static double block_cycles(const work *w) {
  double start = w->blocks * w->device->block_start_ns * 1e-6 / w->cycle_ms;
  return fmax(start, w->warps * w->device->warp_start_cycles / w->n_sms);
}

static double dram_ms(const work *w) {
  const simt_model_device *d = w->device;
  double read = (double)w->c->global_load_bytes, written = (double)w->c->global_store_bytes;
  double bytes = read + written;
  if (bytes <= 0.0) return 0.0;
  double mix = 4.0 * read * written / (bytes * bytes); // 1 when half of it is written
  return bytes / (d->dram_read_gb_per_s + mix * (d->copy_gb_per_s - d->dram_read_gb_per_s)) * 1e-6;
}

static double l2_ms(const work *w) {
  return fetched_sectors(w->c) * 32.0 / w->device->l2_gb_per_s * 1e-6;
}

static double atomic_ms(const work *w, bool are_uniform) {
  const simt_model_device *d = w->device;
  const simt_counters *c = w->c;
  if (c->global_atomic_requests == 0) return 0.0;
  double lanes = (double)c->global_atomic_lanes, requests = (double)c->global_atomic_requests;
  double float_share = (double)c->global_atomic_float_lanes / lanes;
  double gathered = are_uniform ? lanes / requests : 1.0; // by the compiler, in a warp
  double serial = (double)c->global_atomic_max_degree *
                  (float_share / d->atomic_same_float_g_per_s +
                   (1.0 - float_share) / gathered / d->atomic_same_int_g_per_s);
  double slices = ceil((double)c->global_atomic_addresses * 4.0 / d->atomic_bytes_per_slice);
  double sliced = lanes * (float_share + (1.0 - float_share) / gathered) /
                  d->atomic_slice_lanes_g_per_s / fmin(slices, d->atomic_slices);
  return fmax(serial, sliced) * 1e-6;
}

// Turns through shared memory that a block waits for, one after another. Between two barriers
// some warp waits, and so all do; a fold within a warp takes two __syncwarp per turn.
static double shared_turns(const work *w) {
  const simt_counters *c = w->c;
  double loads = (double)(c->shared_load_requests + c->shared_atomic_requests);
  double barriers = (double)c->block_barriers / w->blocks, per_warp = loads / w->warps;
  double folds = fmin((double)c->warp_syncs / w->blocks / 2.0, per_warp);
  if (c->block_barriers + c->warp_syncs == 0) return per_warp;
  return fmin(barriers + folds, loads / w->blocks);
}

// How long a block takes when nothing competes with it, but for its second and later waits for
// DRAM: those are `*loop_cycles`.
static double block_latency(const work *w, double *loop_cycles) {
  const simt_model_device *d = w->device;
  const simt_counters *c = w->c;
  double barriers = (double)c->block_barriers / w->blocks,
         groups = (double)c->global_load_groups / w->warps;
  double conflicts = c->shared_load_requests != 0
                         ? (double)c->shared_load_wavefronts / (double)c->shared_load_requests - 1.0
                         : 0.0;
  double plain = 0.0, global = (double)(c->global_load_requests + c->global_store_requests);
  for (int k = 0; k < SIMT_CLASS_COUNT; k++)
    if (k != SIMT_CLASS_DIVISION) plain += count_of(w, (simt_class)k) * class_expansion[k];
  *loop_cycles = fmax(0.0, groups - 1.0) * d->latency_dram;
  return d->block_life_cycles + d->warp_start_cycles * w->warps_per_block +
         (global > 0.0 ? d->latency_start : 0.0) +
         (c->global_store_requests != 0 ? d->latency_store : 0.0) +
         fmin(groups, 1.0) * d->latency_dram +
         shared_turns(w) *
             (d->latency_shared + CHAIN_SHARED + CHAIN_CONFLICT * fmax(0.0, conflicts)) +
         barriers * (d->latency_barrier + d->latency_barrier_per_warp * w->warps_per_block) +
         (double)(c->shuffles + c->votes) / w->warps * d->latency_shuffle +
         count_of(w, SIMT_CLASS_DIVISION) / w->warps * DIVISION_LATENCY +
         count_of(w, SIMT_CLASS_SPECIAL) / w->warps * d->latency_special +
         plain / w->warps * d->latency_alu * CHAIN_ALU;
}

static double grid_sync_cycles(const work *w) { // grows with the blocks that must be notified
  return (double)w->c->grid_syncs * w->device->latency_dram * (2.5 + 0.55 * w->resident_blocks);
}

// Part of the latency that nothing can hide: the first block's way through the machine.
static double ramp_ms(const work *w, double block_cycles_alone) {
  double cold_ms = w->c->global_load_requests != 0 ? w->device->cold_ns * 1e-6 : 0.0;
  return (block_cycles_alone + grid_sync_cycles(w)) * w->cycle_ms + cold_ms;
}

// ---- putting them together ---------------------------------------------------------------------

static double norm(const double *parts, size_t n, double p) {
  double most = 0.0, sum = 0.0;
  for (size_t i = 0; i < n; i++) most = fmax(most, parts[i]);
  if (!(most > 0.0)) return 0.0;
  for (size_t i = 0; i < n; i++) sum += pow(parts[i] / most, p);
  return most * pow(sum, 1.0 / p);
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

// Fills the parts that depend on what was counted.
static void fill_parts(simt_model_time *t, const work *w, bool are_uniform) {
  const simt_model_device *d = w->device;
  t->issue_ms = issue_cycles(w) * w->cycle_ms;
  t->lanes_ms = lane_cycles(w) * w->cycle_ms;
  t->shared_ms = shared_cycles(w) * w->cycle_ms;
  t->l1_ms = l1_cycles(w) * w->cycle_ms;
  t->barrier_ms = (double)w->c->block_barriers * w->warps_per_block * d->barrier_warp_cycles /
                  w->n_sms * w->cycle_ms;
  t->block_ms = block_cycles(w) * w->cycle_ms;
  t->l2_ms = l2_ms(w);
  t->dram_ms = dram_ms(w);
  t->atomic_ms = atomic_ms(w, are_uniform);
}

simt_model_time simt_model_explain(const simt_model_device *device, const simt_launch_info *info,
                                   const simt_counters *counters) {
  simt_model_time t = {.launch_ms = device->launch_ns * 1e-6};
  uint32_t resident = simt_model_occupancy(device, info->block_threads, info->shared_bytes, 0);
  work w = {.device = device,
            .c = counters,
            .n_sms = device->n_sms,
            .warps_per_block = info->warps_per_block,
            .blocks = (double)info->n_blocks,
            .warps = (double)info->n_blocks * info->warps_per_block,
            .resident_blocks = resident != 0 ? resident : 1,
            .cycle_ms = 1e3 / (double)device->clock_hz};
  double ramp = 0.0, overlapped_atomic = 0.0, hidden = 0.0;
  if (info->n_blocks != 0 && info->warps_per_block != 0) {
    if (w.blocks < w.n_sms) w.n_sms = w.blocks; // a small grid leaves SMs idle
    double loop, alone = block_latency(&w, &loop),
                 rounds = fmax(1.0, w.blocks / (w.n_sms * w.resident_blocks));
    fill_parts(&t, &w, info->facts.atomics_are_uniform);
    ramp = ramp_ms(&w, alone);
    hidden = (rounds * (alone + loop) - alone) * w.cycle_ms;
    t.latency_ms = ramp + hidden;
    // Blocks that all run at once do their atomics together, at the end; otherwise other blocks'
    // work goes on meanwhile.
    if (rounds > 1.0) overlapped_atomic = t.atomic_ms;
    else ramp += t.atomic_ms;
  }
  const double memory[] = {hidden, t.dram_ms};
  const double all[] = {norm(memory, 2, MEMORY_NORM),
                        t.issue_ms,
                        t.lanes_ms,
                        t.shared_ms,
                        t.l1_ms,
                        t.barrier_ms,
                        t.block_ms,
                        t.l2_ms,
                        overlapped_atomic};
  t.total_ms = t.launch_ms + ramp + norm(all, sizeof all / sizeof all[0], RESOURCE_NORM);
  t.bound = name_of_largest(&t);
  return t;
}

double simt_model_launch_ms(const simt_model_device *device, const simt_launch_info *info,
                            const simt_counters *counters) {
  return simt_model_explain(device, info, counters).total_ms;
}

double simt_model_copy_ms(const simt_model_device *device, size_t size_bytes,
                          simt_model_copy kind) {
  double bytes = (double)size_bytes, gb_per_s = device->host_gb_per_s;
  if (kind == SIMT_COPY_DEVICE_TO_DEVICE)
    gb_per_s = device->copy_gb_per_s / 2.0; // reads and writes
  if (kind == SIMT_COPY_SET) gb_per_s = device->dram_read_gb_per_s;
  return device->copy_launch_ns * 1e-6 + bytes / gb_per_s * 1e-6;
}
