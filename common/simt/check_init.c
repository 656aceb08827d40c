// SPDX-License-Identifier: MIT
// check_init.c - initcheck: which bytes somebody wrote, who wrote each word last, and who reads
// bytes that nobody wrote.
//
// Every allocation has a bit a byte and a launch number a word, in pages that exist only once a
// kernel writes there: a page that nobody wrote is NULL, one that the host wrote whole is the
// shared page `complete`. Shared memory has a bit a byte, cleared when a block begins.
// Variables, pinned and managed memory count as written: they begin as zeros, or the host writes
// them without telling. So does memory this file was never told of.
// After a finding its bytes count as written, so that one mistake is one finding.
//
// Padding: compilers copy structures whole, gaps between their members included. A gap is taken
// for padding when it follows a written byte, is shorter than the widest element stored in that
// memory and ends where such an element can begin. It is no finding when a read or a copy also
// covers written bytes. So a hole of that shape in an array of mixed widths is missed.
//
// Speculation: compilers load a variable before they know whether it is asked for. Such loads are
// no findings (check_flow.h), and their bytes stay unwritten.
//
// Not modelled: local memory; single bytes in the question who wrote last.
#include <inttypes.h>
#include <stdlib.h>

#include "check_blocks.h"
#include "check_flow.h"
#include "check_site.h"
#include "checks.h"

enum { PAGE_BYTES = 4096, WORD_BYTES = 4, BITS = 64 };

typedef struct page {
  uint64_t written[PAGE_BYTES / BITS];
  uint32_t writer[PAGE_BYTES / WORD_BYTES]; // number of the launch; 0: the host, or nobody
  uint32_t missing;                         // bytes of the page that nobody wrote
} page;

typedef struct region { // an allocation
  uint64_t address, size_bytes, serial;
  uint64_t missing; // bytes that nobody wrote
  uint32_t widest;  // bytes of the widest element a kernel stored
  uint64_t n_pages;
  page **pages;
} region;

typedef struct shared_shadow { // of a running block
  uint32_t widest;             // as of a region
  uint64_t written[];
} shared_shadow;

typedef struct initcheck {
  simt_observer hooks;
  simt_findings *findings;
  page complete;
  region **regions; // by address
  size_t n_regions, capacity;
  // The running launch.
  const simt_launch_info *info;
  region **hints;    // [n_code]: where the instruction went last
  uint8_t *verdicts; // [n_code]: elements << 1 | whether reading them is harmless, as last asked
  uint32_t n_hints;
  simt_blocks shadows; // of shared_shadow
} initcheck;

// ---- bits --------------------------------------------------------------------------------------

