// SPDX-License-Identifier: MIT
// findings/advice.c - why a finding is a mistake, which call is probably missing, and where.
//
// A checker's own words (detail, advice) win. What is said here follows from the kind, from what
// would order the two sites, from how their lines lie, and from whether the kernel can go from the
// one to the other. It is a guess and says "likely": it assumes that lines run in their order, and
// that a jump back to an earlier line is a loop.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "findings/set.h"

static bool is_race(simt_finding_kind kind) {
  return simt_finding_checker(kind) == SIMT_CHECKER_RACECHECK;
}

// ---- Why.

const char *simt_finding_reason(const finding_record *r) {
  static const char *const reasons[] = {
      [SIMT_RELATION_NONE] = "",
      [SIMT_RELATION_LANE] = "Lanes of one warp do this in no particular order: any of them may be "
                             "the last.",
      [SIMT_RELATION_WARP] = "Nothing orders the two: lanes of a warp need not run in step, and no "
                             "__syncwarp() lies between (shuffles and votes order no memory).",
      [SIMT_RELATION_BLOCK] = "Nothing orders the two: they are in different warps, and no barrier "
                              "lies between.",
      [SIMT_RELATION_CLUSTER] = "Nothing orders the two: they are in different blocks of one "
                                "cluster, and no cluster.sync() lies between.",
      [SIMT_RELATION_GRID] = "Nothing orders the two: blocks run in any order, also at the same "
                             "time."};
  if (!is_race(r->kind) || r->kind == SIMT_FINDING_race_scope) return "";
  return r->relation <= SIMT_RELATION_GRID ? reasons[r->relation] : "";
}

// ---- Where.

typedef struct spot {
  finding_frame first, second; // the pair of lines that advice is about, in the order of execution
  bool in_call;                // they lie in a function that the kernel calls
  bool repeats;                // a loop leads from each to the other
  bool apart;                  // no thread comes to both: the two lie in different branches
  bool next_round;             // what a round writes last the next one reads first
} spot;

// The outermost frames in which two chains of calls differ: code that races because its function is
// called twice is best synchronised between the calls. Warps may have come to the sites in an order
// that the code of one thread never has: then the sites change places. Of branches (also those that
// the compiler made, for threads that can skip code) the upper one is assumed to be the first.
static spot find_spot(const finding_record *r) {
  uint32_t a = r->first.n_frames, b = r->second.n_frames;
  bool in_call = a > 1;
  while (a > 1 && b > 1 && r->first.frames[a - 1].file == r->second.frames[b - 1].file &&
         r->first.frames[a - 1].line == r->second.frames[b - 1].line)
    a--, b--;
  finding_frame first = r->first.frames[a - 1], second = r->second.frames[b - 1];
  bool in_function = in_call && a == 1;
  bool apart = !r->forward && !r->back;
  bool turned = apart ? first.file == second.file && first.line > second.line : !r->forward;
  bool repeats = (r->forward && r->back) || r->unrolled;
  if (turned) return (spot){second, first, in_function, repeats, apart, false};
  bool next_round = repeats && r->freely && first.file == second.file && first.line < second.line &&
                    r->first.act == SIMT_ACT_READ && r->second.act == SIMT_ACT_WRITE;
  return (spot){first, second, in_function, repeats, apart, next_round};
}

static bool is_one_line(const spot *s) {
  return s->first.file == s->second.file && s->first.line == s->second.line;
}

// " at the end of the loop body, after line 31" …; the leading space included.
static void say_where(const spot *s, char *out, size_t out_bytes) {
  if (s->first.file != s->second.file)
    snprintf(out, out_bytes, " after the first and before the second");
  else if (s->next_round)
    snprintf(out, out_bytes, " at the end of the loop body, after line %u, where all threads come",
             s->second.line);
  else if (s->first.line < s->second.line)
    snprintf(out, out_bytes, " between line %u and line %u%s", s->first.line, s->second.line,
             s->apart ? ", outside any branch, which all threads pass" : "");
  else
    snprintf(out, out_bytes, " at the end of the loop body%s, after line %u",
             s->in_call ? " (or of the function that is called again)" : "", s->first.line);
}

// ---- What.

