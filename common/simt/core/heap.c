// SPDX-License-Identifier: MIT
// core/heap.c - malloc() and free() of device code, which `new` and `delete` call.
//
// Every block of the heap is an allocation of its own in the device's memory, of exactly the
// requested size, so that an overrun and a use after free() are found like those of cudaMalloc's
// memory. It lives until a kernel frees it, beyond the launch. malloc() returns a null pointer when
// the heap (cudaLimitMallocHeapSize) is exhausted. Kernels that use the heap run on one host
// thread.
// Not modelled: the heap's fragmentation and its bookkeeping.
#include "core/heap.h"

#include <inttypes.h>
#include <string.h>

#include "core/fault.h"
#include "core/store_buffer.h"

static const uint64_t DEFAULT_HEAP_BYTES = UINT64_C(8) << 20;

// Every allocation is aligned to 256 bytes.
uint64_t simt_heap_allocate(simt_core *core, uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t limit = core->launch->heap_bytes ? core->launch->heap_bytes : DEFAULT_HEAP_BYTES;
  const uint64_t used = simt_memory_heap_bytes(core->heap);
  uint64_t address;
  if (!size_bytes) size_bytes = 1;
  if (!alignment_bytes || (alignment_bytes & (alignment_bytes - 1)) != 0 || alignment_bytes > limit)
    return 0;
  if (used > limit || size_bytes > limit - used) return 0;
  simt_memory_align(core->heap, alignment_bytes);
  simt_status status =
      simt_memory_alloc(core->heap, size_bytes, SIMT_ALLOCATION_HEAP, NULL, &address, NULL);
  return status == SIMT_OK ? address : 0;
}

// What earlier accesses have found out about allocations is no longer valid.
static void forget_reach(simt_core *core) {
  memset(core->reach, 0, core->kernel->n_code * sizeof *core->reach);
}

bool simt_heap_release(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t lane,
                       uint64_t address) {
  const bool is_free = in->form == SIMT_FORM_HEAP; // else cudaFree(), whose mistakes end otherwise
  char why[256];
  if (!address) return true;
  forget_reach(core);
  const simt_allocation *a = simt_memory_find(core->memory, address, 1);
  if (a && a->kind == SIMT_ALLOCATION_HEAP && a->address == address) {
    simt_memory_free(core->heap, address, NULL);
    return true;
  }
  simt_memory_explain(core->memory, address, 1, why, sizeof why);
  return simt_fault(core, w, in, (int)lane, is_free ? SIMT_INVALID_FREE : SIMT_ILLEGAL_ADDRESS,
                    "%s() of 0x%" PRIx64 ", which does not come from malloc()%s in a kernel: %s",
                    is_free ? "free" : "cudaFree", address,
                    is_free ? " or new" : " or cudaMalloc()", why);
}

bool simt_exec_heap(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  const uint64_t *a = (const uint64_t *)(const void *)(w->regs + in->a);
  core->effects++;
  if (in->d != SIMT_NO_SLOT) {
    uint64_t *d = (uint64_t *)(void *)(w->regs + in->d);
    const uint64_t *b =
        in->b == SIMT_NO_SLOT ? NULL : (const uint64_t *)(const void *)(w->regs + in->b);
    for (SIMT_EACH_LANE(lane, mask)) d[lane] = simt_heap_allocate(core, a[lane], b ? b[lane] : 1);
    return true;
  }
  simt_held_publish(core, w, mask, ISA_SCOPE_GPU);
  for (SIMT_EACH_LANE(lane, mask))
    if (!simt_heap_release(core, w, in, lane, a[lane])) return false;
  return true;
}
