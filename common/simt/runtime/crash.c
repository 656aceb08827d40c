// SPDX-License-Identifier: MIT
// runtime/crash.c - what is still said when a signal ends the program: that host code touched the
// device's memory, what the checkers found until then, and the report.
//
// Only where the program leaves the signal's action to the system, and with the same end: by that
// signal.
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "device/memory_tables.h"
#include "runtime/runtime.h"

enum { LONGEST_FAREWELL_S = 10, STATUS_OF_SIGNALS = 128 };

// The program's memory that the device knows is the host's as well, until it is freed.
static bool is_the_hosts(const simt_nearest *at) {
  return simt_is_host_kind(at->allocation->kind) && !at->is_freed;
}

static void name(const simt_allocation *a, char *out, size_t out_bytes) {
  if (a->name) snprintf(out, out_bytes, "variable '%s'", a->name);
  else if (a->label[0]) snprintf(out, out_bytes, "`%s`", a->label);
  else snprintf(out, out_bytes, "allocation #%" PRIu64, a->serial);
}

void simt_rt_explain_host_access(const rt_context *context, uint64_t address) {
  if (!address || !context->memory) return;
  const simt_nearest at = simt_memory_nearest(context->memory, address);
  if (!at.allocation || is_the_hosts(&at)) return;
  char owner[160];
  name(at.allocation, owner, sizeof owner);
  const uint64_t size_bytes = at.allocation->size_bytes;
  if (at.is_freed)
    simt_rt_say("host code uses an address at which %s lay (%" PRIu64 " bytes): it has been freed",
                owner, size_bytes);
  else
    simt_rt_say("host code reads or writes device memory at 0x%" PRIx64 ", in or near %s (%" PRIu64
                " bytes), which only kernels and copies may do: use cudaMemcpy(), or allocate it "
                "with cudaMallocManaged()",
                address, owner, size_bytes);
}

#ifdef __wasi__ // a program in a page gets no signals
void simt_rt_watch_signals(void) {}
#else
static const int WATCHED[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

static void say_farewell(int number, siginfo_t *about, void *unused) {
  (void)unused;
  signal(SIGALRM, SIG_DFL); // should it get stuck: the heap may be what is broken
  alarm(LONGEST_FAREWELL_S);
  const bool has_address = (number == SIGSEGV || number == SIGBUS) && about->si_code > 0;
  simt_rt_end_by_signal(STATUS_OF_SIGNALS + number,
                        has_address ? (uint64_t)(uintptr_t)about->si_addr : 0);
  alarm(0);
  raise(number); // its action is the system's again, and it waits until this returns
}

void simt_rt_watch_signals(void) {
  struct sigaction ours = {.sa_sigaction = say_farewell,
                           .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
  sigemptyset(&ours.sa_mask);
  for (size_t i = 0; i < sizeof WATCHED / sizeof WATCHED[0]; i++) {
    struct sigaction now;
    if (sigaction(WATCHED[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL)
      sigaction(WATCHED[i], &ours, NULL);
  }
}
#endif