// How often the array's name (or, when it is unknown, any index, or `*` in front) occurs in the
// line: once in `count[bin] += 1`, twice in `sum[t] += sum[t + stride]`.
static unsigned mentions(const char *line, const char *symbol) {
  unsigned n = 0;
  size_t length = strlen(symbol);
  for (const char *at = line; *at; at++) {
    if (!length) {
      n += *at == '[' || (*at == '*' && at == line);
      continue;
    }
    bool begins = at == line || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
    if (begins && !strncmp(at, symbol, length) && !isalnum((unsigned char)at[length]) &&
        at[length] != '_')
      n++;
  }
  return n;
}

// One statement that reads an element and writes it back, by several threads.
static bool is_update(simt_findings *set, const finding_record *r, const spot *s) {
  if (!is_one_line(s) || s->first.file == NULL || r->first.in_ptx) return false;
  const char *line = simt_finding_source_line(set, s->first.file, s->first.line);
  if (!line || mentions(line, r->symbol) != 1) return false;
  return strstr(line, "+=") || strstr(line, "++") || strstr(line, "-=") || strstr(line, "--") ||
         strstr(line, "|=") || strstr(line, "^=") || strstr(line, "&=") || strstr(line, "*=");
}

static bool is_at(const finding_place *p, const finding_frame *at) {
  return p->n_frames && p->frames[0].file == at->file && p->frames[0].line == at->line;
}

// Whether the line names the array with one index only, as in `if (v > sum[k]) sum[k] = v;` and not
// in `sum[t] += sum[t + s]`. A line that does not name it reaches it through a pointer.
static bool has_one_index(const char *line, const char *symbol) {
  const char *first = NULL;
  size_t length = strlen(symbol), first_length = 0;
  for (const char *at = line; length && (at = strstr(at, symbol)); at += length) {
    if (at[length] != '[') continue;
    size_t index = strcspn(at + length, "]");
    if (first && (index != first_length || strncmp(first, at + length, index) != 0)) return false;
    first = at + length;
    first_length = index;
  }
  return true;
}

// Reads an element a few lines before the line that several threads write it at, without an order
// between these writes: an update in several statements, `if (v > *p) *p = v` among them. A step of
// a tree that lacks a barrier is not one: there each thread writes an element of its own.
static bool is_contended_update(simt_findings *set, const finding_record *r) {
  enum { NEAR_LINES = 3 };
  const finding_place *write = r->second.act == SIMT_ACT_WRITE ? &r->second : &r->first;
  const finding_place *other = write == &r->second ? &r->first : &r->second;
  if (write->act != SIMT_ACT_WRITE || write->in_ptx || !write->n_frames || !other->n_frames)
    return false;
  const finding_frame *at = &write->frames[0], *read = &other->frames[0];
  if (read->file != at->file || read->line > at->line || at->line - read->line > NEAR_LINES)
    return false;
  const char *line = simt_finding_source_line(set, at->file, at->line);
  if (line && !has_one_index(line, r->symbol)) return false;
  bool both_write = false, reads = false;
  for (size_t i = 0; i < set->n; i++) {
    const finding_record *o = set->records[i];
    if (!is_race(o->kind) || o->space != r->space || strcmp(o->symbol, r->symbol) != 0) continue;
    both_write |= o->kind == SIMT_FINDING_race_write_after_write && is_at(&o->first, at) &&
                  is_at(&o->second, at);
    reads |= (is_at(&o->first, at) || is_at(&o->second, at)) &&
             (o->first.act == SIMT_ACT_READ || o->second.act == SIMT_ACT_READ);
  }
  return both_write && reads;
}

// In a block of one warp either would do; the kernel may be meant for larger ones. Where parts of
// the block wait by themselves, the other parts need not come to this place.
static const char *missing_call(const finding_record *r) {
  if (r->relation == SIMT_RELATION_CLUSTER) return "cluster.sync()";
  if (r->relation == SIMT_RELATION_BLOCK)
    return r->in_parts ? "a barrier of these threads (__syncthreads() only if the whole block "
                         "comes here)"
                       : "__syncthreads()";
  return r->one_warp ? "__syncthreads() (or __syncwarp(), for a block of one warp)"
                     : "__syncwarp()";
}

