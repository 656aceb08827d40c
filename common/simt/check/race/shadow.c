// SPDX-License-Identifier: MIT
// check/race/shadow.c - see check/race/shadow.h.
#include "check/race/shadow.h"

#include <stdlib.h>
#include <string.h>

// Pages are small: a program of many small arrays pays for the lines that it touches, not for the
// space between its arrays.
enum { PAGE_SHIFT = 12, PAGE_LINES = (1 << PAGE_SHIFT) / SIMT_LINE_BYTES, LINE_SHIFT = 7 };

struct simt_page {
  uint64_t number; // address >> PAGE_SHIFT
  simt_line line[PAGE_LINES];
};

static void *take(simt_shadow *s, size_t n, size_t bytes) {
  void *memory = NULL;
  if (s->pool->used_bytes + n * bytes <= s->pool->limit_bytes) memory = calloc(n, bytes);
  if (memory) s->pool->used_bytes += n * bytes;
  else s->is_full = true;
  return memory;
}

simt_shadow *simt_shadow_create(uint64_t flat_bytes, simt_shadow_pool *pool) {
  simt_shadow *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->pool = pool;
  s->is_flat = flat_bytes != 0;
  if (!s->is_flat) return s;
  s->n_lines = (flat_bytes + SIMT_LINE_BYTES - 1) / SIMT_LINE_BYTES;
  s->lines = take(s, s->n_lines, sizeof *s->lines);
  if (!s->lines) s->n_lines = 0;
  return s;
}

static void free_lines(simt_shadow *s, simt_line *lines, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    simt_line *line = &lines[i];
    if (line->cells) s->pool->used_bytes -= line->cell_capacity * sizeof *line->cells;
    if (line->values) s->pool->used_bytes -= SIMT_LINE_BYTES;
    free(line->cells);
    free(line->values);
  }
}

static void free_page(simt_shadow *s, simt_page *page) {
  for (uint32_t i = 0; i < PAGE_LINES; i++) simt_line_clear(s, &page->line[i]);
  free_lines(s, page->line, PAGE_LINES);
  s->pool->used_bytes -= sizeof *page;
  free(page);
}

void simt_shadow_destroy(simt_shadow *s) {
  if (!s) return;
  free_lines(s, s->lines, s->n_lines);
  s->pool->used_bytes -= s->n_lines * sizeof *s->lines + s->links_capacity * sizeof *s->links;
  free(s->lines);
  for (uint32_t i = 0; i < s->pages_capacity; i++)
    if (s->pages[i]) free_page(s, s->pages[i]);
  free(s->pages);
  free(s->links);
  free(s);
}

// ---- pages -------------------------------------------------------------------------------------

