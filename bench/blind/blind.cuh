// SPDX-License-Identifier: MIT
// blind.cuh - what the kernels share by which the timing model is judged; no constant of the model
// was chosen for them. Each file holds a few kinds and lists them; blind.cu runs them.
//
// Half of them are `open`: once measured, they may be used to find mistakes of the model. The
// others are `kept`: their measured times have no influence on any change, and are reported
// separately.
#ifndef BLIND_CUH
#define BLIND_CUH

#include <cstdint>
#include <cuda_runtime.h>

// Arrays of n elements each, of one size for all kernels; what is in them: blind.cu.
struct Data {
  uint32_t n, log2_n;
  float *a, *b, *c;      // a and b: numbers in (0, 1); c: results
  uint32_t *index, *out; // index: numbers below n, in no order; out: results
  const uint32_t *rows;  // [n / 8 + 1] where rows of a sparse matrix begin: 0 to 16 elements each
  const uint8_t *bytes;  // letters of an alphabet of four
  double *x;             // [n / 2]
};

struct Kernel {
  const char *name, *kind;
  bool kept;
  uint32_t log2_sizes[4]; // 0: no more
  void (*launch)(const Data &d);
};

struct Kernels {
  const Kernel *first;
  unsigned n;
};

Kernels dense_kernels();
Kernels sparse_kernels();
Kernels grid_kernels();
Kernels search_kernels();
Kernels arithmetic_kernels();

inline uint32_t blocks_for(uint32_t n, uint32_t threads) { return (n + threads - 1) / threads; }

#define GIVE(list)                                                                                 \
  return Kernels { list, sizeof(list) / sizeof *(list) }

__device__ __forceinline__ uint32_t place() { return blockIdx.x * blockDim.x + threadIdx.x; }

#endif
