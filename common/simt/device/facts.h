// SPDX-License-Identifier: MIT
// device/facts.h - facts about a kernel's code: computed once at load by decode/analysis, read by
// the timing model, the checkers and the reports. They belong to the module.
#ifndef SIMT_DEVICE_FACTS_H
#define SIMT_DEVICE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

// A basic block: control enters at its first instruction only and leaves at its last. Reconvergence
// markers are not instructions and not counted.
typedef struct simt_code_block {
  uint32_t first_pc, n_instrs;
  uint32_t successors[2]; // blocks that can run next; leaving the kernel is none
  uint32_t n_successors;
} simt_code_block;

// An array in shared memory. The dynamic ones (extern __shared__) all cover [offset, shared_bytes).
typedef struct simt_shared_variable {
  simt_str name; // as PTX names it, perhaps mangled
  uint64_t offset_bytes, size_bytes;
  bool is_dynamic;
} simt_shared_variable;

enum { SIMT_COPY_ELEMENTS = 4 }; // of one access, at most
#define SIMT_NO_COPY 0xffffffffu

typedef struct simt_code_facts {
  // [n_code] for accesses to shared memory: index into the launch's shared_variables of the one
  // array that the address is computed from (its provenance), or -1 when that is not known. NULL
  // when there are no shared variables.
  const int16_t *provenance;
  // [n_code] for loads: bit m says that the elements in set m (bit i for the i-th element) may be
  // loaded although the program does not need them: see simt_load_is_speculative. NULL: none.
  const uint16_t *speculative;
  // [n_code] for loads: the value is only a guess for a compare-and-swap on the same address
  // (decode/analysis/guesses.c). NULL: there are none.
  const bool *guesses;
  // [n_code] for loads: the value only decides whether an atomic on the same address is tried
  // (decode/analysis/attempts.c), which does no harm beside atomics with these operations: bits of
  // simt_attempted(); or a compare-and-swap moves the word past what it is compared with
  // (decode/analysis/levels.c). NULL: there are none.
  const uint32_t *attempts;
  // [n_code] for loads: bit i says that the i-th element is only copied to another place in memory
  // (decode/analysis/copies.c). NULL: there are none.
  const uint8_t *copied;
  // [n_code][SIMT_COPY_ELEMENTS] for stores: where a copied element comes from: the load's pc *
  // SIMT_COPY_ELEMENTS + its index in that load; otherwise SIMT_NO_COPY. Set together with
  // `copied`.
  const uint32_t *copy_sources;
  // 32-bit registers per thread, an estimate: the largest number that is live at one instruction.
  uint32_t registers;
  // As far as the code shows, every atomic on global memory has one address per warp. Compilers
  // then add up integer operands within the warp and issue a single operation.
  bool atomics_are_uniform;
  // The order of atomics may affect results: they are on floats, or their return values are used.
  bool atomics_show_order;
  // No block learns anything from another one of its launch, or shows otherwise that it ran than by
  // what it stores: no fence, volatile or acquiring access, result of an atomic that is used,
  // printf, trap, malloc or call.
  bool blocks_are_alone;
  // What is read from memory decides a branch, an address or who takes part in something.
  bool loads_decide;
} simt_code_facts;

#endif
