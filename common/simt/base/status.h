// SPDX-License-Identifier: MIT
// base/status.h - how every function of the software GPU reports failure.
//
// A function that can fail returns a simt_status; on failure it also fills the caller-owned
// simt_diag, which carries a complete sentence for the user (file, line, cause, way out).
// Nothing here prints, exits or sets errno.
#ifndef SIMT_STATUS_H
#define SIMT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum simt_status {
  SIMT_OK = 0,
  SIMT_OUT_OF_MEMORY,         // host memory or an arena limit is exhausted
  SIMT_SYNTAX_ERROR,          // the text is not PTX
  SIMT_UNSUPPORTED,           // valid PTX (or a valid call) that this simulator refuses
  SIMT_NOT_FOUND,             // no such kernel, symbol, file or allocation
  SIMT_INVALID_ARGUMENT,      // the caller's arguments make no sense
  SIMT_INVALID_CONFIGURATION, // launch geometry beyond the device's limits
  SIMT_OUT_OF_RESOURCES,      // too much shared memory, local memory or too many registers
  SIMT_TOO_LARGE,             // a cooperative launch that cannot be co-resident
  SIMT_ILLEGAL_ADDRESS,       // the first device fault: access outside any allocation
  SIMT_FREED_MEMORY,          // device fault: access to freed memory
  SIMT_HOST_POINTER,          // device fault: access to what is probably host memory
  SIMT_PEER_MEMORY,           // device fault: access to another device's memory, not enabled
  SIMT_BLOCK_EXITED,          // device fault: access to shared memory of a block that has exited
  SIMT_CLUSTER_ADDRESS,    // device fault: access to shared memory that no block of the cluster has
  SIMT_OWN_MEMORY_ONLY,    // device fault: .shared with the address of another block's memory
  SIMT_READ_ONLY_MEMORY,   // device fault: store to constant memory
  SIMT_MISALIGNED_ADDRESS, // device fault: address not a multiple of the access width
  SIMT_INVALID_BARRIER,    // device fault: no such barrier, or a wrong number of threads
  SIMT_UNNAMED_LANE,       // device fault: a lane outside the member mask takes part
  SIMT_NOT_COOPERATIVE,    // device fault: grid.sync() in an ordinary launch
  SIMT_DEADLOCK,           // device fault: threads wait for each other for ever
  SIMT_TIMEOUT,            // device fault: the instruction limit was reached
  SIMT_ASSERT,             // device fault: a device-side assert() failed
  SIMT_INVALID_CALL,       // device fault: a call through a value that is no function
  SIMT_STACK_OVERFLOW,     // device fault: calls nest too deep for the stack
  SIMT_INVALID_FREE,       // device fault: free() of a pointer not from malloc()
  SIMT_PRINT_LIMIT,        // device fault: printf printed more than the launch may
  SIMT_TRAP,               // device fault: trap instruction
  SIMT_STATUS_COUNT
} simt_status;

// Caller-owned diagnostic; `text` is always NUL-terminated, truncated when too long.
typedef struct simt_diag {
  simt_status status;
  char text[2048];
} simt_diag;

// Short, stable name of a status, e.g. "illegal address". Never NULL.
const char *simt_status_name(simt_status status);
// Whether it is the kernel that failed, not the call that loads or launches it.
bool simt_status_is_fault(simt_status status);

// Fills `diag` (may be NULL) printf-style and returns `status`, so that a caller can write
// `return simt_fail(diag, SIMT_SYNTAX_ERROR, "%s:%u: …", …);`.
simt_status simt_fail(simt_diag *diag, simt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Appends a formatted line to an existing diagnostic (used to add notes such as "in kernel f").
void simt_diag_append(simt_diag *diag, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
