// SPDX-License-Identifier: MIT
// core/print.c - device printf and assert. The compiler packs printf's arguments into a buffer,
// every one aligned to its size; the format says how to read them. Lanes print in ascending order.
// What CUDA's printf does not know (%n, the modifiers j, t, z, L, a precision that is an argument)
// appears in the output as it stands and takes no argument, as on a GPU; printf returns the number
// of arguments it has used.
//
// `hh` is known to the half of CUDA's printf that formats, on the host, but not to the half that
// packs, in the kernel, which has no word for such a conversion. So words are missing at the end of
// the record, and the format's text, which follows there, is read in their place.
#include "core/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/access.h"
#include "core/fault.h"
#include "core/state.h"

enum { MAX_TEXT = 1024, MAX_LINE = 4096, MAX_SPEC = 40, MAX_WORDS = 64 };

// Copies the NUL-terminated string at a generic address; false when it runs out of bounds.
static bool lane_string(simt_core *core, simt_warp *w, int lane, uint64_t address,
                        char out[MAX_TEXT]) {
  size_t n = 0;
  for (; n + 1 < MAX_TEXT; n++) {
    const uint8_t *byte = simt_lane_bytes(core, w, lane, address + n, 1);
    if (!byte) return out[n] = '\0', false;
    if (!(out[n] = (char)*byte)) return true;
  }
  out[n] = '\0';
  return true;
}

typedef struct printer {
  simt_core *core;
  simt_warp *warp;
  int lane;
  const char *format;
  uint64_t arguments; // generic address of the next argument
  bool packed;        // with `hh`: they are in words[], of which next_word comes next
  uint64_t words[MAX_WORDS];
  uint32_t n_words, next_word;
  char line[MAX_LINE];
  size_t n;
  uint32_t n_arguments;
  bool bad;
  bool bad_string;       // a string begins, or goes on, where there is no memory:
  uint64_t string_start; // its address
} printer;

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(p->line + p->n, sizeof p->line - p->n, format, arguments);
  va_end(arguments);
  if (n > 0) p->n = p->n + (size_t)n < sizeof p->line ? p->n + (size_t)n : sizeof p->line - 1;
}

// A word of the record; behind the last one stands the format.
static uint64_t next_of_record(printer *p) {
  const uint32_t at = p->next_word++;
  if (at < p->n_words) return p->words[at];
  char text[MAX_TEXT + 8] = "";
  const size_t length = strlen(p->format), offset = (at - p->n_words) * sizeof(uint64_t);
  uint64_t value = 0;
  memcpy(text, p->format, length);
  if (offset < length) memcpy(&value, text + offset, sizeof value);
  return value;
}

static uint64_t next_argument(printer *p, uint32_t size_bytes) {
  uint64_t value = 0;
  if (p->packed) return next_of_record(p);
  p->n_arguments++;
  p->arguments = (p->arguments + size_bytes - 1) / size_bytes * size_bytes;
  const uint8_t *bytes = simt_lane_bytes(p->core, p->warp, p->lane, p->arguments, size_bytes);
  if (bytes) memcpy(&value, bytes, size_bytes);
  else p->bad = true;
  p->arguments += size_bytes;
  return value;
}

