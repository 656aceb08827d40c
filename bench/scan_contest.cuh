// SPDX-License-Identifier: MIT
// scan_contest.cuh - lesson 10's scans as contestants of gpu_targets.cu, and the check of what they
// wrote. To be included once, after contest.cuh.
//
// The input of the check is made of small whole numbers, so that every sum is exact in a float, in
// whatever order it is added up: all elements must be right to the bit, those of CUB too.
// Not modelled: sums that must be rounded; the lesson's own program verifies those.
#ifndef SCAN_CONTEST_CUH
#define SCAN_CONTEST_CUH

#include "contest.cuh"
#include "cub_scan.h"
#include "warp.h" // here, or its names would be the namespace's

// The lesson in a namespace of its own. Its kernels have C names, and lesson 06 has one of these.
#define main unused_main
#define vectors single_pass_vectors
namespace scans {
#include "../lessons/10_single_pass_scan/single_pass_scan.cu"
}
#undef vectors
#undef main

// CUB counts elements in the type that it is given; one more contestant has it count in 64 bits.
static void launch_cub_scan_64(wb_launch *l) {
  size_t temporary_bytes = (size_t)16 << 20;
  CONTEST_OK(cub::DeviceScan::InclusiveSum(l->scratch, temporary_bytes, l->in, (float *)l->out,
                                           (size_t)l->n));
}

enum { STRETCH = 1024 }; // elements that one thread adds up

// before == NULL: sums[s] becomes the sum of stretch s. Otherwise counts what is not right in out.
__global__ void check_stretch(const float *in, const float *out, unsigned n, double *sums,
                              const double *before, unsigned *n_wrong) {
  const size_t stretch = blockIdx.x * (size_t)blockDim.x + threadIdx.x, first = stretch * STRETCH;
  if (first >= n) return;
  const size_t end = first + STRETCH < n ? first + STRETCH : n;
  double sum = before != nullptr ? before[stretch] : 0.0;
  unsigned wrong = 0;
  for (size_t i = first; i < end; i++) {
    sum += (double)in[i];
    if (before != nullptr && !((double)out[i] == sum)) wrong++;
  }
  if (before == nullptr) sums[stretch] = sum;
  if (wrong > 0) atomicAdd(n_wrong, wrong);
}

// How many elements of out are not the inclusive scan of in.
static unsigned count_wrong_sums(const float *in, const float *out, unsigned n) {
  const unsigned stretches = wb_blocks(n, STRETCH), blocks = wb_blocks(stretches, 128);
  std::vector<double> sums(stretches);
  double *device, total = 0.0;
  unsigned *counter, n_wrong;
  CONTEST_OK(cudaMalloc(&device, stretches * sizeof(double)));
  CONTEST_OK(cudaMalloc(&counter, sizeof(unsigned)));
  CONTEST_OK(cudaMemset(counter, 0, sizeof(unsigned)));
  check_stretch<<<blocks, 128>>>(in, out, n, device, nullptr, counter);
  CONTEST_OK(cudaMemcpy(sums.data(), device, stretches * sizeof(double), cudaMemcpyDeviceToHost));
  for (double &sum : sums) { // becomes the sum of those before
    const double own = sum;
    sum = total;
    total += own;
  }
  CONTEST_OK(cudaMemcpy(device, sums.data(), stretches * sizeof(double), cudaMemcpyHostToDevice));
  check_stretch<<<blocks, 128>>>(in, out, n, nullptr, device, counter);
  CONTEST_OK(cudaMemcpy(&n_wrong, counter, sizeof n_wrong, cudaMemcpyDeviceToHost));
  CONTEST_OK(cudaFree(device));
  CONTEST_OK(cudaFree(counter));
  return n_wrong;
}

#endif
