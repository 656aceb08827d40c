// SPDX-License-Identifier: MIT
// decode/analysis/analysis.c - see decode/analysis/analysis.h.
#include "decode/analysis/analysis.h"

static const size_t SCRATCH_LIMIT_BYTES = (size_t)1 << 29;

static bool find_all(simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  kernel->facts.atomics_show_order = simt_atomics_show_order(values, kernel);
  kernel->facts.blocks_are_alone = simt_blocks_are_alone(kernel);
  return simt_find_provenance(values, arena, kernel) &&
         simt_find_speculation(values, arena, kernel) && simt_find_guesses(values, arena, kernel) &&
         simt_find_attempts(values, arena, kernel) && simt_find_levels(values, arena, kernel) &&
         simt_find_copies(values, arena, kernel) &&
         simt_atomics_are_uniform(values, &kernel->facts.atomics_are_uniform) &&
         simt_loads_decide(values, &kernel->facts.loads_decide);
}

simt_status simt_analyse(simt_arena *arena, simt_kernel *kernel, const simt_operand *operands,
                         uint32_t n_operands, simt_diag *diag) {
  simt_arena scratch = {0};
  simt_arena_limit(&scratch, SCRATCH_LIMIT_BYTES);
  simt_values values;
  bool done = simt_values_build(&values, &scratch, kernel, operands, n_operands) &&
              find_all(&values, arena, kernel);
  simt_arena_free(&scratch);
  return done ? SIMT_OK
              : simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", kernel->name);
}
