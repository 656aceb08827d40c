// SPDX-License-Identifier: MIT
// opencl_rival.c - runs the kernels of kernels.cl on one OpenCL platform, for the speed benchmark.
// Usage: bench_opencl PLATFORM KERNEL N KERNELS.cl, where PLATFORM is part of the platform's name.
// Prints one JSON object like simt_kernels.cu; exits 3 when there is no such platform.
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { BLOCK = 256, ELEMENTS_PER_THREAD = 64, NO_PLATFORM = 3 };

typedef struct rival {
  cl_context context;
  cl_command_queue queue;
  cl_kernel kernel;
} rival;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool contains(const char *text, const char *part) {
  size_t n = strlen(part);
  for (; *text != '\0'; text++)
    if (strncasecmp(text, part, n) == 0) return true;
  return false;
}

static cl_device_id find_device(const char *platform_name) {
  cl_platform_id platforms[16];
  cl_uint n = 0;
  cl_device_id device = NULL;
  char name[256];
  if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS) return NULL;
  for (cl_uint i = 0; i < n && i < 16 && device == NULL; i++) {
    if (clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
        !contains(name, platform_name))
      continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
      device = NULL;
  }
  return device;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char *text = calloc(1, 1 << 16);
  if (text != NULL && fread(text, 1, (1 << 16) - 1, file) == 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

static bool build(rival *r, cl_device_id device, const char *kernel, const char *path) {
  cl_int error;
  char *source = read_file(path);
  if (source == NULL) return false;
  const char *sources[] = {source};
  r->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  r->queue = clCreateCommandQueue(r->context, device, 0, &error);
  cl_program program = clCreateProgramWithSource(r->context, 1, sources, NULL, &error);
  free(source);
  if (error != CL_SUCCESS || clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
    return false;
  r->kernel = clCreateKernel(program, kernel, &error);
  return error == CL_SUCCESS;
}

static double launch(const rival *r, cl_mem x, cl_mem partial, cl_uint n, size_t blocks) {
  size_t local = BLOCK, global = blocks * BLOCK;
  double begin = now_s();
  cl_int error = clSetKernelArg(r->kernel, 0, sizeof x, &x) |
                 clSetKernelArg(r->kernel, 1, sizeof partial, &partial) |
                 clSetKernelArg(r->kernel, 2, sizeof n, &n);
  error |= clEnqueueNDRangeKernel(r->queue, r->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  error |= clFinish(r->queue);
  return error == CL_SUCCESS ? now_s() - begin : -1.0;
}

static bool is_right(const float *x, const float *partial, size_t n, size_t blocks) {
  double expected = 0.0, got = 0.0;
  for (size_t i = 0; i < n; i++) expected += (double)x[i];
  for (size_t b = 0; b < blocks; b++) got += (double)partial[b];
  return got == expected;
}

static int run(const rival *r, const char *kernel, cl_uint n) {
  size_t blocks = strcmp(kernel, "tree") == 0 ? (n + BLOCK - 1) / BLOCK
                                              : (n - 1) / (BLOCK * ELEMENTS_PER_THREAD) + 1;
  float *host = malloc(n * sizeof *host), *sums = malloc(blocks * sizeof *sums);
  if (host == NULL || sums == NULL) return 1;
  for (cl_uint i = 0; i < n; i++) host[i] = (float)((i * 2654435761u >> 24) % 5u);
  cl_int error[2];
  cl_mem x = clCreateBuffer(r->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *host,
                            host, &error[0]);
  cl_mem partial =
      clCreateBuffer(r->context, CL_MEM_READ_WRITE, blocks * sizeof *sums, NULL, &error[1]);
  if (error[0] != CL_SUCCESS || error[1] != CL_SUCCESS) return 1;
  launch(r, x, partial, n < BLOCK ? n : BLOCK, 1); // late compilation happens here
  double seconds = launch(r, x, partial, n, blocks);
  bool ok = clEnqueueReadBuffer(r->queue, partial, CL_TRUE, 0, blocks * sizeof *sums, sums, 0, NULL,
                                NULL) == CL_SUCCESS &&
            seconds > 0.0 && is_right(host, sums, n, blocks);
  printf("{\"kernel\":\"%s\",\"n\":%u,\"seconds\":%.9f,\"correct\":%s}\n", kernel, n, seconds,
         ok ? "true" : "false");
  free(host);
  free(sums);
  return ok ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s PLATFORM tree|grid_stride N KERNELS.cl\n", argv[0]);
    return 2;
  }
  rival r = {0};
  cl_device_id device = find_device(argv[1]);
  if (device == NULL) return NO_PLATFORM;
  if (!build(&r, device, argv[2], argv[4])) {
    fprintf(stderr, "%s: kernel %s does not build from %s\n", argv[1], argv[2], argv[4]);
    return 1;
  }
  return run(&r, argv[2], (cl_uint)strtoul(argv[3], NULL, 0));
}
