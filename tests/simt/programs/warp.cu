// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// Warp functions and bit intrinsics, every lane's result folded into one number per line.
#include <cuda_runtime.h>

#include <cstdio>

enum { N_RESULTS = 48 };

__device__ void note(unsigned long long *out, int at, unsigned long long value) {
  // A sum over lanes that depends on which lane had what.
  atomicAdd(&out[at], (value + 1) * (threadIdx.x * 2654435761ull + 1));
}
__device__ unsigned long long bits(double x) { return (unsigned long long)__double_as_longlong(x); }

__global__ void shuffles(unsigned long long *out) {
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  note(out, 0, __shfl_sync(all, t * 3, 5));
  note(out, 1, __shfl_sync(all, t * 3, t + 9));
  note(out, 2, __shfl_up_sync(all, t, 3));
  note(out, 3, __shfl_down_sync(all, t, 3));
  note(out, 4, __shfl_xor_sync(all, t, 21));
  note(out, 5, __shfl_up_sync(all, t, 3, 8));
  note(out, 6, __shfl_down_sync(all, t, 3, 8));
  note(out, 7, __shfl_xor_sync(all, t, 5, 4));
  note(out, 8, __shfl_sync(all, t, 6, 4));
  note(out, 9, __float_as_uint(__shfl_xor_sync(all, t * 0.5f, 1)));
  note(out, 10, bits(__shfl_down_sync(all, t * 0.25, 16)));
  note(out, 11, __shfl_up_sync(all, t * 0x100000001ll, 2));
  note(out, 12, __shfl_xor_sync(all, (unsigned long long)t << 40, 2));
  if (t < 20) note(out, 13, __shfl_down_sync(0x000fffffu, t, t < 19)); // no lane reads outside
  if (t & 1) note(out, 14, __shfl_xor_sync(0xaaaaaaaau, t, 2));
}

__global__ void votes(unsigned long long *out) {
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  note(out, 0, __ballot_sync(all, t % 3 == 0));
  note(out, 1, __all_sync(all, t < 32) + 2 * __all_sync(all, t < 31));
  note(out, 2, __any_sync(all, t == 31) + 2 * __any_sync(all, t > 31));
  note(out, 3, __match_any_sync(all, t / 5));
  note(out, 4, __match_any_sync(all, (long long)(t & 3) << 33));
  int same;
  unsigned m = __match_all_sync(all, t >> 5, &same);
  note(out, 5, m + same);
  m = __match_all_sync(all, t, &same);
  note(out, 6, m + same);
  note(out, 7, __reduce_add_sync(all, t - 5));
  note(out, 8, __reduce_min_sync(all, t - 5));
  note(out, 9, __reduce_max_sync(all, (unsigned)t - 5u));
  note(out, 10, __reduce_and_sync(all, (unsigned)t | 0xf0u));
  note(out, 11, __reduce_or_sync(all, 1u << t));
  note(out, 12, __reduce_xor_sync(all, (unsigned)t * 77u));
  if (t % 4 == 1) {
    note(out, 13, __ballot_sync(0x22222222u, t > 8));
    note(out, 14, __reduce_add_sync(0x22222222u, t));
  }
  note(out, 15, __syncthreads_count(t % 5 == 0));
  note(out, 16, __syncthreads_and(t < 31) + 2 * __syncthreads_or(t == 7));
  __syncwarp();
  if (t < 16) __syncwarp(0x0000ffffu);
  else __syncwarp(0xffff0000u);
  if (t < 7) note(out, 17, __popc(__activemask()));
}

__global__ void bit_tricks(unsigned long long *out) {
  const unsigned t = threadIdx.x, x = t * 0x9e3779b9u + 0x1234567u, y = ~x * 31u;
  const unsigned long long w = ((unsigned long long)x << 32) | y;
  note(out, 0, __popc(x) + 100 * __popcll(w));
  note(out, 1, __clz(x >> t) + 100 * __clzll(w >> t) + 10000 * __clz(0));
  note(out, 2, __ffs(x << t) + 100 * __ffsll(w << t) + 10000 * __ffs(0));
  note(out, 3, __brev(x) ^ __brevll(w));
  note(out, 4, __byte_perm(x, y, 0x7250 + t % 8));
  note(out, 5, __funnelshift_l(x, y, t) ^ __funnelshift_r(x, y, t + 5));
  note(out, 6, __funnelshift_lc(x, y, 2 * t) ^ __funnelshift_rc(x, y, 2 * t));
  note(out, 7, __umulhi(x, y) ^ (unsigned)__mulhi((int)x, (int)y));
  note(out, 8, __umul64hi(w, w * 3) ^ (unsigned long long)__mul64hi((long long)w, -5));
  note(out, 9, __umul24(x, y) ^ (unsigned)__mul24((int)x, (int)y));
  note(out, 10, __usad(x, y, t) ^ __sad((int)x, (int)y, t));
  note(out, 11, __uhadd(x, y) ^ __urhadd(x, y) ^ (unsigned)__hadd((int)x, (int)y));
  note(out, 12, min((int)x, (int)y) ^ max(x, y) ^ (unsigned)abs((int)y));
  const float f = (float)(int)x * 1.0e-3f, g = 3.0f + t;
  note(out, 13, __float_as_uint(__fadd_rn(f, g)) ^ __float_as_uint(__fadd_rz(f, g)) * 3);
  note(out, 14, __float_as_uint(__fmul_ru(f, g)) ^ __float_as_uint(__fmul_rd(f, g)) * 3);
  note(out, 15, __float_as_uint(__fmaf_rn(f, g, f)) ^ __float_as_uint(__fdiv_rn(f, g)) * 3);
  note(out, 16, __float_as_uint(__fsqrt_rn(g)) ^ __float_as_uint(__frcp_rn(g)) * 3);
  note(out, 17, bits(__dadd_rn(f, g)) ^ bits(__dmul_rz(f, 1.1)) * 3 ^ bits(__ddiv_ru(f, g)) * 5);
  note(out, 18, bits(__fma_rn((double)f, 1.7, -2.2)) ^ bits(__dsqrt_rn(g)));
  note(out, 19,
       (unsigned)__float2int_rn(f) + 3u * (unsigned)__float2int_rz(f) +
           5u * (unsigned)__float2int_ru(f) + 7u * (unsigned)__float2int_rd(f));
  note(out, 20, __float_as_uint(__int2float_rz((int)x)) ^ __float_as_uint(__uint2float_ru(x)));
  note(out, 21,
       __float_as_uint(__double2float_rd(1.0 / 3.0 * t)) ^ bits(__ll2double_rn((long long)w)));
  note(out, 22,
       (unsigned)__double2hiint(f) ^ (unsigned)__double2loint(f) ^
           bits(__hiloint2double((int)t, (int)x)));
  note(out, 23,
       __float_as_uint(__saturatef(f)) ^ __float_as_uint(fmaxf(f, g)) ^
           __float_as_uint(fminf(f, g)));
}

template <typename Kernel> static void show(const char *name, Kernel kernel, int n) {
  unsigned long long *d, h[N_RESULTS];
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  kernel<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) printf("%s %2d: %016llx\n", name, i, h[i]);
  cudaFree(d);
}

int main() {
  show("shuffle", shuffles, 15);
  show("vote", votes, 18);
  show("bits", bit_tricks, 24);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
