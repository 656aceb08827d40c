// SPDX-License-Identifier: MIT
//
// cuRAND's generator MRG32k3a with its jumps; pairs, quadruples and log-normal numbers of all three
// generators, and what is kept of a pair for the next call.
#include <curand_kernel.h>

#include <cstdio>

constexpr int n = 12;

template <typename State> __device__ void draw(State *state, double *out) {
  out[0] = curand_log_normal(state, 0.5f, 0.25f);
  out[1] = curand_log_normal_double(state, 0.1, 0.2);
  const float2 a = curand_normal2(state), b = curand_log_normal2(state, 0.0f, 1.0f);
  const double2 c = curand_normal2_double(state);
  out[2] = a.x + 100 * a.y;
  out[3] = b.x + 100 * b.y;
  out[4] = c.x + 100 * c.y;
  out[5] = curand_normal(state); // neither may take what the log-normal numbers kept
  out[6] = curand_normal_double(state);
  out[7] = curand_log_normal(state, 0.0f, 1.0f);
  out[8] = curand_log_normal_double(state, 0.0, 1.0);
  out[9] = curand_uniform(state);
  out[10] = curand_uniform_double(state);
  out[11] = curand(state);
}

__global__ void all(double *out) {
  curandState xorwow;
  curandStatePhilox4_32_10_t philox;
  curandStateMRG32k3a mrg;
  curand_init(7, 1, 2, &xorwow);
  curand_init(7, 1, 2, &philox);
  curand_init(1234, 3, 5, &mrg);
  draw(&xorwow, out);
  draw(&philox, out + n);
  draw(&mrg, out + 2 * n);
  out += 3 * n;
  const float4 l = curand_log_normal4(&philox, 0.0f, 1.0f);
  const double2 u = curand_uniform2_double(&philox);
  out[0] = l.x + 10 * l.y + 100 * l.z + 1000 * l.w;
  out[1] = u.x + 10 * u.y;
  skipahead(1000, &mrg);
  out[2] = curand(&mrg);
  skipahead_subsequence(7, &mrg);
  out[3] = curand(&mrg);
  skipahead_sequence(2, &mrg);
  out[4] = curand(&mrg);
  curand_init(0, 0, 123456789012, &mrg);
  out[5] = curand(&mrg);
}

int main() {
  double *d, h[4 * n];
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  all<<<1, 1>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4 * n; i++)
    printf("%.*g%c", h[i] < 1e6 ? 5 : 10, h[i], i % n == n - 1 ? '\n' : ' ');
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(d);
  return 0;
}