// One line that reads and writes: the reading of all threads must come before their writing.
static void advise_reading_first(const spot *s, const char *call, const char *where, char *out,
                                 size_t out_bytes) {
  if (!s->repeats)
    snprintf(out, out_bytes,
             "Likely missing: %s between the reading and the writing of line %u: keep what is read "
             "in a variable, wait, then write.",
             call, s->first.line);
  else
    snprintf(out, out_bytes,
             "Likely missing: %s%s. If line %u overwrites what others read in the same round, keep "
             "what is read in a variable, wait, then write.",
             call, where, s->first.line);
}

// A barrier separates one round from the next; the two accesses conflict within one round.
static void advise_one_step(const finding_record *r, const spot *s, const char *call, char *out,
                            size_t out_bytes) {
  if (r->kind == SIMT_FINDING_race_write_after_write)
    snprintf(out, out_bytes,
             "In one step two threads write the same element at line %u: which element is each "
             "thread's own? If all mean this one, let one thread write it or use an atomic.",
             s->first.line);
  else
    snprintf(out, out_bytes,
             "In one step some threads write elements that others read: check index and bound at "
             "line %u. If they are as meant: read into a variable, %s, then write.",
             s->second.line, call);
}

static void advise_inside_block(const finding_record *r, const spot *s, char *out,
                                size_t out_bytes) {
  char where[160];
  const char *call = missing_call(r);
  say_where(s, where, sizeof where);
  bool one_line = is_one_line(s);
  if (one_line && s->repeats && !r->freely) advise_one_step(r, s, call, out, out_bytes);
  else if (r->kind == SIMT_FINDING_race_write_after_write && one_line)
    snprintf(
        out, out_bytes,
        "Are all these threads to write this element? If not, the index at line %u is wrong, or "
        "what it is worked out from. If so: let one of them do it, make it an atomic or, when "
        "each round of a loop has its own writer, put %s%s.",
        s->first.line, call, where);
  else if (r->kind == SIMT_FINDING_race_write_after_write && !s->repeats)
    snprintf(
        out, out_bytes,
        "Do both threads mean this element? If not, an index at line %u or %u is wrong, or two "
        "arrays overlap. If both do: %s%s.",
        s->first.line, s->second.line, call, where);
  else if (r->kind == SIMT_FINDING_race_write_after_read && one_line)
    advise_reading_first(s, call, where, out, out_bytes);
  else if (one_line && !s->repeats) advise_reading_first(s, call, where, out, out_bytes);
  else snprintf(out, out_bytes, "Likely missing: %s%s.", call, where);
}

static void advise_grid(const finding_record *r, const spot *s, char *out, size_t out_bytes) {
  if (r->kind == SIMT_FINDING_race_write_after_write)
    snprintf(
        out, out_bytes,
        "Are both blocks to write this element? If not, the index at line %u is wrong, or what "
        "it is worked out from. If so: each block its own (by blockIdx), or an atomic.",
        s->second.line);
  else if (is_one_line(s))
    snprintf(out, out_bytes,
             "Line %u reads what other blocks write there: write to another array than the one "
             "that is read, or read and write in different launches.",
             s->first.line);
  else if (r->kind == SIMT_FINDING_race_write_after_read)
    snprintf(out, out_bytes,
             "Likely missing: an order between blocks. If one array is read and overwritten, write "
             "to a second array; else do line %u in a second launch, or use a cooperative launch "
             "and grid.sync().",
             s->second.line);
  else
    snprintf(out, out_bytes,
             "Likely missing: an order between blocks. Do line %u in a second launch; or use a "
             "cooperative launch and grid.sync(); or __threadfence() after line %u and an atomic "
             "counter that tells which block is the last.",
             s->second.line, s->first.line);
}

