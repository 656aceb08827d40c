// SPDX-License-Identifier: MIT
// model_accuracy.cu - the build target model-accuracy: how far modelled times are from measured
// ones. Runs the kernels of model_kernels.cuh on the software GPU and compares with a GPU's stored
// times. Usage: bench_model_accuracy MEASURED.csv OUT.csv [LOG2_N [COUNTERS.csv]]
//
// Modelled times are the software GPU's for the device that SIMT_DEVICE names; only a comparison
// with the same device's measurements means anything. Both include one launch.
#include "model_kernels.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt.h"

// Median of the stored measurement, or a negative number.
static double measured_ms(const char *path, const char *kernel, uint32_t n, uint32_t block) {
  FILE *file = fopen(path, "r");
  char line[512], name[64];
  unsigned row_n, row_block, row_grid;
  double ms, found = -1.0;
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%63[^,],%u,%u,%u,%lf", name, &row_n, &row_block, &row_grid, &ms) == 5 &&
        strcmp(name, kernel) == 0 && row_n == n && row_block == block)
      found = ms;
  }
  if (file) fclose(file);
  return found;
}

static void write_counters(FILE *file, const Variant &v, const Arguments &a) {
  static bool has_header = false;
  simt_counters c;
  simt_counters_last_launch(&c);
  if (!has_header) {
    fprintf(file, "kernel,n,block,grid");
    for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++) fprintf(file, ",%s", simt_counter_name(i));
    for (int i = 0; i < SIMT_CLASS_COUNT; i++)
      fprintf(file, ",class_%s", simt_class_name((simt_class)i));
    fprintf(file, "\n");
    has_header = true;
  }
  fprintf(file, "%s,%u,%u,%u", v.name, a.n, a.block, a.grid);
  for (size_t i = 0; i < SIMT_COUNTER_COUNT; i++)
    fprintf(file, ",%llu", (unsigned long long)simt_counter_value(&c, i));
  for (int i = 0; i < SIMT_CLASS_COUNT; i++)
    fprintf(file, ",%llu", (unsigned long long)c.class_warp_instructions[i]);
  fprintf(file, "\n");
}

struct Errors {
  double sum, worst;
  int n;
  char worst_name[64];
};

static void compare(const Variant &v, const Arguments &a, double measured, FILE *out,
                    Errors *errors) {
  double modelled = simt_modelled_ms_last_launch(), error = modelled / measured - 1.0;
  printf("%-20s %9u %5u %10.4f %10.4f %+7.1f %%\n", v.name, a.n, a.block, measured, modelled,
         100.0 * error);
  fprintf(out, "%s,%u,%u,%u,%.6f,%.6f,%.4f\n", v.name, a.n, a.block, a.grid, measured, modelled,
          error);
  errors->sum += fabs(error);
  errors->n++;
  if (!(fabs(error) <= errors->worst)) {
    errors->worst = fabs(error);
    snprintf(errors->worst_name, sizeof errors->worst_name, "%s, %u threads", v.name, a.block);
  }
}

// n elements of device memory with values of 0 to 255; NULL: out of memory.
static float *device_input(uint32_t n) {
  float *x = nullptr, *host = (float *)malloc(n * sizeof(float));
  if (!host || cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return nullptr;
  for (uint32_t i = 0; i < n; i++) host[i] = (float)(i * 2654435761u >> 16 & 255u);
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  free(host);
  return x;
}

static bool run_variant(const Variant &v, const Arguments &a) {
  v.launch(a);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", v.name, cudaGetErrorString(error));
  return error == cudaSuccess;
}

// Runs and compares every variant that was measured with `n` elements; false after an error.
static bool run_all(const char *measurements, uint32_t n, FILE *out, FILE *counters,
                    Errors *errors) {
  float *x = device_input(n), *y = device_input(n);
  if (!x || !y) return false;
  for (const Variant &v : model_variants) {
    uint32_t last_block = v.all_blocks ? 1024 : 256;
    for (uint32_t block = v.all_blocks ? 128 : 256; block <= last_block; block *= 2) {
      double measured = measured_ms(measurements, v.name, n, block);
      if (measured <= 0.0) continue;
      Arguments a = {x, y, n, model_grid(v, n, block, 132), block};
      if (!run_variant(v, a)) return false;
      compare(v, a, measured, out, errors);
      if (counters) write_counters(counters, v, a);
    }
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fprintf(stderr, "usage: %s MEASURED.csv OUT.csv [LOG2_N [COUNTERS.csv]]\n", argv[0]), 2;
  uint32_t log2_n = argc > 3 ? (uint32_t)strtoul(argv[3], nullptr, 10) : 22;
  FILE *out = fopen(argv[2], "w"), *counters = argc > 4 ? fopen(argv[4], "w") : nullptr;
  if (!out || (argc > 4 && !counters)) return fprintf(stderr, "%s: cannot write\n", argv[0]), 1;
  Errors errors = {};
  printf("%-20s %9s %5s %10s %10s   error   (%s)\n", "kernel", "n", "block", "measured", "modelled",
         simt_device_name());
  fprintf(out, "kernel,n,block,grid,measured_ms,modelled_ms,relative_error\n");
  bool ok = run_all(argv[1], 1u << log2_n, out, counters, &errors) && errors.n > 0;
  if (ok)
    printf("mean absolute error %.1f %% over %d launches, worst %.0f %% (%s)\n",
           100.0 * errors.sum / errors.n, errors.n, 100.0 * errors.worst, errors.worst_name);
  fclose(out);
  if (counters) fclose(counters);
  return ok ? 0 : 1;
}
