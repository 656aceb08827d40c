// SPDX-License-Identifier: MIT
// runtime/prints.c - device printf: kept until the host synchronises, as on a GPU.
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void simt_rt_print(void *data, const char *text, size_t bytes) {
  rt_context *context = data;
  if (context->print_bytes + bytes > context->print_capacity) {
    size_t capacity = (context->print_bytes + bytes) * 2 + 4096;
    char *grown = realloc(context->print, capacity);
    if (!grown) { // better early than lost
      simt_rt_flush_prints(context);
      fwrite(text, 1, bytes, stdout);
      return;
    }
    context->print = grown;
    context->print_capacity = capacity;
  }
  memcpy(context->print + context->print_bytes, text, bytes);
  context->print_bytes += bytes;
}

void simt_rt_note_conversion(void *data, const char *conversion) {
  rt_context *context = data;
  if (context->conversion_noted) return;
  context->conversion_noted = true;
  simt_rt_note(context,
               "a kernel's printf asks for \"%s\", which CUDA's does not know (no hh, j, t, z, L, "
               "%%n, and no precision as an argument): it prints %s, as on a GPU",
               conversion,
               strstr(conversion, "hh") ? "what is no argument of it" : "it as it stands");
}

// The program ends without having waited for the kernels: on a GPU nothing of it is seen. Beside a
// fault it helps to find the cause.
void simt_rt_lose_prints(rt_context *context) {
  if (simt_rt_has_fault(context)) simt_rt_flush_prints(context);
  if (!context->print_bytes) return;
  simt_rt_say("note: what kernels printed since the host waited last is lost, as on a GPU: call "
              "cudaDeviceSynchronize() before the program ends");
  context->print_bytes = 0;
}

void simt_rt_flush_prints(rt_context *context) {
  if (!context->print_bytes) return;
  fwrite(context->print, 1, context->print_bytes, stdout);
  fflush(stdout);
  context->print_bytes = 0;
}
