// SPDX-License-Identifier: MIT
// judge_fault.c - what a failed CUDA call means: which of a kernel's usual mistakes a device fault
// comes from, or that the judge itself cannot go on.
//
// On the software GPU the fault's record decides (simt_last_fault); a GPU gives an error code only.
#include "judge_internal.h"

#include <string.h>
#include <unistd.h>

// What happened, and the next step.
static const char *const explanations[WB_CAUSE_COUNT][2] = {
    [WB_CAUSE_LANES_NOT_REACHED] =
        {"a shuffle or __syncwarp() waits for every lane in its mask, and some never arrive",
         "it must not stand inside an `if`, or after a `return`, that only some of these lanes "
         "take"},
    [WB_CAUSE_BARRIER_NOT_REACHED] =
        {"a __syncthreads() that some threads of the block never reach",
         "it must not stand inside an `if` or a loop that threads leave at different times, nor "
         "after a `return` that only some of them take"},
    [WB_CAUSE_GRID_SYNC_NOT_REACHED] =
        {"a grid.sync() that some threads of the grid never reach",
         "it must not stand inside an `if` or a loop that threads leave at different times, nor "
         "after a `return`"},
    [WB_CAUSE_GRID_SYNC_REFUSED] =
        {"grid.sync() needs a cooperative launch, and this launch is none",
         "the exercise does without it"},
    [WB_CAUSE_WAITS_FOR_MEMORY] =
        {"a loop that comes to the same word in memory again and again, and no thread that can run "
         "changes it",
         "who is to change it, and before it waits itself? In a compare-and-swap loop: does the "
         "next "
         "try start from what atomicCAS returned?"},
    [WB_CAUSE_MEMBER_MASK] =
        {"the mask must name every lane that executes this line, one bit per lane",
         "0xffffffff names all 32"},
    [WB_CAUSE_NEGATIVE_INDEX] =
        {"a negative index (a signed char, when it is above 127?), or an unsigned one that wrapped "
         "below 0",
         "what is the smallest value that the index can take?"},
    [WB_CAUSE_SHARED_INDEX] =
        {"an index past the block's shared memory, which holds what the exercise asks for and no "
         "more",
         "what is the largest value that this index can take? In a tree: is the partner's index "
         "(own "
         "+ stride) still among the values?"},
    [WB_CAUSE_INDEX] = {"a thread whose index is not below n reads or writes all the same",
                        "is the bound checked, and with < rather than <= ?"},
    [WB_CAUSE_MISALIGNED] =
        {"an access wider than the pointer's alignment",
         "a pointer to floats is a multiple of 4 only, one to bytes of 1: how many "
         "elements come before the first address that fits?"},
    [WB_CAUSE_ENDLESS_LOOP] =
        {"a loop that never ends: this one, or one that it stands in",
         "does every round bring it nearer to its end? In a compare-and-swap loop: does the next "
         "try start from the value that atomicCAS returned, and does the loop end when the swap "
         "was made?"},
    [WB_CAUSE_PRINTED_TOO_MUCH] =
        {"printf in many threads, or in a long loop",
         "print from one thread of one block only, and take it out when the mistake is found"},
    [WB_CAUSE_LAUNCH_REFUSED] = {"the kernel's parameters are not those the exercise asks for",
                                 NULL},
    [WB_CAUSE_RESOURCES] = {"more shared memory or registers than a block may have", NULL},
};

#ifdef WORKBOOK_SIMT
static wb_cause cause_of_wait(simt_fault_wait wait) {
  switch (wait) {
  case SIMT_WAIT_BARRIER: return WB_CAUSE_BARRIER_NOT_REACHED;
  case SIMT_WAIT_WARP: return WB_CAUSE_LANES_NOT_REACHED;
  case SIMT_WAIT_GRID_SYNC: return WB_CAUSE_GRID_SYNC_NOT_REACHED;
  case SIMT_WAIT_MEMORY: return WB_CAUSE_WAITS_FOR_MEMORY;
  default: return WB_CAUSE_FAULT;
  }
}

// Whether the first bytes are the array's, and the last ones are not.
static bool ends_behind(const simt_fault_info *fault) {
  return fault->kind == SIMT_FAULT_OUT_OF_BOUNDS && fault->has_allocation && !fault->is_freed &&
         fault->distance_bytes == 0 && fault->width_bytes > 1;
}

