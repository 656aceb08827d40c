// SPDX-License-Identifier: MIT
// session.c - device memory of a lesson program, and the inputs in it; see session.h.
#define _POSIX_C_SOURCE 200809L
#include "session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_SCRATCH_ELEMENTS = 1 << 21, // room for a sweep's slots, 8 bytes each
  L2S_BETWEEN_USES = 8,             // memory read before an input comes round again, in L2 sizes
  LOW_INT = -200,
  HIGH_INT = 1000 // skewed, so that a sum is not near 0
};

size_t wb_scratch_elements(unsigned n, unsigned block) {
  size_t elements = 0;
  for (unsigned left = n; left > 1 && block > 1;) {
    left = wb_blocks(left, block);
    elements += left;
  }
  return elements > LEAST_SCRATCH_ELEMENTS ? elements : LEAST_SCRATCH_ELEMENTS;
}

size_t wb_type_bytes(wb_type type) { return type == WB_DOUBLE ? 8 : type == WB_HALF ? 2 : 4; }

bool wb_is_scan(const wb_variant *variant) {
  return variant->result == WB_RESULT_INCLUSIVE_SCAN || variant->result == WB_RESULT_EXCLUSIVE_SCAN;
}

unsigned wb_n_bins(const wb_variant *variant) {
  if (variant->result != WB_RESULT_HISTOGRAM) return 0;
  return variant->n_bins != 0 ? variant->n_bins : WB_BINS;
}

size_t wb_output_elements(const wb_variant *variant, unsigned n, unsigned parameter) {
  if (variant->result == WB_RESULT_HISTOGRAM) return wb_n_bins(variant);
  if (wb_is_scan(variant)) return n;
  if (variant->result == WB_RESULT_ROW_SUMS) return n / WB_ROW + (n % WB_ROW != 0);
  if (variant->result == WB_RESULT_ACROSS) {
    const unsigned devices = wb_devices_used();
    return n / devices + (n % devices != 0);
  }
  return variant->sweep_to > 0 ? parameter : 1;
}

// --- slices ---------------------------------------------------------------------------------

typedef struct slice_job {
  wb_slice_work work;
  void *data;
  unsigned slice;
  bool ok;
} slice_job;

static void *run_slice(void *data) {
  slice_job *job = (slice_job *)data;
  job->ok = job->work(job->data, job->slice);
  return NULL;
}

bool wb_for_slices(const wb_session *s, wb_slice_work work, void *data) {
  slice_job jobs[WB_MAX_SLICES];
  pthread_t threads[WB_MAX_SLICES];
  bool is_threaded[WB_MAX_SLICES], ok = true;
  for (unsigned i = 0; i < s->n_slices; i++) {
    jobs[i] = (slice_job){work, data, i, false};
    // The last slice is this thread's own work, and so is one that got no thread.
    is_threaded[i] =
        i + 1 < s->n_slices && pthread_create(&threads[i], NULL, run_slice, &jobs[i]) == 0;
    if (!is_threaded[i]) run_slice(&jobs[i]);
  }
  for (unsigned i = 0; i < s->n_slices; i++) {
    if (is_threaded[i]) pthread_join(threads[i], NULL);
    ok = ok && jobs[i].ok;
  }
  return ok;
}

// Slices begin at multiples of a chunk. The software GPU's runtime is called from one thread.
static bool open_slices(wb_session *s) {
  const size_t n = s->args.n, n_chunks = n / WB_CHUNK_ELEMENTS + 1;
  const unsigned wanted = s->device.modelled || n_chunks < 64 ? 1 : WB_MAX_SLICES;
  const size_t each = (n_chunks + wanted - 1) / wanted * WB_CHUNK_ELEMENTS;
  s->n_slices = wanted;
  for (unsigned i = 0; i < wanted; i++) {
    wb_slice *slice = &s->slices[i];
    slice->first = i * each < n ? i * each : n;
    slice->count = n - slice->first < each ? n - slice->first : each;
    slice->chunk = (unsigned char *)malloc((size_t)2 * WB_CHUNK_ELEMENTS * WB_ELEMENT_BYTES);
    slice->bins = (int32_t *)malloc((s->most_bins + 1) * sizeof *slice->bins); // never empty
    if (slice->chunk == NULL || slice->bins == NULL) return false;
  }
  return true;
}

