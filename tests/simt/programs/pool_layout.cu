// SPDX-License-Identifier: MIT
//
// Where allocations in stream order lie in a pool, and what the pool keeps: best fit, freed
// blocks given out again at once in the same stream, steps of 32 MiB. The expected output is an
// H100's with CUDA 13.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__global__ void touch(char *p) { *p = 1; }
static char *base;
static ptrdiff_t unit; // of 512 bytes: checkers leave room between allocations
static ptrdiff_t place(const char *p) {
  if (!unit && p != base) unit = p - base;
  return unit ? (p - base) * 512 / unit : 0;
}

static cudaMemPool_t pool;
static unsigned long long ask(int a) {
  unsigned long long v = 0;
  cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &v);
  return v;
}
static void state(const char *w) {
  printf("   %s: reserved %llu/%llu used %llu/%llu\n", w, ask(cudaMemPoolAttrReservedMemCurrent),
         ask(cudaMemPoolAttrReservedMemHigh), ask(cudaMemPoolAttrUsedMemCurrent),
         ask(cudaMemPoolAttrUsedMemHigh));
}
static char *get(size_t n, cudaStream_t s) {
  char *p = nullptr;
  cudaError_t e = cudaMallocAsync(&p, n, s);
  if (!base) base = p;
  printf("alloc %zu: %s at %td\n", n, cudaGetErrorName(e), place(p));
  touch<<<1, 1, 0, s>>>(p);
  return p;
}
static void put(char *p, cudaStream_t s) {
  printf("free %td: %s\n", place(p), cudaGetErrorName(cudaFreeAsync(p, s)));
}
int main() {
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long keep = ~0ull;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  cudaStream_t s;
  cudaStreamCreate(&s);
  printf("sizes in order\n");
  std::vector<char *> v;
  for (size_t n : {1, 4, 100, 255, 256, 257, 511, 512, 513, 1000, 1024, 4096, 5000, 65536, 100000,
                   1 << 20, 3000000, 100})
    v.push_back(get(n, s));
  state("all");
  printf("free odd ones, then smaller ones\n");
  for (size_t i = 1; i < v.size(); i += 2) put(v[i], s);
  state("odd");
  std::vector<char *> w;
  for (size_t n : {4, 100, 512, 1000, 200, 300, 50000, 1024, 16, 1 << 20, 700, 2000, 400})
    w.push_back(get(n, s));
  state("refilled");
  for (char *p : w) put(p, s);
  for (size_t i = 0; i < v.size(); i += 2) put(v[i], s);
  state("empty");
  printf("whole again\n");
  char *a = get(4 << 20, s), *b = get(8 << 20, s), *c = get(16 << 20, s);
  state("abc");
  put(b, s);
  char *d = get(8 << 20, s);
  put(d, s);
  d = get(6 << 20, s);
  char *e = get(2 << 20, s);
  char *f = get(1 << 20, s);
  put(a, s), put(c, s), put(d, s), put(e, s), put(f, s);
  state("free");
  cudaStreamSynchronize(s);
  state("synced");
  a = get(40 << 20, s);
  state("40M");
  b = get(33 << 20, s);
  state("33M");
  c = get(31 << 20, s);
  state("31M");
  put(a, s), put(b, s), put(c, s);
  a = get(64 << 20, s);
  state("64M");
  put(a, s);
  a = get(100 << 20, s);
  state("100M");
  b = get(10, s);
  put(a, s);
  put(b, s);
  cudaStreamSynchronize(s);
  for (size_t t : {(size_t)200 << 20, (size_t)100 << 20, (size_t)50 << 20, (size_t)1, (size_t)0}) {
    cudaMemPoolTrimTo(pool, t);
    state("trim");
  }
  a = get(100, s);
  state("again");
  b = get(33 << 20, s);
  state("again 33M");
  put(a, s);
  cudaMemPoolTrimTo(pool, 0);
  state("trim at once");
  cudaStreamSynchronize(s);
  cudaMemPoolTrimTo(pool, 0);
  state("trim later");
  put(b, s);
  cudaStreamSynchronize(s);
  printf("last in, first out or first fit\n");
  for (int i = 0; i < 6; i++) v[i] = get(1000, s);
  put(v[1], s), put(v[4], s), put(v[2], s);
  get(1000, s), get(1000, s), get(1000, s), get(1000, s);
  put(v[0], s), put(v[3], s), put(v[5], s);
}
