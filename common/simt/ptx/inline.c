// SPDX-License-Identifier: MIT
// ptx/inline.c - which call an instruction was inlined at, for compilers that say so only in their
// debug sections (clang up to 19; nvcc and later ones write `inlined_at` into .loc).
//
// From DWARF this reads one thing: the tree of inlined subroutines with their address ranges and
// call sites. The ranges are labels of the PTX text. Debug information is optional: what is not
// understood is skipped, and only lack of memory can make a module fail to load here. A range may
// enclose instructions that were moved into it. A source line that also occurs outside all ranges
// of the function is taken to be the function's own.
// Source: DWARF 2, sections 2.4, 3.3.8, 7.5.
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

enum {
  TAG_INLINED_SUBROUTINE = 0x1d,
  AT_LOW_PC = 0x11,
  AT_HIGH_PC = 0x12,
  AT_CALL_COLUMN = 0x57,
  AT_CALL_FILE = 0x58,
  AT_CALL_LINE = 0x59,
  FORM_ADDR = 0x01,
  FORM_BLOCK2 = 0x03,
  FORM_BLOCK4 = 0x04,
  FORM_DATA2 = 0x05,
  FORM_DATA4 = 0x06,
  FORM_DATA8 = 0x07,
  FORM_STRING = 0x08,
  FORM_BLOCK = 0x09,
  FORM_BLOCK1 = 0x0a,
  FORM_DATA1 = 0x0b,
  FORM_FLAG = 0x0c,
  FORM_SDATA = 0x0d,
  FORM_STRP = 0x0e,
  FORM_UDATA = 0x0f,
  FORM_REF_ADDR = 0x10,
  FORM_REF1 = 0x11,
  FORM_REF2 = 0x12,
  FORM_REF4 = 0x13,
  FORM_REF8 = 0x14,
  FORM_REF_UDATA = 0x15,
  FORM_SEC_OFFSET = 0x17,
  FORM_EXPRLOC = 0x18,
  FORM_FLAG_PRESENT = 0x19,
  MAX_CODES = 512,
  MAX_ATTRIBUTES = 32,
  MAX_DEPTH = 64,
  MAX_COVERED = 1 << 24 // instructions in all ranges together: hostile input must not take for ever
};

// ---- the sections' bytes

// Appends one number of `size` bytes, or a label to be remembered with its place.
static bool append_value(ptx_parser *p, ptx_debug_section *s, uint32_t size) {
  bool is_label = p->token.kind == PTX_TOKEN_WORD || p->token.kind == PTX_TOKEN_DOTTED;
  if (is_label) {
    ptx_debug_label *label = ptx_array_push(p, &p->scratch, &s->labels, sizeof *label);
    if (!label) return false;
    *label = (ptx_debug_label){s->bytes.n, p->token.text};
  }
  uint64_t bits = is_label ? 0 : p->token.bits;
  for (uint32_t i = 0; i < size; i++) {
    uint8_t *byte = ptx_array_push(p, &p->scratch, &s->bytes, 1);
    if (!byte) return false;
    *byte = (uint8_t)(i < 8 ? bits >> (8 * i) : 0);
  }
  return true;
}

bool ptx_debug_statement(ptx_parser *p, ptx_debug_section *s) {
  ptx_type type;
  if (p->token.kind != PTX_TOKEN_DOTTED || !ptx_type_from_name(p->token.text, &type))
    return ptx_advance(p);
  do { // .b8 1, 2, 3
    if (!ptx_advance(p)) return false;
    if (p->token.kind == PTX_TOKEN_MARK || p->token.kind == PTX_TOKEN_END) return true;
    if (!append_value(p, s, ptx_type_size_bytes(type)) || !ptx_advance(p)) return false;
  } while (ptx_is_mark(p, ','));
  return true;
}

// ---- reading

typedef struct reader {
  const uint8_t *at;
  uint32_t n, here;
  bool bad;
} reader;

static uint64_t read_fixed(reader *r, uint32_t size) {
  uint64_t value = 0;
  if (size > r->n - r->here) return r->bad = true, 0;
  for (uint32_t i = 0; i < size; i++) value |= (uint64_t)r->at[r->here + i] << (8 * i);
  r->here += size;
  return value;
}

static uint64_t read_leb(reader *r) {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64; shift += 7) {
    uint64_t byte = read_fixed(r, 1);
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80) || r->bad) return value;
  }
  r->bad = true;
  return 0;
}