static void advise_race(simt_findings *set, const finding_record *r, char *out, size_t out_bytes) {
  spot s = find_spot(r);
  char where[160];
  say_where(&s, where, sizeof where);
  if (r->kind == SIMT_FINDING_race_scope)
    snprintf(out, out_bytes,
             "The threads are in different blocks: what ends in _block() reaches their own block "
             "only. Use the atomic or the fence without _block.");
  else if (r->kind == SIMT_FINDING_race_same_value)
    snprintf(out, out_bytes, "Harmless while all write the same value; one thread would do.");
  else if (r->kind == SIMT_FINDING_race_atomic && r->relation == SIMT_RELATION_GRID)
    snprintf(out, out_bytes,
             "One access is atomic, the other is not: make both atomic, or do them in different "
             "launches.");
  else if (r->kind == SIMT_FINDING_race_atomic)
    snprintf(
        out, out_bytes,
        "One access is atomic, the other is not: make both atomic (a store: atomicExch()). Or, "
        "where one is to come after the other: %s%s.",
        missing_call(r), where);
  else if (r->relation == SIMT_RELATION_LANE)
    snprintf(out, out_bytes,
             "Are all these lanes to write this element? If not, the index at line %u is wrong, or "
             "what it is worked out from. If so: let one of them do it, or make it an atomic.",
             s.second.line);
  else if (is_update(set, r, &s) || is_contended_update(set, r))
    snprintf(out, out_bytes,
             "Several threads update one element at line %u, and updates get lost: use an atomic, "
             "such as atomicAdd()%s.",
             s.second.line > s.first.line ? s.second.line : s.first.line,
             r->relation == SIMT_RELATION_GRID
                 ? " (or, under a lock, __threadfence() after taking it and before releasing it)"
                 : "");
  else if (r->relation == SIMT_RELATION_GRID) advise_grid(r, &s, out, out_bytes);
  else advise_inside_block(r, &s, out, out_bytes);
}

bool simt_finding_wants_barrier(simt_findings *set, const finding_record *r) {
  bool in_block = r->relation == SIMT_RELATION_BLOCK || r->relation == SIMT_RELATION_WARP;
  bool ordered = r->kind == SIMT_FINDING_race_write_after_read ||
                 r->kind == SIMT_FINDING_race_read_after_write;
  if (!in_block || !ordered) return false;
  const spot s = find_spot(r);
  return !is_update(set, r, &s) && !is_contended_update(set, r);
}

static const char *general_advice(simt_finding_kind kind) {
  switch (kind) {
  case SIMT_FINDING_uninitialised_shared:
    return "Shared memory holds leftovers when a block begins: write every element that is read, "
           "and put __syncthreads() between.";
  case SIMT_FINDING_uninitialised_global:
    return "cudaMalloc does not clear memory: copy data into it, cudaMemset it, or write it in a "
           "kernel first.";
  case SIMT_FINDING_outside_array:
    return "The index is beyond the array, though still inside the block's shared memory: check "
           "its bound.";
  case SIMT_FINDING_divergent_barrier:
  case SIMT_FINDING_barrier_lines:
    return "Let all threads of the block reach the same __syncthreads(): take it out of the `if`.";
  case SIMT_FINDING_absent_lane:
  case SIMT_FINDING_divergent_collective:
    return "The mask must name exactly the lanes that make this call.";
  case SIMT_FINDING_shuffle_source:
    return "A shuffle gives a value only from a lane that takes part: keep the source lane inside "
           "the mask.";
  default: return "";
  }
}

// What a fault's own text leaves open: it says what was wrong, not what to check.
static const char *fault_advice(const finding_record *r) {
  switch (r->kind) {
  case SIMT_FINDING_out_of_bounds:
    if (r->fault_space == SIMT_SPACE_NONE) return ""; // a function was given the address
    return r->fault_space == SIMT_SPACE_SHARED
               ? "Check the index against the size of the array; memory of `extern __shared__` is "
                 "what the launch asks for, in bytes."
               : "Check the index against the number of elements, also in the last block, and the "
                 "size that was allocated, in bytes.";
  case SIMT_FINDING_use_after_free:
    return "Free memory after the last kernel and the last copy that use it; other pointers into "
           "it end with it.";
  case SIMT_FINDING_deadlock:
    return r->fault_wait == SIMT_WAIT_BARRIER || r->fault_wait == SIMT_WAIT_WARP ||
                   r->fault_wait == SIMT_WAIT_GRID_SYNC || r->fault_wait == SIMT_WAIT_CLUSTER
               ? "All threads must come to the same barrier equally often: no "
                 "return before it, no `if` or loop around it that some skip."
               : "";
  default: return "";
  }
}

const char *simt_finding_advice(simt_findings *set, const finding_record *r, char *out,
                                size_t out_bytes) {
  out[0] = '\0';
  if (r->advice[0]) snprintf(out, out_bytes, "%s", r->advice);
  else if (is_race(r->kind) && r->first.n_frames && r->second.n_frames)
    advise_race(set, r, out, out_bytes);
  else snprintf(out, out_bytes, "%s", r->is_fault ? fault_advice(r) : general_advice(r->kind));
  return out;
}
