// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_90
//
// atomicExch() and atomicCAS() of any type of 16 aligned bytes, in each scope; compare-and-swap of
// 2 bytes.
#include <cstdio>

struct alignas(16) pair {
  long long a;
  int b, c;
};
typedef unsigned __int128 wide;

__global__ void together(pair *p, wide *w, unsigned short *s) {
  const int t = threadIdx.x;
  const pair mine = {t, -t, 3};
  const pair before = atomicExch(p + t, mine);
  const pair same = atomicCAS_block(p + t, mine, before), other = atomicCAS(p + t, mine, mine);
  wide seen = w[32], old;
  do {
    old = seen;
    seen = atomicCAS_system(&w[32], old, old + ((wide)t << 60));
  } while (seen != old);
  w[t] = atomicExch_system(w + t, (wide)t << 100) + atomicExch_block(w + t, (wide)7);
  if (same.b != -t || other.a != before.a) p[t].c = -1;
  if (atomicCAS(s, (unsigned short)0, (unsigned short)(t + 1)) == 0) s[1] = 1;
}

int main() {
  pair *p;
  wide *w;
  unsigned short *s;
  cudaMallocManaged(&p, 32 * sizeof *p);
  cudaMallocManaged(&w, 33 * sizeof *w);
  cudaMallocManaged(&s, 2 * sizeof *s);
  for (int i = 0; i < 32; i++) p[i] = {i * 5000000000, i, i + 1}, w[i] = i;
  w[32] = 0;
  s[0] = s[1] = 0;
  together<<<1, 32>>>(p, w, s);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; i += 6)
    printf("%lld %d %d, %llx %llx\n", p[i].a, p[i].b, p[i].c, (unsigned long long)(w[i] >> 64),
           (unsigned long long)w[i]);
  printf("%llx %llx, %d\n", (unsigned long long)(w[32] >> 64), (unsigned long long)w[32], s[1]);
  cudaFree(p);
  cudaFree(w);
  cudaFree(s);
}
