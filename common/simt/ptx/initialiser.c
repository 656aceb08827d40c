// SPDX-License-Identifier: MIT
// ptx/initialiser.c - initialisers: numbers, nested braces, addresses of variables and functions.
//
// Values fill the variable in row-major order as in C: a brace opens the next row of the next
// dimension, values without a brace continue in order. What is not given is zero.
// Not modelled: constant expressions other than a sign.
// Source: PTX ISA, section 5.4.4; the address bytes 0xff00(symbol) since 7.1.
#include "ptx/parser.h"

#include <string.h>

#define LARGEST_INITIALISED_BYTES (UINT64_C(1) << 32)

typedef struct filling {
  const ptx_dimensions *dimensions;
  ptx_type type;
  uint32_t item_bytes;
  uint64_t most_items; // that fit
  uint64_t n_items;    // written so far, with the gaps before them
  uint8_t *bytes;      // [capacity_bytes] in scratch
  uint64_t capacity_bytes;
  ptx_array relocs; // ptx_reloc
} filling;

static bool reserve(ptx_parser *p, filling *f, uint64_t item) {
  uint64_t needed = (item + 1) * f->item_bytes;
  if (needed > LARGEST_INITIALISED_BYTES)
    return ptx_error(p, SIMT_UNSUPPORTED, p->token.line, "initialiser is too large");
  if (needed > f->capacity_bytes) {
    uint64_t capacity = 2 * f->capacity_bytes > needed ? 2 * f->capacity_bytes : needed + 64;
    uint8_t *larger = ptx_alloc(p, &p->scratch, capacity, 1);
    if (larger == NULL) return false;
    if (f->capacity_bytes != 0) memcpy(larger, f->bytes, f->capacity_bytes);
    f->bytes = larger;
    f->capacity_bytes = capacity;
  }
  if (item >= f->n_items) f->n_items = item + 1;
  return true;
}

