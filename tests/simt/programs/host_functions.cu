// SPDX-License-Identifier: MIT
// Host functions and callbacks of streams are called when the program waits: what it does in the
// meantime comes first, work behind them in their stream comes later and sees what they have done,
// and they must not call CUDA.
// hardware: a function may run while its program still works: on an H100 one had run before the
//   host read what it sets, and the last one before `return`; functions of two streams interleave
// stderr: note: a host function calls CUDA
#include <cuda_runtime.h>

#include <cstdio>
#include <pthread.h>

static pthread_t main_thread;
static volatile int is_released;
static int *pinned;

__global__ void add(int *x, int n) { *x += n; }

static void say(void *text) {
  printf("  %s%s\n", (const char *)text,
         pthread_equal(main_thread, pthread_self()) ? ", on the main thread" : "");
}
static void say_status(cudaStream_t, cudaError_t status, void *text) {
  printf("  %s: %s\n", (const char *)text, cudaGetErrorName(status));
}
static void set_pinned(void *) { *pinned = 40; }
static void until_released(void *) {
  while (!is_released) continue;
  printf("  released\n");
}
static void call_cuda(void *) {
  void *p;
  printf("  inside: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
}
static void release(void *) { is_released = 1; }

static const char *name(cudaError_t error) { return cudaGetErrorName(error); }

static void order(cudaStream_t s, cudaStream_t t, int *x) {
  printf("order\n");
  for (int i = 0; i < 2; i++) {
    add<<<1, 1, 0, i ? s : t>>>(x + i, 1);
    cudaLaunchHostFunc(i ? s : t, say, (void *)(i ? "second" : "first"));
    cudaStreamAddCallback(i ? s : t, say_status, (void *)(i ? "second" : "first"), 0);
  }
  add<<<1, 1, 0, s>>>(x, 1);
  printf("  all queued\n");
  cudaDeviceSynchronize();
}

// A function sets pinned memory, and the copy behind it reads it; another stream waits for that.
static void effects(cudaStream_t s, cudaStream_t t, int *x) {
  cudaEvent_t set, done;
  int before = -1, after = -1;
  printf("effects\n");
  cudaEventCreate(&set);
  cudaEventCreate(&done);
  *pinned = 1;
  cudaLaunchHostFunc(s, set_pinned, nullptr);
  cudaMemcpyAsync(x, pinned, sizeof *x, cudaMemcpyHostToDevice, s);
  cudaEventRecord(set, s);
  cudaStreamWaitEvent(t, set, 0);
  add<<<1, 1, 0, t>>>(x, 2);
  cudaEventRecord(done, t);
  before = *pinned;
  float ms;
  printf("  time: %s\n", name(cudaEventElapsedTime(&ms, set, done)));
  printf("  event: %s\n", name(cudaEventQuery(done)));
  cudaEventSynchronize(done);
  cudaMemcpy(&after, x, sizeof after, cudaMemcpyDeviceToHost);
  printf("  %d, then %d\n", before, after);
  cudaEventDestroy(set);
  cudaEventDestroy(done);
}

// Work behind a function that waits for the host waits with it; other work does not.
static void blocked(cudaStream_t s, cudaStream_t t, int *x) {
  cudaStream_t free;
  printf("blocked\n");
  cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
  is_released = 0;
  cudaLaunchHostFunc(s, until_released, nullptr);
  cudaMemsetAsync(x, 0, sizeof *x, s);
  printf("  stream: %s\n", name(cudaStreamQuery(s)));
  printf("  other: %s\n", name(cudaStreamSynchronize(t)));
  add<<<1, 1, 0, free>>>(x + 1, 1);
  printf("  non-blocking: %s\n", name(cudaStreamSynchronize(free)));
  printf("  default: %s\n", name(cudaStreamQuery(nullptr)));
  add<<<1, 1>>>(x, 5);
  add<<<1, 1, 0, t>>>(x, 6); // after the default stream's
  printf("  other: %s\n", name(cudaStreamQuery(t)));
  is_released = 1;
  int got = -1;
  cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost);
  printf("  %d\n", got);
  cudaStreamDestroy(free);
}

static void graphs(cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  printf("graph\n");
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, say, (void *)"node");
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaGraphLaunch(exec, s);
  printf("  launched twice\n");
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

int main() {
  int *x;
  cudaStream_t s, t;
  main_thread = pthread_self();
  cudaMalloc(&x, 64);
  cudaMemset(x, 0, 64);
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  order(s, t, x);
  effects(s, t, x);
  blocked(s, t, x);
  graphs(s);
  printf("calls\n");
  cudaLaunchHostFunc(s, call_cuda, nullptr);
  while (cudaStreamQuery(s) == cudaErrorNotReady) continue;
  printf("  last error here: %s\n", name(cudaGetLastError()));
  printf("watched\n");
  is_released = 0;
  cudaLaunchHostFunc(s, release, nullptr);
  while (!is_released) continue; // no call of CUDA
  printf("  seen\n");
  printf("destroyed\n");
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaLaunchHostFunc(t, say, (void *)"its function");
  cudaEventRecord(e, t);
  cudaStreamDestroy(t);
  printf("  %s\n", name(cudaDeviceSynchronize()));
  printf("  its event: %s\n", name(cudaEventQuery(e)));
  cudaStreamCreate(&t);
  cudaLaunchHostFunc(t, say, (void *)"another one");
  cudaEventRecord(e, t);
  cudaStreamSynchronize(t);
  cudaStreamDestroy(t);
  printf("  its event: %s\n", name(cudaEventQuery(e)));
  cudaEventDestroy(e);
  printf("at the end\n");
  cudaLaunchHostFunc(s, say, (void *)"last function");
  cudaFreeAsync(x, s);
  printf("  return\n");
  return 0;
}