static uint64_t skip_bytes(reader *r, uint64_t size) {
  if (size > r->n - r->here) r->bad = true;
  else r->here += (uint32_t)size;
  return 0;
}

static uint64_t read_string(reader *r) {
  while (!r->bad && read_fixed(r, 1) != 0) {}
  return 0;
}

static uint64_t read_form(reader *r, uint64_t form) {
  switch (form) {
  case FORM_ADDR:
  case FORM_DATA8:
  case FORM_REF8: return read_fixed(r, 8);
  case FORM_DATA2:
  case FORM_REF2: return read_fixed(r, 2);
  case FORM_DATA4:
  case FORM_STRP:
  case FORM_REF_ADDR:
  case FORM_REF4:
  case FORM_SEC_OFFSET: return read_fixed(r, 4);
  case FORM_DATA1:
  case FORM_REF1:
  case FORM_FLAG: return read_fixed(r, 1);
  case FORM_SDATA:
  case FORM_UDATA:
  case FORM_REF_UDATA: return read_leb(r);
  case FORM_STRING: return read_string(r);
  case FORM_BLOCK1: return skip_bytes(r, read_fixed(r, 1));
  case FORM_BLOCK2: return skip_bytes(r, read_fixed(r, 2));
  case FORM_BLOCK4: return skip_bytes(r, read_fixed(r, 4));
  case FORM_BLOCK:
  case FORM_EXPRLOC: return skip_bytes(r, read_leb(r));
  case FORM_FLAG_PRESENT: return 1;
  default: r->bad = true; return 0;
  }
}

// ---- abbreviations

typedef struct abbreviation {
  uint32_t tag, n_attributes;
  bool has_children;
  uint16_t attribute[MAX_ATTRIBUTES], form[MAX_ATTRIBUTES];
} abbreviation;

// [MAX_CODES], indexed by code. False when the section is not in the form that compilers write.
static bool read_abbreviations(reader *r, abbreviation *table) {
  for (uint64_t code = read_leb(r); code != 0 && !r->bad; code = read_leb(r)) {
    if (code >= MAX_CODES) return false;
    abbreviation *a = &table[code];
    a->tag = (uint32_t)read_leb(r);
    a->has_children = read_fixed(r, 1) != 0;
    for (;;) {
      uint64_t attribute = read_leb(r), form = read_leb(r);
      if (r->bad || a->n_attributes == MAX_ATTRIBUTES || attribute > UINT16_MAX ||
          form > UINT16_MAX)
        return false;
      if (attribute == 0 && form == 0) break;
      a->attribute[a->n_attributes] = (uint16_t)attribute;
      a->form[a->n_attributes++] = (uint16_t)form;
    }
  }
  return !r->bad;
}

// ---- inlined subroutines

typedef struct inlined {
  uint32_t function, first, end; // instructions [first, end) of the function
  int32_t parent;                // enclosing inlined subroutine, or -1
  ptx_loc site;                  // where it was called
  int32_t site_loc;              // record of the site in p->locs
} inlined;

typedef struct mark { // a label and its function
  simt_str name;
  uint32_t function;
} mark;

typedef struct walk {
  ptx_parser *p;
  reader r;
  const abbreviation *table;
  mark *marks; // [n_marks], by name, then by function
  uint32_t n_marks;
  ptx_array found; // inlined
  // The ranges of function f, in the order of `found`: order[from[f]] to order[from[f + 1] - 1].
  uint32_t *order, *from;
  int32_t stack[MAX_DEPTH];
  uint32_t depth;
  uint64_t covered;
} walk;

