// SPDX-License-Identifier: MIT
// findings/set.h - what the files behind findings/findings.h share: a finding as it is kept.
// Private to them.
//
// A record owns or interns all it says: the module, the launch and the memory it is about may be
// gone when it is printed. What needs them (source lines, names of arrays, types of values) is
// looked up once, when the record is made.
#ifndef SIMT_FINDINGS_SET_H
#define SIMT_FINDINGS_SET_H

#include "findings/findings.h"
#include "device/memory.h"

enum { FINDING_FRAMES = 4, FINDING_SENTENCE = 240, FINDING_SOURCE_LINE = 400 };

typedef struct finding_frame {
  const char *file; // interned: equal names are equal pointers
  uint32_t line;
} finding_frame;

// Where a thread was and what it did there.
typedef struct finding_place {
  simt_act act;
  bool is_volatile;
  finding_frame frames[FINDING_FRAMES]; // from the reported line outwards to the kernel's own
  uint32_t n_frames;                    // 0: no such place
  bool is_near; // the compiler gave the instruction no line: that of the nearest one with a line
  bool in_ptx;  // no source line is known at all: frames[0] is a line of the PTX
  uint32_t block[3], thread[3], warp;
  int32_t lane;
  uint8_t value_bytes;
  uint64_t value;
  ptx_type type; // of the value as the instruction names it; PTX_NO_TYPE: unknown
} finding_place;

typedef struct finding_record {
  simt_finding_kind kind;
  simt_severity severity;
  uint8_t relation, space;
  finding_place first, second;
  uint64_t address;
  uint32_t width_bytes;
  bool one_warp; // the block has a single one
  bool in_parts; // the kernel has a barrier of a part of its block
  bool unrolled; // the first site's line was compiled into several stores
  // Can the kernel go from the write of a race to its other site without a block barrier (between
  // lanes of one warp: or a __syncwarp()) on the way? If not, the two meet in one step.
  bool freely;
  bool forward, back; // can the kernel go from the first site to the second, from it to the first?
  char symbol[96];    // the array hit, as its author named it; "": none known
  int64_t element;    // in elements of width_bytes from the array's start; -1: unknown
  char target[200];   // "sum[16]", "element 35 of allocation #2 (cudaMalloc, 4096 bytes)"; ""
  char detail[FINDING_SENTENCE], advice[FINDING_SENTENCE];
  char *text; // findings without sites, and faults: all there is to say; else NULL
  char kernel[128];
  uint64_t launch;            // of the witness; 0: none
  uint32_t device, n_devices; // it ran on, of how many
  uint64_t count, n_launches, latest_launch;
  uint64_t count_in_warp; // of count: both sites in one warp
  bool printed, is_fault;
  uint8_t fault_space, fault_wait; // of a fault: simt_fault_space, simt_fault_wait
} finding_record;

struct simt_findings {
  const simt_memory *memory;
  simt_arena arena; // records and their strings
  finding_record **records;
  size_t n, capacity;
  finding_record **held; // [n_held] kept aside
  size_t n_held, held_capacity;
  const finding_record *latest_fault; // NULL: none, or no memory to keep it
  uint64_t n_errors, n_notes, n_lost;
  bool raised[SIMT_FINDING_COUNT]; // kinds that are errors here
  simt_launch_info launch;
  bool in_launch;
  struct finding_key *seen; // [SEEN] pairs of instructions of this launch that have a record
  bool seen_used;
  simt_source_reader reader;      // .read NULL: none
  struct finding_source *sources; // files read for their lines
  char source_line[FINDING_SOURCE_LINE];
  struct finding_name *names; // of files, once each
};

// findings/place.c ------------------------------------------------------------------------------
// Looks up everything that a record says about a site and about the address.
void simt_finding_locate(simt_findings *set, const simt_site *site, finding_place *out);
// Whether control can go from one instruction of the kernel to another; true where that is unknown.
bool simt_finding_reaches(const simt_findings *set, uint32_t from_pc, uint32_t to_pc);
// The same on a path without a block barrier, and, unless `block_only`, without a __syncwarp().
bool simt_finding_reaches_freely(const simt_findings *set, uint32_t from_pc, uint32_t to_pc,
                                 bool block_only);
// Whether the kernel has a barrier at which a given number of threads wait, and not all.
bool simt_finding_waits_in_parts(const simt_findings *set);
// Whether the line of `pc` was compiled into several stores.
bool simt_finding_is_unrolled(const simt_findings *set, uint32_t pc);
// The kernel's name as its author wrote it.
void simt_finding_name_kernel(const simt_findings *set, finding_record *record);
void simt_finding_target(const simt_findings *set, const simt_finding *finding,
                         finding_record *record);

// findings/source.c -----------------------------------------------------------------------------
// Line `line` of a file without its indentation and newline, or NULL. Valid until the next call.
const char *simt_finding_source_line(simt_findings *set, const char *file, uint32_t line);
void simt_finding_sources_free(simt_findings *set);

// findings/advice.c -----------------------------------------------------------------------------
// Why the two sites are a mistake: one sentence, or "".
const char *simt_finding_reason(const finding_record *record);
// What to do about it and where: one or two sentences, or "". Returns `out`.
const char *simt_finding_advice(simt_findings *set, const finding_record *record, char *out,
                                size_t out_bytes);
// Whether that is one more barrier.
bool simt_finding_wants_barrier(simt_findings *set, const finding_record *record);

// findings/sentence.c ---------------------------------------------------------------------------
// "thread (16,0,0) of block (0,0,0) (warp 0, lane 16) wrote 3.5 to sum[16]". Returns `out`.
const char *simt_finding_sentence(const finding_record *record, const finding_place *place,
                                  char *out, size_t out_bytes);
// "race: read after write, in shared memory". Returns `out`.
const char *simt_finding_headline(const finding_record *record, char *out, size_t out_bytes);

// findings/short.c ------------------------------------------------------------------------------
// All of it in one or two sentences, without lines and values. Returns `out`.
const char *simt_finding_explanation(const finding_record *record, char *out, size_t out_bytes);

// findings/text.c -------------------------------------------------------------------------------
// Whether it is reported by itself: it is not the other direction of a race that another record
// reports, nor a note on lines that an error is about.
bool simt_finding_is_reported(const simt_findings *set, const finding_record *record);

#endif