static wb_cause cause_of_fault(const simt_fault_info *fault) {
  switch (fault->kind) {
  case SIMT_FAULT_OUT_OF_BOUNDS:
    if (fault->has_allocation && fault->distance_bytes < 0) return WB_CAUSE_NEGATIVE_INDEX;
    return fault->space == SIMT_SPACE_SHARED ? WB_CAUSE_SHARED_INDEX : WB_CAUSE_INDEX;
  case SIMT_FAULT_USE_AFTER_FREE:
  case SIMT_FAULT_HOST_POINTER: return WB_CAUSE_INDEX; // far outside of the arrays
  case SIMT_FAULT_MISALIGNED: return WB_CAUSE_MISALIGNED;
  case SIMT_FAULT_UNNAMED_LANE: return WB_CAUSE_MEMBER_MASK;
  case SIMT_FAULT_INVALID_GRID_SYNC: return WB_CAUSE_GRID_SYNC_REFUSED;
  case SIMT_FAULT_DEADLOCK: return cause_of_wait(fault->wait);
  case SIMT_FAULT_INSTRUCTION_LIMIT: return WB_CAUSE_ENDLESS_LOOP;
  case SIMT_FAULT_PRINT_LIMIT: return WB_CAUSE_PRINTED_TOO_MUCH;
  default: return WB_CAUSE_FAULT;
  }
}
#endif

static wb_cause cause_of_error(cudaError_t error) {
  switch (error) {
  case cudaErrorIllegalAddress: return WB_CAUSE_INDEX;
  case cudaErrorMisalignedAddress: return WB_CAUSE_MISALIGNED;
  case cudaErrorLaunchTimeout: return WB_CAUSE_ENDLESS_LOOP;
  case cudaErrorInvalidValue: return WB_CAUSE_LAUNCH_REFUSED;
  case cudaErrorLaunchOutOfResources: return WB_CAUSE_RESOURCES;
  default: return WB_CAUSE_FAULT;
  }
}

wb_why wb_fault_of(wb_cause cause) {
  return (wb_why){cause, explanations[cause][0], explanations[cause][1]};
}

wb_why wb_fault_why(cudaError_t error) {
  wb_cause cause = cause_of_error(error);
#ifdef WORKBOOK_SIMT
  simt_fault_info fault;
  if (simt_last_fault(&fault)) {
    cause = cause_of_fault(&fault);
    if ((cause == WB_CAUSE_INDEX || cause == WB_CAUSE_SHARED_INDEX) && ends_behind(&fault))
      return (wb_why){
          cause, "an access that begins in the array and ends behind it",
          "how many bytes does the pointer's type take at once, and how many has an element? Of "
          "vectors: how many whole ones does the array hold?"};
    // Where a result goes may depend on other threads' values, not on the thread's index alone.
    if (cause == WB_CAUSE_INDEX &&
        (fault.operation == SIMT_OPERATION_STORE || fault.operation == SIMT_OPERATION_ATOMIC))
      return (wb_why){
          cause, "a result is stored outside of its array",
          "what is the largest value that this index can take? Look at its bound, and at "
          "all that it is worked out from"};
  }
#endif
  return wb_fault_of(cause);
}

// Errors that no kernel can cause: of loading, of memory that the judge asks for, of the driver.
static bool is_judges_own(cudaError_t error) {
  switch (error) {
  case cudaErrorMemoryAllocation:
  case cudaErrorInvalidPtx:
  case cudaErrorInvalidKernelImage:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorInsufficientDriver:
  case cudaErrorInitializationError:
  case cudaErrorNoDevice: return true;
  default: return false;
  }
}

// What the runtime said about a failure: the fault's diagnostic, or else what it printed on stderr,
// which the parent directs into a file so that a student reads it once and in its place.
const char *wb_judge_said(const wb_judge *judge) {
  static char said[2048];
#ifdef WORKBOOK_SIMT
  if (*simt_last_diagnostic()) return simt_last_diagnostic();
#endif
  ssize_t size = judge->said_from < 0 ? 0 : pread(2, said, sizeof said - 1, judge->said_from);
  said[size > 0 ? size : 0] = '\0';
  for (char *end = said + strlen(said); end > said && end[-1] == '\n';) *--end = '\0';
  return said;
}

void wb_judge_fault_cause(wb_judge *judge, wb_fault_cause cause) { judge->fault_cause = cause; }

void wb_judge_must(wb_judge *judge, cudaError_t error, const char *what, bool kernels_own) {
  if (error == cudaSuccess) return;
  const char *diagnostic = wb_judge_said(judge), *gap = *diagnostic ? "\n" : "";
  if (!kernels_own || is_judges_own(error))
    wb_judge_break(judge,
                   error == cudaErrorMemoryAllocation ? WB_CAUSE_NO_MEMORY : WB_CAUSE_DEVICE_CALL,
                   "%s: %s (%s)%s%.2500s", what, cudaGetErrorString(error), cudaGetErrorName(error),
                   gap, diagnostic);
  wb_why why = wb_fault_why(error), own = WB_UNKNOWN;
  if (judge->fault_cause) own = judge->fault_cause(why.cause, judge->launch_block);
  wb_judge_fail_why(judge, own.text ? own : why, "%s: %s (%s)%s%.2500s", what,
                    cudaGetErrorString(error), cudaGetErrorName(error), gap, diagnostic);
}
