// SPDX-License-Identifier: MIT
//
// What the calls after a fault return, for each kind of fault, each in a process of its own.
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <cassert>
__device__ int *np;
__device__ int deep(int n, volatile int *p) {
  volatile int a[64];
  a[n % 64] = n;
  return n ? deep(n - 1, p) + a[(n + 1) % 64] : *p;
}
__global__ void k(int what, int *p) {
  extern __shared__ int s[];
  volatile int *q = p;
  switch (what) {
  case 0: *np = 1; break;
  case 1: *(int *)((char *)p + 1) = 1; break;
  case 2: __trap(); break;
  case 3: assert(p == nullptr); break;
  case 4: q[1 << 28] = 1; break;
  case 5: *(volatile long long *)(p + 1) = 1; break;
  case 6: asm volatile("brkpt;"); break;
  case 7: ((volatile int *)s)[1 << 20] = 1; break;
  case 8: {
    void (*f)() = (void (*)())p;
    f();
    break;
  }
  case 9: p[1] = deep(100000, q); break;
  case 10: p[0] = 5; break;
  case 11: *(volatile int *)0x10 = 3; break;
  case 12: {
    void *m = malloc(1ull << 40);
    p[0] = m == nullptr;
    break;
  }
  case 13: __builtin_unreachable();
  }
}
int main() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  for (int i = 0; i < 13; i++) {
    if (i == 8) continue;
    if (fork() == 0) {
      int *p;
      cudaMalloc(&p, 64);
      k<<<1, 1, 64>>>(i, p);
      cudaError_t a = cudaDeviceSynchronize(), b = cudaGetLastError(), c = cudaMalloc(&p, 4),
                  d = cudaPeekAtLastError();
      printf("%d: %s %s %s %s\n", i, cudaGetErrorName(a), cudaGetErrorName(b), cudaGetErrorName(c),
             cudaGetErrorName(d));
      cudaDeviceReset();
      _exit(0);
    }
    int st;
    wait(&st);
    printf("exit %d\n", st);
  }
}
