// SPDX-License-Identifier: MIT
// The exact sum of a million floats, correctly rounded: the kernel `columns` of lesson 11 in a
// whole program. The host carries and rounds. Any order of the elements, any grid: the same bits.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}
static const unsigned WARP_SIZE = 32, FULL_MASK = 0xffffffff;
enum { GROUP = 16, GROUPS = 256 / GROUP }; // a float's exponent fields, 16 to a counter

// A counter as a whole number of 2^(16 group - 150). seen: 1 +infinity, 2 -infinity, 4 NaN, 8 for
// what is not -0.
static __device__ long long whole_part(unsigned group, double counter, unsigned *seen) {
  if (__double_as_longlong(counter) != __double_as_longlong(-0.0)) *seen |= 8;
  if (counter != counter) *seen |= 4;
  if (fabs(counter) > 1e300) *seen |= counter > 0 ? 1 : 2;
  if (!(fabs(counter) <= 1e300)) return 0;
  const int scale = 1023 + 150 - GROUP * (int)group; // exponent field of 2^(150 - 16 group)
  return __double2ll_rn(counter * __hiloint2double(scale << 20, 0));
}

static __device__ long long warp_total(long long x) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

// Adds in[n] to sums[2 * GROUPS + 1]; at most 2^13 elements per thread.
extern "C" __global__ void columns(const float *in, unsigned long long *sums, size_t n) {
  extern __shared__ double counters[]; // [GROUPS][blockDim.x]
  const unsigned t = threadIdx.x, lane = t % WARP_SIZE;
  unsigned seen = 0;
  for (unsigned g = 0; g < GROUPS; g++) counters[g * blockDim.x + t] = -0.0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + t; i < n; i += gridDim.x * (size_t)blockDim.x)
    counters[(__float_as_uint(in[i]) >> 27 & 15) * blockDim.x + t] += (double)in[i];
  __syncthreads(); // all columns are complete; a warp adds up one group after the other
  for (unsigned g = t / WARP_SIZE; g < GROUPS; g += blockDim.x / WARP_SIZE) {
    long long low = 0, high = 0;
    for (unsigned c = lane; c < blockDim.x; c += WARP_SIZE) {
      const long long v = whole_part(g, counters[g * blockDim.x + c], &seen);
      low += (unsigned)v;
      high += v >> 32;
    }
    low = warp_total(low), high = warp_total(high);
    if (lane == 0 && low != 0) atomicAdd(&sums[2 * g], (unsigned long long)low);
    if (lane == 0 && high != 0) atomicAdd(&sums[2 * g + 1], (unsigned long long)high);
  }
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) seen |= __shfl_xor_sync(FULL_MASK, seen, s);
  if (lane == 0 && seen != 0) atomicOr(&sums[2 * GROUPS], (unsigned long long)seen);
}

// The sum, rounded once. A sum of -0 only comes out as 0.
static float rounded(const unsigned long long *sums) {
  const unsigned long long seen = sums[2 * GROUPS] & 7;
  if (seen != 0) return seen > 2 ? NAN : seen == 1 ? INFINITY : -INFINITY;
  long long digit[GROUPS + 6] = {0}, carry = 0; // of 16 bits, when all is carried
  for (int k = 0; k < 2 * GROUPS; k++)          // the low half of g at g, the high half at g + 2
    for (int part = 0; part < 4; part++)
      digit[k / 2 + k % 2 * 2 + part] +=
          part < 3 ? (long long)(sums[k] >> 16 * part & 0xffff) : (long long)sums[k] >> 48;
  for (long long &d : digit) carry += d, d = carry & 0xffff, carry >>= 16;
  const bool negative = carry < 0;
  carry = 1;
  for (long long &d : digit)
    if (negative) carry += 0xffff - d, d = carry & 0xffff, carry >>= 16;
  int top = GROUPS + 5;
  while (top > 3 && digit[top] == 0) top--;
  unsigned long long bits = 0, rest = 0; // 64 bits hold what is kept, and one for what is below
  for (int k = 0; k <= top - 4; k++) rest |= (unsigned long long)digit[k];
  for (int k = top; k > top - 4; k--) bits = bits << 16 | (unsigned long long)digit[k];
  return ldexpf((float)(bits | (rest != 0)), 16 * (top - 3) - 150) * (negative ? -1 : 1);
}

int main() {
  const unsigned n = 1000002, n_bytes = n * sizeof(float), block = 256, grid = 200;
  unsigned long long sums[2 * GROUPS + 1], *sums_there;
  static float x[n], *x_there;
  for (unsigned i = 0; i < n; i++) x[i] = 0.1f;
  x[0] = 1e30f, x[n - 1] = -1e30f; // cancel; a million tenths are left
  check(cudaMalloc(&x_there, n_bytes), "allocating the array");
  check(cudaMalloc(&sums_there, sizeof sums), "allocating the sums");
  check(cudaMemcpy(x_there, x, n_bytes, cudaMemcpyHostToDevice), "copying the input");
  check(cudaMemset(sums_there, 0, sizeof sums), "clearing the sums");
  columns<<<grid, block, GROUPS * block * sizeof(double)>>>(x_there, sums_there, n);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(sums, sums_there, sizeof sums, cudaMemcpyDeviceToHost), "copying the sums");
  const float sum = rounded(sums), expected = (float)(1e6 * (double)0.1f);
  printf("%.9g, %s\n", sum, sum == expected ? "right to the last bit" : "which is wrong");
  check(cudaFree(x_there), "freeing");
  check(cudaFree(sums_there), "freeing");
  return sum == expected ? 0 : 1;
}
