// SPDX-License-Identifier: MIT
// trace.c - a launch, instruction by instruction, through the engine's stepper.
//
// Each step is written after it has run, with what it left in the register that it names first.
// Not here: registers of more than 64 bits, memory.
#include "trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static void put(void *file, const char *text, size_t n_bytes) { fwrite(text, 1, n_bytes, file); }

static void write_string(FILE *out, simt_str text) {
  char copy[512];
  size_t n = text.size < sizeof copy - 1 ? text.size : sizeof copy - 1;
  const simt_sink sink = {put, out};
  memcpy(copy, text.at, n);
  copy[n] = '\0';
  simt_json_string(&sink, copy);
}

// The register that an instruction names first: what it writes, or what it stores under.
static bool first_register(simt_str ptx, char *name, size_t name_bytes) {
  const char *at = memchr(ptx.at, '%', ptx.size);
  if (!at) return false;
  size_t left = (size_t)(ptx.at + ptx.size - at), n = 1;
  while (n < left &&
         strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at[n]))
    n++;
  if (n >= name_bytes) return false;
  memcpy(name, at, n);
  name[n] = '\0';
  return true;
}

static void write_value(FILE *out, ptx_type type, uint64_t bits) {
  float single;
  uint32_t low = (uint32_t)bits;
  memcpy(&single, &low, sizeof single);
  if (type == PTX_F32 && single - single == 0) fprintf(out, "%.9g", (double)single);
  else if (type == PTX_F32)
    fprintf(out, "\"%s\"", single != single ? "NaN" : single > 0 ? "inf" : "-inf");
  else if (type == PTX_S32) fprintf(out, "%" PRId32, (int32_t)low);
  else fprintf(out, "%" PRIu64, bits);
}

static void write_values(FILE *out, const simt_run *run, const simt_place *at) {
  char name[64];
  simt_values values;
  if (!first_register(at->ptx, name, sizeof name) ||
      simt_run_register(run, at->resident, at->warp, name, &values) != SIMT_OK)
    return;
  uint32_t shown = values.valid & at->mask;
  if (!shown || values.size_bytes > 8) return;
  fprintf(out, ", \"register\": \"%s\", \"values\": [", name);
  for (int lane = 0; lane < SIMT_LANES; lane++) {
    if (lane) fputs(", ", out);
    if (shown >> lane & 1) write_value(out, values.type, values.value[lane]);
    else fputs("null", out);
  }
  fputs("]", out);
}

static void write_step(FILE *out, const simt_run *run, const simt_place *at) {
  fprintf(out, "{\"warp\": %" PRIu32 ", \"mask\": %" PRIu32 ", \"line\": %" PRIu32, at->warp,
          at->mask, at->line);
  if (at->file.size) {
    fputs(", \"file\": ", out);
    write_string(out, at->file);
  }
  fputs(", \"ptx\": ", out);
  write_string(out, at->ptx);
  write_values(out, run, at);
  fputs("}\n", out);
}

void tutor_trace(FILE *out, simt_run *run, unsigned long n_steps) {
  simt_run_advance(run, SIMT_UNTIL_END, 0);
  for (unsigned long n = 0; n < n_steps && simt_run_state(run) == SIMT_EXECUTION_HELD;) {
    simt_place at;
    simt_block_view block;
    if (simt_run_current(run, &at) != SIMT_OK) break;
    bool first = simt_run_block(run, at.resident, &block) == SIMT_OK && block.index == 0;
    simt_run_advance(run, SIMT_UNTIL_END, 1);
    if (!first) continue; // another block's turn
    write_step(out, run, &at);
    n++;
  }
}