static void put_integer(printer *p, char *spec, size_t n, char conversion, uint32_t bytes) {
  bool is_signed = conversion == 'd' || conversion == 'i';
  uint64_t raw = next_argument(p, bytes == 8 ? 8 : 4);
  int64_t value = bytes == 8 ? (int64_t)raw : is_signed ? (int32_t)raw : (int64_t)raw;
  if (bytes == 2) value = is_signed ? (int16_t)raw : (uint16_t)raw;
  if (bytes == 1) value = is_signed ? (int8_t)raw : (uint8_t)raw;
  snprintf(spec + n, 8, "ll%c", conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  put(p, spec, (long long)value);
#pragma GCC diagnostic pop
}

// Conversions whose argument C takes as an int or as a pointer.
static void put_other(printer *p, char *spec, size_t n, char conversion) {
  uint64_t raw = next_argument(p, conversion == 'c' ? 4 : 8);
  spec[n] = conversion;
  spec[n + 1] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (conversion == 'c') put(p, spec, (int)raw);
  else put(p, spec, (void *)(uintptr_t)raw);
#pragma GCC diagnostic pop
}

static void put_double(printer *p, char *spec, size_t n, char conversion) {
  uint64_t raw = next_argument(p, 8);
  double value;
  memcpy(&value, &raw, sizeof value);
  spec[n] = conversion;
  spec[n + 1] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  put(p, spec, value);
#pragma GCC diagnostic pop
}

static void put_string(printer *p, char *spec, size_t n) {
  char text[MAX_TEXT];
  uint64_t address = next_argument(p, 8);
  if (address == 0 || (p->packed && p->next_word > p->n_words))
    snprintf(text, sizeof text, "(null)");
  else if (!lane_string(p->core, p->warp, p->lane, address, text)) {
    p->bad = p->bad_string = true;
    p->string_start = address;
    return;
  }
  spec[n] = 's';
  spec[n + 1] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  put(p, spec, text);
#pragma GCC diagnostic pop
}

// Wider fields are useless and cost the host time and memory.
static bool is_too_wide(const char *spec) {
  for (uint32_t number = 0; *spec; spec++) {
    number = *spec >= '0' && *spec <= '9' ? number * 10 + (uint32_t)(*spec - '0') : 0;
    if (number > MAX_LINE) return true;
  }
  return false;
}

// One conversion of a format, as CUDA reads it.
typedef struct conversion {
  const char *flags, *end; // behind '%'; behind the conversion's letter
  uint32_t bytes;          // of an integer: 1, 2, 4 or 8
  char letter;             // 0: none that CUDA knows
} conversion;

static conversion read_conversion(const char *f) {
  conversion c = {.flags = f, .bytes = 4};
  bool in_precision = false, known = true;
  for (; *f && strchr("-+ #0123456789.*", *f); f++) {
    in_precision |= *f == '.';
    known &= !(in_precision && *f == '*');
  }
  const char *modifier = f;
  while (*f && strchr("hlLzjtq", *f)) f++;
  size_t n = (size_t)(f - modifier);
  if (n && n <= 2 && strspn(modifier, "h") == n) c.bytes = n == 1 ? 2 : 1;
  else if (n && (n > 2 || strspn(modifier, "l") < n)) known = false;
  else if (n) c.bytes = 8;
  if (known && *f && strchr("diouxXceEfFgGaAsp", *f)) c.letter = *f;
  c.end = *f ? f + 1 : f;
  return c;
}

// Copies flags and width; `*` is an argument. False: the field is too wide.
static bool copy_flags(printer *p, const conversion *c, char *spec, size_t *n) {
  spec[0] = '%';
  *n = 1;
  for (const char *f = c->flags; strchr("-+ #0123456789.*", *f); f++) {
    if (*f == '*') *n += (size_t)snprintf(spec + *n, 12, "%d", (int)next_argument(p, 4));
    else spec[(*n)++] = *f;
    spec[*n] = '\0';
    if (*n > MAX_SPEC || is_too_wide(spec)) return false;
  }
  return true;
}

static bool is_byte(const conversion *c) {
  return c->bytes == 1 && c->letter && strchr("diouxX", c->letter);
}

static void note_conversion(printer *p, const conversion *c) {
  char text[MAX_SPEC + 1];
  snprintf(text, sizeof text, "%%%.*s", (int)(c->end - c->flags), c->flags);
  const simt_launch *l = p->core->launch;
  if (l->printed_otherwise) l->printed_otherwise(l->print_data, text);
}

static void put_as_it_stands(printer *p, const conversion *c) {
  put(p, "%%%.*s", (int)(c->end - c->flags), c->flags);
  note_conversion(p, c);
}

// Formats one conversion that starts behind '%'; returns what follows it.
static const char *put_conversion(printer *p, const char *f) {
  char spec[64];
  size_t n;
  conversion c = read_conversion(f);
  if (!c.letter) {
    if (c.end == f || !*f || c.end[-1] == '%') put(p, "%%"); // the end of the format; or "%5%"
    else put_as_it_stands(p, &c);
    return c.end;
  }
  if (!copy_flags(p, &c, spec, &n)) return p->bad = true, f;
  if (strchr("diouxX", c.letter)) put_integer(p, spec, n, c.letter, c.bytes);
  else if (strchr("eEfFgGaA", c.letter)) put_double(p, spec, n, c.letter);
  else if (c.letter == 's') put_string(p, spec, n);
  else put_other(p, spec, n, c.letter);
  return c.end;
}

// Packs the arguments of a format with `hh` in it, as the kernel's half of printf does.
static void pack_arguments(printer *p) {
  bool has_bytes = false;
  for (const char *f = p->format; (f = strchr(f, '%'));) {
    conversion c = read_conversion(f + 1);
    has_bytes |= is_byte(&c);
    f = c.end;
  }
  if (!has_bytes) return;
  for (const char *f = p->format; (f = strchr(f, '%')) && p->n_words + 8 < MAX_WORDS;) {
    conversion c = read_conversion(f + 1);
    f = c.end;
    if (!c.letter) continue;
    if (is_byte(&c)) {
      note_conversion(p, &c);
      continue;
    }
    for (const char *flag = c.flags; strchr("-+ #0123456789.*", *flag); flag++)
      if (*flag == '*' && p->n_words + 2 < MAX_WORDS) p->words[p->n_words++] = next_argument(p, 4);
    const bool wide = c.bytes == 8 || strchr("eEfFgGaAsp", c.letter);
    p->words[p->n_words++] = next_argument(p, wide ? 8 : 4);
  }
  // Behind a single word an H100 was seen to have the next argument.
  if (p->n_words == 1) {
    const uint32_t n_arguments = p->n_arguments;
    p->words[p->n_words++] = next_argument(p, 4);
    p->n_arguments = n_arguments;
  }
  p->packed = true;
}

static void format_line(printer *p, const char *f) {
  pack_arguments(p);
  while (*f && !p->bad) {
    if (*f != '%') put(p, "%c", *f++);
    else if (f[1] == '%') put(p, "%%"), f += 2;
    else f = put_conversion(p, f + 1);
  }
}

bool simt_exec_printf(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask) {
  const uint64_t *formats = (const uint64_t *)(const void *)(warp->regs + in->a);
  const uint64_t *arguments = (const uint64_t *)(const void *)(warp->regs + in->b);
  for (SIMT_EACH_LANE(lane, mask)) {
    char format[MAX_TEXT];
    printer p = {.core = core, .warp = warp, .lane = (int)lane, .arguments = arguments[lane]};
    p.format = format;
    if (!lane_string(core, warp, (int)lane, formats[lane], format))
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's format string is out of bounds");
    format_line(&p, format);
    if (p.bad_string)
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's %%s is given 0x%" PRIx64 ", where no string is", p.string_start);
    if (p.bad)
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's arguments do not match the format \"%s\"", format);
    core->printed_bytes += p.n;
    if (core->launch->max_print_bytes && core->printed_bytes > core->launch->max_print_bytes)
      return simt_fault(core, warp, in, (int)lane, SIMT_PRINT_LIMIT,
                        "the launch has printed more than %" PRIu64 " bytes (SIMT_MAX_PRINT_BYTES)",
                        core->launch->max_print_bytes);
    if (core->launch->print) core->launch->print(core->launch->print_data, p.line, p.n);
    uint32_t result = p.n_arguments;
    uint64_t at = in->print.result_offset;
    if (in->c != SIMT_NO_SLOT) at += ((const uint64_t *)(const void *)(warp->regs + in->c))[lane];
    if (at + sizeof result > core->local_bytes)
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's result lies outside of the thread's local memory");
    memcpy(warp->local + (size_t)lane * core->local_bytes + at, &result, sizeof result);
  }
  return true;
}

bool simt_exec_assert(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask) {
  char text[3][MAX_TEXT];
  int lane = __builtin_ctz(mask);
  for (int i = 0; i < 3; i++)
    lane_string(core, warp, lane,
                ((const uint64_t *)(const void *)(warp->regs + in->assertion.text[i]))[lane],
                text[i]);
  uint32_t line = ((const uint32_t *)(const void *)(warp->regs + in->a))[lane];
  return simt_fault(core, warp, in, lane, SIMT_ASSERT, "assertion `%s' failed at %s:%u in %s",
                    text[0], text[1], line, text[2]);
}
