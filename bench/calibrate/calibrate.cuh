// SPDX-License-Identifier: MIT
// calibrate.cuh - what the micro-benchmarks share: a row of the result, errors, times by events.
#ifndef CALIBRATE_CUH
#define CALIBRATE_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t ok_error = (call);                                                                 \
    if (ok_error != cudaSuccess) {                                                                 \
      fprintf(stderr, "calibrate: %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(ok_error)); \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

// One line of the result: a name, a value, its unit.
inline void row(const char *name, double value, const char *unit) {
  printf("%s,%.6g,%s\n", name, value, unit);
  fflush(stdout);
}

struct Bench {
  int n_sms;
  char *buffer; // device memory that nothing else uses
  size_t bytes; // of it
  long long *cycles;
  uint32_t *sink;
  cudaEvent_t begin, end;
  bool quick; // a short run: is everything still in order?
};

// Median of the times of `runs` launches, milliseconds. `prepare`, where given, is launched before
// each of them and is not counted.
template <class Launch, class Prepare>
double median_ms(const Bench &b, int runs, Launch launch, Prepare prepare) {
  std::vector<float> ms;
  if (b.quick) runs = 2;
  for (int i = 0; i < runs + 1; i++) {
    float elapsed = 0;
    prepare();
    OK(cudaEventRecord(b.begin));
    launch();
    OK(cudaEventRecord(b.end));
    OK(cudaEventSynchronize(b.end));
    OK(cudaEventElapsedTime(&elapsed, b.begin, b.end));
    if (i > 0) ms.push_back(elapsed);
  }
  OK(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

template <class Launch> double median_ms(const Bench &b, int runs, Launch launch) {
  return median_ms(b, runs, launch, [] {});
}

void calibrate_instructions(const Bench &b);
void calibrate_shared(const Bench &b);
void calibrate_memory(const Bench &b);
void calibrate_atomics(const Bench &b);
void calibrate_launches(const Bench &b);

#endif
