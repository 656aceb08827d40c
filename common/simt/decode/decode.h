// SPDX-License-Identifier: MIT
// decode/decode.h - a kernel as the execution core runs it: dense instructions, their basic blocks,
// and what must be written into a warp's register file before it starts.
//
// Calls are expanded in place. Functions that recurse or whose address is taken have bodies of
// their own after the kernel's code, reached by calls and left by returns; so a kernel is one flat
// array of instructions. Every basic block begins with a marker, a pseudo-instruction that counts
// the entry and is where diverged lanes reconverge.
#ifndef SIMT_DECODE_H
#define SIMT_DECODE_H

#include "decode/cfg.h"
#include "device/instruction.h"
#include "device/observer.h"
#include "decode/module.h"

enum { SIMT_CLASS_MARKER = 0xff };

// What a fill slot holds. Constants are written once per warp context, parameters and launch
// geometry once per launch, the rest at the start of every block.
typedef enum simt_fill_kind {
  SIMT_FILL_CONSTANT,
  SIMT_FILL_PARAM, // value: offset in the parameter block
  SIMT_FILL_TID_X,
  SIMT_FILL_TID_Y,
  SIMT_FILL_TID_Z,
  SIMT_FILL_CTAID_X,
  SIMT_FILL_CTAID_Y,
  SIMT_FILL_CTAID_Z,
  SIMT_FILL_NTID_X,
  SIMT_FILL_NTID_Y,
  SIMT_FILL_NTID_Z,
  SIMT_FILL_NCTAID_X,
  SIMT_FILL_NCTAID_Y,
  SIMT_FILL_NCTAID_Z,
  SIMT_FILL_LANEID,
  SIMT_FILL_WARPID,
  SIMT_FILL_NWARPID,
  SIMT_FILL_SMID,
  SIMT_FILL_NSMID,
  SIMT_FILL_GRIDID,
  SIMT_FILL_LANEMASK_EQ,
  SIMT_FILL_LANEMASK_LT,
  SIMT_FILL_LANEMASK_LE,
  SIMT_FILL_LANEMASK_GT,
  SIMT_FILL_LANEMASK_GE,
  SIMT_FILL_DYNAMIC_SHARED,
  SIMT_FILL_TOTAL_SHARED,    // plus `value`
  SIMT_FILL_RESERVED_SHARED, // plus `value`
  SIMT_FILL_WORKSPACE_HIGH,
  SIMT_FILL_WORKSPACE_LOW, // %envreg1, %envreg2: grid workspace pointer
  SIMT_FILL_CLUSTERID_X,
  SIMT_FILL_CLUSTERID_Y,
  SIMT_FILL_CLUSTERID_Z,
  SIMT_FILL_CLUSTER_CTAID_X,
  SIMT_FILL_CLUSTER_CTAID_Y,
  SIMT_FILL_CLUSTER_CTAID_Z,
  SIMT_FILL_CLUSTER_RANK,
  SIMT_FILL_CLUSTER_NCTAID_X,
  SIMT_FILL_CLUSTER_NCTAID_Y,
  SIMT_FILL_CLUSTER_NCTAID_Z,
  SIMT_FILL_CLUSTER_SIZE,
  SIMT_FILL_NCLUSTERID_X,
  SIMT_FILL_NCLUSTERID_Y,
  SIMT_FILL_NCLUSTERID_Z,
  SIMT_FILL_IS_CLUSTER,
  SIMT_FILL_CLOCK,
  SIMT_FILL_CLOCK_HI,
  SIMT_FILL_GLOBALTIMER, // only as the source of a mov
  SIMT_FILL_FRAME        // where the frame of the running body begins in local memory
} simt_fill_kind;

typedef struct simt_fill {
  uint32_t slot;
  uint8_t kind;        // simt_fill_kind
  uint8_t bytes;       // lane size of the slot: 4 or 8; 0: a predicate
  uint8_t param_bytes; // PARAM: bytes to read
  bool param_signed;   // PARAM: sign-extend
  bool is_shared;      // CONSTANT: an address in shared memory, which depends on the block's rank
  uint16_t provenance; // CONSTANT: 1 + the shared variable whose address it is, 0: none
  uint64_t value;
} simt_fill;

// Where a PTX register is while it is live: between instructions `first` and `last` (its first
// definition and its last use, extended over the blocks in which it is live) no other register uses
// its slot.
typedef struct simt_register {
  const ptx_function *function; // of the kernel, or of a function that was expanded into it
  simt_str name;                // "%f12"
  ptx_type type;
  uint8_t bytes; // of a lane: 4, 8, 16; 0: a predicate, one bit each
  uint32_t slot, first, last;
} simt_register;

