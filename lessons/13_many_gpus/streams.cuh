// SPDX-License-Identifier: MIT
// streams.cuh - one stream per GPU, and who waits for whom.
//
// A launch goes to the GPU of its stream; work in different streams has no order until an event
// gives it one. fork(): what the other GPUs do begins after what GPU 0 has been given so far.
// join(): what GPU 0 is given next begins after all of that. So the whole, timed on GPU 0, is what
// all of them took, and a graph can be made of it.
#ifndef MANY_GPUS_STREAMS_CUH
#define MANY_GPUS_STREAMS_CUH

#include "lesson.h"

typedef struct gpu_line { // what one GPU works through
  cudaStream_t stream;    // of GPU 0 the thread's default stream, which the harness times
  cudaEvent_t done;       // the latest thing that others may wait for
} gpu_line;

static gpu_line lines[WB_MAX_DEVICES];

static void use(unsigned gpu) { WB_OK(cudaSetDevice((int)gpu)); }

// Made when a GPU is first used; they stay.
static void open_line(unsigned gpu) {
  if (lines[gpu].done != nullptr) return;
  use(gpu);
  if (gpu > 0) WB_OK(cudaStreamCreateWithFlags(&lines[gpu].stream, cudaStreamNonBlocking));
  else lines[gpu].stream = cudaStreamPerThread;
  WB_OK(cudaEventCreateWithFlags(&lines[gpu].done, cudaEventDisableTiming));
}

//! [order]
// `gpu` has done all it was given so far: others may wait for that.
static void mark(unsigned gpu) {
  use(gpu);
  WB_OK(cudaEventRecord(lines[gpu].done, lines[gpu].stream));
}
// What `gpu` is given next begins after what `other` had marked. The host does not wait.
static void wait_for(unsigned gpu, unsigned other) {
  if (gpu == other) return;
  use(gpu);
  WB_OK(cudaStreamWaitEvent(lines[gpu].stream, lines[other].done, 0));
}

static void fork(const wb_shares *s) {
  for (unsigned d = 0; d < s->devices; d++) open_line(d);
  mark(0);
  for (unsigned d = 1; d < s->devices; d++) {
    wait_for(d, 0);
    mark(d); // so that none waits for what an earlier run has marked
  }
}
static void join(const wb_shares *s) {
  for (unsigned d = 1; d < s->devices; d++) {
    mark(d);
    wait_for(0, d);
  }
  use(0);
}
//! [order]

#endif
