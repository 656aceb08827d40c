// SPDX-License-Identifier: MIT
//
// Poisson distributed numbers of cuRAND's three generators, small, middling and large means,
// between numbers of other distributions; pi by darts.
#include <cstdio>
#include <curand_kernel.h>
template <typename S> __global__ void draw(unsigned long long seed, int n) {
  S s;
  curand_init(seed, threadIdx.x, 3, &s);
  for (int t = 0; t < n; t++)
    if (t == threadIdx.x) {
      printf("%d: %u %.6f %.6f %.5f %.5f\n", t, curand(&s), curand_uniform(&s),
             curand_uniform_double(&s), curand_normal(&s), curand_normal_double(&s));
      curand_normal2(&s);
      curand_log_normal(&s, 0.5f, 0.25f);
      printf(" %u %u %u\n", curand_poisson(&s, 3.5), curand_poisson(&s, 70.0),
             curand_poisson(&s, 5000.0));
      for (int j = 0; j < 20; j++) printf(" %u", curand_poisson(&s, 0.3 * j * j));
      printf("\n");
    }
}
__global__ void four() {
  curandStatePhilox4_32_10_t s;
  curand_init(99, 5, 0, &s);
  uint4 a = curand4(&s);
  float4 b = curand_uniform4(&s), c = curand_normal4(&s);
  uint4 d = curand_poisson4(&s, 12.5);
  printf("%u %u %u %u %.6f %.6f %.5f %.5f %u %u %u %u\n", a.x, a.y, a.z, a.w, b.x, b.w, c.x, c.w,
         d.x, d.y, d.z, d.w);
  skipahead(10, &s);
  printf("%u\n", curand(&s));
  skipahead_sequence(3, &s);
  printf("%u\n", curand(&s));
  double2 e = curand_uniform2_double(&s);
  printf("%.6f %.6f\n", e.x, e.y);
  uint4 f = curand_poisson4(&s, 100.0), g = curand_poisson4(&s, 4001.0);
  printf("%u %u %u %u %u %u\n", f.x, f.y, f.z, g.x, g.y, g.w);
}
__global__ void pi(unsigned long long *in, int n) {
  curandState s;
  curand_init(1234, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
  int c = 0;
  for (int i = 0; i < n; i++) {
    float x = curand_uniform(&s), y = curand_uniform(&s);
    c += x * x + y * y <= 1.0f;
  }
  atomicAdd(in, (unsigned long long)c);
}
int main() {
  draw<curandStateXORWOW_t><<<1, 3>>>(42, 3);
  cudaDeviceSynchronize();
  draw<curandStatePhilox4_32_10_t><<<1, 3>>>(42, 3);
  cudaDeviceSynchronize();
  draw<curandStateMRG32k3a_t><<<1, 3>>>(42, 3);
  cudaDeviceSynchronize();
  four<<<1, 1>>>();
  cudaDeviceSynchronize();
  unsigned long long *c;
  cudaMallocManaged(&c, 8);
  *c = 0;
  pi<<<4, 64>>>(c, 200);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%llu %.4f\n", *c, 4.0 * *c / (256 * 200));
  cudaFree(c);
}
