// SPDX-License-Identifier: MIT
// check/race/shadow.h - racecheck's memory of who accessed what: shadow of shared and global
// memory.
//
// Memory is shadowed in lines of 128 bytes. The common accesses, neighbouring lanes to neighbouring
// words or all lanes to one word, are kept as records: a *record* says which lanes accessed which
// words of the line, so that 32 words cost one comparison. A line that sees anything else is
// *spread* into cells, one for each word or, once an access is narrower than a word, one for each
// byte; cells hold the last write and the readers since. Records and cells say exactly the same,
// byte for byte.
//
// Nothing is ever cleared: accesses that happen-before every thread are older than a floor the
// caller knows (check/race/order.h), and a line whose `latest` access is older starts afresh.
// Memory is bounded; a line that cannot be allocated is NULL, and `is_full` stays set.
//
// Lenient: of the readers of one cell at most SIMT_CELL_READERS accesses are kept.
#ifndef SIMT_CHECK_SHADOW_H
#define SIMT_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIMT_LINE_BYTES = 128, SIMT_LINE_WORDS = 32, SIMT_LINE_RECORDS = 4, SIMT_CELL_READERS = 64 };

// Who did what: 22 bits of pc, the warp, and what kind of access it was.
typedef enum simt_who {
  SIMT_WHO_READ = 1,
  SIMT_WHO_WRITE = 2, // both: an atomic
  SIMT_WHO_ATOMIC = 3,
  SIMT_WHO_STRONG = 4,   // takes part in no race with other strong accesses
  SIMT_WHO_NARROW = 8,   // strong among the threads of its block only
  SIMT_WHO_VOLATILE = 16 // declared volatile
} simt_who;
enum { SIMT_WHO_WARP_SHIFT = 5, SIMT_WHO_PC_SHIFT = 10, SIMT_WHO_PC_BITS = 22 };

static inline uint32_t simt_who_make(uint32_t pc, uint32_t warp, uint32_t flags) {
  return pc << SIMT_WHO_PC_SHIFT | warp << SIMT_WHO_WARP_SHIFT | flags;
}
static inline uint32_t simt_who_warp(uint32_t who) { return who >> SIMT_WHO_WARP_SHIFT & 31; }
static inline uint32_t simt_who_pc(uint32_t who) { return who >> SIMT_WHO_PC_SHIFT; }

// How the lanes of a record share out its words.
typedef enum simt_shape {
  SIMT_SHAPE_ROW,   // byte j is lane (j + offset) >> log2_bytes, of each warp in `lanes`
  SIMT_SHAPE_LANES, // every word is accessed by all of `lanes`
  SIMT_SHAPE_WARPS  // every word is accessed by all lanes of the warps in `lanes`
} simt_shape;

typedef struct simt_record {
  uint32_t tick, who;
  uint32_t words; // of the line, bit j for word j
  uint32_t lanes;
  int16_t offset;
  uint8_t log2_bytes; // bytes per lane: 1 … 16; the words are accessed whole even so
  uint8_t shape;      // simt_shape
} simt_record;

typedef struct simt_mark { // accesses of some lanes of one warp
  uint32_t tick, who, lanes;
} simt_mark;

typedef struct simt_written {
  uint32_t tick, who; // tick 0: not written
  uint32_t value;     // what was written, or combined
  uint8_t lane;
} simt_written;

typedef struct simt_cell {
  simt_written plain, strong; // the last write of each kind (SIMT_WHO_STRONG)
  simt_mark reader;           // tick 0: none
  uint32_t more;              // further readers: index into simt_shadow.links, 0: none
  uint32_t seen;              // strong readers of `strong`, except those ordered after others here
  bool seen_by_more;          // there were more than `seen` has room for
} simt_cell;

typedef struct simt_line {
  uint32_t latest;   // tick of its last access
  uint8_t n_records; // while it is not spread
  uint8_t grain;     // bytes per cell: 4 or 1; 0: not spread
  uint8_t cell_capacity;
  bool has_values; // `values` holds what the records' writes stored
  simt_record record[SIMT_LINE_RECORDS];
  simt_cell *cells; // [128 / grain]
  uint32_t *values; // [32]
} simt_line;

typedef struct simt_link {
  simt_mark mark;
  uint32_t next;
} simt_link;

typedef struct simt_page simt_page;

// The memory limit that several shadows share.
typedef struct simt_shadow_pool {
  uint64_t used_bytes, limit_bytes;
} simt_shadow_pool;

// Of one address space: the shared memory of a block, or global memory.
typedef struct simt_shadow {
  simt_shadow_pool *pool;
  bool is_full; // something was not watched
  bool is_flat; // shared memory: lines in one array; else pages
  simt_line *lines;
  uint64_t n_lines;
  simt_page **pages; // hash table by address
  uint32_t n_pages, pages_capacity;
  simt_page *last_page;
  simt_link *links; // [0] unused
  uint32_t n_links, links_capacity, free_link;
} simt_shadow;

// Shadow of `flat_bytes` bytes from address 0, or, when that is 0, of any addresses. NULL: no
// memory. The pool outlives it.
simt_shadow *simt_shadow_create(uint64_t flat_bytes, simt_shadow_pool *pool);
void simt_shadow_destroy(simt_shadow *shadow);
// Forgets pages that lie wholly inside the range.
void simt_shadow_forget(simt_shadow *shadow, uint64_t address, uint64_t size_bytes);

// The line that holds `address`; NULL: not watched.
simt_line *simt_shadow_line(simt_shadow *shadow, uint64_t address);
// Drops all that a line holds.
void simt_line_clear(simt_shadow *shadow, simt_line *line);
// Spreads a line into cells of at most `grain` bytes; false: no memory. `existing[w]` are the lanes
// of warp w.
bool simt_line_spread(simt_shadow *shadow, simt_line *line, uint32_t grain,
                      const uint32_t *existing);
// Room for what is stored; false: no memory, values stay unknown.
bool simt_line_values(simt_shadow *shadow, simt_line *line);

// The lane that a byte of the line belongs to; see SIMT_SHAPE_ROW.
static inline uint32_t simt_record_lane(const simt_record *r, uint32_t byte) {
  return (uint32_t)((int32_t)byte + r->offset) >> r->log2_bytes;
}

// Readers of a cell, one after the other: `at` is 0 before the first; NULL: no more.
simt_mark *simt_cell_next_reader(simt_shadow *shadow, simt_cell *cell, uint32_t *at);
// Adds a reader without removing those that it makes superfluous.
void simt_cell_add_reader(simt_shadow *shadow, simt_cell *cell, const simt_mark *mark);
// Who has seen the strong write: adds one, forgets all.
void simt_cell_add_seen(simt_shadow *shadow, simt_cell *cell, const simt_mark *mark);
void simt_cell_drop_seen(simt_shadow *shadow, simt_cell *cell);
// Removes readers whose `lanes` have become 0.
void simt_cell_drop_empty(simt_shadow *shadow, simt_cell *cell);
void simt_cell_drop_readers(simt_shadow *shadow, simt_cell *cell);

#endif