// Little-endian, cut to the element's size.
static void put(filling *f, uint64_t item, uint64_t bits) {
  for (uint32_t i = 0; i < f->item_bytes; i++)
    f->bytes[item * f->item_bytes + i] = (uint8_t)(i < 8 ? bits >> 8 * i : 0);
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of(const ptx_token *number, bool negative) {
  double value;
  if (number->kind == PTX_TOKEN_F32) {
    uint32_t bits = (uint32_t)number->bits;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    value = narrow;
  } else if (number->kind == PTX_TOKEN_F64) {
    memcpy(&value, &number->bits, sizeof value);
  } else {
    value = negative ? (double)(int64_t)(0 - number->bits) : (double)number->bits;
    return value;
  }
  return negative ? -value : value;
}

// Writes a number converted to the element's type; literals of its own width go bit for bit.
static bool put_number(ptx_parser *p, filling *f, uint64_t item, const ptx_token *number,
                       bool negative) {
  uint64_t bits = negative ? 0 - number->bits : number->bits;
  if (number->kind == PTX_TOKEN_F32 && f->item_bytes == 4) {
    bits = number->bits ^ (negative ? UINT64_C(1) << 31 : 0);
  } else if (number->kind == PTX_TOKEN_F64 && f->item_bytes == 8) {
    bits = number->bits ^ (negative ? UINT64_C(1) << 63 : 0);
  } else if (f->type == PTX_F32) {
    float narrow = (float)double_of(number, negative);
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    bits = narrow_bits;
  } else if (f->type == PTX_F64) {
    bits = bits_of_double(double_of(number, negative));
  } else if (number->kind != PTX_TOKEN_INTEGER) {
    return ptx_error(p, SIMT_UNSUPPORTED, number->line,
                     "a floating-point value cannot initialise a .%s", ptx_type_name(f->type));
  }
  put(f, item, bits);
  return true;
}

// +4, -4 or nothing
bool ptx_parse_addend(ptx_parser *p, int64_t *addend) {
  while (ptx_is_mark(p, '+') || ptx_is_mark(p, '-')) {
    bool negative = ptx_is_mark(p, '-');
    if (!ptx_advance(p)) return false;
    if (!negative && ptx_is_mark(p, '-')) { // +-4
      negative = true;
      if (!ptx_advance(p)) return false;
    }
    uint64_t value;
    if (!ptx_expect_integer(p, INT64_MAX, &value, "an offset")) return false;
    *addend = (int64_t)((uint64_t)*addend + (negative ? 0 - value : value));
  }
  return true;
}

// symbol, symbol+4, generic(symbol)+4
static bool parse_address(ptx_parser *p, ptx_reloc *reloc) {
  if (!ptx_expect_word(p, &reloc->symbol, "a value")) return false;
  if (simt_str_is(reloc->symbol, "generic") && ptx_is_mark(p, '(')) {
    reloc->generic = true;
    if (!ptx_advance(p) || !ptx_expect_word(p, &reloc->symbol, "a variable in generic()") ||
        !ptx_parse_addend(p, &reloc->addend) || !ptx_expect_mark(p, ')', "after generic(symbol"))
      return false;
  }
  const ptx_symbol *global = ptx_find_global_symbol(p, reloc->symbol);
  if (global != NULL) reloc->symbol = global->alias;
  return ptx_parse_addend(p, &reloc->addend);
}

static bool add_reloc(ptx_parser *p, filling *f, uint64_t item, ptx_reloc reloc) {
  ptx_reloc *kept = ptx_array_push(p, &p->scratch, &f->relocs, sizeof *kept);
  if (kept == NULL) return false;
  reloc.at = (uint32_t)(item * f->item_bytes);
  reloc.size_bytes = f->item_bytes;
  *kept = reloc;
  return true;
}

// 0xff00(address): one byte of an address. `mask` is read, '(' is next.
static bool parse_address_byte(ptx_parser *p, filling *f, uint64_t item, uint64_t mask,
                               uint32_t line) {
  ptx_reloc reloc = {0};
  while (reloc.shift_bits < 56 && (mask >> reloc.shift_bits & 0xff) == 0) reloc.shift_bits += 8;
  if (mask != UINT64_C(0xff) << reloc.shift_bits || f->item_bytes != 1)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line,
                     "a mask of an address selects one byte (0xff, 0xff00, ...) for an array of "
                     "bytes");
  return ptx_advance(p) && parse_address(p, &reloc) &&
         ptx_expect_mark(p, ')', "after the masked address") && add_reloc(p, f, item, reloc);
}

// A number, or a mask that an address follows.
static bool parse_number(ptx_parser *p, filling *f, uint64_t item, bool negative) {
  ptx_token number = p->token;
  if (!ptx_advance(p)) return false;
  if (number.kind == PTX_TOKEN_INTEGER && !negative && ptx_is_mark(p, '('))
    return parse_address_byte(p, f, item, number.bits, number.line);
  return put_number(p, f, item, &number, negative);
}

static bool parse_symbol(ptx_parser *p, filling *f, uint64_t item) {
  uint32_t line = p->token.line;
  ptx_reloc reloc = {0};
  if (!parse_address(p, &reloc)) return false;
  if (simt_str_is(reloc.symbol, "mask") && ptx_is_mark(p, '(')) { // mask(0xff)(symbol)
    uint64_t mask;
    return ptx_advance(p) && ptx_expect_integer(p, UINT64_MAX, &mask, "a mask") &&
           ptx_expect_mark(p, ')', "after the mask") &&
           (ptx_is_mark(p, '(') || ptx_expected(p, "'(' and an address after mask()")) &&
           parse_address_byte(p, f, item, mask, line);
  }
  if (f->item_bytes != 4 && f->item_bytes != 8)
    return ptx_error(p, SIMT_SYNTAX_ERROR, line, "an address needs 4 or 8 bytes, not %u",
                     f->item_bytes);
  return add_reloc(p, f, item, reloc);
}

