// SPDX-License-Identifier: MIT
// cuRAND's device generators: integers and uniform numbers bit for bit, normal ones to three
// digits.
#include <curand_kernel.h>
#include <cstdio>
#include <cstring>

enum { THREADS = 96, DRAWS = 20 };
struct result {
  unsigned words[DRAWS];
  float uniform, normal[3];
  double uniform_double, normal_double;
};

template <typename State>
__global__ void draw(result *out, unsigned long long seed, unsigned long long offset) {
  State state;
  result *r = &out[threadIdx.x];
  curand_init(seed, threadIdx.x * 1234567ull, offset + threadIdx.x, &state);
  for (int i = 0; i < DRAWS; i++) r->words[i] = curand(&state);
  r->uniform = curand_uniform(&state);
  r->uniform_double = curand_uniform_double(&state);
  for (int i = 0; i < 3; i++) r->normal[i] = curand_normal(&state);
  r->normal_double = curand_normal_double(&state);
}

__global__ void skip(unsigned *out) {
  curandState a;
  curand_init(5, 0, 0, &a);
  skipahead(1000003ull, &a);
  out[0] = curand(&a);
  skipahead_sequence(3ull, &a);
  out[1] = curand(&a);
  curandStatePhilox4_32_10_t p;
  curand_init(5, 7, 2, &p);
  const uint4 four = curand4(&p), more = curand4(&p);
  out[2] = four.x, out[3] = four.y, out[4] = four.z, out[5] = four.w, out[6] = more.x;
  skipahead(9ull, &p);
  out[7] = curand(&p);
  const float4 u = curand_uniform4(&p);
  out[8] =
      __float_as_uint(u.x) ^ __float_as_uint(u.y) ^ __float_as_uint(u.z) ^ __float_as_uint(u.w);
}

static void show(const char *name, const result *out) {
  unsigned long long hash = 0;
  double normal = 0;
  for (int t = 0; t < THREADS; t++) {
    for (int i = 0; i < DRAWS; i++) hash = (hash ^ out[t].words[i]) * 0x9e3779b97f4a7c15ull;
    unsigned bits;
    unsigned long long long_bits;
    memcpy(&bits, &out[t].uniform, sizeof bits);
    memcpy(&long_bits, &out[t].uniform_double, sizeof long_bits);
    hash = ((hash ^ bits) * 0x9e3779b97f4a7c15ull ^ long_bits) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 3; i++) normal += out[t].normal[i];
    normal += out[t].normal_double;
  }
  printf("%s: %08x %08x %08x, all %016llx, normal %.2f %.2f %.2f %.2f, sum %.2f\n", name,
         out[0].words[0], out[0].words[1], out[95].words[19], hash, out[3].normal[0],
         out[3].normal[1], out[3].normal[2], out[3].normal_double, normal);
}

int main() {
  result *out;
  unsigned *words;
  if (cudaMallocManaged(&out, THREADS * sizeof *out) ||
      cudaMallocManaged(&words, 9 * sizeof *words))
    return 1;
  const unsigned long long seeds[2] = {1234, 0xfedcba9876543210ull};
  for (unsigned long long seed : seeds) {
    draw<curandState><<<1, THREADS>>>(out, seed, 0);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    show("XORWOW", out);
    draw<curandStatePhilox4_32_10_t><<<1, THREADS>>>(out, seed, 1ull << 33);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    show("Philox", out);
  }
  skip<<<1, 1>>>(words);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < 9; i++) printf("%08x%c", words[i], i < 8 ? ' ' : '\n');
  cudaFree(out);
  cudaFree(words);
  return 0;
}
