// SPDX-License-Identifier: MIT
// inactive_sources.cu - shuffles that read lanes which do not take part: outside of the branch, out
// of the mask, or gone. CUDA leaves the value undefined; an H100 gives 0, which is why some
// published reductions of a few lanes come out right.
// found: shuffle reads a lane that does not take part
#include <cstdio>

#include <cuda_runtime.h>

enum { LANES = 32, THREADS = 256 };

__global__ void branch(int *out, int n, int mode) {
  const int t = threadIdx.x;
  int v = 1000 + t;
  if (t < n) {
    v = 2000 + t;
    const unsigned mask = (1u << n) - 1;
    out[t] = mode == 0   ? __shfl_down_sync(mask, v, 16)
             : mode == 1 ? __shfl_down_sync(mask, v, 4)
             : mode == 2 ? __shfl_xor_sync(mask, v, 16)
                         : __shfl_sync(mask, v, 20);
  } else {
    out[t] = -v;
  }
}

__global__ void gone(int *out, int n) {
  const int t = threadIdx.x, v = 3000 + t;
  if (t >= n) return;
  out[t] = __shfl_down_sync((1u << n) - 1, v, 16);
}

__device__ static int sum_of(unsigned mask, int v) {
  for (int d = LANES / 2; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
  return v;
}

// The second stage has a lane per warp, and all five steps all the same.
__global__ void two_stages(const int *x, int *out) {
  __shared__ int of_warp[THREADS / LANES];
  const unsigned t = threadIdx.x, n_warps = blockDim.x / LANES;
  const int v = sum_of(0xffffffffu, x[t]);
  if (t % LANES == 0) of_warp[t / LANES] = v;
  __syncthreads();
  const unsigned mask = __ballot_sync(0xffffffffu, t < n_warps);
  if (t < n_warps) out[t] = sum_of(mask, of_warp[t]);
}

static void show(const char *what, int n, int mode, const int *values, int n_values) {
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed: ");
  printf("%s %d %d:", what, n, mode);
  for (int i = 0; i < n_values; i++) printf(" %d", values[i]);
  printf("\n");
}

int main() {
  int *out, *x, sum = 0;
  if (cudaMallocManaged(&out, THREADS * sizeof *out)) return 1;
  if (cudaMallocManaged(&x, THREADS * sizeof *x)) return 1;
  for (int i = 0; i < THREADS; i++) sum += x[i] = i * i % 91;
  const int sizes[] = {8, 20, 31};
  for (int n : sizes)
    for (int mode = 0; mode < 4; mode++) {
      branch<<<1, LANES>>>(out, n, mode);
      show("branch", n, mode, out, n);
    }
  for (int n : sizes) {
    if (n == 31) continue;
    gone<<<1, LANES>>>(out, n);
    show("gone", n, 0, out, n);
  }
  two_stages<<<1, THREADS>>>(x, out);
  show("two stages", sum, 0, out, THREADS / LANES);
  return 0;
}
