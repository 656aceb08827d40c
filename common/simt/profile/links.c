// SPDX-License-Identifier: MIT
// profile/links.c - the observer that counts accesses to other devices' memory, and modelled times
// of links.
//
// Invariant: the ranges are those of the peers' memory when the launch began. They do not change
// while it runs: the host waits, and what a kernel allocates belongs to its own device.
#include "profile/links.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model.h"
#include "profile/transactions.h"

typedef struct range {
  uint64_t first, end; // addresses
  uint8_t device;
} range;

typedef struct links_observer {
  simt_observer hooks; // first: a simt_observer * is a links_observer *
  const simt_memory *memory;
  const simt_launch_info *info; // of the running launch
  uint32_t device;              // where it runs
  range *ranges; // [n] by address: memory of other devices; a worker's are the first one's
  size_t n, capacity;
  bool lost; // memory for the ranges ran out: nothing is counted
  bool is_worker;
  simt_links links;
} links_observer;

// ---- Whose memory it is.

static void add_range(const simt_allocation *a, void *data) {
  links_observer *self = data;
  const bool of_host = a->kind == SIMT_ALLOCATION_PINNED || a->kind == SIMT_ALLOCATION_MANAGED ||
                       a->kind == SIMT_ALLOCATION_REGISTERED;
  if (of_host || a->device == self->device || self->lost) return;
  if (self->n == self->capacity) {
    const size_t capacity = self->capacity ? 2 * self->capacity : 64;
    range *grown = realloc(self->ranges, capacity * sizeof *grown);
    self->lost = !grown;
    if (!grown) return;
    self->ranges = grown;
    self->capacity = capacity;
  }
  self->ranges[self->n++] = (range){a->address, a->address + a->size_bytes, a->device};
}

// The device whose memory holds the address, or -1: the running launch's own, or the host's.
static int owner_of(const links_observer *self, uint64_t address) {
  size_t low = 0, high = self->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (self->ranges[middle].end <= address) low = middle + 1;
    else high = middle;
  }
  return low < self->n && self->ranges[low].first <= address ? self->ranges[low].device : -1;
}

// ---- What an access moves.

// Compilers write an atomic whose result nothing reads as one that returns it; the GPU's assembler
// makes a reduction of it.
static bool is_result_used(const links_observer *self, const simt_access *a) {
  const simt_instr *in = simt_code_at(self->info, a->pc);
  return !a->discards_result && !(in && in->memory.is_unread);
}

static void count(links_observer *self, const simt_access *a, unsigned peer, uint32_t mask) {
  simt_device_link *there = &self->links.at[self->device][peer],
                   *back = &self->links.at[peer][self->device];
  const uint64_t sectors = simt_count_sectors(a->address, mask, a->width_bytes);
  const uint64_t lanes_bytes = (uint64_t)__builtin_popcount(mask) * a->width_bytes;
  switch ((simt_access_kind)a->kind) {
  case SIMT_LOAD: back->read_bytes += sectors * SIMT_SECTOR_BYTES; break;
  case SIMT_STORE: there->written_bytes += sectors * SIMT_SECTOR_BYTES; break;
  case SIMT_ATOMIC:
    there->atomic_bytes += lanes_bytes;
    if (is_result_used(self, a)) back->atomic_bytes += lanes_bytes;
    break;
  }
}

static void on_access(simt_observer *observer, const simt_access *a) {
  links_observer *self = (links_observer *)observer;
  if (a->space != PTX_SPACE_GLOBAL || self->n == 0) return;
  for (uint32_t left = a->mask; left != 0;) {
    const int owner = owner_of(self, a->address[simt_first_lane(left)]);
    uint32_t same = 0;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const unsigned lane = simt_first_lane(rest);
      if (owner_of(self, a->address[lane]) == owner) same |= 1u << lane;
    }
    if (owner >= 0) count(self, a, (unsigned)owner, same);
    left &= ~same;
  }
}

