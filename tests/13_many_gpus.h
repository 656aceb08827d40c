// SPDX-License-Identifier: MIT
// 13_many_gpus.h - what the two halves of lesson 13's suite share: arrays in the memories of
// several GPUs. Where there are fewer GPUs than a check speaks of, several of its GPUs are one.
#ifndef MANY_GPUS_SUITE_H
#define MANY_GPUS_SUITE_H

#include "inputs.h"
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_GPUS = 8 };

extern const wb_suite butterfly_exercise;

// A variant of the exercise: all GPUs are to have the largest of each element, not the sum.
static inline bool is_maximum(void) { return wb_judge_is_variant("maximum"); }

// What follows - allocations, launches - is about this GPU, which may read all others' memory.
static inline void on_gpu(unsigned gpu) {
  static bool opened[MOST_GPUS];
  int n_devices = 1;
  cudaGetDeviceCount(&n_devices);
  const int device = (int)gpu % n_devices;
  cudaSetDevice(device);
  if (opened[device]) return;
  opened[device] = true;
  for (int other = 0; other < n_devices; other++)
    if (other != device) cudaDeviceEnablePeerAccess(other, 0);
  cudaGetLastError(); // on a GPU that has no such access the launch will say so
}

static inline void *input_on(wb_judge *judge, unsigned gpu, const char *name, const float *x,
                             size_t n, size_t offset) {
  on_gpu(gpu);
  return wb_judge_input(judge, name, x, n * sizeof *x, offset * sizeof *x);
}
static inline void *output_on(wb_judge *judge, unsigned gpu, const char *name, size_t size_bytes) {
  on_gpu(gpu);
  return wb_judge_output(judge, name, size_bytes);
}

// Bytes that have crossed the link from one GPU to another since the process began; 0 where the
// backend does not count, or both are one.
static inline uint64_t link_bytes(unsigned from, unsigned to) {
#ifdef WORKBOOK_SIMT
  simt_device_link l;
  if (simt_link_read((int)from, (int)to, &l))
    return l.copied_bytes + l.read_bytes + l.written_bytes + l.atomic_bytes;
#else
  (void)from, (void)to;
#endif
  return 0;
}

// Sixteenths between -64 and 64, different in every place and on every GPU: sums of eight are
// exact.
static inline float *some_floats(wb_judge *judge, size_t n, uint64_t salt) {
  float *x = wb_judge_host(judge, (n + 1) * sizeof *x);
  wb_fill_float_range(x, n, -1024, 1024, wb_judge_seed(judge) + 8191 * n + salt);
  for (size_t i = 0; i < n; i++) x[i] = (x[i] + 0.5f) / 16.0f; // never 0
  return x;
}

#endif