// Bits [first, first + n) of one word, n in 1 … 64.
static uint64_t bits_of(uint32_t first, uint32_t n) {
  return (n == BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first;
}

// The first bit in [at, end) that is `value`, or `end`.
static uint32_t find_bit(const uint64_t *bits, uint32_t at, uint32_t end, bool value) {
  while (at < end) {
    uint64_t word = (value ? bits[at / BITS] : ~bits[at / BITS]) >> at % BITS;
    if (word) {
      at += (uint32_t)__builtin_ctzll(word);
      break;
    }
    at = at / BITS * BITS + BITS;
  }
  return at < end ? at : end;
}

static bool all_written(const uint64_t *bits, uint32_t first, uint32_t n) {
  return find_bit(bits, first, first + n, false) == first + n;
}

// Sets or clears bits [first, first + n); returns how many changed.
static uint32_t put_bits(uint64_t *bits, uint32_t first, uint32_t n, bool value) {
  uint32_t changed = 0, end = first + n;
  for (uint32_t at = first, next; at < end; at = next) {
    next = at / BITS * BITS + BITS < end ? at / BITS * BITS + BITS : end;
    uint64_t mask = bits_of(at % BITS, next - at), *word = &bits[at / BITS];
    uint64_t flips = (value ? ~*word : *word) & mask;
    if (flips) changed += (uint32_t)__builtin_popcountll(flips);
    *word ^= flips;
  }
  return changed;
}

// The unwritten ones of `width` bytes at `at`, a bit a byte. An access is aligned to its width, so
// its bits lie in one word.
static uint32_t gaps_of(const uint64_t *bits, uint32_t at, uint32_t width) {
  return (uint32_t)(~bits[at / BITS] >> at % BITS & bits_of(0, width));
}

// See the head of this file. `gaps` of `width` bytes at `address` (relative to what is aligned).
static bool is_padding(uint32_t gaps, uint64_t address, uint32_t width, uint32_t widest) {
  while (gaps) {
    uint32_t first = simt_lowest_lane(gaps);
    uint32_t past = ~(gaps >> first), n = past ? simt_lowest_lane(past) : 32 - first;
    if (first == 0 || n >= widest || (address + first + n) % widest) return false;
    if (first + n >= width) return true;
    gaps &= (uint32_t)~bits_of(first, n);
  }
  return true;
}

// ---- pages -------------------------------------------------------------------------------------

static uint32_t page_size(const region *r, uint64_t index) {
  uint64_t left = r->size_bytes - index * PAGE_BYTES;
  return left < PAGE_BYTES ? (uint32_t)left : PAGE_BYTES;
}

static void drop_page(initcheck *self, page *p) {
  if (p != &self->complete) free(p);
}

static void make_complete(initcheck *self, region *r, uint64_t index) {
  page *old = r->pages[index];
  r->missing -= old ? old->missing : page_size(r, index);
  drop_page(self, old);
  r->pages[index] = &self->complete;
}

// A page that may be changed. Without memory it counts as written from now on: NULL.
static page *own_page(initcheck *self, region *r, uint64_t index) {
  page *old = r->pages[index];
  if (old && old != &self->complete) return old;
  page *p = calloc(1, sizeof *p);
  if (!p) {
    make_complete(self, r, index);
    return NULL;
  }
  if (old) *p = *old;
  else p->missing = page_size(r, index);
  return r->pages[index] = p;
}

// The part of a range that lies in one page.
typedef struct piece {
  uint64_t page;
  uint32_t first, n;
} piece;

static bool next_piece(uint64_t *at, uint64_t end, piece *p) {
  if (*at >= end) return false;
  p->page = *at / PAGE_BYTES;
  p->first = (uint32_t)(*at % PAGE_BYTES);
  uint64_t left = end - *at;
  p->n = left < PAGE_BYTES - p->first ? (uint32_t)left : PAGE_BYTES - p->first;
  *at += p->n;
  return true;
}

static void set_writer(page *p, uint32_t first, uint32_t n, uint32_t launch) {
  uint32_t end = (first + n - 1) / WORD_BYTES + 1;
  for (uint32_t i = first / WORD_BYTES; i < end; i++) p->writer[i] = launch;
}

// Bytes [at, at + n) of a region are written: by a launch, or (0) by the host.
static void write_range(initcheck *self, region *r, uint64_t at, uint64_t n, uint32_t launch) {
  uint64_t end = at + n;
  for (piece c; next_piece(&at, end, &c);) {
    page *p = r->pages[c.page];
    if (launch == 0 && (p == &self->complete || c.n == page_size(r, c.page))) {
      make_complete(self, r, c.page);
      continue;
    }
    p = own_page(self, r, c.page);
    if (!p) continue;
    uint32_t changed = p->missing ? put_bits(p->written, c.first, c.n, true) : 0;
    p->missing -= changed;
    r->missing -= changed;
    set_writer(p, c.first, c.n, launch);
  }
}

// Bytes [at, at + n) count as written, or as unwritten, whoever wrote them.
static void set_range(initcheck *self, region *r, uint64_t at, uint64_t n, bool written) {
  uint64_t end = at + n;
  for (piece c; next_piece(&at, end, &c);) {
    if (r->pages[c.page] == (written ? &self->complete : NULL)) continue;
    page *p = own_page(self, r, c.page);
    if (!p) continue;
    uint32_t changed = put_bits(p->written, c.first, c.n, written);
    p->missing += written ? -changed : changed;
    r->missing += written ? -(uint64_t)changed : changed;
  }
}

static bool is_written(const region *r, uint64_t at, uint64_t n) {
  uint64_t end = at + n;
  for (piece c; next_piece(&at, end, &c);) {
    const page *p = r->pages[c.page];
    if (!p || (p->missing && !all_written(p->written, c.first, c.n))) return false;
  }
  return true;
}

// The first byte in [at, end) that is written (or is not), or `end`.
static uint64_t find_byte(const region *r, uint64_t at, uint64_t end, bool written) {
  for (piece c; next_piece(&at, end, &c);) {
    const page *p = r->pages[c.page];
    if (!p && written) continue;
    uint32_t found = p ? find_bit(p->written, c.first, c.first + c.n, written) : c.first;
    if (found < c.first + c.n) return c.page * PAGE_BYTES + found;
  }
  return end;
}

// ---- regions -----------------------------------------------------------------------------------

// Index of the first region whose address is above `address`.
static size_t upper_bound(const initcheck *self, uint64_t address) {
  size_t low = 0, high = self->n_regions;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->regions[middle]->address <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool holds(const region *r, uint64_t address, uint64_t size_bytes) {
  uint64_t at = address - r->address;
  return at < r->size_bytes && size_bytes <= r->size_bytes - at;
}

// The region that contains a range, or NULL.
static region *find_region(const initcheck *self, uint64_t address, uint64_t size_bytes) {
  size_t at = upper_bound(self, address);
  if (at == 0 || !holds(self->regions[at - 1], address, size_bytes)) return NULL;
  return self->regions[at - 1];
}

static void free_region(initcheck *self, region *r) {
  for (uint64_t i = 0; i < r->n_pages; i++) drop_page(self, r->pages[i]);
  free(r->pages);
  free(r);
}

static region *make_region(initcheck *self, const simt_allocation *a) {
  region *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  *r = (region){
      .address = a->address, .size_bytes = a->size_bytes, .serial = a->serial, .widest = 1};
  r->n_pages = (a->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  r->pages = calloc(r->n_pages, sizeof(page *));
  if (!r->pages) {
    free(r);
    return NULL;
  }
  r->missing = a->size_bytes;
  if (a->kind != SIMT_ALLOCATION_DEVICE) write_range(self, r, 0, r->size_bytes, 0);
  return r;
}

// Without memory the allocation is not watched.
void simt_initcheck_allocated(simt_observer *observer, const simt_allocation *allocation) {
  initcheck *self = (initcheck *)observer;
  if (!allocation->size_bytes) return;
  if (self->n_regions == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 64;
    region **regions = realloc(self->regions, capacity * sizeof *regions);
    if (!regions) return;
    self->regions = regions;
    self->capacity = capacity;
  }
  region *r = make_region(self, allocation);
  if (!r) return;
  size_t at = upper_bound(self, r->address);
  memmove(&self->regions[at + 1], &self->regions[at],
          (self->n_regions - at) * sizeof *self->regions);
  self->regions[at] = r;
  self->n_regions++;
}

void simt_initcheck_freed(simt_observer *observer, const simt_allocation *allocation) {
  initcheck *self = (initcheck *)observer;
  size_t at = upper_bound(self, allocation->address);
  if (at == 0 || self->regions[at - 1]->address != allocation->address) return;
  free_region(self, self->regions[at - 1]);
  memmove(&self->regions[at - 1], &self->regions[at],
          (self->n_regions - at) * sizeof *self->regions);
  self->n_regions--;
}

// ---- what the host does ------------------------------------------------------------------------

void simt_initcheck_host_wrote(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
  region *r = find_region(self, address, size_bytes);
  if (r) write_range(self, r, address - r->address, size_bytes, 0);
}

// One piece of a copy that lies in one page on both sides. `p`: the source's page.
static void copy_piece(initcheck *self, region *to, uint64_t at, const page *p, uint32_t first,
                       uint32_t n) {
  if (p == &self->complete) {
    write_range(self, to, at, n, 0);
    return;
  }
  if (!p) {
    set_range(self, to, at, n, false);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t from = first + i;
    if (p->written[from / BITS] >> from % BITS & 1)
      write_range(self, to, at + i, 1, p->writer[from / WORD_BYTES]);
    else set_range(self, to, at + i, 1, false);
  }
}

void simt_initcheck_copied(simt_observer *observer, uint64_t to, uint64_t from,
                           uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
  region *t = find_region(self, to, size_bytes), *f = find_region(self, from, size_bytes);
  if (!t || !size_bytes || to == from) return;
  if (!f) { // memory nobody told of counts as written
    write_range(self, t, to - t->address, size_bytes, 0);
    return;
  }
  if (f->widest > t->widest) t->widest = f->widest;
  uint64_t at = from - f->address, end = at + size_bytes;
  for (piece c; next_piece(&at, end, &c);) {
    uint64_t target = c.page * PAGE_BYTES + c.first + f->address - from + to - t->address;
    copy_piece(self, t, target, f->pages[c.page], c.first, c.n);
  }
}

typedef struct hole_count { // of the four-byte words of a range
  uint64_t n, first_byte;   // words with bytes missing; the first such byte
} hole_count;

static hole_count count_holes(const region *r, uint64_t at, uint64_t end) {
  hole_count holes = {0};
  uint64_t start = at, counted = UINT64_MAX; // the last word counted
  for (;;) {
    uint64_t first = find_byte(r, at, end, false);
    if (first == end) return holes;
    at = find_byte(r, first, end, true);
    bool padding = first > start && at - first < r->widest && at % r->widest == 0;
    if (padding) continue;
    if (!holes.n) holes.first_byte = first;
    uint64_t low = first / WORD_BYTES, high = (at - 1) / WORD_BYTES;
    holes.n += high - low + 1 - (low == counted);
    counted = high;
  }
}

void simt_initcheck_host_reads(simt_observer *observer, uint64_t address, uint64_t size_bytes) {
  initcheck *self = (initcheck *)observer;
  region *r = find_region(self, address, size_bytes);
  if (!r || !r->missing || !size_bytes) return;
  uint64_t at = address - r->address;
  hole_count holes = count_holes(r, at, at + size_bytes);
  if (!holes.n) return;
  uint64_t words = (at + size_bytes - 1) / WORD_BYTES - at / WORD_BYTES + 1;
  char text[400];
  snprintf(
      text, sizeof text,
      "%" PRIu64 " of the %" PRIu64 " four-byte words copied from allocation #%" PRIu64 " (%" PRIu64
      " bytes) were never written, by no kernel, copy or cudaMemset. The first is "
      "word %" PRIu64 " of the allocation (byte %" PRIu64 ").",
      holes.n, words, r->serial, r->size_bytes, holes.first_byte / WORD_BYTES, holes.first_byte);
  simt_findings_add_text(self->findings, SIMT_FINDING_output_never_written, text);
  set_range(self, r, at, size_bytes, true);
}

uint64_t simt_initcheck_last_writer(const simt_observer *observer, uint64_t address) {
  const region *r = find_region((const initcheck *)observer, address, 1);
  if (!r) return 0;
  uint64_t at = address - r->address;
  const page *p = r->pages[at / PAGE_BYTES];
  return p ? p->writer[at % PAGE_BYTES / WORD_BYTES] : 0;
}

// ---- findings ----------------------------------------------------------------------------------

// Which lanes read unwritten bytes, gathered lane by lane.
typedef struct victims {
  uint32_t lanes;
  uint32_t first_gaps, gaps; // unwritten bytes of the lowest of them, and of any
} victims;

static bool names_register(const ptx_operand *o, int32_t reg) {
  bool may = o->kind == PTX_OPERAND_REGISTER ||
             (o->kind == PTX_OPERAND_ADDRESS && o->base == PTX_OPERAND_REGISTER);
  if (may && o->reg == reg) return true;
  for (uint32_t i = 0; i < o->n_items; i++)
    if (names_register(&o->items[i], reg)) return true;
  return false;
}

// Whether any other instruction names the register that `writer` writes.
static bool is_result_named(const ptx_function *f, const ptx_instr *writer) {
  if (writer->operands[0].kind != PTX_OPERAND_REGISTER) return false;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    for (uint32_t k = 0; k < in->n_operands && in != writer; k++)
      if (names_register(&in->operands[k], writer->operands[0].reg)) return true;
  }
  return false;
}

// An exchange whose old value nobody wants is a store.
static bool is_store_in_disguise(const initcheck *self, const simt_access *a) {
  const ptx_function *function = NULL;
  const ptx_instr *in = simt_instr_of(self->info, a->pc, &function);
  if (!in || !simt_instr_has(in, "exch") || !in->n_operands) return false;
  return !is_result_named(function, in);
}

// Whether bytes in `gaps` of what the lanes access do not matter, because nobody asks for them.
static bool is_harmless(initcheck *self, const simt_access *a, uint32_t gaps) {
  if (a->kind == SIMT_ATOMIC) return is_store_in_disguise(self, a);
  uint32_t element = simt_element_bytes(a), elements = 0;
  for (uint32_t i = 0; i * element < a->width_bytes; i++)
    if (gaps >> i * element & bits_of(0, element)) elements |= 1u << i;
  uint8_t *known = a->pc < self->n_hints ? &self->verdicts[a->pc] : NULL;
  if (known && *known >> 1 == elements) return *known & 1;
  bool harmless = simt_load_is_speculative(self->info, a->pc, elements);
  if (known) *known = (uint8_t)(elements << 1 | harmless);
  return harmless;
}

// Returns the lanes whose mistake was told: those that read bytes nobody wrote, or none.
static uint32_t report(initcheck *self, const simt_access *a, const victims *v) {
  if (!v->lanes || is_harmless(self, a, v->gaps)) return 0;
  uint32_t lane = simt_lowest_lane(v->lanes), element = simt_element_bytes(a);
  uint32_t lanes = a->pattern == SIMT_PATTERN_UNIFORM ? a->mask : v->lanes;
  uint32_t at = simt_lowest_lane(v->first_gaps) / element * element;
  uint32_t n = (uint32_t)__builtin_popcountll(v->first_gaps >> at & bits_of(0, element));
  bool shared = a->space == PTX_SPACE_SHARED;
  char part[48] = "", all[64];
  if (n < element) snprintf(part, sizeof part, "%u of its %u bytes: ", n, element);
  simt_finding f = {.kind = shared ? SIMT_FINDING_uninitialised_shared
                                   : SIMT_FINDING_uninitialised_global,
                    .first = simt_site_of_access(a, lane, at),
                    .space = a->space,
                    .address = a->address[lane] + at,
                    .width_bytes = element};
  snprintf(f.detail, sizeof f.detail, "%s%s; %s read such bytes here", part,
           shared ? "no thread of the block had written there by then"
                  : "no kernel, no copy and no cudaMemset has written there",
           simt_name_lanes(lanes, all, sizeof all));
  snprintf(f.advice, sizeof f.advice, "%s",
           shared ? "write every element before it is read, with __syncthreads() between; shared "
                    "memory begins with arbitrary values in every block"
                  : "fill it first: a copy from the host, cudaMemset(), or a kernel launched "
                    "earlier; or check the index");
  simt_findings_add(self->findings, &f);
  return v->lanes;
}

// ---- accesses ----------------------------------------------------------------------------------

static void judge(victims *v, uint32_t lane, uint32_t gaps, uint64_t at, uint32_t width,
                  uint32_t widest) {
  if (!gaps || is_padding(gaps, at, width, widest)) return;
  if (!v->lanes) v->first_gaps = gaps;
  v->gaps |= gaps;
  v->lanes |= 1u << lane;
}

static region *region_of(initcheck *self, const simt_access *a, uint64_t address) {
  region *r = a->pc < self->n_hints ? self->hints[a->pc] : NULL;
  if (r && holds(r, address, a->width_bytes)) return r;
  r = find_region(self, address, a->width_bytes);
  if (a->pc < self->n_hints) self->hints[a->pc] = r;
  return r;
}

static void widen(uint32_t *widest, const simt_access *a) {
  uint32_t element = simt_element_bytes(a);
  if (a->kind == SIMT_STORE && element > *widest) *widest = element;
}

static void look_at_page(const region *r, const simt_access *a, uint32_t lane, victims *v) {
  uint64_t at = a->address[lane] - r->address;
  const page *p = r->pages[at / PAGE_BYTES];
  uint32_t gaps = p ? gaps_of(p->written, (uint32_t)(at % PAGE_BYTES), a->width_bytes)
                    : (uint32_t)bits_of(0, a->width_bytes);
  judge(v, lane, gaps, at, a->width_bytes, r->widest);
}

// Full warp, neighbouring elements of one region: the usual case. False: not that, or not clean.
static bool whole_warp_global(initcheck *self, const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS) return false;
  region *r = region_of(self, a, a->address[0]);
  uint64_t bytes = (uint64_t)a->width_bytes * SIMT_WARP_LANES;
  if (!r || !holds(r, a->address[0], bytes)) return false;
  uint64_t at = a->address[0] - r->address;
  if (a->kind != SIMT_STORE && r->missing && !is_written(r, at, bytes)) return false;
  if (a->kind == SIMT_LOAD) return true;
  widen(&r->widest, a);
  write_range(self, r, at, bytes, (uint32_t)self->info->launch);
  return true;
}

static void check_global(initcheck *self, const simt_access *a) {
  if (whole_warp_global(self, a)) return;
  uint32_t mask = a->mask;
  if (a->pattern == SIMT_PATTERN_UNIFORM) mask &= -mask; // one stands for all
  victims v = {0};
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    const region *r = region_of(self, a, a->address[lane]);
    if (r && r->missing) look_at_page(r, a, lane, &v);
  }
  v.lanes = report(self, a, &v);
  for (uint32_t left = a->kind == SIMT_LOAD ? v.lanes : mask; left; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    region *r = region_of(self, a, a->address[lane]);
    if (!r) continue;
    widen(&r->widest, a);
    uint64_t at = a->address[lane] - r->address;
    if (a->kind == SIMT_LOAD) set_range(self, r, at, a->width_bytes, true);
    else write_range(self, r, at, a->width_bytes, (uint32_t)self->info->launch);
  }
}