// ---- Life.

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  links_observer *self = (links_observer *)observer;
  memset(&self->links, 0, sizeof self->links);
  self->info = info;
  self->device = info->device;
  self->n = 0;
  self->lost = false;
  simt_memory_each(self->memory, add_range, self);
  if (self->lost) self->n = 0;
}

static simt_observer *on_fork(simt_observer *observer, uint32_t n_workers) {
  (void)n_workers;
  const links_observer *self = (const links_observer *)observer;
  links_observer *worker = malloc(sizeof *worker);
  if (!worker) return NULL;
  *worker = *self;
  worker->is_worker = true;
  memset(&worker->links, 0, sizeof worker->links);
  return &worker->hooks;
}

static void on_join(simt_observer *observer, simt_observer *worker) {
  simt_links_add(&((links_observer *)observer)->links, &((links_observer *)worker)->links);
  simt_links_observer_destroy(worker);
}

simt_observer *simt_links_observer_create(const simt_memory *memory) {
  links_observer *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->hooks = (simt_observer){.launch_begin = on_launch_begin,
                                .access = on_access,
                                .fork = on_fork,
                                .join = on_join,
                                .discard = simt_links_observer_destroy};
  self->memory = memory;
  return &self->hooks;
}

void simt_links_observer_destroy(simt_observer *observer) {
  links_observer *self = (links_observer *)observer;
  if (!self) return;
  if (!self->is_worker) free(self->ranges);
  free(self);
}

const simt_links *simt_links_of(const simt_observer *observer) {
  return &((const links_observer *)observer)->links;
}

void simt_links_add(simt_links *total, const simt_links *more) {
  for (unsigned from = 0; from < SIMT_MAX_DEVICES; from++)
    for (unsigned to = 0; to < SIMT_MAX_DEVICES; to++) {
      simt_device_link *t = &total->at[from][to];
      const simt_device_link *m = &more->at[from][to];
      t->copies += m->copies;
      t->copied_bytes += m->copied_bytes;
      t->read_bytes += m->read_bytes;
      t->written_bytes += m->written_bytes;
      t->atomic_bytes += m->atomic_bytes;
    }
}

// ---- Modelled times.

enum { HOST_FUNCTION_NS = 28350 };

double simt_host_function_ms(void) { return HOST_FUNCTION_NS * 1e-6; }

static uint64_t bytes_over(const simt_device_link *l) {
  return l->copied_bytes + l->read_bytes + l->written_bytes + l->atomic_bytes;
}

double simt_links_busy_ms(const simt_model_device *device, const simt_links *links) {
  uint64_t most = 0;
  for (unsigned one = 0; one < SIMT_MAX_DEVICES; one++) {
    uint64_t sent = 0, received = 0;
    for (unsigned other = 0; other < SIMT_MAX_DEVICES; other++) {
      sent += bytes_over(&links->at[one][other]);
      received += bytes_over(&links->at[other][one]);
    }
    if (sent > most) most = sent;
    if (received > most) most = received;
  }
  return (double)most / device->link_access_gb_per_s * 1e-6;
}

double simt_link_copy_ms(const simt_model_device *device, uint64_t size_bytes) {
  return device->link_copy_ns * 1e-6 + (double)size_bytes / device->link_copy_gb_per_s * 1e-6;
}

// NCCL cuts vectors into pieces, of which one is added up while the next is on its way. What it
// takes until all stages have one: these bytes once more, or what there is, by the rows across/nccl
// of figures/data/h200-many-gpus.csv.
enum { PIPELINE_BYTES = 8 << 20 };

// All devices send and receive at the same time; a step begins when the one before has arrived.
double simt_link_steps_ms(const simt_model_device *device, uint64_t n_steps,
                          uint64_t busiest_bytes) {
  const uint64_t first = busiest_bytes < PIPELINE_BYTES ? busiest_bytes : PIPELINE_BYTES;
  return device->launch_ns * 1e-6 + (double)n_steps * device->signal_ns * 1e-6 +
         (double)(busiest_bytes + first) / device->link_both_gb_per_s * 1e-6;
}
