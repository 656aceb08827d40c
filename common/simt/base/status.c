// SPDX-License-Identifier: MIT
// base/status.c - names of statuses and the diagnostic's text.
//
// Invariant: diag->text is NUL-terminated whatever is written; what does not fit is cut and the
// cut is shown as "...".
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[SIMT_STATUS_COUNT] = {
    [SIMT_OK] = "ok",
    [SIMT_OUT_OF_MEMORY] = "out of memory",
    [SIMT_SYNTAX_ERROR] = "syntax error",
    [SIMT_UNSUPPORTED] = "unsupported",
    [SIMT_NOT_FOUND] = "not found",
    [SIMT_INVALID_ARGUMENT] = "invalid argument",
    [SIMT_INVALID_CONFIGURATION] = "invalid configuration",
    [SIMT_OUT_OF_RESOURCES] = "out of resources",
    [SIMT_TOO_LARGE] = "too large",
    [SIMT_ILLEGAL_ADDRESS] = "illegal address",
    [SIMT_FREED_MEMORY] = "freed memory",
    [SIMT_HOST_POINTER] = "host pointer",
    [SIMT_PEER_MEMORY] = "memory of another device",
    [SIMT_BLOCK_EXITED] = "block has exited",
    [SIMT_CLUSTER_ADDRESS] = "outside the cluster's memory",
    [SIMT_OWN_MEMORY_ONLY] = "another block's memory",
    [SIMT_READ_ONLY_MEMORY] = "read-only memory",
    [SIMT_MISALIGNED_ADDRESS] = "misaligned address",
    [SIMT_INVALID_BARRIER] = "invalid barrier",
    [SIMT_UNNAMED_LANE] = "lane outside the member mask",
    [SIMT_NOT_COOPERATIVE] = "not a cooperative launch",
    [SIMT_DEADLOCK] = "deadlock",
    [SIMT_TIMEOUT] = "timeout",
    [SIMT_ASSERT] = "assertion failed",
    [SIMT_INVALID_CALL] = "invalid call",
    [SIMT_STACK_OVERFLOW] = "stack overflow",
    [SIMT_INVALID_FREE] = "invalid free",
    [SIMT_PRINT_LIMIT] = "print limit",
    [SIMT_TRAP] = "trap",
};

const char *simt_status_name(simt_status status) {
  if ((unsigned)status >= SIMT_STATUS_COUNT) return "unknown status";
  return names[status];
}

bool simt_status_is_fault(simt_status status) {
  return status >= SIMT_ILLEGAL_ADDRESS && status < SIMT_STATUS_COUNT;
}

static void __attribute__((format(printf, 3, 0)))
write_at(simt_diag *diag, size_t at, const char *format, va_list args) {
  size_t room = sizeof diag->text - at;
  int n = vsnprintf(diag->text + at, room, format, args);
  if (n >= 0 && (size_t)n >= room) memcpy(diag->text + sizeof diag->text - 4, "...", 4);
}

simt_status simt_fail(simt_diag *diag, simt_status status, const char *format, ...) {
  if (diag == NULL) return status;
  diag->status = status;
  diag->text[0] = '\0';
  va_list args;
  va_start(args, format);
  write_at(diag, 0, format, args);
  va_end(args);
  return status;
}

void simt_diag_append(simt_diag *diag, const char *format, ...) {
  if (diag == NULL) return;
  size_t size = strlen(diag->text);
  if (size + 5 >= sizeof diag->text) return; // full: a "..." at the end stays there
  if (size != 0) diag->text[size++] = '\n';
  diag->text[size] = '\0';
  va_list args;
  va_start(args, format);
  write_at(diag, size, format, args);
  va_end(args);
}
