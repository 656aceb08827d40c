// SPDX-License-Identifier: MIT
// The ladder of lesson 14 as a HIP program: the same kernels, the wave's size asked of the device.
//
//   hipcc -O3 portable.hip -o portable && ./portable                          with an AMD GPU
//   ../../build/common/simt/simtcc portable.hip -o portable && ./portable     without any GPU
//
// The software GPU's warps have 32 lanes: without a GPU this shows that the HIP runs, and
// portable.cu that the kernels stand waves of 64.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels.cuh"

static void check(hipError_t error, const char *what) {
  if (error == hipSuccess) return;
  fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
  exit(1);
}

typedef void (*block_sum)(const float *in, float *out, unsigned n);
struct rung {
  const char *name;
  block_sum kernel;
};

//! [switch]
template <unsigned lanes> static std::vector<rung> ladder() {
  return {
      {"tree", tree}, {"fold", fold<lanes>}, {"first", first<lanes>}, {"stride", stride<lanes>}};
}

// What the device says at run time chooses among what was compiled for each size.
static std::vector<rung> ladder_for(int lanes) {
  switch (lanes) {
  case 32: return ladder<32>();
  case 64: return ladder<64>();
  default: return {};
  }
}
//! [switch]

// Pass after pass, as in lesson 01, until one value is left.
static float sum(block_sum kernel, const float *in, float *sums, unsigned n) {
  const unsigned block = 256, shared_bytes = block * sizeof(float);
  for (unsigned left = n; left > 1;) {
    const unsigned n_blocks = (left + 2 * block - 1) / (2 * block);
    hipLaunchKernelGGL(kernel, dim3(n_blocks), dim3(block), shared_bytes, 0, in, sums, left);
    check(hipGetLastError(), "launching");
    in = sums;
    sums += n_blocks;
    left = n_blocks;
  }
  float total;
  check(hipMemcpy(&total, in, sizeof total, hipMemcpyDeviceToHost), "copying the sum");
  return total;
}

int main() {
  hipDeviceProp_t device;
  check(hipGetDeviceProperties(&device, 0), "asking the device");
  const std::vector<rung> rungs = ladder_for(device.warpSize);
  printf("waves of %d lanes\n", device.warpSize);

  const unsigned n = 1000003;
  std::vector<float> x(n);
  float expected = 0.0f, *in, *sums;
  for (unsigned i = 0; i < n; i++) expected += x[i] = (float)(i % 10); // a float holds it exactly
  check(hipMalloc(&in, n * sizeof(float)), "allocating the input");
  check(hipMalloc(&sums, n * sizeof(float)), "allocating the sums");
  check(hipMemcpy(in, x.data(), n * sizeof(float), hipMemcpyHostToDevice), "copying the input");

  unsigned n_right = 0;
  for (const rung &one : rungs) {
    const float got = sum(one.kernel, in, sums, n);
    printf("%-6s %.0f, expected %.0f\n", one.name, got, expected);
    n_right += got == expected;
  }
  check(hipFree(in), "freeing");
  check(hipFree(sums), "freeing");
  return !rungs.empty() && n_right == rungs.size() ? 0 : 1;
}