static const ptx_debug_label *label_at(const ptx_parser *p, uint32_t at) {
  const ptx_array *labels = &p->debug_info.labels;
  const ptx_debug_label *items = labels->items;
  uint32_t low = 0, high = labels->n; // ascending by place
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (items[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low < labels->n && items[low].at == at ? &items[low] : NULL;
}

static int compare_marks(const void *x, const void *y) {
  const mark *a = x, *b = y;
  if (a->name.size != b->name.size) return a->name.size < b->name.size ? -1 : 1;
  int order = memcmp(a->name.at, b->name.at, a->name.size);
  return order ? order : (a->function > b->function) - (a->function < b->function);
}

// All labels of all functions, so that a range is found without searching every function.
static bool collect_marks(walk *w) {
  const ptx_function *functions = w->p->functions.items;
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->p->functions.n; i++)
    if (functions[i].unit == w->p->unit) n += functions[i].n_labels; // another has the same labels
  if (!(w->marks = ptx_alloc(w->p, &w->p->scratch, n + 1, sizeof *w->marks))) return false;
  for (uint32_t i = 0; i < w->p->functions.n; i++)
    for (uint32_t k = 0; functions[i].unit == w->p->unit && k < functions[i].n_labels; k++)
      w->marks[w->n_marks++] = (mark){functions[i].labels[k].name, i};
  qsort(w->marks, w->n_marks, sizeof *w->marks, compare_marks);
  return true;
}

// The instructions between two labels of one function: of the first that has both.
static bool find_range(const walk *w, uint32_t low_at, uint32_t high_at, inlined *range) {
  const ptx_debug_label *low = label_at(w->p, low_at), *high = label_at(w->p, high_at);
  const ptx_function *functions = w->p->functions.items;
  const mark wanted = {low ? low->name : (simt_str){0}, 0};
  uint32_t from = 0, to = w->n_marks;
  if (!low || !high) return false;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (compare_marks(&w->marks[middle], &wanted) < 0) from = middle + 1;
    else to = middle;
  }
  for (; from < w->n_marks && simt_str_equal(w->marks[from].name, low->name); from++) {
    uint32_t i = w->marks[from].function;
    int64_t first = ptx_find_label(&functions[i], low->name),
            end = ptx_find_label(&functions[i], high->name);
    if (first < 0 || end < first) continue;
    range->function = i, range->first = (uint32_t)first, range->end = (uint32_t)end;
    return true;
  }
  return false;
}

// One entry of the tree. Returns the index of the inlined subroutine its children lie in.
static int32_t read_entry(walk *w, const abbreviation *a, int32_t parent) {
  inlined range = {.parent = parent, .site = {.inlined_at = -1}, .site_loc = -1};
  uint32_t low_at = UINT32_MAX, high_at = UINT32_MAX;
  for (uint32_t i = 0; i < a->n_attributes; i++) {
    uint32_t here = w->r.here;
    uint32_t value = (uint32_t)read_form(&w->r, a->form[i]);
    switch (a->attribute[i]) {
    case AT_LOW_PC: low_at = here; break;
    case AT_HIGH_PC: high_at = here; break;
    case AT_CALL_FILE: range.site.file = value + w->p->file_base; break;
    case AT_CALL_LINE: range.site.line = value; break;
    case AT_CALL_COLUMN: range.site.column = value; break;
    default: break;
    }
  }
  if (a->tag != TAG_INLINED_SUBROUTINE || w->r.bad || !find_range(w, low_at, high_at, &range))
    return parent;
  w->covered += range.end - range.first;
  if (w->covered > MAX_COVERED) return parent;
  inlined *kept = ptx_array_push(w->p, &w->p->scratch, &w->found, sizeof *kept);
  if (!kept) return parent;
  *kept = range;
  return (int32_t)w->found.n - 1;
}

static void read_unit(walk *w) {
  uint64_t length = read_fixed(&w->r, 4);
  uint32_t end = length > w->r.n - w->r.here ? w->r.n : w->r.here + (uint32_t)length;
  skip_bytes(&w->r, 2 + 4 + 1); // version, abbreviations, address size
  int32_t parent = -1;
  w->depth = 0;
  while (!w->r.bad && w->r.here < end) {
    uint64_t code = read_leb(&w->r);
    if (code == 0) {
      if (w->depth == 0) continue; // padding
      parent = w->stack[--w->depth];
      continue;
    }
    if (code >= MAX_CODES || w->depth == MAX_DEPTH) return;
    int32_t own = read_entry(w, &w->table[code], parent);
    if (!w->table[code].has_children) continue;
    w->stack[w->depth++] = parent;
    parent = own;
  }
  w->r.here = end;
}

// ---- applying it

static bool sort_found(walk *w) {
  const inlined *found = w->found.items;
  uint32_t n = w->p->functions.n;
  w->from = ptx_alloc(w->p, &w->p->scratch, n + 2, sizeof *w->from);
  w->order = ptx_alloc(w->p, &w->p->scratch, w->found.n + 1, sizeof *w->order);
  if (!w->from || !w->order) return false;
  memset(w->from, 0, (n + 2) * sizeof *w->from);
  for (uint32_t k = 0; k < w->found.n; k++) w->from[found[k].function + 2]++;
  for (uint32_t f = 2; f < n + 2; f++) w->from[f] += w->from[f - 1];
  for (uint32_t k = 0; k < w->found.n; k++) w->order[w->from[found[k].function + 1]++] = k;
  return true;
}