// --- device memory --------------------------------------------------------------------------

// Copies of the input: enough that none is left in the L2 when its turn comes again.
static unsigned copies_for(const wb_session *s) {
  if (s->device.l2_bytes == 0 || s->args.warm) return 1;
  return (unsigned)(L2S_BETWEEN_USES * s->device.l2_bytes / s->copy_bytes + 1);
}

static unsigned most_bins(const wb_lesson *lesson) {
  unsigned most = 0;
  for (size_t i = 0; i < lesson->n_variants; i++) {
    const unsigned n_bins = wb_n_bins(&lesson->variants[i]);
    if (n_bins > most) most = n_bins;
  }
  return most;
}

static size_t scratch_bytes(const wb_session *s) {
  size_t most = wb_scratch_elements(s->args.n, s->args.block);
  for (size_t i = 0; i < s->lesson->n_variants; i++) {
    const wb_variant *variant = &s->lesson->variants[i];
    if (variant->scratch_elements == NULL) continue;
    const size_t elements = variant->scratch_elements(s->args.n, wb_n_bins(variant));
    if (elements > most) most = elements;
  }
  return most * WB_ELEMENT_BYTES;
}

static size_t output_bytes(const wb_session *s) {
  size_t most = wb_type_bytes(WB_DOUBLE);
  for (size_t i = 0; i < s->lesson->n_variants; i++) {
    const wb_variant *variant = &s->lesson->variants[i];
    const size_t bytes =
        wb_output_elements(variant, s->args.n, variant->sweep_to) * wb_type_bytes(variant->output);
    if (bytes > most) most = bytes;
  }
  return most;
}

bool wb_session_open(wb_session *s) {
  const size_t input_bytes = ((size_t)s->args.n + s->args.offset) * WB_ELEMENT_BYTES;
  s->copy_bytes = (input_bytes + 511) / 512 * 512 + 512; // never empty
  s->n_copies = copies_for(s);
  s->scratch_bytes = scratch_bytes(s);
  s->most_bins = most_bins(s->lesson);
  s->out_bytes = output_bytes(s);
  if (!open_slices(s)) {
    fprintf(stderr, "%s: out of host memory\n", s->lesson->name);
    return false;
  }
  return WB_OK(cudaMalloc((void **)&s->inputs, s->copy_bytes * s->n_copies)) &&
         WB_OK(cudaMalloc(&s->out, s->out_bytes)) &&
         WB_OK(cudaMalloc((void **)&s->scratch, s->scratch_bytes)) && wb_shares_open(s);
}

void wb_session_close(wb_session *s) {
  wb_shares_close(s);
  if (s->inputs != NULL) cudaFree(s->inputs);
  if (s->out != NULL) cudaFree(s->out);
  if (s->scratch != NULL) cudaFree(s->scratch);
  s->inputs = NULL;
  s->out = NULL;
  s->scratch = NULL;
  s->filled = NULL;
  for (unsigned i = 0; i < WB_MAX_SLICES; i++) {
    free(s->slices[i].chunk);
    free(s->slices[i].bins);
    memset(&s->slices[i], 0, sizeof s->slices[i]);
  }
}

static unsigned char *input_copy(const wb_session *s, unsigned copy) {
  return s->inputs + s->copy_bytes * copy + (size_t)s->args.offset * WB_ELEMENT_BYTES;
}

const void *wb_session_input(const wb_session *s, unsigned copy) { return input_copy(s, copy); }

bool wb_session_poison_output(wb_session *s) {
  return WB_OK(cudaMemset(s->out, WB_POISON_BYTE, s->out_bytes)) && wb_shares_poison(s);
}

bool wb_session_poison(wb_session *s) {
  return wb_session_poison_output(s) &&
         WB_OK(cudaMemset(s->scratch, WB_POISON_BYTE, s->scratch_bytes));
}

// --- inputs ---------------------------------------------------------------------------------

