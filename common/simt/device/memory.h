// SPDX-License-Identifier: MIT
// device/memory.h - the device's address spaces: allocations, translation, bounds.
//
// Device addresses are numbers of their own (from 0x7_0000_0000 upwards, deterministic) and never
// valid host pointers, so that host code which dereferences one fails here as it does on a GPU.
// Pinned and managed memory is the exception: there the device address *is* the host pointer.
// A generic address is global unless it lies in the shared or the local window. In the shared
// window every block of a cluster has a part of its own, by rank: window + (rank <<
// SIMT_RANK_SHIFT) + offset; without the window's base that is the address in the space
// .shared::cluster, and in .shared, where it must be the block's own rank. So without clusters,
// where the rank is 0, an address in shared memory is its offset.
//
// Several devices share one address space: every allocation belongs to one of them, and a kernel
// finds the memory of its own device, of those that it may access, and the host's.
//
// Not modelled: paging, address-space exhaustion by fragmentation.
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "base/arena.h"
#include "base/status.h"
#include "device/lane.h"
#include "device/platform.h"

#define SIMT_USUAL_DEVICE_BASE UINT64_C(0x700000000)
#ifndef SIMT_DEVICE_BASE // a host of 32 bits names one that its pointers can hold
#define SIMT_DEVICE_BASE SIMT_USUAL_DEVICE_BASE
#endif
#define SIMT_SHARED_WINDOW UINT64_C(0x100000000)
#define SIMT_SHARED_WINDOW_BYTES UINT64_C(0x1000000) // of a block
#define SIMT_RANK_SHIFT 24
#define SIMT_MOST_RANK 255 // no cluster has so many blocks
#define SIMT_CLUSTER_WINDOW_BYTES UINT64_C(0x100000000)
#define SIMT_RESERVED_SHARED_BYTES 1024 // behind a block's own, where a kernel asks for it
#define SIMT_LOCAL_WINDOW UINT64_C(0x200000000)
#define SIMT_LOCAL_WINDOW_BYTES UINT64_C(0x1000000)
#define SIMT_PARAM_WINDOW UINT64_C(0x300000000) // kernel parameters whose address is taken
#define SIMT_PARAM_WINDOW_BYTES UINT64_C(0x10000)

enum { SIMT_MAX_DEVICES = 16, SIMT_MAX_CLUSTER_BLOCKS = 16 };

typedef enum simt_allocation_kind {
  SIMT_ALLOCATION_DEVICE,     // cudaMalloc
  SIMT_ALLOCATION_PINNED,     // cudaMallocHost, cudaHostAlloc: device address == host pointer
  SIMT_ALLOCATION_MANAGED,    // cudaMallocManaged: likewise
  SIMT_ALLOCATION_REGISTERED, // the program's own memory, made known by cudaHostRegister: likewise
  SIMT_ALLOCATION_VARIABLE,   // __device__ variable of a module
  SIMT_ALLOCATION_HEAP,       // malloc() of device code; cudaFree() does not take it
  SIMT_ALLOCATION_CONSTANT    // __constant__ variable: device code may not write it
} simt_allocation_kind;

typedef struct simt_allocation {
  uint64_t address;    // device address of the first byte
  uint64_t size_bytes; // as asked for; bytes past it are out of bounds
  uint8_t *host;       // where the bytes are
  simt_allocation_kind kind;
  uint8_t device;              // its owner; of host memory: the device that asked for it
  uint32_t shared_with;        // bit mask of other devices whose kernels always find it
  uint64_t serial;             // 1, 2, 3 … in order of allocation
  const char *name;            // variable's name, or NULL; owned by the allocation
  char label[32];              // the program's name for the array in it; "": none
  uint64_t label_offset_bytes; // where that array begins
  bool is_borrowed;   // the bytes at `host` are another's: nothing is unmapped with the allocation
  uint8_t host_flags; // what the program asked for with host memory
  bool is_placed;     // at an address that had been set aside
  uint64_t n_changes; // how often something may have changed bytes that are the device's own: as
                      // long as it stays the same, so do they
} simt_allocation;

enum { SIMT_REGISTERED_READ_ONLY = 8 }; // cudaHostRegisterReadOnly
static inline bool simt_is_read_only(const simt_allocation *a) {
  return a->kind == SIMT_ALLOCATION_CONSTANT ||
         (a->kind == SIMT_ALLOCATION_REGISTERED && a->host_flags & SIMT_REGISTERED_READ_ONLY);
}

typedef struct simt_memory simt_memory;

// On the plain platform, or on another one, which must outlive it.
simt_status simt_memory_create(simt_memory **memory, uint64_t capacity_bytes);
simt_status simt_memory_create_on(simt_memory **memory, uint64_t capacity_bytes,
                                  const simt_platform *platform);
const simt_platform *simt_memory_platform(const simt_memory *memory);
void simt_memory_destroy(simt_memory *memory);

