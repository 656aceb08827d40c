// SPDX-License-Identifier: MIT
// base/sink.h - where text goes. The rooms below runtime/ do not use files: the caller of a report
// passes a function that receives its text piece by piece.
#ifndef SIMT_SINK_H
#define SIMT_SINK_H

#include <stddef.h>

typedef struct simt_sink {
  void (*write)(void *data, const char *text, size_t n_bytes); // not NUL-terminated
  void *data;
} simt_sink;

void simt_sink_write(const simt_sink *to, const char *text, size_t n_bytes);
void simt_sink_text(const simt_sink *to, const char *text); // up to its NUL
// Like printf; text longer than 4095 bytes is cut.
void simt_sink_printf(const simt_sink *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A sink that keeps what fits into `text`, which is always NUL-terminated (capacity_bytes > 0).
typedef struct simt_text_buffer {
  char *text;
  size_t capacity_bytes;
  size_t n_bytes; // of all that was written, whether it fitted or not
} simt_text_buffer;
simt_sink simt_buffer_sink(simt_text_buffer *buffer);

#endif
