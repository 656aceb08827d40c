// SPDX-License-Identifier: MIT
// check/checks.h - the checkers as the CUDA runtime layer uses them: one object per process, whose
// observers are added to every launch and which is notified of what the host does with device
// memory.
//
//   memcheck   accesses outside their own shared array (bounds, alignment and liveness are always
//              on: device faults), leaks, wrong frees
//   initcheck  reads of uninitialised memory; copies of it to the host; who wrote an output last
//   synccheck  barriers and warp-wide operations that the named threads do not all reach together
//              (check/sync.c), or before which some have exited (check/exited.c)
//   racecheck  unordered accesses of which one writes, shared and global memory
//
// A checker that is off does not exist: no observer, no shadow, no cost.
#ifndef SIMT_CHECKS_H
#define SIMT_CHECKS_H

#include "findings/findings.h"
#include "device/memory.h"

enum {
  SIMT_CHECK_MEMCHECK = 1,
  SIMT_CHECK_INITCHECK = 2,
  SIMT_CHECK_SYNCCHECK = 4,
  SIMT_CHECK_RACECHECK = 8,
  SIMT_CHECK_ALL = 15,
  // A part of a checker, whose findings are then errors and not notes:
  SIMT_CHECK_LEAKS = 16,  // memcheck's memory that is never freed
  SIMT_CHECK_EXITED = 32, // synccheck's threads that have left before a barrier
  SIMT_CHECK_OUTPUT = 64, // initcheck's copies to the host of memory never written
  SIMT_MAX_CHECK_OBSERVERS = 5
};

typedef struct simt_checks simt_checks;

// `checkers`: bits as above. The objects outlive every launch they watch.
simt_status simt_checks_create(simt_checks **checks, unsigned checkers, simt_memory *memory,
                               simt_findings *findings);
void simt_checks_destroy(simt_checks *checks);
// Writes the observers of all checkers that are on to out[SIMT_MAX_CHECK_OBSERVERS]; their number.
uint32_t simt_checks_observers(simt_checks *checks, simt_observer **out);

// What the host does. Ranges lie inside one allocation; others are ignored.
void simt_checks_allocated(simt_checks *checks, const simt_allocation *allocation);
void simt_checks_freed(simt_checks *checks, const simt_allocation *allocation);
void simt_checks_host_wrote(simt_checks *checks, uint64_t address, uint64_t size_bytes);
// Device to device: what is initialised stays so.
void simt_checks_copied(simt_checks *checks, uint64_t to, uint64_t from, uint64_t size_bytes);
// The host reads device memory: a finding when some of it was never written.
void simt_checks_host_reads(simt_checks *checks, uint64_t address, uint64_t size_bytes);
// At the end of the process: leaks.
void simt_checks_end(simt_checks *checks);

// The number of the launch that wrote the byte at `address` last; 0: written by the host or by no
// launch, or initcheck is off.
uint64_t simt_checks_last_writer(const simt_checks *checks, uint64_t address);
// The address of the first of these bytes that a launch wrote last, as far as its word tells; 0:
// the same, for all of them. They lie in one allocation.
uint64_t simt_checks_first_written(const simt_checks *checks, uint64_t address,
                                   uint64_t size_bytes);

// ---- One observer each, for simt_checks_create() and for tests. NULL: out of memory.
simt_observer *simt_memcheck_create(simt_findings *findings);  // check/memory.c
simt_observer *simt_initcheck_create(simt_findings *findings); // check/init.c
simt_observer *simt_synccheck_create(simt_findings *findings); // check/sync.c
simt_observer *simt_racecheck_create(simt_findings *findings); // check/race/race.c
simt_observer *simt_exitcheck_create(simt_findings *findings); // check/exited.c
void simt_memcheck_destroy(simt_observer *observer);
void simt_initcheck_destroy(simt_observer *observer);
void simt_synccheck_destroy(simt_observer *observer);
void simt_racecheck_destroy(simt_observer *observer);
void simt_exitcheck_destroy(simt_observer *observer);
// check/init.c: the shadow (check/written.c) behind the functions of the same names above.
// Without a platform, managed memory counts as written.
void simt_initcheck_set_platform(simt_observer *observer, const simt_platform *platform);
void simt_initcheck_allocated(simt_observer *observer, const simt_allocation *allocation);
void simt_initcheck_freed(simt_observer *observer, const simt_allocation *allocation);
void simt_initcheck_host_wrote(simt_observer *observer, uint64_t address, uint64_t size_bytes);
void simt_initcheck_copied(simt_observer *observer, uint64_t to, uint64_t from,
                           uint64_t size_bytes);
void simt_initcheck_host_reads(simt_observer *observer, uint64_t address, uint64_t size_bytes);
uint64_t simt_initcheck_last_writer(const simt_observer *observer, uint64_t address);
uint64_t simt_initcheck_first_written(const simt_observer *observer, uint64_t address,
                                      uint64_t size_bytes);
// check/race/race.c: memory that was freed is no longer shadowed.
void simt_racecheck_freed(simt_observer *observer, const simt_allocation *allocation);

#endif