// A function with code of its own: the target of calls.
typedef struct simt_body {
  const ptx_function *function;
  uint32_t pc;          // of the marker it begins with
  uint32_t frame_bytes; // of arguments, results and variables in local memory
  uint32_t signature;
} simt_body;

// A register that is kept while a call runs.
typedef struct simt_saved {
  uint32_t slot;
  uint8_t bytes; // of a lane; 0: a predicate
} simt_saved;

// How often running a kernel's blocks on several host threads has failed: the only part of a kernel
// that changes while it is used. Results never depend on it.
typedef struct simt_thread_attempts {
  uint32_t n_broken; // in a row: the blocks turned out to depend on each other
  uint32_t n_skip;   // launches to run on one host thread before the next attempt
} simt_thread_attempts;

struct simt_kernel {
  const simt_module *module;
  const ptx_function *function;
  char *name;
  simt_instr *code;
  uint32_t n_code;
  uint8_t *code_class, *code_width;
  int32_t *code_loc;
  uint32_t *code_ptx_line;
  simt_code_facts facts;
  simt_shared_variable *shared_variables;
  uint32_t n_shared_variables;
  simt_code_block *blocks;
  uint32_t n_blocks;
  simt_fill *fills;
  uint32_t n_fills;
  uint32_t *zero_slots; // registers that may be read before they are written: {slot, bytes} pairs
  uint32_t n_zero_slots;
  simt_register *registers; // those in use, by function; for the inspection of a running kernel
  uint32_t n_registers;
  uint32_t register_bytes; // of one warp's register file
  uint32_t scratch_slot;   // 5 x 256 bytes for collectives whose lanes stand at different places
  uint32_t registers_per_thread;
  uint64_t static_shared_bytes, dynamic_base; // dynamic shared memory starts at dynamic_base
  uint32_t local_bytes;                       // per thread, without what calls need
  simt_body *bodies;                          // [n_bodies]
  uint32_t n_bodies;
  bool makes_calls;  // other than to functions that are expanded
  simt_saved *saved; // of all calls
  uint32_t n_saved;
  bool uses_heap;            // malloc() or free()
  bool calls_runtime;        // CUDA's, above all to launch kernels
  bool prints;               // printf()
  bool uses_reserved_shared; // %reserved_smem_offset_...
  bool uses_cluster_barrier; // barrier.cluster
  bool order_matters;        // atomics, fences, volatile accesses or printf: blocks run in order
  simt_thread_attempts *attempts;
};

struct simt_module {
  simt_arena arena;
  isa_index isa; // for decoding
  ptx_module *ptx;
  simt_memory *memory;
  uint64_t *variable_address; // [ptx->n_variables]; 0: shared or extern
  uint64_t const_bytes;       // of all constant variables
  bool has_looked_for_swaps;  // swaps_words is known:
  bool swaps_words;           // there is a compare-and-swap of 32 bits
  simt_kernel *kernels;
  uint32_t n_kernels;
  simt_map kernel_names; // to indexes
  bool *is_called;       // [ptx->n_functions] has a body of its own wherever it is called
  uint32_t *taken;       // [n_taken] functions whose address is taken
  uint32_t n_taken;
};

// decode/decode.c: fills `kernel` (module and function set) or says why it cannot be run.
simt_status simt_decode_kernel(simt_module *module, simt_kernel *kernel, simt_diag *diag);

// decode/slots.c: assigns register-file offsets to virtual operands and patches the code.
// A virtual operand is a register or a fill; ids index `operands`.
typedef struct simt_operand {
  uint8_t bytes;    // lane size: 4, 8, 16; 0: a predicate
  bool is_register; // else `fill`
  simt_fill fill;
  uint32_t slot, first, last; // out; first > last: never used
} simt_operand;
simt_status simt_assign_slots(simt_arena *arena, simt_kernel *kernel, const simt_cfg *cfg,
                              simt_operand *operands, uint32_t n_operands, simt_diag *diag);

// decode/functions.c: finds the functions that recurse and those whose address is taken.
simt_status simt_find_functions(simt_module *module, simt_diag *diag);
// The number that stands for a function's address; 0: no function of this module has this name.
uint64_t simt_function_address(const simt_module *module, simt_str name);
// The function at an address, or NULL.
const ptx_function *simt_function_at(const simt_module *module, uint64_t address);

// decode/link.c: address or offset a module-level symbol stands for.
const ptx_variable *simt_module_find_variable(const simt_module *module, simt_str name,
                                              uint64_t *address);

#endif
