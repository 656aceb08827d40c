// SPDX-License-Identifier: MIT
// test_cudart.c - the CUDA runtime layer from plain C: options, errors and their stickiness,
// libraries, argument packing, events, the report, the exit status. Registration of fat binaries:
// test_cudart_register.c.
// What single calls return is compared with a GPU in programs/api_errors.cu.
//
// Every test runs in a process of its own (Check forks), so every test has a fresh context.
#define _GNU_SOURCE 1 // mkstemp, setenv, dup, posix_openpt

#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

#include "cudart_kernels.h"
#include "simt.h"
#include "run_suite.h"

// ---- Errors.

START_TEST(error_names_and_texts)
{
  ck_assert_str_eq(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  ck_assert_str_eq(cudaGetErrorString(cudaSuccess), "no error");
  ck_assert_str_eq(cudaGetErrorName((cudaError_t)700), "cudaErrorIllegalAddress");
  ck_assert_str_eq(cudaGetErrorString((cudaError_t)700),
                   "an illegal memory access was encountered");
  ck_assert_str_eq(cudaGetErrorName((cudaError_t)999), "cudaErrorUnknown");
  ck_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
}
END_TEST

START_TEST(last_error_is_remembered_and_cleared)
{
  void *p = NULL;
  OK(cudaGetLastError());
  IS(cudaErrorInvalidValue, cudaMemcpy(NULL, &p, 4, cudaMemcpyHostToDevice));
  OK(cudaMalloc(&p, 4)); // a success does not clear it
  IS(cudaErrorInvalidValue, cudaPeekAtLastError());
  IS(cudaErrorInvalidValue, cudaGetLastError());
  OK(cudaGetLastError());
}
END_TEST

// What an H100 does: submitting work still succeeds until the host waits, and after a reset the
// process gets the device no more.
START_TEST(device_fault_sticks)
{
  void *p = NULL;
  struct cudaDeviceProp properties;
  const char *said = stderr_of(fault_once);
  ck_assert_ptr_nonnull(strstr(said, "simt: cudaErrorIllegalAddress"));
  ck_assert_ptr_nonnull(strstr(said, "0x10"));
  ck_assert_ptr_nonnull(strstr(said, "poke"));
  ck_assert_ptr_nonnull(strstr(simt_last_diagnostic(), "poke"));
  OK(cudaGetLastError()); // the launch itself succeeded
  OK(cudaMalloc(&p, 4));
  OK(cudaMemset(p, 0, 4));
  IS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  IS(cudaErrorIllegalAddress, cudaMalloc(&p, 4));
  IS(cudaErrorIllegalAddress, cudaGetLastError());
  IS(cudaErrorIllegalAddress, cudaStreamQuery(0));
  OK(cudaDeviceReset());
  IS(cudaErrorIllegalAddress, cudaGetLastError()); // a reset does not clear it
  OK(cudaGetLastError());
  IS(cudaErrorDevicesUnavailable, cudaMalloc(&p, 4));
  IS(cudaErrorDevicesUnavailable, cudaDeviceSynchronize());
  IS(cudaErrorDevicesUnavailable, cudaSetDevice(0));
  OK(cudaGetDeviceProperties(&properties, 0));
}
END_TEST

// What `body` writes on stderr when that is a terminal, in a static buffer.
static const char *terminal_of(void (*body)(void)) {
  static char text[8192];
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  int end = open(ptsname(terminal), O_RDWR | O_NOCTTY), saved = dup(2);
  ck_assert(end >= 0 && dup2(end, 2) == 2);
  body();
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  close(end);
  size_t length = 0; // it may come in parts; when the other end is closed, what is left ends
  for (ssize_t n; (n = read(terminal, text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)n;
  close(terminal);
  text[length] = '\0';
  return text;
}

static void fault_in_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    fault_once();
    fflush(stderr);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// On a terminal the same words, none of them cut, in lines that fit.
START_TEST(long_messages_are_wrapped_on_a_terminal_only)
{
  char piped[8192], words[8192], *word, *left;
  snprintf(piped, sizeof piped, "%s", stderr_of(fault_in_child));
  ck_assert_uint_gt(strcspn(piped, "\n"), 80);
  snprintf(words, sizeof words, "%s", terminal_of(fault_once));
  const char *at = piped;
  unsigned n_lines = 0;
  for (char *line = words; *line; n_lines++) {
    size_t length = strcspn(line, "\r\n");
    ck_assert_uint_le(length, 80);
    line += length + strspn(line + length, "\r\n");
  }
  ck_assert_uint_gt(n_lines, 2);
  for (word = strtok_r(words, " \r\n", &left); word; word = strtok_r(NULL, " \r\n", &left)) {
    at += strspn(at, " \n");
    ck_assert_msg(strncmp(at, word, strlen(word)) == 0, "'%s' is not the next in: %s", word, at);
    at += strlen(word);
  }
  ck_assert_uint_eq(strspn(at, " \n"), strlen(at));
  OK(cudaDeviceReset());
}
END_TEST

START_TEST(launch_blocking_returns_the_fault)
{
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  uint64_t bad = 16;
  freopen("/dev/null", "w", stderr);
  IS(cudaErrorIllegalAddress, launch(kernel_of(load(kernels_text), "poke"), (void *[]){&bad}));
  IS(cudaErrorIllegalAddress, cudaGetLastError());
  OK(cudaDeviceReset());
}
END_TEST

// ---- Options.

static void first_call_fails(void) {
  int n = -1;
  IS(cudaErrorInitializationError, cudaGetDeviceCount(&n));
  ck_assert_int_eq(n, 0);
  IS(cudaErrorInitializationError, cudaGetLastError());
}

START_TEST(unknown_option_values_fail_the_first_call)
{
  static const char *const bad[][3] = {
      {"SIMT_DEVICE", "riva128", "there are h200"},
      {"SIMT_COUNTERS", "yes", "SIMT_COUNTERS=yes"},
      {"SIMT_THREADS", "-2", "a whole number"},
      {"SIMT_MAX_WARP_INSTRUCTIONS", "1e9", "a whole number"},
      {"SIMT_NOTES", "2", "from 0 to 1"},
      {"SIMT_CHECK", "memcheck,racechek", "no checker 'racechek'; there are memcheck"},
      {"SIMT_CHECK", "memcheck,none", "'none' contradicts the other words"},
      {"SIMT_CHECK", "none leak", "'none' contradicts the other words"},
      {"SIMT_SCHEDULE", "backwards", "there are lockstep, reverse"},
      {"SIMT_SCHEDULE", "random:x", "random:SEED"},
      {"SIMT_SCHEDULE", "sweep:0", "sweep:K"},
      {"SIMT_SCHEDULE", "sweep:4x", "sweep:K"},
      {"SIMT_SWEEP_MAX_MIB", "lots", "a whole number"},
  };
  setenv(bad[_i][0], bad[_i][1], 1);
  ck_assert_int_eq(exit_status_of(first_call_fails, 0),
                   86); // a program that ignores it must not seem to succeed
  ck_assert_int_eq(exit_status_of(first_call_fails, 3), 3);
  ck_assert_ptr_nonnull(strstr(stderr_of(first_call_fails), bad[_i][2]));
  fflush(NULL);
  _exit(EXIT_SUCCESS);
}
END_TEST

START_TEST(checkers_and_schedules_are_taken)
{
  static const char *const good[][2] = {
      {"SIMT_CHECK", "all"},        {"SIMT_CHECK", ""},
      {"SIMT_CHECK", "none,none"},  {"SIMT_CHECK", "all, leak,exited"},
      {"SIMT_CHECK", "none"},       {"SIMT_CHECK", "memcheck,initcheck, synccheck,racecheck"},
      {"SIMT_SCHEDULE", "reverse"}, {"SIMT_SCHEDULE", "random:7"},
      {"SIMT_SCHEDULE", "sweep"},   {"SIMT_SCHEDULE", "sweep:12"}};
  setenv(good[_i][0], good[_i][1], 1);
  OK(launch(kernel_of(load(kernels_text), "nothing"), NULL));
  ck_assert_uint_eq(simt_launches(), 1);
  ck_assert_uint_eq(simt_findings_error_count(), 0);
}
END_TEST

START_TEST(known_options_are_taken)
{
  setenv("SIMT_DEVICE", "a100", 1);
  struct cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  ck_assert_int_eq(p.major, 8);
  ck_assert_int_eq(p.minor, 0);
  ck_assert_int_eq(p.multiProcessorCount, 108);
  ck_assert_str_eq(p.name, simt_device_name());
  ck_assert_ptr_nonnull(strstr(p.name, "A100"));
}
END_TEST

// ---- Device.

START_TEST(properties_agree_with_attributes)
{
  struct cudaDeviceProp p;
  int v = 0;
  OK(cudaGetDeviceProperties(&p, 0));
#define SAME(field, attribute)                                                                     \
  OK(cudaDeviceGetAttribute(&v, cudaDevAttr##attribute, 0));                                       \
  ck_assert_int_eq((int)p.field, v)
  SAME(multiProcessorCount, MultiProcessorCount);
  SAME(warpSize, WarpSize);
  SAME(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
  SAME(sharedMemPerBlock, MaxSharedMemoryPerBlock);
  SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
  SAME(l2CacheSize, L2CacheSize);
  SAME(major, ComputeCapabilityMajor);
  SAME(cooperativeLaunch, CooperativeLaunch);
  ck_assert_int_eq(p.warpSize, 32);
  ck_assert_int_eq(p.multiProcessorCount, 132); // an H200, unless told otherwise
  ck_assert_uint_eq(p.sharedMemPerBlockOptin, 227 * 1024);
  ck_assert_uint_eq(sizeof p, 1008); // CUDA 13's
  OK(cudaDriverGetVersion(&v));
  ck_assert_int_eq(v, 13000);
}
END_TEST

START_TEST(memory_info_follows_allocations)
{
  size_t before = 0, during = 0, after = 0, total = 0;
  void *p = NULL;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&p, 1 << 20));
  OK(cudaMemGetInfo(&during, &total));
  OK(cudaFree(p));
  OK(cudaMemGetInfo(&after, NULL));
  ck_assert_uint_le(before, total);
  ck_assert_uint_ge(before - during, 1 << 20);
  ck_assert_uint_eq(before, after);
}
END_TEST

// ---- Libraries and launches.

START_TEST(library_kernels_and_variables)
{
  cudaLibrary_t library = load(kernels_text);
  unsigned n = 0;
  OK(cudaLibraryGetKernelCount(&n, library));
  ck_assert_uint_eq(n, 3);
  cudaKernel_t all[3] = {0}, again = NULL;
  OK(cudaLibraryEnumerateKernels(all, 3, library));
  OK(cudaLibraryGetKernel(&again, library, "store"));
  ck_assert(again == all[0] || again == all[1] || again == all[2]); // one handle per kernel
  IS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&again, library, "stor"));
  const char *name = NULL;
  OK(cudaFuncGetName(&name, (const void *)again));
  ck_assert_str_eq(name, "store");
  size_t offset = 0, size = 0;
  OK(cudaFuncGetParamInfo((const void *)again, 2, &offset, &size));
  ck_assert_uint_eq(offset, 16);
  ck_assert_uint_eq(size, 8);

  void *cell = NULL;
  int value = 0, table[3] = {0};
  OK(cudaLibraryGetGlobal(&cell, &size, library, "cell"));
  ck_assert_uint_eq(size, 4);
  OK(cudaMemcpy(&value, cell, 4, cudaMemcpyDeviceToHost));
  ck_assert_int_eq(value, 7);
  OK(cudaLibraryGetGlobal(&cell, &size, library, "table"));
  OK(cudaMemcpy(table, cell, size, cudaMemcpyDeviceToHost));
  ck_assert_int_eq(table[2], 3);
  OK(cudaLibraryUnload(library));
  IS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
  IS(cudaErrorInvalidResourceHandle, launch(again, NULL)); // went with its library
}
END_TEST

START_TEST(arguments_are_packed_by_alignment)
{
  struct {
    double b;
    int a, d;
  } got = {0, 0, 0};
  void *out = NULL;
  OK(cudaMalloc(&out, sizeof got));
  unsigned char a = 200;
  double b = -2.5;
  short d = -3;
  cudaKernel_t store = kernel_of(load(kernels_text), "store");
  OK(launch(store, (void *[]){&a, &b, &out, &d}));
  OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  ck_assert(got.b == -2.5 && got.a == 200 && got.d == -3);
  IS(cudaErrorInvalidValue, launch(store, NULL));
  IS(cudaErrorInvalidValue, launch(store, (void *[]){&a, NULL, &out, &d}));
}
END_TEST

START_TEST(two_libraries_have_their_own_variables)
{
  cudaLibrary_t first = load(kernels_text), second = load(kernels_text);
  void *a = NULL, *b = NULL;
  int value = 99;
  OK(cudaLibraryGetGlobal(&a, NULL, first, "cell"));
  OK(cudaLibraryGetGlobal(&b, NULL, second, "cell"));
  ck_assert_ptr_ne(a, b);
  OK(cudaMemcpy(a, &value, 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(&value, b, 4, cudaMemcpyDeviceToHost));
  ck_assert_int_eq(value, 7);
}
END_TEST

static void load_unknown_opcode(void) {
  cudaLibrary_t library = NULL;
  static const char *const text = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k()\n{\n  frobnicate.u32 1;\n  ret;\n}\n";
  OK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0)); // not read yet
  cudaKernel_t kernel = NULL;
  IS(cudaErrorInvalidPtx, cudaLibraryGetKernel(&kernel, library, "k"));
  ck_assert_ptr_null(kernel);
}

START_TEST(unknown_opcode_is_named_with_its_line)
{
  const char *said = stderr_of(load_unknown_opcode);
  ck_assert_ptr_nonnull(strstr(said, "frobnicate.u32"));
  ck_assert_ptr_nonnull(strstr(said, ":6"));
}
END_TEST

START_TEST(libraries_from_files)
{
  cudaLibrary_t library = NULL;
  char path[] = "/tmp/test_cudart.XXXXXX";
  int fd = mkstemp(path);
  ck_assert(write(fd, kernels_text, strlen(kernels_text)) > 0);
  close(fd);
  OK(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
  OK(launch(kernel_of(library, "nothing"), NULL));
  unlink(path);
  IS(cudaErrorFileNotFound, cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
  // Regular files only: a pipe would never answer, /dev/zero never end.
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  const char *const odd[] = {"/dev/null", "/dev/zero", "/tmp", path};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    IS(cudaErrorFileNotFound,
       cudaLibraryLoadFromFile(&library, odd[i], NULL, NULL, 0, NULL, NULL, 0));
  unlink(path);
}
END_TEST

// CUB looks a kernel's version up among those that the program was compiled for.
START_TEST(a_kernel_knows_the_architecture_of_its_text)
{
  static const struct {
    const char *text;
    int version;
  } cases[] = {
      {".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n", 75},
      {".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n", 90},
      {".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n", 120}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, (const void *)kernel_of(load(cases[i].text), "k")));
    ck_assert_int_eq(attributes.ptxVersion, cases[i].version);
  }
}
END_TEST

START_TEST(launch_attributes)
{
  cudaKernel_t kernel = kernel_of(load(kernels_text), "nothing");
  cudaLaunchAttribute a = {.id = cudaLaunchAttributeCooperative};
  cudaLaunchConfig_t c = {.gridDim = {4, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &a, .numAttrs = 1};
  a.val.cooperative = 1;
  OK(cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
  c.gridDim.x = 1 << 20;
  IS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
  a.val.cooperative = 0;
  OK(cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = 2, a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.gridDim.x = 4;
  OK(cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
  c.gridDim.x = 5;
  IS(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
  a.id = cudaLaunchAttributePriority;
  OK(cudaLaunchKernelExC(&c, (const void *)kernel, NULL));
}
END_TEST

START_TEST(occupancy_limits)
{
  const void *kernel = (const void *)kernel_of(load(kernels_text), "nothing");
  int blocks = 0;
  size_t bytes = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0));
  ck_assert_int_eq(blocks, 2); // 2048 threads
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 33, 0));
  ck_assert_int_eq(blocks, 32); // two warps each, but 32 blocks
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 100 * 1024));
  ck_assert_int_eq(blocks, 0); // more than 48 KiB must be asked for
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 128));
  ck_assert_uint_eq(bytes, 48 * 1024); // more must be asked for
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 128));
  ck_assert_uint_eq(bytes, 114 * 1024);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 100 * 1024));
  ck_assert_int_eq(blocks, 2); // 228 KiB, 1 KiB of each block's reserved
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 228 * 1024));
  ck_assert_int_eq(blocks, 0);
}
END_TEST

