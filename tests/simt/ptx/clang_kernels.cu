// SPDX-License-Identifier: MIT
// Source of clang14.ptx: kernels with no headers but the compiler's own. Compiled for sm_70, PTX 6.4,
// -O2 -gline-tables-only; directories were removed from the .file lines.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#include <__clang_cuda_builtin_vars.h>

struct record { int id; double weight; char tag[5]; };

__constant__ float scale[4] = {1.0f, 0.5f, -2.0f, 0.0f};
__device__ int table[2][3] = {{1, 2, 3}, {4, 5, -6}};
__device__ int counter;
__device__ int *where = &counter;
__device__ record origin = {7, 0.1, {'a', 'b'}};
__device__ const char *text = "sum\n";

extern "C" __device__ int vprintf(const char *format, void *arguments);

static __device__ inline float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __nvvm_shfl_sync_down_f32(0xffffffffu, value, offset, 31);
  return value;
}

static __device__ __attribute__((noinline)) float weigh(float value, const int *row) {
  return value * scale[row[1] & 3] + (float)row[2];
}

extern "C" __global__ void sum(const float *in, float *out, unsigned n, record r) {
  __shared__ float partial[32];
  float value = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += in[i];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) {
      __nvvm_atom_add_gen_f(out, weigh(value, where));
      struct { unsigned n; double value; } arguments = {n, value};
      vprintf(text, &arguments);
      __nvvm_atom_add_gen_i(&counter, r.id + r.tag[3]);
    }
  }
}

extern "C" __global__ void choose(double *out, int k, int (*function)(int)) {
  int local[8];
  for (int i = 0; i < 8; i++) local[i] = table[i & 1][i % 3] * k;
  switch (k) {
    case 0: out[0] = 1.0; break;
    case 1: out[1] = 1e-300; break;
    case 2: out[k] = -origin.weight; break;
    case 3: out[3] = local[threadIdx.x & 7]; break;
    case 4: out[4] = function(k); break;
    default: out[5] = (double)__nvvm_vote_ballot_sync(0xffffffffu, k & 1);
  }
}
