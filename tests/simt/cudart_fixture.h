// SPDX-License-Identifier: MIT
// cudart_fixture.h - what the tests of the CUDA runtime layer share. Every test runs in a process
// of its own (Check forks), so every test has a fresh context.
#ifndef CUDART_FIXTURE_H
#define CUDART_FIXTURE_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

#define OK(call) ck_assert_str_eq(cudaGetErrorName(call), "cudaSuccess")
#define IS(error, call) ck_assert_str_eq(cudaGetErrorName(call), #error)

static inline cudaLibrary_t load(const char *text) {
  cudaLibrary_t library = NULL;
  OK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
  return library;
}

static inline cudaKernel_t kernel_of(cudaLibrary_t library, const char *name) {
  cudaKernel_t kernel = NULL;
  OK(cudaLibraryGetKernel(&kernel, library, name));
  return kernel;
}

// One thread.
static inline cudaError_t launch(cudaKernel_t kernel, void **arguments) {
  return cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, 0);
}

// What `body` writes on stderr, in a static buffer.
static inline const char *stderr_of(void (*body)(void)) {
  static char text[8192];
  FILE *file = tmpfile();
  fflush(stderr);
  int saved = dup(2);
  dup2(fileno(file), 2);
  body();
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

// Runs `body` in a child that then exits with `status`; returns how the child ended.
static inline int exit_status_of(void (*body)(void), int status) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(99);
    body();
    exit(status);
  }
  int how = 0;
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

// The report (SIMT_REPORT) of a process that runs `body`, in a static buffer.
static inline const char *report_of(void (*body)(void)) {
  static char text[32768];
  char path[] = "/tmp/test_cudart.XXXXXX";
  close(mkstemp(path));
  setenv("SIMT_REPORT", path, 1);
  exit_status_of(body, 0);
  unsetenv("SIMT_REPORT");
  FILE *file = fopen(path, "r");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  unlink(path);
  return text;
}

#endif