// Later allocations belong to `device`, in [0, SIMT_MAX_DEVICES), initially 0. Every device has the
// whole capacity; limits and sizes are those of the current one.
void simt_memory_set_device(simt_memory *memory, uint32_t device);
// Bit mask of the devices whose memory simt_memory_find() and simt_memory_host() find: all of them,
// except while a kernel runs. Host memory is always found.
void simt_memory_set_visible(simt_memory *memory, uint32_t devices);

// New memory holds poison (0xA5 bytes; zeros beyond 1 GiB), so that uninitialised reads
// show; variables are zeroed. size_bytes 0 gives address 0 and SIMT_OK. Pinned and managed memory
// is the host's and takes nothing of the capacity.
simt_status simt_memory_alloc(simt_memory *memory, uint64_t size_bytes, simt_allocation_kind kind,
                              const char *name, uint64_t *address, simt_diag *diag);
// The next allocation is at a multiple of `alignment_bytes`, a power of two.
void simt_memory_align(simt_memory *memory, uint64_t alignment_bytes);
// Sets addresses aside, at a multiple of `alignment_bytes`, a power of two, for memory that comes
// later.
uint64_t simt_memory_reserve(simt_memory *memory, uint64_t size_bytes, uint64_t alignment_bytes);
// Memory at an address that was set aside: with poison in it, or with the bytes at `host`, which
// stay the caller's. SIMT_INVALID_ARGUMENT where there is memory already.
simt_status simt_memory_map(simt_memory *memory, uint64_t address, uint64_t size_bytes, void *host,
                            simt_diag *diag);
// The program's own memory becomes device memory at the same address. It must not overlap other
// pinned, managed or registered memory (SIMT_INVALID_ARGUMENT); its bytes stay as they are.
simt_status simt_memory_adopt(simt_memory *memory, void *host, uint64_t size_bytes,
                              const char *name, simt_diag *diag);
// The bytes of the variable at `address` move to `host`, where the program sees them; they stay
// the program's. SIMT_NOT_FOUND when no allocation begins at `address`.
simt_status simt_memory_rehome(simt_memory *memory, uint64_t address, void *host);
// SIMT_NOT_FOUND when `address` is not the start of a live allocation (double free included).
simt_status simt_memory_free(simt_memory *memory, uint64_t address, simt_diag *diag);

// Frees everything that belongs to a device, including allocations made by kernels and registered
// memory, except module variables, which are freed with their modules. `visit` is called for each
// allocation before it goes.
void simt_memory_free_all_of(simt_memory *memory, uint32_t device,
                             void (*visit)(const simt_allocation *, void *), void *data);

// Names the array that begins at `address`, which must lie in a live allocation; otherwise does
// nothing.
void simt_memory_label(simt_memory *memory, uint64_t address, const char *label);

// Notes what the program asked for with the host memory that begins at `address`.
void simt_memory_set_flags(simt_memory *memory, uint64_t address, uint8_t flags);

// Kernels of these devices always find the allocation that begins at `address`.
void simt_memory_share(simt_memory *memory, uint64_t address, uint32_t devices);

// The allocation that contains [address, address + size_bytes), or NULL.
const simt_allocation *simt_memory_find(const simt_memory *memory, uint64_t address,
                                        uint64_t size_bytes);
// Host pointer of a device range, or NULL when the range is not inside one allocation.
uint8_t *simt_memory_host(const simt_memory *memory, uint64_t address, uint64_t size_bytes);
// The same, for bytes that the caller may change now; it is noted.
uint8_t *simt_memory_change(simt_memory *memory, uint64_t address, uint64_t size_bytes);
// Explains a miss: "4 bytes past the end of allocation #2 (1,024 bytes at 0x700000000)"; names
// freed allocations, null, shared/local windows and host pointers.
const char *simt_memory_explain(const simt_memory *memory, uint64_t address, uint32_t width_bytes,
                                char *out, size_t out_bytes);
// The allocation that contains an address, or lies so near to it that a wrong index is the likely
// cause. `distance_bytes`: -1 is the byte before its first, 1 the byte behind its last.
typedef struct simt_nearest {
  const simt_allocation
      *allocation; // NULL: none; valid until the next call that frees or allocates
  bool is_freed;
  int64_t distance_bytes;
} simt_nearest;
simt_nearest simt_memory_nearest(const simt_memory *memory, uint64_t address);
// The kind of device fault for such an access: illegal address, freed memory or host pointer.
simt_status simt_memory_fault_of(const simt_memory *memory, uint64_t address);
uint64_t simt_memory_heap_bytes(const simt_memory *memory); // of SIMT_ALLOCATION_HEAP
void simt_memory_info(const simt_memory *memory, uint64_t *free_bytes, uint64_t *total_bytes);
// Calls `visit` for every live allocation in address order.
void simt_memory_each(const simt_memory *memory, void (*visit)(const simt_allocation *, void *),
                      void *data);

#endif
