// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// The ways in which device code writes a launch.
#include <cstdio>

#include "device_launch_forms.h"

namespace outer {
namespace inner {
template <class T, int N> __global__ void add(T *at, const int n) { *at += N + n; }
__global__ void plain(int *at) { *at = 3; }
} // namespace inner
template <class A, class B> struct Pair { static constexpr int size = sizeof(A) + sizeof(B); };
} // namespace outer

template <class P> __global__ void store_size(int *at) { *at = P::size; }

struct Wide {
  int at[9];
};
__global__ void take(int *at, Wide w, char c, double d) { *at = w.at[8] + c + (int)d; }

#define LAUNCH(kernel, blocks, ...) kernel<<<(blocks), 1>>>(__VA_ARGS__)
#define STORE_42(at)                                                                               \
  do { set<int><<<1, 1>>>(at, 42); } while (0)

__host__ __device__ void both(int *at) { outer::inner::plain<<<1, 1>>>(at); }

struct Launcher {
  int *at;
  __device__ void operator()(int value) const { set<<<1, 1>>>(at, value); }
};

template <int DEPTH> __global__ void deeper(int *at) {
  *at = DEPTH;
  if (DEPTH > 0) deeper<(DEPTH > 0 ? DEPTH - 1 : 0)><<<1, 1>>>(at + 1);
}

template <class T> __global__ void generic(T *at, int n) {
  if (threadIdx.x == 0) set<<<1, 1>>>(at, T(n));
  if (threadIdx.x == 0) outer::inner::add<T, 5><<<1, 1>>>(at + 1, n >> 1);
}

__global__ void parent(int *at) {
  const int shift = 2;
  set<<<1, 1>>>(&at[0], 7);
  outer::inner::add<int, 4><<<dim3(1), dim3(1, 1), 0>>>(at + 1, 16 >> shift);
  ::outer::inner::plain<<<1, 1>>>(at + 2);
  store_size<outer::Pair<int, outer::Pair<char, double>>><<<1, 1>>>(at + 3);
  Wide w = {{0, 0, 0, 0, 0, 0, 0, 0, 100}};
  take<<<1,   // one block
         1,   /* of one thread, */
         0, 0 // in the grid's own stream
         >>>(at + 4, w, 'a', 2.5);
  LAUNCH(outer::inner::plain, 1, at + 5);
  LAUNCH((set<int>), 1, at + 6, 8);
  STORE_42(at + 7);
  both(at + 8);
  Launcher{at + 9}(10);
  set_from_header(at + 10);
  void (*const chosen[2])(int *) = {outer::inner::plain, deeper<2>};
  chosen[1]<<<1, 1>>>(at + 11);
  void (*one)(int *) = &outer::inner::plain;
  one<<<1, 1>>>(at + 14);
  generic<<<1, 32>>>(at + 15, 20);
  if (shift == 2) (one)<<<1, 1>>>(at + 17);
  const char *text = "<<<1, 1>>>"; // no launch
  at[18] = text[3];
}

int main() {
  enum { WORDS = 20 };
  int *at;
  cudaMallocManaged(&at, WORDS * sizeof *at);
  for (int i = 0; i < WORDS; ++i) at[i] = 0;
  parent<<<1, 1>>>(at);
  const cudaError_t error = cudaDeviceSynchronize();
  both(at + 19);
  cudaDeviceSynchronize();
  printf("%s:", cudaGetErrorName(error));
  for (int i = 0; i < WORDS; ++i) printf(" %d", at[i]);
  printf("\n");
  cudaFree(at);
}
