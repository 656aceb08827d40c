// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
//
// Two devices: what each has for itself (variables, default streams, memory), which calls accept a
// stream or an event of the other one, copies and kernels between them. What is printed follows the
// CUDA Programming Guide, "Multi-Device System", and the reference of the runtime API.
#include <cstdio>
#include <thread>

__device__ int calls;
__constant__ int factor = 2;
__managed__ int shared_by_all = 5;

__global__ void count(int by) { atomicAdd(&calls, by * factor); }
__global__ void fill(int *a, int value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] += from[i];
}
__global__ void bump() { shared_by_all++; }

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

static void choice() {
  int n = 0, current = -1;
  cudaGetDeviceCount(&n);
  cudaGetDevice(&current);
  printf("two or more: %d, current %d\n", n >= 2, current);
  printf("device %d: %s\n", 99, name(cudaSetDevice(99)));
  printf("device -1: %s\n", name(cudaSetDevice(-1)));
  cudaGetDevice(&current);
  printf("still %d\n", current);
  cudaSetDevice(1);
  int in_thread = -1;
  std::thread([&] { cudaGetDevice(&in_thread); }).join();
  cudaGetDevice(&current);
  printf("this thread %d, a new one %d\n", current, in_thread);
  cudaDeviceProp first, second;
  printf("properties: %s, %s, ", name(cudaGetDeviceProperties(&first, 0)),
         name(cudaGetDeviceProperties(&second, 1)));
  printf("%s\n", name(cudaGetDeviceProperties(&first, 99)));
  cudaSetDevice(0);
}

// Every device has the module's variables for itself.
static void variables() {
  const int three = 3;
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(device);
    if (device == 1) cudaMemcpyToSymbol(factor, &three, sizeof three);
    count<<<1, 32>>>(device + 1);
  }
  for (int device = 0; device < 2; device++) {
    int value = 0;
    cudaSetDevice(device);
    cudaMemcpyFromSymbol(&value, calls, sizeof value);
    printf("calls on device %d: %d\n", device, value);
  }
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(device);
    bump<<<1, 1>>>();
    cudaDeviceSynchronize();
  }
  printf("managed variable: %d\n", shared_by_all);
  cudaSetDevice(0);
}

