// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// Maxima and minima of three, of sums, and with the choice; of words and of pairs in a word.
#include <cstdio>

__global__ void all(unsigned *out) {
  const unsigned a = 0x12fe80ffu + threadIdx.x * 0x01370f11u;
  const unsigned b = 0x7f03a0c4u ^ threadIdx.x * 0x9e3779b9u, c = a * 3 + b;
  unsigned hash = 0;
  bool high, low;
  auto add = [&](unsigned value) { hash = 31 * hash + value; };
  add(__viaddmax_s16x2(a, b, c));
  add(__viaddmax_s16x2_relu(a, b, c));
  add(__viaddmax_s32(a, b, c));
  add(__viaddmax_s32_relu(a, b, c));
  add(__viaddmax_u16x2(a, b, c));
  add(__viaddmin_s16x2(a, b, c));
  add(__viaddmin_s16x2_relu(a, b, c));
  add(__viaddmin_s32_relu(a, b, c));
  add(__viaddmin_u16x2(a, b, c));
  add(__vimax3_s16x2(a, b, c));
  add(__vimax3_s16x2_relu(a, b, c));
  add(__vimax3_u16x2(a, b, c));
  add(__vimax_s16x2_relu(a, b));
  add(__vimin3_s16x2(a, b, c));
  add(__vimin3_s16x2_relu(a, b, c));
  add(__vimin3_u16x2(a, b, c));
  add(__vimin_s16x2_relu(a, b));
  add(__vibmax_s16x2(a, b, &high, &low));
  add(2 * high + low);
  add(__vibmax_u16x2(a, b, &high, &low));
  add(2 * high + low);
  add(__vibmin_s16x2(a, b, &high, &low));
  add(2 * high + low);
  add(__vibmax_s32(a, b, &high));
  add(high);
  add(__vibmax_u32(a, b, &high));
  add(high);
  add(__vibmin_u32(a, b, &high));
  add(high);
  out[threadIdx.x] = hash;
}

int main() {
  unsigned *d, h[32];
  cudaMalloc(&d, sizeof h);
  all<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (unsigned x : h) printf("%08x ", x);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(d);
  return 0;
}
