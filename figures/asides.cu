// SPDX-License-Identifier: MIT
// asides.cu - small measurements that chapters quote and no lesson program makes.
//
//   nvcc -O3 -arch=native figures/asides.cu -o asides
//   ./asides "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader)" \
//     > figures/data/h200-asides.csv
//
// race     n threads add 1 to one int without an atomic: what is left of n
// order    the same mixed-sign floats added with atomics, again and again: how many different sums
// modulo   the first pass of lesson 01's trees: with `%`, with `&` in its place, and strided
//
// For a real GPU only: on the software GPU times are modelled and the order is always the same.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>
#include <algorithm>
#include <set>
#include <vector>

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "asides.cu:%d: %s\n", line, cudaGetErrorString(error));
  exit(1);
}
#define OK(call) check((call), __LINE__)

__global__ void add_without_atomic(int *sum) { *sum += 1; }

__global__ void add_to_one(const float *in, float *sum, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

enum condition { REMAINDER, AND, STRIDED };

template <condition way> __global__ void tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned rest = way == REMAINDER ? t % (2 * s) : t & (2 * s - 1);
    const unsigned place = way == STRIDED ? 2 * s * t : t;
    if (way == STRIDED ? place < blockDim.x : rest == 0) tile[place] += tile[place + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

static void race(unsigned n) {
  int *sum, left = 0;
  std::vector<int> results;
  OK(cudaMalloc((void **)&sum, sizeof(int)));
  for (int run = 0; run < 15; run++) {
    OK(cudaMemset(sum, 0, sizeof(int)));
    add_without_atomic<<<n / 256, 256>>>(sum);
    OK(cudaMemcpy(&left, sum, sizeof(int), cudaMemcpyDeviceToHost));
    results.push_back(left);
  }
  std::sort(results.begin(), results.end());
  printf("race,int_ones,256,2^20,smallest,%d,\n", results.front());
  printf("race,int_ones,256,2^20,median,%d,\n", results[7]);
  printf("race,int_ones,256,2^20,largest,%d,\n", results.back());
  OK(cudaFree(sum));
}

static void order(unsigned n) {
  std::vector<float> x(n);
  unsigned long long state = 1;
  for (float &value : x) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = (float)((int)(state >> 40) - (1 << 23)) / (float)(1 << 23); // k * 2^-23 in [-1, 1)
  }
  float *in, *sum, result;
  OK(cudaMalloc((void **)&in, n * sizeof(float)));
  OK(cudaMalloc((void **)&sum, sizeof(float)));
  OK(cudaMemcpy(in, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  std::set<float> results;
  for (int run = 0; run < 100; run++) {
    OK(cudaMemset(sum, 0, sizeof(float)));
    add_to_one<<<n / 256, 256>>>(in, sum, n);
    OK(cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost));
    results.insert(result);
  }
  printf("order,float_atomics,256,2^20,runs,100,\n");
  printf("order,float_atomics,256,2^20,different_sums,%zu,\n", results.size());
  OK(cudaFree(in));
  OK(cudaFree(sum));
}

template <condition way> static void modulo(const char *name, unsigned n, unsigned block) {
  float *in, *out;
  OK(cudaMalloc((void **)&in, n * sizeof(float)));
  OK(cudaMalloc((void **)&out, n / block * sizeof(float)));
  OK(cudaMemset(in, 0, n * sizeof(float)));
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < 16; run++) { // the first one warms up
    float ms;
    OK(cudaEventRecord(begin));
    tree<way><<<n / block, block, block * sizeof(float)>>>(in, out, n);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    if (run > 0) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  printf("modulo,%s,%u,2^28,time_ms,%.4f,ms\n", name, block, times[7]);
  printf("modulo,%s,%u,2^28,gb_per_s,%.0f,GB/s\n", name, block, n * 4.0 / times[7] / 1e6);
  OK(cudaFree(in));
  OK(cudaFree(out));
}

static void provenance(const char *driver) {
  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  char date[16] = "";
  const time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  printf("# device: %s\n# driver: %s\n", device.name, driver);
  printf("# toolkit: CUDA %d.%d\n# date: %s\n", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
         date);
  printf("# method: figures/asides.cu; medians of 15 runs\n");
}

int main(int argc, char **argv) {
  provenance(argc > 1 ? argv[1] : "unknown");
  printf("# key: experiment/case/setting/n\nexperiment,case,setting,n,quantity,value,unit\n");
  race(1u << 20);
  order(1u << 20);
  modulo<REMAINDER>("remainder", 1u << 28, 256);
  modulo<AND>("and", 1u << 28, 256);
  modulo<STRIDED>("strided", 1u << 28, 256);
  return 0;
}