bool wb_same_input(const wb_variant *a, const wb_variant *b) {
  const bool bins = a->result == WB_RESULT_HISTOGRAM;
  return a->input == b->input && bins == (b->result == WB_RESULT_HISTOGRAM) &&
         (!bins || (a->samples == b->samples && wb_n_bins(a) == wb_n_bins(b)));
}

void wb_make_chunk(const wb_session *s, const wb_variant *variant, wb_input_kind kind, void *to,
                   size_t first, size_t count) {
  const uint64_t seed = s->args.seed + (uint64_t)kind;
  if (variant->result == WB_RESULT_HISTOGRAM) {
    wb_fill_samples_at(variant->samples, wb_n_bins(variant), (int32_t *)to, first, count, seed);
  } else if (variant->input == WB_INT) {
    wb_fill_ints_at((int32_t *)to, first, count, LOW_INT, HIGH_INT, seed);
  } else {
    wb_fill_floats_at(kind, (float *)to, first, count, s->args.n, s->args.seed);
  }
}

void wb_totals_add_chunk(wb_totals *totals, const wb_variant *variant, const void *chunk,
                         size_t count) {
  if (variant->input == WB_INT) {
    wb_totals_add_ints(totals, (const int32_t *)chunk, count);
  } else {
    wb_totals_add(totals, (const float *)chunk, count);
  }
}

// Adds the chunk to what is known about the slice.
static void account_chunk(wb_slice *slice, const wb_variant *variant, size_t count) {
  const int32_t *ints = (const int32_t *)(const void *)slice->chunk;
  if (variant->result == WB_RESULT_HISTOGRAM) {
    for (size_t i = 0; i < count; i++) slice->bins[ints[i]]++;
  } else {
    wb_totals_add_chunk(&slice->totals, variant, slice->chunk, count);
  }
}

typedef struct filling {
  wb_session *s;
  const wb_variant *variant;
  wb_input_kind kind;
} filling;

static bool fill_slice(void *data, unsigned index) {
  const filling *f = (const filling *)data;
  wb_slice *slice = &f->s->slices[index];
  memset(&slice->totals, 0, sizeof slice->totals);
  memset(slice->bins, 0, wb_n_bins(f->variant) * sizeof *slice->bins);
  for (size_t done = 0; done < slice->count; done += WB_CHUNK_ELEMENTS) {
    const size_t left = slice->count - done, first = slice->first + done;
    const size_t count = left < WB_CHUNK_ELEMENTS ? left : WB_CHUNK_ELEMENTS;
    wb_make_chunk(f->s, f->variant, f->kind, slice->chunk, first, count);
    account_chunk(slice, f->variant, count);
    if (!WB_OK(cudaMemcpy(input_copy(f->s, 0) + first * WB_ELEMENT_BYTES, slice->chunk,
                          count * WB_ELEMENT_BYTES, cudaMemcpyHostToDevice))) {
      return false;
    }
  }
  return true;
}

// Doubles what is there until every place has it. Only the elements are copied: the room between
// two inputs stays uninitialised, so that a checker sees a kernel that reads there.
static bool spread_copies(wb_session *s) {
  const size_t row_bytes = (size_t)s->args.n * WB_ELEMENT_BYTES;
  for (unsigned have = 1; have < s->n_copies && row_bytes > 0; have *= 2) {
    const unsigned more = s->n_copies - have < have ? s->n_copies - have : have;
    if (!WB_OK(cudaMemcpy2D(input_copy(s, have), s->copy_bytes, input_copy(s, 0), s->copy_bytes,
                            row_bytes, more, cudaMemcpyDeviceToDevice))) {
      return false;
    }
  }
  return true;
}

bool wb_session_fill_once(wb_session *s, const wb_variant *variant, wb_input_kind kind) {
  if (s->filled != NULL && wb_same_input(s->filled, variant)) return true;
  const bool ok = wb_session_fill(s, variant, kind);
  s->filled = ok ? variant : NULL;
  return ok;
}

bool wb_session_fill(wb_session *s, const wb_variant *variant, wb_input_kind kind) {
  s->filled = NULL;
  filling f = {s, variant, kind};
  return wb_for_slices(s, fill_slice, &f) && spread_copies(s) && wb_shares_fill(s);
}
