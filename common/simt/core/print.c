// SPDX-License-Identifier: MIT
// core/print.c - device printf and assert. The compiler packs printf's arguments into a buffer,
// every one aligned to its size; the format says how to read them. Lanes print in ascending order.
// Not supported and said so in the output: %n, long double, wide strings.
#include "core/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/access.h"
#include "core/fault.h"
#include "core/state.h"

enum { MAX_TEXT = 1024, MAX_LINE = 4096, MAX_SPEC = 40 };

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
  uint64_t arguments; // generic address of the next argument
  char line[MAX_LINE];
  size_t n;
  bool bad;
} printer;

__attribute__((format(printf, 2, 3))) static void put(printer *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(p->line + p->n, sizeof p->line - p->n, format, arguments);
  va_end(arguments);
  if (n > 0) p->n = p->n + (size_t)n < sizeof p->line ? p->n + (size_t)n : sizeof p->line - 1;
}

static uint64_t next_argument(printer *p, uint32_t size_bytes) {
  uint64_t value = 0;
  p->arguments = (p->arguments + size_bytes - 1) / size_bytes * size_bytes;
  const uint8_t *bytes = simt_lane_bytes(p->core, p->warp, p->lane, p->arguments, size_bytes);
  if (bytes) memcpy(&value, bytes, size_bytes);
  else p->bad = true;
  p->arguments += size_bytes;
  return value;
}

static void put_integer(printer *p, char *spec, size_t n, char conversion, bool is_long) {
  bool is_signed = conversion == 'd' || conversion == 'i';
  uint64_t raw = next_argument(p, is_long ? 8 : 4);
  int64_t value = is_long ? (int64_t)raw : is_signed ? (int32_t)raw : (int64_t)raw;
  snprintf(spec + n, 8, "ll%c", conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  put(p, spec, (long long)value);
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
  if (!lane_string(p->core, p->warp, p->lane, address, text))
    snprintf(text, sizeof text, "(bad string)");
  spec[n] = 's';
  spec[n + 1] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  put(p, spec, text);
#pragma GCC diagnostic pop
}

// A field wider than a line is no use and costs the host time and memory.
static bool is_too_wide(const char *spec) {
  for (uint32_t number = 0; *spec; spec++) {
    number = *spec >= '0' && *spec <= '9' ? number * 10 + (uint32_t)(*spec - '0') : 0;
    if (number > MAX_LINE) return true;
  }
  return false;
}

// Formats one conversion that starts behind '%'; returns what follows it.
static const char *put_conversion(printer *p, const char *f) {
  char spec[64] = "%";
  size_t n = 1;
  while (*f && strchr("-+ #0123456789.*", *f)) {
    if (*f == '*') n += (size_t)snprintf(spec + n, 12, "%d", (int)next_argument(p, 4));
    else spec[n++] = *f;
    spec[n] = '\0';
    if (n > MAX_SPEC || is_too_wide(spec)) return p->bad = true, f;
    f++;
  }
  bool is_long = false;
  for (; *f && strchr("lhzjtq", *f); f++) is_long |= strchr("lzjtq", *f) != NULL;
  if (*f == '\0') return f;
  if (strchr("diouxX", *f)) put_integer(p, spec, n, *f, is_long);
  else if (*f == 'c') put(p, "%c", (int)next_argument(p, 4));
  else if (strchr("eEfFgGaA", *f)) put_double(p, spec, n, *f);
  else if (*f == 's') put_string(p, spec, n);
  else if (*f == 'p') put(p, "0x%" PRIx64, next_argument(p, 8));
  else put(p, "%%%c", *f);
  return f + 1;
}

static void format_line(printer *p, const char *f) {
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
    if (!lane_string(core, warp, (int)lane, formats[lane], format))
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's format string is out of bounds");
    format_line(&p, format);
    if (p.bad)
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's arguments do not match the format \"%s\"", format);
    if (core->launch->print) core->launch->print(core->launch->print_data, p.line, p.n);
    uint32_t result = (uint32_t)p.n;
    if ((uint64_t)in->print.result_offset + sizeof result > core->kernel->local_bytes)
      return simt_fault(core, warp, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "printf's result lies outside of the thread's local memory");
    memcpy(warp->local + lane * core->kernel->local_bytes + in->print.result_offset, &result,
           sizeof result);
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