static bool parse_value(ptx_parser *p, filling *f, uint64_t item) {
  bool negative = false;
  if (item >= f->most_items)
    return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line, "more initialisers than the array holds");
  if (!reserve(p, f, item)) return false;
  if (ptx_is_mark(p, '-') || ptx_is_mark(p, '+')) {
    negative = ptx_is_mark(p, '-');
    if (!ptx_advance(p)) return false;
  } else if (p->token.kind == PTX_TOKEN_WORD) {
    return parse_symbol(p, f, item);
  }
  if (p->token.kind != PTX_TOKEN_INTEGER && p->token.kind != PTX_TOKEN_F32 &&
      p->token.kind != PTX_TOKEN_F64)
    return ptx_expected(p, "a value");
  return parse_number(p, f, item, negative);
}

// Values between braces, for the sub-array of dimensions [dimension ...] that begins at item
// `first`. Recurses once per dimension, at most PTX_MAX_DIMENSIONS deep.
static bool parse_braces(ptx_parser *p, filling *f, uint32_t dimension, uint64_t first) {
  const ptx_dimensions *dimensions = f->dimensions;
  uint64_t row = 1; // items in one row of the next dimension
  for (uint32_t i = dimension + 1; i < dimensions->n; i++) row *= dimensions->size[i];
  bool is_open = dimension == 0 && dimensions->is_open;
  uint64_t end = is_open ? f->most_items : first + row * dimensions->size[dimension];
  uint64_t item = first;
  if (!ptx_advance(p)) return false; // '{'
  while (!ptx_is_mark(p, '}')) {
    bool is_row = ptx_is_mark(p, '{');
    if (is_row && dimension + 1 >= dimensions->n)
      return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line, "more braces than dimensions");
    if (is_row && row != 0) item = first + (item - first + row - 1) / row * row;
    if (item >= end)
      return ptx_error(p, SIMT_SYNTAX_ERROR, p->token.line,
                       "more initialisers than the array holds");
    if (!(is_row ? parse_braces(p, f, dimension + 1, item) : parse_value(p, f, item))) return false;
    item += is_row ? row : 1;
    if (!ptx_is_mark(p, '}') && !ptx_expect_mark(p, ',', "or '}' in the initialiser")) return false;
  }
  if (is_open && item > f->n_items && (item == first || !reserve(p, f, item - 1))) return false;
  return ptx_advance(p);
}

// An open first dimension takes as many rows as were written.
static void close_dimension(const filling *f, ptx_variable *variable) {
  uint64_t row = 1;
  for (uint32_t i = 1; i < f->dimensions->n; i++) row *= f->dimensions->size[i];
  if (row != 0) variable->size_bytes = (f->n_items + row - 1) / row * row * f->item_bytes;
}

bool ptx_parse_initialiser(ptx_parser *p, ptx_variable *variable,
                           const ptx_dimensions *dimensions) {
  ptx_dimensions one = *dimensions;
  if (one.n == 0) one.size[one.n++] = 1; // `.u32 x = {1}`
  filling f = {.dimensions = &one, .type = variable->type};
  f.item_bytes = ptx_type_size_bytes(variable->type);
  f.most_items = one.is_open ? LARGEST_INITIALISED_BYTES : variable->size_bytes / f.item_bytes;
  if (ptx_is_mark(p, '{') ? !parse_braces(p, &f, 0, 0) : !parse_value(p, &f, 0)) return false;
  if (one.is_open) close_dimension(&f, variable);
  if (variable->size_bytes > LARGEST_INITIALISED_BYTES)
    return ptx_error(p, SIMT_UNSUPPORTED, variable->line, "initialised variable is too large");
  uint8_t *bytes = ptx_alloc(p, &p->module->arena, variable->size_bytes, 1);
  if (bytes == NULL) return false;
  uint64_t n_bytes = f.n_items * f.item_bytes;
  if (n_bytes != 0) memcpy(bytes, f.bytes, n_bytes);
  variable->init = bytes;
  variable->relocs = ptx_array_keep(p, &f.relocs, sizeof(ptx_reloc));
  variable->n_relocs = f.relocs.n;
  return variable->relocs != NULL;
}
