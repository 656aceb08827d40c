// SPDX-License-Identifier: MIT
// contest.cuh - times several ways to do the same thing beside each other on a real GPU.
//
// Method: the contestants take turns, round after round, so that a drifting clock affects them all
// equally; the ratio of two of them is taken round by round. Before every sample a kernel reads a
// stretch of memory far larger than the L2, so that each begins cold, and each sample takes the
// next part of the input. Three regimes:
//   lone    one run on an idle device, as a program that needs a sum would see it: the host's share
//           of a launch is in it
//   queued  one run that was enqueued while the device was still busy: the device's share alone
//   graph   up to 20 runs, one after the other, in a CUDA graph; the time of one
// Built with the per-thread default stream, which can be captured into a graph.
#ifndef CONTEST_CUH
#define CONTEST_CUH

#include <algorithm>
#include <cstdio>
#include <vector>

#include "lesson.h"

enum regime { LONE, QUEUED, GRAPH, N_REGIMES };
static const char *const regime_names[N_REGIMES] = {"lone", "queued", "graph"};

struct contestant {
  const char *name;
  void (*launch)(wb_launch *launch);
  unsigned block;
  std::vector<double> ms; // one a round, in order
};

struct contest {
  std::vector<contestant> entries;
  regime how;
  wb_launch launch;       // of every run, apart from where its input begins
  size_t total_elements;  // of the input buffer, of the size of a float
  unsigned element_bytes; // of one of the launch.n elements
  unsigned rounds;
};

enum { WARM_UP_ROUNDS = 2, MOST_GRAPH_RUNS = 20 };

#define CONTEST_OK(call)                                                                           \
  do {                                                                                             \
    const cudaError_t status_ = (call);                                                            \
    if (status_ != cudaSuccess) {                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));             \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

// The ceiling: as many loads in flight as possible, with nothing done with their values. Never
// writes (the sum of its inputs is not -1), but the compiler cannot know.
template <unsigned k> __global__ void read_only(const float4 *in, float *out, unsigned n_vectors) {
  const unsigned step = gridDim.x * blockDim.x;
  float sum = 0.0f;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + (k - 1) * step < n_vectors; i += k * step) {
    float4 v[k];
#pragma unroll
    for (unsigned j = 0; j < k; j++) v[j] = in[i + j * step];
#pragma unroll
    for (unsigned j = 0; j < k; j++) sum += (v[j].x + v[j].y) + (v[j].z + v[j].w);
  }
  for (; i < n_vectors; i += step) { // all of it: only bytes that are read may count
    const float4 v = in[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  if (sum == -1.0f) *out = sum;
}

static float *flush_buffer;
static const size_t flush_bytes = (size_t)256 << 20;

static void flush_l2() {
  if (flush_buffer == nullptr) {
    CONTEST_OK(cudaMalloc(&flush_buffer, flush_bytes));
    CONTEST_OK(cudaMemset(flush_buffer, 0, flush_bytes));
  }
  read_only<4><<<8 * wb_multiprocessors(), 256>>>((const float4 *)flush_buffer, flush_buffer,
                                                  flush_bytes / sizeof(float4));
}

// Moves on to a part of the input that the run before did not touch; keeps the misalignment.
static void advance(contest *c, size_t *at, wb_launch *launch) {
  const size_t floats = ((size_t)c->launch.n * c->element_bytes + 3) / 4;
  const size_t step = (floats + 63) / 64 * 64;
  if (*at + step > c->total_elements) *at = 0;
  *launch = c->launch;
  launch->in = c->launch.in + *at;
  launch->in_ints = (const int *)launch->in;
  *at += step;
}

static cudaGraphExec_t capture(contest *c, const contestant *one, unsigned runs) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  size_t at = 0;
  CONTEST_OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
  for (unsigned i = 0; i < runs; i++) {
    wb_launch launch;
    advance(c, &at, &launch);
    launch.block = one->block;
    one->launch(&launch);
  }
  CONTEST_OK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  CONTEST_OK(cudaGraphInstantiate(&exec, graph, 0));
  CONTEST_OK(cudaGraphDestroy(graph));
  CONTEST_OK(cudaGraphUpload(exec, cudaStreamPerThread));
  return exec;
}

// Events of the one stream that everything here runs in.
struct stopwatch {
  cudaEvent_t begin, end;
};

static double sample(contest *c, const contestant *one, size_t *at, cudaGraphExec_t graph,
                     unsigned runs, const stopwatch *watch) {
  float ms = 0.0f;
  wb_launch launch;
  advance(c, at, &launch);
  launch.block = one->block;
  flush_l2();
  if (c->how == LONE) CONTEST_OK(cudaStreamSynchronize(cudaStreamPerThread));
  CONTEST_OK(cudaEventRecord(watch->begin, cudaStreamPerThread));
  if (c->how == GRAPH) CONTEST_OK(cudaGraphLaunch(graph, cudaStreamPerThread));
  else one->launch(&launch);
  CONTEST_OK(cudaEventRecord(watch->end, cudaStreamPerThread));
  CONTEST_OK(cudaEventSynchronize(watch->end));
  CONTEST_OK(cudaEventElapsedTime(&ms, watch->begin, watch->end));
  return (double)ms / (c->how == GRAPH ? runs : 1);
}

// Runs the contest; afterwards every entry's `ms` holds its samples.
static void hold(contest *c) {
  const size_t floats = ((size_t)c->launch.n * c->element_bytes + 3) / 4;
  const size_t fit = c->total_elements / (floats + 64);
  const unsigned runs = fit < 1 ? 1 : fit < MOST_GRAPH_RUNS ? (unsigned)fit : MOST_GRAPH_RUNS;
  std::vector<cudaGraphExec_t> graphs(c->entries.size(), nullptr);
  stopwatch watch;
  size_t at = 0;
  CONTEST_OK(cudaEventCreate(&watch.begin));
  CONTEST_OK(cudaEventCreate(&watch.end));
  flush_l2();
  for (size_t e = 0; e < graphs.size(); e++) {
    c->entries[e].ms.clear();
    if (c->how == GRAPH) graphs[e] = capture(c, &c->entries[e], runs);
  }
  for (unsigned round = 0; round < WARM_UP_ROUNDS + c->rounds; round++) {
    for (size_t e = 0; e < graphs.size(); e++) {
      const double ms = sample(c, &c->entries[e], &at, graphs[e], runs, &watch);
      if (round >= WARM_UP_ROUNDS) c->entries[e].ms.push_back(ms);
    }
  }
  for (cudaGraphExec_t graph : graphs)
    if (graph != nullptr) CONTEST_OK(cudaGraphExecDestroy(graph));
  CONTEST_OK(cudaEventDestroy(watch.begin));
  CONTEST_OK(cudaEventDestroy(watch.end));
}

static double quantile(std::vector<double> x, double part) {
  std::sort(x.begin(), x.end());
  return x.empty() ? 0.0 : x[(size_t)(part * (double)(x.size() - 1) + 0.5)];
}

#endif