// What an H100 answers, with 10,000 bytes for each block of 64 threads.
START_TEST(occupancy_heeds_the_carveout)
{
  static const struct {
    int carveout, blocks;
    size_t of_two; // bytes for each of two blocks
  } cases[] = {{-1, 20, 116736}, {0, 1, 4096},     {10, 2, 16384},
               {25, 5, 32768},   {50, 12, 67584},  {57, 12, 67584},
               {58, 15, 83968},  {75, 18, 100352}, {100, 20, 116736}};
  const void *kernel = (const void *)kernel_of(load(kernels_text), "nothing");
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int blocks = 0;
    size_t bytes = 0;
    OK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                            cases[i].carveout));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 10000));
    ck_assert_int_eq(blocks, cases[i].blocks);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 128));
    ck_assert_uint_eq(bytes, cases[i].of_two);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 1, 128));
    ck_assert_uint_eq(bytes, 227 * 1024);
  }
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  size_t bytes;
  IS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 16, 128));
}
END_TEST

// ---- Streams and events: modelled time.

START_TEST(time_is_the_sum_of_a_streams_work)
{
  cudaEvent_t e[3];
  cudaStream_t s;
  float first = 0, second = 0, both = 0;
  void *p = NULL;
  const size_t bytes = 64 << 20;
  OK(cudaMalloc(&p, bytes));
  OK(cudaStreamCreate(&s));
  for (int i = 0; i < 3; i++) OK(cudaEventCreate(&e[i]));
  OK(cudaEventRecord(e[0], s));
  OK(cudaMemsetAsync(p, 0, bytes, s));
  OK(cudaEventRecord(e[1], s));
  OK(launch(kernel_of(load(kernels_text), "nothing"), NULL)); // legacy: waits for s
  OK(cudaMemsetAsync(p, 0, bytes, s));
  OK(cudaEventRecord(e[2], s));
  OK(cudaEventElapsedTime(&first, e[0], e[1]));
  OK(cudaEventElapsedTime(&second, e[1], e[2]));
  OK(cudaEventElapsedTime(&both, e[0], e[2]));
  ck_assert_float_gt(first, 0.001f); // 64 MiB in no less than at 64 TB/s
  double launch_ms = simt_modelled_ms_last_launch();
  ck_assert_double_gt(launch_ms, 0.0);
  ck_assert_float_eq_tol(second, first + (float)launch_ms, 1e-4f);
  ck_assert_float_eq_tol(both, first + second, 1e-4f);
}
END_TEST

