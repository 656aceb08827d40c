// SPDX-License-Identifier: MIT
// base/sink.c - see base/sink.h.
#include "base/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PIECE = 4096 };

void simt_sink_write(const simt_sink *to, const char *text, size_t n_bytes) {
  if (n_bytes) to->write(to->data, text, n_bytes);
}

void simt_sink_text(const simt_sink *to, const char *text) {
  simt_sink_write(to, text, strlen(text));
}

void simt_sink_printf(const simt_sink *to, const char *format, ...) {
  char text[LONGEST_PIECE];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0) simt_sink_write(to, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void keep(void *data, const char *text, size_t n_bytes) {
  simt_text_buffer *b = data;
  if (b->n_bytes + 1 < b->capacity_bytes) {
    size_t room = b->capacity_bytes - 1 - b->n_bytes, kept = n_bytes < room ? n_bytes : room;
    memcpy(b->text + b->n_bytes, text, kept);
    b->text[b->n_bytes + kept] = '\0';
  }
  b->n_bytes += n_bytes;
}

simt_sink simt_buffer_sink(simt_text_buffer *buffer) {
  if (buffer->capacity_bytes) buffer->text[0] = '\0';
  buffer->n_bytes = 0;
  return (simt_sink){.write = keep, .data = buffer};
}
