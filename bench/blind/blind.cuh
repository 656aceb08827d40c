// SPDX-License-Identifier: MIT
// blind.cuh - what the kernels share by which the timing model is judged; no constant of the model
// was chosen for them. Each file holds a few kinds and lists them; blind.cu runs them.
//
// Half of them are `open`: once measured, they may be used to find mistakes of the model. The
// others are `kept`: their measured times have no influence on any change, and are reported
// separately. The first set chose its halves by hand; the second, written when the first was known,
// by a rule that leaves no choice: kept_by_name().
#ifndef BLIND_CUH
#define BLIND_CUH

#include <cstdint>
#include <cuda_runtime.h>
#include <vector>

// The same arrays in host memory, as they are before a launch.
struct Host {
  uint32_t n, log2_n;
  std::vector<float> a, b;
  std::vector<uint32_t> index, rows, ascending;
  std::vector<uint8_t> bytes;
  std::vector<double> x;
};

// Arrays of n elements each, of one size for all kernels; what is in them: blind.cu.
struct Data {
  uint32_t n, log2_n;
  float *a, *b, *c;      // a and b: numbers in (0, 1); c: results
  uint32_t *index, *out; // index: numbers below n, in no order; out: results
  const uint32_t *rows;  // [n / 8 + 1] where rows of a sparse matrix begin: 0 to 16 elements each
  const uint8_t *bytes;  // letters of an alphabet of four
  const uint32_t *ascending; // ascending numbers below 4 n
  double *x;                 // [n / 2]
};

// Where a kernel leaves its results; those of `checked_at` are compared with a host program's.
enum Result { NOT_CHECKED, FLOATS, WORDS, BYTES }; // in c, in out, in out as bytes

struct Kernel {
  const char *name, *kind;
  bool kept;
  uint32_t log2_sizes[4]; // 0: no more
  void (*launch)(const Data &d);
  Result result; // the second set's only
  uint32_t per;  // elements of the data per result: results 0 ... n / per - 1 are checked
  double (*expected)(const Host &h, uint32_t at);
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
// The second set.
Kernels signal_kernels();
Kernels learning_kernels();
Kernels field_kernels();
Kernels list_kernels();
Kernels bit_kernels();

inline uint32_t blocks_for(uint32_t n, uint32_t threads) { return (n + threads - 1) / threads; }

// FNV-1a of the name; odd: kept.
constexpr bool kept_by_name(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
  return hash & 1;
}

#define SECOND(name, kind) #name, kind, kept_by_name(#name)

#define GIVE(list)                                                                                 \
  return Kernels { list, sizeof(list) / sizeof *(list) }

__device__ __forceinline__ uint32_t place() { return blockIdx.x * blockDim.x + threadIdx.x; }

#endif
