// SPDX-License-Identifier: MIT
// findings/findings.h - what went wrong, as data: a set with one finding per pair of source lines,
// each with a count and one witness, and its two renderings, text for people and JSON for tools.
//
// A checker fills a simt_finding (by value; see the fields) and adds it. The set keeps one witness
// of each (kind, first line, second line, space), the first with the widest relation, and counts
// the rest, so a checker need not look for duplicates. Lines inside the headers of the CUDA
// toolkit or of the compiler are reported as the line that uses them. Source lines are quoted
// from the files that the PTX's .file directives name, when a reader gives their text.
// Ownership: a set owns copies of everything; a module may be unloaded after findings about it.
// Exhaustion of memory: the finding is counted in `n_lost`, never fatal.
#ifndef SIMT_FINDINGS_H
#define SIMT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "device/fault.h"
#include "device/observer.h"

const char *simt_checker_name(simt_checker checker); // "racecheck"

typedef enum simt_severity { SIMT_SEVERITY_NOTE, SIMT_SEVERITY_ERROR } simt_severity;

typedef enum simt_finding_kind {
#define SIMT_FINDING(name, checker, severity, title) SIMT_FINDING_##name,
#include "findings/findings.def"
#undef SIMT_FINDING
  SIMT_FINDING_COUNT
} simt_finding_kind;
const char *simt_finding_name(simt_finding_kind kind);
simt_checker simt_finding_checker(simt_finding_kind kind);
const char *simt_finding_title(simt_finding_kind kind); // "race: read after write"
// Unless simt_findings_raise() says otherwise.
simt_severity simt_finding_severity(simt_finding_kind kind);

// What a thread did at a place in the code.
typedef enum simt_act {
  SIMT_ACT_NONE, // the finding has no such site
  SIMT_ACT_READ,
  SIMT_ACT_WRITE,
  SIMT_ACT_ATOMIC,
  SIMT_ACT_BARRIER,
  SIMT_ACT_SYNCWARP,
  SIMT_ACT_SHUFFLE,
  SIMT_ACT_VOTE, // vote, match, redux
  SIMT_ACT_FENCE,
  SIMT_ACT_EXIT,
  SIMT_ACT_EXECUTE // any other instruction
} simt_act;

typedef struct simt_site {
  uint8_t act; // simt_act
  bool is_volatile;
  uint32_t pc;          // dense instruction index of the launched kernel
  uint32_t block, warp; // linear
  int32_t lane;         // -1: the warp as a whole
  uint8_t value_bytes;  // 0: value unknown; else 1, 2, 4, 8
  uint64_t value;       // what is stored, added or (a read) found there
} simt_site;

typedef struct simt_finding {
  simt_finding_kind kind;
  simt_site first, second; // in the order in which they ran; second.act NONE: one site only
  uint8_t relation;        // simt_relation
  uint8_t space;           // ptx_space of `address`; PTX_SPACE_REG: no address
  uint64_t address;        // SHARED: byte offset; GLOBAL: device address
  uint32_t width_bytes;    // of the element there
  char detail[240];        // a sentence of the checker's own about this witness, or ""
  char advice[240];        // overrides the general advice for the kind and relation; or ""
} simt_finding;

typedef struct simt_findings simt_findings;
typedef struct simt_memory simt_memory;

// NULL: out of memory. `memory` names global addresses ("in[35]", "allocation #2 + 140 bytes").
simt_findings *simt_findings_create(const simt_memory *memory);
void simt_findings_destroy(simt_findings *findings);

// Where the text of source files comes from. read: gives the whole file to `to`; false: there is no
// such file. Only names that end like source files are asked for.
typedef struct simt_source_reader {
  bool (*read)(void *data, const char *name, const simt_sink *to);
  void *data;
} simt_source_reader;
// Copied. Without a reader, findings name lines and do not quote them.
void simt_findings_set_reader(simt_findings *findings, const simt_source_reader *reader);
// The device was reset: findings stay, addresses of new ones are named by `memory`.
void simt_findings_set_memory(simt_findings *findings, const simt_memory *memory);
// The launch that sites of findings added from now on belong to; copied. What it points to must
// last until the next call; NULL: no launch is known.
void simt_findings_set_launch(simt_findings *findings, const simt_launch_info *info);
// From now on findings of this kind are errors.
void simt_findings_raise(simt_findings *findings, simt_finding_kind kind);
void simt_findings_add(simt_findings *findings, const simt_finding *finding);
// Holds a finding back, as it is now, that counts only if it turns out to matter: until it is
// released (any number of times; each counts). 0: no memory left.
uint32_t simt_findings_hold(simt_findings *findings, const simt_finding *finding);
void simt_findings_release(simt_findings *findings, uint32_t held);
// A finding without a place in a kernel (a leak, a wrong free, a copy of uninitialised memory):
// `text` says all.
void simt_findings_add_text(simt_findings *findings, simt_finding_kind kind, const char *text);

// The same about a kernel: of all findings of this kind about `kernel` (its name as it is shown)
// the first one's text is kept.
void simt_findings_add_about(simt_findings *findings, simt_finding_kind kind, const char *kernel,
                             const char *text);
// A device fault, which has been printed already: where (or NULL), what (its advice depends on the
// record) and its text.
void simt_findings_add_fault(simt_findings *findings, simt_finding_kind kind, const simt_site *site,
                             const simt_fault_info *fault, const char *text);
// What the text of the latest such fault leaves out: the source line, and what to look at.
void simt_findings_explain_fault(simt_findings *findings, const simt_sink *to);

uint64_t simt_findings_errors(const simt_findings *findings);            // distinct ones
uint64_t simt_findings_errors_but_faults(const simt_findings *findings); // without device faults
// Errors as they are reported: races between the same two lines are one.
uint64_t simt_findings_reported(const simt_findings *findings);
uint64_t simt_findings_notes(const simt_findings *findings);
// Notes as they are reported: not those on lines that an error is about.
uint64_t simt_findings_notes_reported(const simt_findings *findings);
uint64_t simt_findings_lost(const simt_findings *findings);

// Whether there are any that simt_findings_print_new() has not had yet.
bool simt_findings_has_new(const simt_findings *findings);
// Prints findings not printed before; `colour`: ANSI colours. At most `limit` in full, the rest as
// one line each (0: no limit).
void simt_findings_print_new(simt_findings *findings, const simt_sink *to, bool colour,
                             unsigned limit);
// Prints all errors but device faults, whether printed before or not: the first ones in full, the
// rest as one line each.
void simt_findings_print_errors(simt_findings *findings, const simt_sink *to, unsigned n_in_full);
// One of them as a record, from 0 in the order of printing; false, and *out all zero, behind the
// last.
bool simt_findings_at(simt_findings *findings, unsigned index, simt_finding_info *out);
// The elements of a JSON array (with the commas between them, without the brackets), all findings;
// those that are "reported" are the ones that simt_findings_reported() and …notes_reported() count.
void simt_findings_write_json(const simt_findings *findings, const simt_sink *to);

#endif