static bool whole_warp_shared(shared_shadow *s, const simt_access *a) {
  if (a->pattern != SIMT_PATTERN_CONTIGUOUS) return false;
  uint32_t at = (uint32_t)a->address[0], bytes = a->width_bytes * SIMT_WARP_LANES;
  if (a->kind != SIMT_STORE) return all_written(s->written, at, bytes);
  widen(&s->widest, a);
  put_bits(s->written, at, bytes, true);
  return true;
}

static void check_shared(initcheck *self, const simt_access *a) {
  shared_shadow *s = simt_blocks_of(&self->shadows, a->block);
  if (!s || whole_warp_shared(s, a)) return;
  uint32_t mask = a->mask;
  if (a->pattern == SIMT_PATTERN_UNIFORM) mask &= -mask;
  victims v = {0};
  for (uint32_t left = mask; left && a->kind != SIMT_STORE; left &= left - 1) {
    uint32_t lane = simt_lowest_lane(left);
    uint64_t at = a->address[lane];
    uint32_t gaps = gaps_of(s->written, (uint32_t)at, a->width_bytes);
    if (gaps) judge(&v, lane, gaps, at, a->width_bytes, s->widest);
  }
  v.lanes = report(self, a, &v);
  widen(&s->widest, a);
  for (uint32_t left = a->kind == SIMT_LOAD ? v.lanes : mask; left; left &= left - 1) {
    uint32_t at = (uint32_t)a->address[simt_lowest_lane(left)];
    s->written[at / BITS] |= bits_of(at % BITS, a->width_bytes);
  }
}

