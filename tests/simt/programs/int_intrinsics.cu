// SPDX-License-Identifier: MIT
//
// Integer intrinsics on numbers at the edges of their ranges.
#include <cstdio>
__global__ void k(const unsigned *a, int n) {
  for (int i = 0; i < n; i++) {
    unsigned x = a[i], y = a[(i + 3) % n], z = a[(i + 5) % n];
    int s = (int)x, t = (int)y;
    long long L = ((long long)s << 21) ^ t;
    unsigned long long U = ((unsigned long long)x << 32) | y;
    printf("%08x: %d %d %d %08x %08x | %08x %08x %08x %08x\n", x, __clz(s), __ffs(s), __popc(x),
           __brev(x), __byte_perm(x, y, z & 0x7777), __funnelshift_l(x, y, z),
           __funnelshift_r(x, y, z), __funnelshift_lc(x, y, z), __funnelshift_rc(x, y, z));
    printf("  %d %u %d %u %lld %llu %u %u\n", __mul24(s, t), __umul24(x, y), __mulhi(s, t),
           __umulhi(x, y), (long long)__mul64hi(L, (long long)U),
           (unsigned long long)__umul64hi(U, U ^ 77), __sad(s, t, z), __usad(x, y, z));
    printf("  %d %d %u %u %d %d %d %016llx\n", __hadd(s, t), __rhadd(s, t), __uhadd(x, y),
           __urhadd(x, y), __clzll(L), __ffsll(L), __popcll(U), (unsigned long long)__brevll(U));
    printf("  %d %d %u %u %lld %d %d\n", min(s, t), max(s, t), umin(x, y), umax(x, y),
           llmin(L, (long long)U), abs(s), s >> 3);
    if (t) printf("  %d %d %u %u %lld %lld\n", s / t, s % t, x / y, x % y, L / t, L % t);
    printf("  %d %u %d %u\n", __dp4a(s, t, 7), __dp4a(x, y, 9u), __dp2a_lo(s, t, 3),
           __dp2a_hi(x, y, 5u));
    printf("  %d %d %d %d\n", __vimax_s32_relu(s, t), __vimin3_s32(s, t, (int)z),
           __viaddmax_s32(s, t, (int)z), __vimax3_s32_relu(s, t, (int)z));
    printf("  %u %u %u\n", __fns(x, 0, 3), __fns(x, 31, -2), __fns(x, 5, 1));
  }
}
int main() {
  unsigned h[] = {0,         1,           2,           0x80000000u, 0xffffffffu, 0x7fffffffu,
                  12345678u, 0xdeadbeefu, 0x0f0f0f0fu, 0x80000001u, 31,          33};
  unsigned *d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 1>>>(d, 12);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(d);
}
