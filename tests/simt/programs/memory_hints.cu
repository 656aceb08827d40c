// SPDX-License-Identifier: MIT
//
// Loads and stores with hints, state spaces of pointers, clocks, fences, votes of blocks.
#include <cstdio>
__constant__ int cc[4] = {1, 2, 3, 4};
__device__ int dv = 6;
__global__ void k(const int *__restrict__ in, int *out, const __grid_constant__ int4 arg) {
  __shared__ int s[32];
  int l[4] = {1, 2, 3, 4};
  int t = threadIdx.x;
  s[t] = t;
  __prof_trigger(3);
  __syncthreads();
  int a = __ldg(in + t), b = __ldcg(in + t), c = __ldca(in + t), d = __ldcs(in + t),
      e = __ldlu(in + t), f = __ldcv(in + t);
  int4 v = __ldg((const int4 *)in + t % 8);
  float2 g = __ldg((const float2 *)in + 1);
  double dd = __ldg((const double *)in);
  __stcg(out + t, a + b);
  __stcs(out + 32 + t, c + d);
  __stwb(out + 64 + t, e + f);
  __stwt(out + 96 + t, v.w);
  if (t == 5) {
    printf("%d %d %d %d %d %d\n", __isGlobal(in), __isShared(s), __isLocal(l), __isConstant(cc),
           __isGlobal(s), __isShared(&dv));
    unsigned off =
        (unsigned)__cvta_generic_to_shared(s + 3) - (unsigned)__cvta_generic_to_shared(s);
    printf("%u %d\n", off, *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(s + 3)));
    printf("%d\n", (int)(__cvta_generic_to_global(in) == (size_t)in));
    printf("%d %d %d %d %g\n", arg.x, arg.w, __builtin_expect(arg.y, 2), l[arg.x & 3],
           g.x * 0 + dd * 0);
    const int *ap = (const int *)__builtin_assume_aligned(in, 16);
    __builtin_assume(t >= 0);
    printf("%d\n", ap[t] + cc[t & 3]);
    unsigned long long c0 = clock64(), c1;
    unsigned n0 = clock();
    unsigned long long gt;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(gt));
    __nanosleep(100);
    c1 = clock64();
    printf("%d %d %d\n", c1 > c0, clock() != n0, gt > 0);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    int *nul = nullptr;
    printf("%d\n", nul == nullptr);
    memcpy(l, in, 16);
    memset(out + 128, 1, 8);
    printf("%d %x %d\n", l[3], out[129], warpSize);
  }
  int p = __syncthreads_count(t > 10), q = __syncthreads_and(t < 32), r = __syncthreads_or(t == 40);
  if (!t) printf("%d %d %d\n", p, q != 0, r != 0);
#pragma unroll 4
  for (int i = 0; i < 4; i++) s[t] += l[i] * 0;
}
int main() {
  int *in, *out, h[64];
  for (int i = 0; i < 64; i++) h[i] = i * 3;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 1024);
  cudaMemcpy(in, h, 256, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(in, out, make_int4(1, 2, 3, 4));
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  int o[128];
  cudaMemcpy(o, out, 512, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", o[3], o[40], o[70], o[127]);
  cudaFree(in);
  cudaFree(out);
}
