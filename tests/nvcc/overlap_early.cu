// SPDX-License-Identifier: MIT
// What check_overlap.py must object to: a load before the wait, and a kernel that never waits.
#include "overlap.h"

extern "C" __global__ void reads_early(const float *in, float *out) {
  const float early = *(const volatile float *)in;
  wb_join_stream();
  *out = early;
}

extern "C" __global__ void never_waits(const float *in, float *out) { *out = *in; }

void launch(const float *in, float *out) {
  wb_launch_overlapped(reads_early, 1, 1, in, out);
  wb_launch_overlapped(never_waits, 1, 1, in, out);
}