static simt_page **page_slot(simt_page **pages, uint32_t capacity, uint64_t number) {
  uint32_t i = (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (capacity - 1);
  while (pages[i] && pages[i]->number != number) i = (i + 1) & (capacity - 1);
  return &pages[i];
}

// Puts the pages into a table of `capacity`, leaving out those that are wholly in [low, high).
static bool rehash(simt_shadow *s, uint32_t capacity, uint64_t low, uint64_t high) {
  simt_page **pages = calloc(capacity, sizeof *pages);
  if (!pages) return false;
  for (uint32_t i = 0; i < s->pages_capacity; i++) {
    simt_page *page = s->pages[i];
    if (!page) continue;
    if (page->number << PAGE_SHIFT >= low && (page->number + 1) << PAGE_SHIFT <= high) {
      free_page(s, page);
      s->n_pages--;
    } else {
      *page_slot(pages, capacity, page->number) = page;
    }
  }
  free(s->pages);
  s->pages = pages;
  s->pages_capacity = capacity;
  s->last_page = NULL;
  return true;
}

// Whether one of the pages [first, end) is there; it need not be searched where there are many.
static bool may_hold(const simt_shadow *s, uint64_t first, uint64_t end) {
  if (end - first > s->pages_capacity) return true;
  while (first < end && !*page_slot(s->pages, s->pages_capacity, first)) first++;
  return first < end;
}

void simt_shadow_forget(simt_shadow *s, uint64_t address, uint64_t size_bytes) {
  if (!s->n_pages || size_bytes < UINT64_C(1) << PAGE_SHIFT) return;
  if (!may_hold(s, address >> PAGE_SHIFT, ((address + size_bytes - 1) >> PAGE_SHIFT) + 1)) return;
  rehash(s, s->pages_capacity, address, address + size_bytes);
}

// A quarter of the room is kept for what pages hold: cells, values and chains. Without it a program
// that touches more than there is room for would have no race found even in the pages there are.
static bool has_room_for_page(const simt_shadow *s) {
  const simt_shadow_pool *p = s->pool;
  return p->used_bytes + sizeof(simt_page) <= p->limit_bytes - p->limit_bytes / 4;
}

static simt_page *find_page(simt_shadow *s, uint64_t number) {
  if (2 * (s->n_pages + 1) > s->pages_capacity &&
      !rehash(s, s->pages_capacity ? 2 * s->pages_capacity : 64, 1, 0)) {
    s->is_full = true;
    return NULL;
  }
  simt_page **slot = page_slot(s->pages, s->pages_capacity, number);
  if (!*slot && !has_room_for_page(s)) s->is_full = true;
  else if (!*slot && (*slot = take(s, 1, sizeof **slot)) != NULL) {
    (*slot)->number = number;
    s->n_pages++;
  }
  if (*slot) s->last_page = *slot;
  return *slot;
}

simt_line *simt_shadow_line(simt_shadow *s, uint64_t address) {
  uint64_t line = address >> LINE_SHIFT;
  if (s->is_flat) return line < s->n_lines ? &s->lines[line] : NULL;
  uint64_t number = address >> PAGE_SHIFT;
  simt_page *page = s->last_page;
  if (!page || page->number != number) page = find_page(s, number);
  return page ? &page->line[line % PAGE_LINES] : NULL;
}

// ---- readers of a cell -------------------------------------------------------------------------

static uint32_t new_link(simt_shadow *s) {
  uint32_t link = s->free_link;
  if (link) {
    s->free_link = s->links[link].next;
    return link;
  }
  if (s->n_links == s->links_capacity) {
    uint32_t capacity = s->links_capacity ? 2 * s->links_capacity : 256;
    size_t more = (size_t)(capacity - s->links_capacity) * sizeof *s->links;
    simt_link *links = NULL;
    if (s->pool->used_bytes + more <= s->pool->limit_bytes)
      links = realloc(s->links, capacity * sizeof *links);
    if (!links) {
      s->is_full = true;
      return 0;
    }
    s->pool->used_bytes += more;
    s->links = links;
    s->links_capacity = capacity;
    if (!s->n_links) s->n_links = 1;
  }
  return s->n_links++;
}

static void free_link(simt_shadow *s, uint32_t link) {
  s->links[link].next = s->free_link;
  s->free_link = link;
}

simt_mark *simt_cell_next_reader(simt_shadow *s, simt_cell *cell, uint32_t *at) {
  if (*at == 0) {
    *at = cell->more ? cell->more : UINT32_MAX;
    if (cell->reader.tick) return &cell->reader;
  }
  if (*at == UINT32_MAX) return NULL;
  simt_link *link = &s->links[*at];
  *at = link->next ? link->next : UINT32_MAX;
  return &link->mark;
}

// Puts a mark in front of a chain; false: no room.
static bool add_link(simt_shadow *s, uint32_t *chain, const simt_mark *mark) {
  uint32_t n = 1;
  for (uint32_t link = *chain; link; link = s->links[link].next) n++;
  uint32_t link = n < SIMT_CELL_READERS ? new_link(s) : 0;
  if (!link) return false;
  s->links[link] = (simt_link){*mark, *chain};
  *chain = link;
  return true;
}

static void drop_chain(simt_shadow *s, uint32_t *chain) {
  while (*chain) {
    uint32_t link = *chain;
    *chain = s->links[link].next;
    free_link(s, link);
  }
}

void simt_cell_add_reader(simt_shadow *s, simt_cell *cell, const simt_mark *mark) {
  if (!cell->reader.tick) cell->reader = *mark;
  else add_link(s, &cell->more, mark);
}

void simt_cell_add_seen(simt_shadow *s, simt_cell *cell, const simt_mark *mark) {
  if (!add_link(s, &cell->seen, mark)) cell->seen_by_more = true;
}

void simt_cell_drop_seen(simt_shadow *s, simt_cell *cell) {
  drop_chain(s, &cell->seen);
  cell->seen_by_more = false;
}

void simt_cell_drop_empty(simt_shadow *s, simt_cell *cell) {
  for (uint32_t *at = &cell->more; *at;) {
    uint32_t link = *at;
    if (s->links[link].mark.lanes) {
      at = &s->links[link].next;
      continue;
    }
    *at = s->links[link].next;
    free_link(s, link);
  }
  if (!cell->reader.tick || cell->reader.lanes) return;
  cell->reader.tick = 0;
  if (!cell->more) return;
  uint32_t link = cell->more;
  cell->reader = s->links[link].mark;
  cell->more = s->links[link].next;
  free_link(s, link);
}

void simt_cell_drop_readers(simt_shadow *s, simt_cell *cell) {
  cell->reader.tick = 0;
  drop_chain(s, &cell->more);
}

// ---- spreading a line --------------------------------------------------------------------------

void simt_line_clear(simt_shadow *s, simt_line *line) {
  for (uint32_t i = 0; line->grain && i < SIMT_LINE_BYTES / line->grain; i++) {
    if (line->cells[i].more) drop_chain(s, &line->cells[i].more);
    if (line->cells[i].seen) drop_chain(s, &line->cells[i].seen);
  }
  line->grain = 0;
  line->n_records = 0;
  line->has_values = false;
}

static bool reserve_cells(simt_shadow *s, simt_line *line, uint32_t n) {
  if (line->cell_capacity >= n) return true;
  simt_cell *cells = take(s, n, sizeof *cells);
  if (!cells) return false;
  if (line->grain) memcpy(cells, line->cells, line->cell_capacity * sizeof *cells);
  s->pool->used_bytes -= line->cell_capacity * sizeof *cells;
  free(line->cells);
  line->cells = cells;
  line->cell_capacity = (uint8_t)n;
  return true;
}

bool simt_line_values(simt_shadow *s, simt_line *line) {
  if (!line->values) line->values = take(s, SIMT_LINE_WORDS, sizeof *line->values);
  line->has_values = line->values != NULL;
  return line->has_values;
}

static void spread_read(simt_shadow *s, simt_cell *cell, const simt_record *r, uint32_t byte,
                        const uint32_t *existing) {
  simt_mark mark = {r->tick, r->who, r->lanes};
  if (r->shape == SIMT_SHAPE_LANES) {
    simt_cell_add_reader(s, cell, &mark);
    return;
  }
  for (uint32_t warps = r->lanes; warps; warps &= warps - 1) {
    uint32_t warp = (uint32_t)__builtin_ctz(warps);
    mark.who = simt_who_make(simt_who_pc(r->who), warp, SIMT_WHO_READ);
    mark.lanes = existing[warp];
    if (r->shape == SIMT_SHAPE_ROW) mark.lanes = 1u << simt_record_lane(r, byte);
    simt_cell_add_reader(s, cell, &mark);
  }
}

// What the record says of the cell that begins at `byte`.
static void spread_cell(simt_shadow *s, simt_line *line, const simt_record *r, uint32_t byte,
                        const uint32_t *existing) {
  simt_cell *cell = &line->cells[byte / line->grain];
  if (!(r->who & SIMT_WHO_WRITE)) {
    spread_read(s, cell, r, byte, existing);
    return;
  }
  uint32_t value = line->has_values ? line->values[byte / 4] >> byte % 4 * 8 : 0;
  cell->plain = (simt_written){.tick = r->tick,
                               .who = r->who,
                               .value = line->grain == 1 ? value & 0xff : value,
                               .lane = (uint8_t)simt_record_lane(r, byte)};
}

static void spread_record(simt_shadow *s, simt_line *line, const simt_record *r,
                          const uint32_t *existing) {
  for (uint32_t words = r->words; words; words &= words - 1) {
    uint32_t byte = (uint32_t)__builtin_ctz(words) * 4, end = byte + 4;
    for (; byte < end; byte += line->grain) spread_cell(s, line, r, byte, existing);
  }
}

static uint32_t copy_chain(simt_shadow *s, uint32_t chain) {
  uint32_t copy = 0;
  for (; chain; chain = s->links[chain].next) {
    simt_mark mark = s->links[chain].mark; // the links may move
    add_link(s, &copy, &mark);
  }
  return copy;
}

// Word cells to byte cells, from the end so that nothing is overwritten before it is read.
static void split_cells(simt_shadow *s, simt_line *line) {
  for (uint32_t i = SIMT_LINE_BYTES; i-- > 0;) {
    simt_cell *from = &line->cells[i / 4], cell = *from;
    cell.plain.value = from->plain.value >> i % 4 * 8 & 0xff;
    cell.strong.value = from->strong.value >> i % 4 * 8 & 0xff;
    if (i % 4) { // the first byte keeps the chains, the others get copies
      cell.more = copy_chain(s, from->more);
      cell.seen = copy_chain(s, from->seen);
    }
    line->cells[i] = cell;
  }
  line->grain = 1;
}

// Lanes that share a word can be told apart byte by byte only.
static bool shares_words(const simt_line *line) {
  for (uint32_t i = 0; i < line->n_records; i++)
    if (line->record[i].shape == SIMT_SHAPE_ROW && line->record[i].log2_bytes < 2) return true;
  return false;
}

bool simt_line_spread(simt_shadow *s, simt_line *line, uint32_t grain, const uint32_t *existing) {
  if (line->grain && line->grain <= grain) return true;
  if (!line->grain && shares_words(line)) grain = 1;
  uint32_t n = SIMT_LINE_BYTES / grain;
  if (!reserve_cells(s, line, n)) return false;
  if (line->grain) {
    split_cells(s, line);
    return true;
  }
  memset(line->cells, 0, n * sizeof *line->cells);
  line->grain = (uint8_t)grain;
  for (uint32_t i = 0; i < line->n_records; i++) spread_record(s, line, &line->record[i], existing);
  line->n_records = 0;
  return true;
}
