// SPDX-License-Identifier: MIT
// calibrate.cu - micro-benchmarks from which the timing model takes its constants: what one
// instruction, one access, one barrier, one block and one launch cost on the GPU at hand.
//
//   nvcc -O3 -arch=native bench/calibrate/*.cu -o calibrate && ./calibrate > raw.csv
//
// (`make calibrate GPU=h200` does that and stores the result with its provenance.) Columns: name,
// value, unit. None of these kernels is a lesson's or one of bench/blind. `--quick` runs everything
// once and in small: a test that the programs are in order, not a measurement.
//
// Method: latencies by chains of dependent instructions in one warp, timed by the SM's clock;
// throughputs by 32 warps of one block on every SM, four chains per thread; bandwidths, blocks and
// launches by events, median of several.
#include "calibrate.cuh"

#include <cstring>

__global__ void spin_until(long long n_cycles, long long *out) {
  long long begin = clock64();
  while (clock64() - begin < n_cycles) {}
  if (out != nullptr) *out = clock64() - begin;
}

static void clocks(const Bench &b) {
  long long cycles = b.quick ? 1000 : 40000000;
  double ms = median_ms(b, 3, [&] { spin_until<<<b.n_sms, 32>>>(cycles, b.cycles); });
  long long spent;
  OK(cudaMemcpy(&spent, b.cycles, sizeof spent, cudaMemcpyDeviceToHost));
  row("clock_hz", (double)spent / ms * 1e3, "Hz");
}

int main(int argc, char **argv) {
  Bench b = {};
  cudaDeviceProp p;
  b.quick = argc > 1 && !strcmp(argv[1], "--quick");
  OK(cudaGetDeviceProperties(&p, 0));
  b.n_sms = b.quick ? 2 : p.multiProcessorCount;
  b.bytes = b.quick ? (size_t)1 << 25 : (size_t)2 << 30;
  OK(cudaMalloc(&b.buffer, b.bytes));
  OK(cudaMemset(b.buffer, 0, b.bytes));
  OK(cudaMalloc(&b.cycles, 65536 * sizeof *b.cycles));
  OK(cudaMalloc(&b.sink, 4096 * sizeof *b.sink));
  OK(cudaEventCreate(&b.begin));
  OK(cudaEventCreate(&b.end));
  printf("# device: %s\nname,value,unit\n", p.name);
  row("n_sms", p.multiProcessorCount, "");
  row("l2_bytes", p.l2CacheSize, "bytes");
  row("shared_bytes_per_sm", (double)p.sharedMemPerMultiprocessor, "bytes");
  clocks(b);
  calibrate_launches(b);
  calibrate_instructions(b);
  calibrate_shared(b);
  calibrate_memory(b);
  calibrate_atomics(b);
  return 0;
}