// innermost[i]: the innermost range of instruction i of the function, or -1.
static void cover(const walk *w, uint32_t function, uint32_t n_instrs, int32_t *innermost) {
  const inlined *found = w->found.items;
  memset(innermost, 0xff, n_instrs * sizeof *innermost);
  for (uint32_t at = w->from[function]; at < w->from[function + 1]; at++) {
    const inlined *one = &found[w->order[at]]; // parents come before their children
    for (uint32_t i = one->first; i < one->end; i++) innermost[i] = (int32_t)w->order[at];
  }
}

static int compare_keys(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}
static uint64_t line_key(const ptx_loc *loc) { return (uint64_t)loc->file << 32 | loc->line; }

// The source lines that occur outside of all ranges, sorted. Returns how many.
static size_t own_lines(const ptx_parser *p, const ptx_function *f, const int32_t *innermost,
                        uint64_t *keys) {
  size_t n = 0;
  for (uint32_t i = 0; i < f->n_instrs; i++)
    if (innermost[i] < 0 && f->instrs[i].loc >= 0)
      keys[n++] = line_key((const ptx_loc *)p->locs.items + f->instrs[i].loc);
  qsort(keys, n, sizeof *keys, compare_keys);
  return n;
}

static bool apply_to(walk *w, uint32_t index) {
  ptx_parser *p = w->p;
  ptx_function *f = (ptx_function *)p->functions.items + index;
  int32_t *innermost = ptx_alloc(p, &p->scratch, f->n_instrs + 1, sizeof *innermost);
  uint64_t *own = ptx_alloc(p, &p->scratch, f->n_instrs + 1, sizeof *own);
  if (!innermost || !own) return false;
  cover(w, index, f->n_instrs, innermost);
  size_t n_own = own_lines(p, f, innermost, own);
  int32_t last_loc = -1, last_range = -1, last_result = -1;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    if (innermost[i] < 0 || f->instrs[i].loc < 0) continue;
    if (f->instrs[i].loc != last_loc || innermost[i] != last_range) {
      last_loc = f->instrs[i].loc, last_range = innermost[i], last_result = last_loc;
      ptx_loc loc = ((const ptx_loc *)p->locs.items)[last_loc];
      loc.inlined_at = ((const inlined *)w->found.items)[last_range].site_loc;
      uint64_t key = line_key(&loc);
      bool is_own = bsearch(&key, own, n_own, sizeof key, compare_keys) != NULL;
      if (loc.line && !is_own && !ptx_add_loc(p, loc, &last_result)) return false;
    }
    f->instrs[i].loc = last_result;
  }
  return true;
}

static bool apply(walk *w) {
  inlined *found = w->found.items;
  for (uint32_t k = 0; k < w->found.n; k++) {
    found[k].site.inlined_at = found[k].parent >= 0 ? found[found[k].parent].site_loc : -1;
    if (!ptx_add_loc(w->p, found[k].site, &found[k].site_loc)) return false;
  }
  const ptx_function *functions = w->p->functions.items;
  if (!sort_found(w)) return false;
  for (uint32_t i = 0; i < w->p->functions.n; i++)
    if (functions[i].unit == w->p->unit && !apply_to(w, i)) return false;
  return true;
}

bool ptx_unwind_inlining(ptx_parser *p) {
  if (!p->debug_info.bytes.n || !p->debug_abbrev.bytes.n) return true;
  abbreviation *table = ptx_alloc(p, &p->scratch, MAX_CODES, sizeof *table);
  if (!table) return false;
  reader abbreviations = {.at = p->debug_abbrev.bytes.items, .n = p->debug_abbrev.bytes.n};
  if (!read_abbreviations(&abbreviations, table)) return true;
  walk w = {
      .p = p, .table = table, .r = {.at = p->debug_info.bytes.items, .n = p->debug_info.bytes.n}};
  if (!collect_marks(&w)) return false;
  while (!w.r.bad && w.r.here < w.r.n && p->status == SIMT_OK) read_unit(&w);
  return p->status == SIMT_OK && apply(&w);
}