START_TEST(independent_streams_overlap)
{
  cudaEvent_t e[2];
  cudaStream_t s, t;
  float ms = -1;
  void *p = NULL;
  OK(cudaMalloc(&p, 64 << 20));
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) OK(cudaEventCreate(&e[i]));
  OK(cudaMemsetAsync(p, 0, 64 << 20, s));
  OK(cudaEventRecord(e[0], s));
  OK(cudaMemsetAsync(p, 0, 64 << 20, t));
  OK(cudaEventRecord(e[1], t));
  OK(cudaEventElapsedTime(&ms, e[0], e[1]));
  ck_assert_float_eq(ms, 0.0f);
  OK(cudaStreamWaitEvent(t, e[0], 0));
}
END_TEST

START_TEST(capture_forbids_what_cuda_forbids)
{
  cudaStream_t s;
  cudaGraph_t graph;
  void *p = NULL;
  OK(cudaMalloc(&p, 64));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  IS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
  IS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
  IS(cudaErrorStreamCaptureImplicit, launch(kernel_of(load(kernels_text), "nothing"), NULL));
  IS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(p, 0, 64, s));
  IS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
  ck_assert_ptr_null(graph);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(p, 0, 64, s));
  OK(cudaStreamEndCapture(s, &graph));
  size_t n = 0;
  OK(cudaGraphGetNodes(graph, NULL, &n));
  ck_assert_uint_eq(n, 1);
  IS(cudaErrorInvalidValue, cudaGraphLaunch((cudaGraphExec_t)graph, s)); // not instantiated
  OK(cudaGraphDestroy(graph));
  IS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}
