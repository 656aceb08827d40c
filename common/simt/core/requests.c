// SPDX-License-Identifier: MIT
// core/requests.c - the work that a grid asks of the device: launches of kernels, copies and sets,
// in the order of the calls, each with what it must wait for.
//
// Streams and events exist as long as the grid that has created them. The NULL stream is the
// block's; so are the two default streams under their other names. Parameter buffers lie in device
// memory, since the program's own stores fill them, and no two share bytes, so that checkers see
// none of them reused.
#include "core/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { CHUNK_BYTES = 1 << 16, BUFFER_ALIGN_BYTES = 16, HANDLE_STEP = 8 };
#define STREAM_BASE UINT64_C(0x500000000) // numbers that are no addresses
#define EVENT_BASE UINT64_C(0x580000000)

// What CUDA names instead of a stream of the program's.
enum { PER_THREAD_STREAM = 2, TAIL_STREAM, FIRE_AND_FORGET_STREAM };

typedef struct handles { // by index: what came last in the stream, or was recorded
  simt_child **items;
  uint32_t n, capacity;
} handles;

typedef struct owned { // device memory that ends with the grid
  uint64_t address;
  const char *text; // that lies there, or NULL
} owned;

struct simt_requests {
  simt_child *first, *last, *last_tail;
  handles streams, events;
  simt_buffer *buffers; // not launched yet
  uint32_t n_buffers, buffer_capacity;
  uint64_t chunk, chunk_left_bytes;
  owned *owned;
  uint32_t n_owned, owned_capacity;
};

void simt_children_free(simt_child *child) {
  while (child) {
    simt_child *next = child->next;
    free(child->params);
    free(child);
    child = next;
  }
}

simt_status simt_requests_begin(simt_core *core) {
  core->requests = calloc(1, sizeof *core->requests);
  return core->requests ? SIMT_OK
                        : simt_fail(core->diag, SIMT_OUT_OF_MEMORY,
                                    "no host memory left to run kernel '%s'", core->kernel->name);
}

void simt_requests_end(simt_core *core) {
  struct simt_requests *r = core->requests;
  if (!r) return;
  simt_children_free(r->first);
  for (uint32_t i = 0; i < r->n_owned; i++) simt_memory_free(core->heap, r->owned[i].address, NULL);
  free(r->owned);
  free(r->buffers);
  free(r->streams.items);
  free(r->events.items);
  free(r);
  core->requests = NULL;
}

simt_child *simt_requests_take(simt_core *core) {
  struct simt_requests *r = core->requests;
  if (!r) return NULL;
  simt_child *first = r->first;
  r->first = r->last = NULL;
  return first;
}

// ---- device memory -----------------------------------------------------------------------------

static uint64_t allocate(simt_core *core, uint64_t size_bytes, const char *name, const char *text) {
  struct simt_requests *r = core->requests;
  uint64_t address;
  owned *grown = simt_grow(r->owned, r->n_owned, &r->owned_capacity, sizeof *grown);
  if (!grown) return 0;
  r->owned = grown;
  if (simt_memory_alloc(core->heap, size_bytes, SIMT_ALLOCATION_VARIABLE, name, &address, NULL) !=
      SIMT_OK)
    return 0;
  r->owned[r->n_owned++] = (owned){address, text};
  return address;
}

bool simt_requests_add_buffer(simt_core *core, simt_buffer *b) {
  struct simt_requests *r = core->requests;
  if (b->size_bytes > UINT32_MAX - CHUNK_BYTES) return false;
  const uint32_t bytes = (b->size_bytes / BUFFER_ALIGN_BYTES + 1) * BUFFER_ALIGN_BYTES;
  simt_buffer *grown = simt_grow(r->buffers, r->n_buffers, &r->buffer_capacity, sizeof *grown);
  if (!grown) return false;
  r->buffers = grown;
  if (r->chunk_left_bytes < bytes) {
    const uint64_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    r->chunk = allocate(core, size, "parameters of launches by device code", NULL);
    r->chunk_left_bytes = r->chunk ? size : 0;
    if (!r->chunk) return false;
  }
  b->address = r->chunk;
  r->chunk += bytes;
  r->chunk_left_bytes -= bytes;
  r->buffers[r->n_buffers++] = *b;
  return true;
}

bool simt_requests_take_buffer(simt_core *core, uint64_t address, simt_buffer *out) {
  struct simt_requests *r = core->requests;
  for (uint32_t i = r->n_buffers; i-- > 0;) { // the latest ones are launched first
    if (r->buffers[i].address != address) continue;
    *out = r->buffers[i];
    r->buffers[i] = r->buffers[--r->n_buffers];
    return true;
  }
  return false;
}

uint64_t simt_requests_text(simt_core *core, const char *text) {
  const struct simt_requests *r = core->requests;
  for (uint32_t i = 0; i < r->n_owned; i++)
    if (r->owned[i].text == text) return r->owned[i].address;
  const size_t size = strlen(text) + 1;
  const uint64_t address = allocate(core, size, "text of a CUDA error", text);
  if (address) memcpy(simt_memory_change(core->heap, address, size), text, size);
  return address;
}

// ---- streams and events ------------------------------------------------------------------------

static uint64_t new_handle(handles *h, uint64_t base) {
  simt_child **grown = simt_grow(h->items, h->n, &h->capacity, sizeof *grown);
  if (!grown) return 0;
  h->items = grown;
  h->items[h->n] = NULL;
  return base + HANDLE_STEP * (uint64_t)h->n++;
}

static simt_child **item_of(const handles *h, uint64_t base, uint64_t handle) {
  const uint64_t at = handle - base;
  return handle >= base && at % HANDLE_STEP == 0 && at / HANDLE_STEP < h->n
             ? &h->items[at / HANDLE_STEP]
             : NULL;
}

uint64_t simt_requests_new_stream(simt_core *core) {
  return new_handle(&core->requests->streams, STREAM_BASE);
}

uint64_t simt_requests_new_event(simt_core *core) {
  return new_handle(&core->requests->events, EVENT_BASE);
}

bool simt_requests_stream(simt_core *core, simt_block *block, uint64_t handle,
                          simt_stream_end *out) {
  struct simt_requests *r = core->requests;
  *out = (simt_stream_end){.is_tail = handle == TAIL_STREAM};
  if (handle == FIRE_AND_FORGET_STREAM) return true;
  if (handle <= PER_THREAD_STREAM) out->last = &block->last_child;
  else if (handle == TAIL_STREAM) out->last = &r->last_tail;
  else out->last = item_of(&r->streams, STREAM_BASE, handle);
  return out->last != NULL;
}

simt_child **simt_requests_event(simt_core *core, uint64_t handle) {
  return item_of(&core->requests->events, EVENT_BASE, handle);
}

// ---- the record --------------------------------------------------------------------------------

int simt_requests_add(simt_core *core, const simt_stream_end *stream, const simt_child *child) {
  struct simt_requests *r = core->requests;
  simt_child *added = malloc(sizeof *added);
  if (!added) return simt_cudaErrorMemoryAllocation;
  *added = *child;
  added->is_tail = stream->is_tail;
  core->n_tails += added->is_tail;
  if (stream->last) {
    added->after = *stream->last;
    *stream->last = added;
  }
  if (r->last) r->last->next = added;
  else r->first = added;
  r->last = added;
  return simt_cudaSuccess;
}