static void on_access(simt_observer *observer, const simt_access *a) {
  initcheck *self = (initcheck *)observer;
  if (!a->mask) return;
  if (a->space == PTX_SPACE_SHARED) check_shared(self, a);
  else if (a->space == PTX_SPACE_GLOBAL) check_global(self, a);
}

// ---- launches and blocks -----------------------------------------------------------------------

static void drop_launch(initcheck *self) {
  free(self->hints);
  free(self->verdicts);
  simt_blocks_free(&self->shadows);
  self->hints = NULL;
  self->verdicts = NULL;
  self->n_hints = 0;
  self->info = NULL;
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  initcheck *self = (initcheck *)observer;
  drop_launch(self);
  self->info = info;
  self->hints = calloc(info->n_code, sizeof(region *));
  self->verdicts = calloc(info->n_code, 1);
  self->n_hints = self->hints && self->verdicts ? info->n_code : 0;
  uint64_t words = info->shared_bytes / BITS + 1;
  simt_blocks_begin(&self->shadows, sizeof(shared_shadow) + (size_t)words * sizeof(uint64_t));
}

// Without memory the block's shared memory is not watched.
static void on_block_begin(simt_observer *observer, uint32_t block) {
  initcheck *self = (initcheck *)observer;
  if (!self->info->shared_bytes) return;
  shared_shadow *s = simt_blocks_add(&self->shadows, block);
  if (s) s->widest = 1;
}

static void on_block_end(simt_observer *observer, uint32_t block) {
  simt_blocks_remove(&((initcheck *)observer)->shadows, block);
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  (void)info, (void)profile;
  drop_launch((initcheck *)observer);
}

simt_observer *simt_initcheck_create(simt_findings *findings) {
  initcheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->findings = findings;
  memset(self->complete.written, 0xff, sizeof self->complete.written);
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.access = on_access;
  self->hooks.block_begin = on_block_begin;
  self->hooks.block_end = on_block_end;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_initcheck_destroy(simt_observer *observer) {
  initcheck *self = (initcheck *)observer;
  if (!self) return;
  drop_launch(self);
  for (size_t i = 0; i < self->n_regions; i++) free_region(self, self->regions[i]);
  free(self->regions);
  free(self);
}