END_TEST

// As on an H100.
START_TEST(pitches_and_heights)
{
  static const struct {
    size_t to, from, width, height;
    cudaError_t copy, set;
  } cases[] = {{8, 16, 10, 4, cudaErrorInvalidPitchValue, cudaErrorInvalidValue},
               {16, 8, 10, 4, cudaErrorInvalidPitchValue, cudaSuccess},
               {8, 16, 10, 1, cudaErrorInvalidValue, cudaSuccess},
               {16, 8, 10, 1, cudaErrorInvalidValue, cudaSuccess},
               {0, 0, 10, 1, cudaSuccess, cudaSuccess},
               {16, 16, 10, 4, cudaSuccess, cudaSuccess}};
  char host[2][64] = {{0}};
  void *p, *none;
  size_t pitch;
  OK(cudaMalloc(&p, 64));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t to = cases[i].to, from = cases[i].from, width = cases[i].width, n = cases[i].height;
    ck_assert_int_eq(cases[i].copy,
                     cudaMemcpy2D(p, to, host, from, width, n, cudaMemcpyHostToDevice));
    ck_assert_int_eq(cases[i].copy,
                     cudaMemcpy2D(host[1], to, host, from, width, n, cudaMemcpyHostToHost));
    ck_assert_int_eq(cases[i].set, cudaMemset2D(p, to, 0, width, n));
  }
  IS(cudaErrorInvalidValue, cudaMallocPitch(&none, &pitch, SIZE_MAX, SIZE_MAX));
}
END_TEST

