// SPDX-License-Identifier: MIT
// Where no thread can be started, as in a page of the book, the thread that waits or asks calls the
// host functions: in the order of their streams, before what stands behind them, none left at the
// end.
// unmeasured: the program refuses its own threads, which is for the software GPU only
// stderr: note: a host function calls CUDA
#include <cuda_runtime.h>

#include <cerrno>
#include <cstdio>
#include <pthread.h>

// Stands before the C library's.
extern "C" int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) {
  return EAGAIN;
}

static int *pinned;

__global__ void add(int *x, int n) { *x += n; }

static void say(void *text) { printf("  %s\n", (const char *)text); }
static void set_pinned(void *value) { *pinned = *(int *)value; }
static void wait_inside(void *) {
  printf("  inside: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static int value_at(const int *x) {
  int value = -1;
  cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

static void queue(cudaStream_t s, int *x, int *value) {
  cudaLaunchHostFunc(s, set_pinned, value);
  cudaMemcpyAsync(x, pinned, sizeof *x, cudaMemcpyHostToDevice, s);
  add<<<1, 1, 0, s>>>(x, 1);
}

int main() {
  cudaStream_t s, t;
  cudaEvent_t event;
  int *x, values[] = {10, 20, 30, 40};
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaMalloc(&x, sizeof *x);
  cudaMallocHost(&pinned, sizeof *pinned);

  queue(s, x, &values[0]);
  cudaLaunchHostFunc(s, say, (void *)"behind it");
  printf("stream: all queued\n");
  cudaStreamSynchronize(s);
  printf("  %d\n", value_at(x));

  queue(t, x, &values[1]);
  cudaEventRecord(event, t);
  cudaLaunchHostFunc(t, say, (void *)"behind the event");
  printf("event\n");
  cudaEventSynchronize(event);
  printf("  %d\n", value_at(x));
  cudaDeviceSynchronize();

  queue(t, x, &values[2]);
  printf("query: %s", cudaGetErrorName(cudaStreamQuery(t)));
  printf(", %s", cudaGetErrorName(cudaStreamQuery(t)));
  printf(", %d\n", value_at(x));

  printf("a function that waits\n");
  cudaLaunchHostFunc(s, wait_inside, nullptr);
  cudaDeviceSynchronize();

  printf("at the end\n");
  queue(s, x, &values[3]);
  cudaLaunchHostFunc(s, say, (void *)"the last one");
  return 0;
}
