// SPDX-License-Identifier: MIT
// check/init.h - private to initcheck: its state, and what its two halves share. check/init.c sees
// what kernels do, check/init_host.c what the host does.
#ifndef SIMT_CHECK_INIT_H
#define SIMT_CHECK_INIT_H

#include "check/blocks.h"
#include "check/copies.h"
#include "check/written.h"
#include "findings/findings.h"

typedef struct simt_shared_shadow { // of a running block
  uint32_t widest;                  // as of a region
  uint32_t *origins;                // [words of the array below] 0: none
  uint64_t written[];
} simt_shared_shadow;

// Which lanes read uninitialised bytes, gathered lane by lane.
typedef struct simt_victims {
  uint32_t lanes;            // that read them for more than a copy
  uint32_t first_gaps, gaps; // uninitialised bytes of the lowest of them, and of any
  uint32_t origin;           // of the first of these bytes; 0: none
  uint16_t read[SIMT_LANES]; // of each of them: such bytes
  uint32_t copying;          // lanes that only copy some
  uint16_t copied[SIMT_LANES];
  uint32_t origins[SIMT_LANES];
} simt_victims;

// The bytes of one access.
typedef struct simt_read {
  uint32_t lanes; // 0: none
  uint32_t owner; // of SHARED memory: the block
  uint32_t width_bytes;
  uint8_t space;
  uint64_t address[SIMT_LANES];
} simt_read;

// Where uninitialised bytes were loaded first.
typedef struct simt_origin {
  uint32_t held;    // the finding about that load, of simt_findings_hold()
  uint64_t launch;  // of the load
  simt_read latest; // that the core follows
} simt_origin;

// The latest origin that a load instruction has made in this launch, and for which block.
typedef struct simt_load_origin {
  uint32_t origin, block; // origin 0: none
  uint32_t n;             // so far
} simt_load_origin;

typedef struct simt_initcheck {
  simt_observer hooks;
  simt_findings *findings;
  simt_regions regions;
  simt_origin *origins; // [n_origins]; number i is origins[i - 1]
  uint32_t n_origins, origins_capacity;
  // The running launch.
  const simt_launch_info *info;
  simt_region **hints; // [n_code]: the region that the instruction accessed last
  uint8_t *verdicts;   // [n_code]: elements << 1 | whether reading them is harmless, as last asked
  simt_load_origin *held; // [n_code]
  uint32_t n_hints;
  simt_blocks shadows; // of shared_shadow
  simt_copies copies;
} simt_initcheck;

// Whether the `n` missing bytes in front of `end`, after a written one, are taken for padding.
bool simt_initcheck_is_padding(uint64_t end, uint64_t n, uint32_t widest);
// Bytes with this origin are used: reports the load that they come from.
void simt_initcheck_release(simt_initcheck *self, uint32_t origin);

// A finding about the `reading` lanes; `gaps`: uninitialised bytes of the lowest of them.
simt_finding simt_initcheck_describe(const simt_access *a, uint32_t reading, uint32_t gaps);

// check/init_copies.c --------------------------------------------------------------------------
// The bytes of the access that are elements which are only stored again.
uint32_t simt_initcheck_copied_bytes(const simt_initcheck *self, const simt_access *a);
// A number for the finding about uninitialised bytes that the `reading` lanes load, with `gaps` in
// the lowest of them. 0: no memory left.
uint32_t simt_initcheck_origin(simt_initcheck *self, const simt_access *a, uint32_t reading,
                               uint32_t gaps);
// Keeps what the lanes have loaded for the store that it goes to.
void simt_initcheck_keep(simt_initcheck *self, const simt_access *a, const simt_victims *v);
// Lets the core follow what v->lanes have loaded. False: it cannot.
bool simt_initcheck_follow(simt_initcheck *self, const simt_access *a, const simt_victims *v);
// What has just been stored was in part computed from uninitialised bytes.
void simt_initcheck_store_computed(simt_initcheck *self, const simt_access *a);
// What has just been stored is in part a copy of uninitialised bytes.
void simt_initcheck_store(simt_initcheck *self, const simt_access *a);

#endif