static Suite *cudart_suite(void) {
  Suite *suite = suite_create("cudart");
  TCase *errors = tcase_create("errors");
  tcase_add_test(errors, error_names_and_texts);
  tcase_add_test(errors, last_error_is_remembered_and_cleared);
  tcase_add_test(errors, device_fault_sticks);
  tcase_add_test(errors, long_messages_are_wrapped_on_a_terminal_only);
  tcase_add_test(errors, launch_blocking_returns_the_fault);
  suite_add_tcase(suite, errors);
  TCase *options = tcase_create("options");
  tcase_add_loop_test(options, unknown_option_values_fail_the_first_call, 0, 13);
  tcase_add_loop_test(options, checkers_and_schedules_are_taken, 0, 10);
  tcase_add_test(options, known_options_are_taken);
  suite_add_tcase(suite, options);
  TCase *device = tcase_create("device");
  tcase_add_test(device, properties_agree_with_attributes);
  tcase_add_test(device, memory_info_follows_allocations);
  tcase_add_test(device, pitches_and_heights);
  suite_add_tcase(suite, device);
  TCase *modules = tcase_create("modules");
  tcase_add_test(modules, library_kernels_and_variables);
  tcase_add_test(modules, arguments_are_packed_by_alignment);
  tcase_add_test(modules, two_libraries_have_their_own_variables);
  tcase_add_test(modules, unknown_opcode_is_named_with_its_line);
  tcase_add_test(modules, libraries_from_files);
  tcase_add_test(modules, a_kernel_knows_the_architecture_of_its_text);
  tcase_add_test(modules, launch_attributes);
  tcase_add_test(modules, occupancy_limits);
  tcase_add_test(modules, occupancy_heeds_the_carveout);
  suite_add_tcase(suite, modules);
  TCase *streams = tcase_create("streams");
  tcase_add_test(streams, time_is_the_sum_of_a_streams_work);
  tcase_add_test(streams, independent_streams_overlap);
  tcase_add_test(streams, capture_forbids_what_cuda_forbids);
  suite_add_tcase(suite, streams);
  return suite;
}

int main(void) {
  setenv("SIMT_NOTES", "0", 1);
  return run_suite(cudart_suite());
}
