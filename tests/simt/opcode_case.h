// SPDX-License-Identifier: MIT
// opcode_case.h - reads the table opcode_cases.def: vectors and tolerances. Shared by test_isa.c
// (lane functions, called directly) and test_opcodes.c (whole kernels, also on a real GPU), hence
// no dependency on the simulator and valid C and C++ alike.
#ifndef OPCODE_CASE_H
#define OPCODE_CASE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OPCODE_MAX_VECTORS = 64, OPCODE_MAX_SOURCES = 4, OPCODE_MAX_RESULTS = 2 };

typedef enum opcode_format {
  OPCODE_NO_FORMAT,
  OPCODE_F16,
  OPCODE_BF16,
  OPCODE_F16X2,
  OPCODE_BF16X2,
  OPCODE_F32,
  OPCODE_F64
} opcode_format;

typedef enum opcode_bound {
  OPCODE_EXACT,
  OPCODE_ULPS,
  OPCODE_RELATIVE,
  OPCODE_ABSOLUTE
} opcode_bound;

typedef struct opcode_tolerance {
  opcode_bound bound;
  opcode_format format;
  int n; // ULPS: so many; RELATIVE, ABSOLUTE: 2^-n (ABSOLUTE: of at least 1)
} opcode_tolerance;

typedef struct opcode_case {
  const char *row; // name of the row of isa.def
  int sm;          // least compute capability, e.g. 80
  opcode_tolerance tolerance;
  const char *signature; // "r:rr"
  const char *text;      // "add.u32 %d, %a, %b;"
  const char *vectors;   // "1,2:3 …"
} opcode_case;

#define EXACT                                                                                      \
  { OPCODE_EXACT, OPCODE_NO_FORMAT, 0 }
#define ULPS(format, n)                                                                            \
  { OPCODE_ULPS, OPCODE_##format, n }
#define RELATIVE(format, n)                                                                        \
  { OPCODE_RELATIVE, OPCODE_##format, n }
#define ABSOLUTE(format, n)                                                                        \
  { OPCODE_ABSOLUTE, OPCODE_##format, n }

static const opcode_case opcode_cases[] = {
#define OPCODE_CASE(row, sm, tolerance, signature, text, ...)                                      \
  {#row, sm, tolerance, signature, text, " " __VA_ARGS__},
#include "opcode_cases.def"
#undef OPCODE_CASE
};

enum { OPCODE_N_CASES = sizeof opcode_cases / sizeof opcode_cases[0] };

typedef struct opcode_vector {
  uint64_t sources[OPCODE_MAX_SOURCES];
  uint64_t results[OPCODE_MAX_RESULTS];
} opcode_vector;

static inline uint32_t opcode_n_results(const opcode_case *c) {
  return (uint32_t)(strchr(c->signature, ':') - c->signature);
}

static inline uint32_t opcode_n_sources(const opcode_case *c) {
  return (uint32_t)strlen(c->signature) - opcode_n_results(c) - 1;
}

static inline char opcode_source_letter(const opcode_case *c, uint32_t i) {
  return c->signature[opcode_n_results(c) + 1 + i];
}

static inline uint64_t opcode_mask_of(char letter) {
  switch (letter) {
  case 'p': return 1;
  case 'h': return 0xffff;
  case 'r': return 0xffffffff;
  default: return ~(uint64_t)0;
  }
}

// Reads the vectors of `c`; returns how many.
static inline uint32_t opcode_read_vectors(const opcode_case *c, opcode_vector *out) {
  uint32_t n = 0;
  const char *at = c->vectors;
  for (;;) {
    while (*at == ' ') at++;
    if (!*at || n == OPCODE_MAX_VECTORS) return n;
    memset(&out[n], 0, sizeof out[n]);
    uint64_t *into = out[n].sources;
    for (;;) {
      char *end;
      *into++ = strtoull(at, &end, 16);
      at = end + 1;
      if (*end == ':') into = out[n].results;
      else if (*end != ',') {
        at = end;
        break;
      }
    }
    n++;
  }
}

static inline double opcode_value(uint64_t bits, opcode_format format) {
  if (format == OPCODE_F64) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  uint32_t word = (uint32_t)bits;
  if (format == OPCODE_F16) { // by its definition
    const int exponent = (int)(word >> 10 & 31);
    const double fraction = (word & 1023) / 1024.0;
    double x = exponent == 0 ? ldexp(fraction, -14) : ldexp(1 + fraction, exponent - 15);
    if (exponent == 31) x = fraction != 0 ? (double)NAN : (double)INFINITY;
    return word & 0x8000 ? -x : x;
  }
  if (format == OPCODE_BF16) word <<= 16;
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

// Distance in units in the last place: difference of the bits on one side of zero.
static inline double opcode_ulps(uint64_t a, uint64_t b, opcode_format format) {
  const uint64_t sign = (uint64_t)1 << (format == OPCODE_F64 ? 63 : format == OPCODE_F32 ? 31 : 15);
  const double x = a & sign ? -(double)(a & (sign - 1)) : (double)a;
  const double y = b & sign ? -(double)(b & (sign - 1)) : (double)b;
  return fabs(x - y);
}

static inline bool opcode_within(opcode_tolerance t, uint64_t expected, uint64_t got) {
  if (expected == got) return true;
  if (t.bound == OPCODE_EXACT) return false;
  if (t.format == OPCODE_F16X2 || t.format == OPCODE_BF16X2) {
    const opcode_format one = t.format == OPCODE_F16X2 ? OPCODE_F16 : OPCODE_BF16;
    const opcode_tolerance half = {t.bound, one, t.n};
    return opcode_within(half, expected & 0xffff, got & 0xffff) &&
           opcode_within(half, expected >> 16 & 0xffff, got >> 16 & 0xffff);
  }
  const double e = opcode_value(expected, t.format), g = opcode_value(got, t.format);
  if (e != e || g != g) return e != e && g != g;
  if (isinf(e) || isinf(g)) return false;
  if (t.bound == OPCODE_ULPS) return opcode_ulps(expected, got, t.format) <= t.n;
  const double scale = t.bound == OPCODE_ABSOLUTE ? fmax(1.0, fabs(e)) : fabs(e);
  return fabs(e - g) <= ldexp(scale, -t.n);
}

#endif