static void streams() {
  cudaStream_t of_0, of_1;
  cudaEvent_t event_0, event_1, late_1;
  int *on_0, *on_1, device = -1, value = 0;
  cudaStreamCreate(&of_0);
  cudaEventCreate(&event_0);
  cudaMalloc(&on_0, 256 * sizeof *on_0);
  cudaSetDevice(1);
  cudaStreamCreate(&of_1);
  cudaEventCreate(&event_1);
  cudaEventCreate(&late_1);
  cudaMalloc(&on_1, 256 * sizeof *on_1);
  fill<<<1, 256, 0, of_1>>>(on_1, 7);
  printf("launch in its own stream: %s\n", name(cudaGetLastError()));
  fill<<<1, 256, 0, of_0>>>(on_0, 8); // runs there, although device 1 is the current one
  printf("launch in a stream of device 0: %s\n", name(cudaGetLastError()));
  printf("record in a stream of device 0: %s\n", name(cudaEventRecord(event_1, of_0)));
  printf("record in its own: %s\n", name(cudaEventRecord(event_1, of_1)));
  printf("record event 0 there: %s\n", name(cudaEventRecord(event_0, of_1)));
  printf("copy in a stream of device 0: %s\n",
         name(cudaMemcpyAsync(&value, on_1, sizeof value, cudaMemcpyDeviceToHost, of_0)));
  cudaStreamSynchronize(of_0);
  cudaSetDevice(0);
  printf("%d there, ", value);
  cudaMemcpy(&value, on_0, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d here\n", value);
  printf("waiting for the other's event: %s\n", name(cudaStreamWaitEvent(of_0, event_1, 0)));
  printf("synchronise with it: %s, query: ", name(cudaEventSynchronize(event_1)));
  printf("%s\n", name(cudaEventQuery(event_1)));
  cudaEventRecord(event_0, of_0);
  cudaSetDevice(1);
  cudaEventRecord(late_1, of_1);
  cudaEventSynchronize(late_1);
  cudaEventSynchronize(event_0);
  float ms = -1;
  printf("elapsed on one device: %s, ", name(cudaEventElapsedTime(&ms, event_1, late_1)));
  printf("between two: %s\n", name(cudaEventElapsedTime(&ms, event_0, late_1)));
  cudaStreamGetDevice(of_0, &device);
  printf("the stream's device: %d\n", device);
  cudaStreamDestroy(of_0);
  cudaStreamDestroy(of_1);
  cudaEventDestroy(event_0);
  cudaEventDestroy(event_1);
  cudaEventDestroy(late_1);
  cudaFree(on_0);
  printf("free of device 1's memory: %s\n", name(cudaFree(on_1)));
  cudaSetDevice(0);
}

static void pointers() {
  int *on_1, *pinned, local = 0;
  cudaPointerAttributes a;
  cudaSetDevice(1);
  cudaMalloc(&on_1, 64);
  cudaMallocHost(&pinned, 64);
  cudaSetDevice(0);
  cudaPointerGetAttributes(&a, on_1);
  printf("device pointer: type %d of device %d\n", a.type, a.device);
  cudaPointerGetAttributes(&a, pinned);
  printf("pinned pointer: type %d of device %d\n", a.type, a.device);
  cudaPointerGetAttributes(&a, &local);
  printf("local variable: type %d of device %d\n", a.type, a.device);
  cudaFree(on_1);
  cudaFreeHost(pinned);
}

static void peers() {
  const int n = 256;
  int *a, *b, values[n], can = -1;
  cudaDeviceCanAccessPeer(&can, 0, 1);
  printf("0 to 1: %d, ", can);
  cudaDeviceCanAccessPeer(&can, 1, 1);
  printf("1 to 1: %d, ", can);
  printf("0 to 99: %s\n", name(cudaDeviceCanAccessPeer(&can, 0, 99)));
  cudaMalloc(&a, sizeof values);
  fill<<<1, n>>>(a, 30);
  cudaSetDevice(1);
  cudaMalloc(&b, sizeof values);
  printf("copy to device 1: %s\n", name(cudaMemcpyPeer(b, 1, a, 0, sizeof values)));
  fill<<<1, n>>>(b + n / 2 - n / 2, 12);
  printf("enable itself: %s\n", name(cudaDeviceEnablePeerAccess(1, 0)));
  printf("enable 99: %s\n", name(cudaDeviceEnablePeerAccess(99, 0)));
  printf("enable with flags: %s\n", name(cudaDeviceEnablePeerAccess(0, 1)));
  printf("disable before: %s\n", name(cudaDeviceDisablePeerAccess(0)));
  printf("enable: %s\n", name(cudaDeviceEnablePeerAccess(0, 0)));
  printf("again: %s\n", name(cudaDeviceEnablePeerAccess(0, 0)));
  add<<<1, n>>>(b, a); // reads the other's memory
  add<<<1, n>>>(a, b); // and writes it
  printf("kernels with peer access: %s\n", name(cudaDeviceSynchronize()));
  cudaMemcpy(values, a, sizeof values, cudaMemcpyDefault);
  printf("%d %d\n", values[0], values[n - 1]);
  cudaMemcpy(b, a, sizeof values, cudaMemcpyDefault);
  cudaMemcpy(values, b, sizeof values, cudaMemcpyDeviceToHost);
  printf("%d\n", values[n / 2]);
  printf("disable: %s\n", name(cudaDeviceDisablePeerAccess(0)));
  printf("copies without it: %s\n", name(cudaMemcpyPeerAsync(b, 1, a, 0, 64, 0)));
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaSetDevice(0);
}

// What is reset is the current device's.
static void reset() {
  int *a, *b, value = 0;
  const int nine = 9;
  cudaMalloc(&a, sizeof *a);
  cudaMemcpy(a, &nine, sizeof nine, cudaMemcpyHostToDevice);
  cudaSetDevice(1);
  cudaMalloc(&b, sizeof *b);
  printf("reset of device 1: %s\n", name(cudaDeviceReset()));
  cudaMemcpyFromSymbol(&value, calls, sizeof value);
  printf("calls there now: %d\n", value);
  cudaSetDevice(0);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  printf("device 0 has %d\n", value);
  cudaMemcpyFromSymbol(&value, calls, sizeof value);
  printf("calls here: %d\n", value);
  cudaFree(a);
}

int main() {
  choice();
  variables();
  streams();
  pointers();
  peers();
  reset();
  return 0;
}
