// SPDX-License-Identifier: MIT
// Copies and fills of small structures, by every compiler: those whose type is aligned to 16 bytes
// are accesses of 16 bytes. `accesses:` says what each kernel's PTX has (wide_copies.sh looks);
// main() tries the values.
#include <cstdio>
#include <cstring>

struct alignas(16) mixed {
  double a;
  int b, c;
};
struct pair {
  float4 x, y;
};
struct loose { // aligned to 8 bytes only
  double a, b;
};
enum { THREADS = 64 };

// accesses: ld.global.v4 1, st.global.v4 1
extern "C" __global__ void copy_float4(float4 *out, const float4 *in) {
  out[threadIdx.x] = in[threadIdx.x];
}
// accesses: ld.global.v4 1, st.global.v4 1
extern "C" __global__ void copy_mixed(mixed *out, const mixed *in) {
  out[threadIdx.x] = in[threadIdx.x];
}
// accesses: ld.global.v4 2, st.global.v4 2
extern "C" __global__ void copy_pair(pair *out, const pair *in) {
  out[threadIdx.x] = in[threadIdx.x];
}
// accesses: ld.global.v4 1, st.shared.v4 1, ld.shared.v4 1, st.global.v4 1
extern "C" __global__ void by_shared(uint4 *out, const uint4 *in) {
  __shared__ uint4 stage[THREADS];
  stage[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
}
// accesses: st.global.v4 1
extern "C" __global__ void zeros(float4 *out) { out[threadIdx.x] = make_float4(0, 0, 0, 0); }
// accesses: st.global.v4 1
extern "C" __global__ void ones(uint4 *out) { out[threadIdx.x] = make_uint4(~0u, ~0u, ~0u, ~0u); }
// Two words of 8 bytes: 16 would be misaligned.
// accesses: ld.global.64 2, st.global.64 2
extern "C" __global__ void copy_loose(loose *out, const loose *in) {
  out[threadIdx.x] = in[threadIdx.x];
}
// Every access of its own, as it is written.
// accesses: ld.volatile.global.64 2, st.volatile.global.64 2
extern "C" __global__ void copy_volatile(volatile double *out, const volatile double *in) {
  out[2 * threadIdx.x + 1] = in[2 * threadIdx.x + 1];
  out[2 * threadIdx.x] = in[2 * threadIdx.x];
}

static int n_wrong;

static void compare(const char *what, const void *is, const void *wanted, size_t bytes) {
  const bool right = memcmp(is, wanted, bytes) == 0;
  printf("%-8s %s\n", what, right ? "right" : "wrong");
  n_wrong += !right;
}

int main() {
  enum { BYTES = THREADS * sizeof(pair) };
  static unsigned char in[BYTES], out[BYTES], wanted[BYTES];
  unsigned char *d_in, *d_out;
  for (int i = 0; i < BYTES; i++) in[i] = (unsigned char)(i * 37 + i / 251);
  if (cudaMalloc(&d_in, BYTES) != cudaSuccess || cudaMalloc(&d_out, BYTES) != cudaSuccess) return 1;
  cudaMemcpy(d_in, in, BYTES, cudaMemcpyHostToDevice);

#define TRY(name, type, launch)                                                                    \
  cudaMemset(d_out, 0x5a, BYTES);                                                                  \
  launch;                                                                                          \
  if (cudaMemcpy(out, d_out, BYTES, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;              \
  memset(wanted, 0x5a, BYTES);                                                                     \
  want(wanted, in, THREADS * sizeof(type));                                                        \
  compare(name, out, wanted, BYTES)
  auto want = [](unsigned char *to, const unsigned char *from, size_t n) { memcpy(to, from, n); };
  TRY("float4", float4, (copy_float4<<<1, THREADS>>>((float4 *)d_out, (float4 *)d_in)));
  TRY("mixed", mixed, (copy_mixed<<<1, THREADS>>>((mixed *)d_out, (mixed *)d_in)));
  TRY("pair", pair, (copy_pair<<<1, THREADS>>>((pair *)d_out, (pair *)d_in)));
  TRY("loose", loose, (copy_loose<<<1, THREADS>>>((loose *)d_out, (loose *)d_in)));
  TRY("volatile", loose, (copy_volatile<<<1, THREADS>>>((double *)d_out, (double *)d_in)));
  {
    auto want = [](unsigned char *to, const unsigned char *from, size_t n) {
      for (size_t i = 0; i < n; i++) to[i] = from[i ^ 16];
    };
    TRY("shared", uint4, (by_shared<<<1, THREADS>>>((uint4 *)d_out, (uint4 *)d_in)));
  }
  {
    auto want = [](unsigned char *to, const unsigned char *, size_t n) { memset(to, 0, n); };
    TRY("zeros", float4, (zeros<<<1, THREADS>>>((float4 *)d_out)));
  }
  {
    auto want = [](unsigned char *to, const unsigned char *, size_t n) { memset(to, 0xff, n); };
    TRY("ones", uint4, (ones<<<1, THREADS>>>((uint4 *)d_out)));
  }
  return n_wrong ? 1 : 0;
}
