// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_90
//
// Shuffles of every type, votes, matches and reductions of a warp, and masks of its lanes.
#include <cstdio>
#include <cuda_fp16.h>
template <typename T> __device__ void shuffles(T v, const char *name) {
  int lane = threadIdx.x;
  T a = __shfl_sync(0xffffffffu, v, (lane * 7) & 31), b = __shfl_up_sync(0xffffffffu, v, 3),
    c = __shfl_down_sync(0xffffffffu, v, 5, 16), d = __shfl_xor_sync(0xffffffffu, v, 9),
    e = __shfl_sync(0xffffffffu, v, lane + 40, 8), f = __shfl_xor_sync(0xffffffffu, v, 9, 8);
  if (lane == 13 || lane == 31 || lane == 1)
    printf("%s %d: %g %g %g %g %g %g\n", name, lane, (double)a, (double)b, (double)c, (double)d,
           (double)e, (double)f);
}
__global__ void k() {
  int lane = threadIdx.x;
  unsigned full = 0xffffffffu;
  shuffles(lane * 3 - 20, "int");
  shuffles(lane * 3u, "unsigned");
  shuffles((long)lane * 100000000000l, "long");
  shuffles((unsigned long)lane << 40, "ulong");
  shuffles((long long)lane * -7, "ll");
  shuffles((unsigned long long)lane << 33, "ull");
  shuffles(lane * 0.5f, "float");
  shuffles(lane * 0.25, "double");
  __half h = __shfl_xor_sync(full, __int2half_rn(lane), 1);
  __half2 h2 = __shfl_down_sync(full, __floats2half2_rn(lane, -lane), 2);
  unsigned m = __match_any_sync(full, lane % 5), m64 = __match_any_sync(full, (double)(lane / 7));
  int pred;
  unsigned all = __match_all_sync(full, lane / 32, &pred);
  int pred2;
  unsigned all2 = __match_all_sync(full, lane, &pred2);
  unsigned ball = __ballot_sync(full, lane & 4);
  int any = __any_sync(full, lane == 40), al = __all_sync(full, lane < 32);
  int radd = __reduce_add_sync(full, lane - 7), rmin = __reduce_min_sync(full, lane - 7),
      rmax = __reduce_max_sync(full, 5 - lane);
  unsigned rand_ = __reduce_and_sync(full, lane | 8u),
           ror = __reduce_or_sync(full, 1u << (lane % 9)),
           rxor = __reduce_xor_sync(full, lane * 77u);
  unsigned ru = __reduce_max_sync(full, (unsigned)(lane - 3));
  if (lane % 11 == 0) {
    unsigned act = __activemask();
    printf("%d: %g %g %08x %08x %08x %d %08x %d %08x %d %d\n", lane, __half2float(h),
           __high2float(h2), m, m64, all, pred, all2, pred2, ball, any, al);
    printf("  %d %d %d %u %u %u %u active %08x\n", radd, rmin, rmax, rand_, ror, rxor, ru, act);
    unsigned sub = __reduce_add_sync(0x00400801u, (unsigned)lane);
    int bs = __ballot_sync(0x00400801u, lane > 5);
    printf("  %u %08x %08x\n", sub, bs, __match_any_sync(0x00400801u, lane & 1));
  }
  unsigned lid, lt, le, gt, ge, eq, wid, nwarp;
  asm("mov.u32 %0, %%laneid;" : "=r"(lid));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%warpid;" : "=r"(wid));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(nwarp));
  if (lane == 17)
    printf("%u %08x %08x %08x %08x %08x %u %u\n", lid, lt, le, gt, ge, eq, wid, nwarp);
}
int main() {
  k<<<1, 32>>>();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
