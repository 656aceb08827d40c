// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// checked: what waits for what is in order
//
// What comes before what among the things that one grid asks for: one stream, streams that wait for
// events, the tail, a child with all of its own children, copies and sets, and the host's stream.
#include <cstdio>

__device__ int ticket;
__device__ int order[32];

__global__ void note(int which) { order[which] = atomicAdd(&ticket, 1); }
__global__ void note_after(int which, int cycles) { // as the last thing of a long child
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  note<<<1, 1>>>(which);
}

__global__ void one_stream() {
  note_after<<<1, 1>>>(0, 200000);
  note<<<1, 1>>>(1);
  note_after<<<1, 1>>>(2, 100000);
  note<<<1, 1>>>(3);
}

__global__ void two_streams() {
  cudaStream_t a, b;
  cudaEvent_t ready;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  note_after<<<1, 1, 0, a>>>(4, 200000);
  cudaEventRecord(ready, a);
  cudaStreamWaitEvent(b, ready, 0);
  note<<<1, 1, 0, b>>>(5);
  cudaEventRecord(ready, b);
  cudaStreamWaitEvent(0, ready, 0);
  note<<<1, 1>>>(6);
  cudaEventDestroy(ready);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}

__global__ void tail() {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(10);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(11);
  note_after<<<1, 1, 0, cudaStreamFireAndForget>>>(7, 200000);
  note_after<<<1, 1>>>(8, 100000);
  note<<<1, 1>>>(9);
}

// The NULL stream is the block's: both threads launch into one stream, each its own number.
__global__ void append(int *list, int *n, int value) { list[(*n)++] = value; }
__global__ void one_block(int *list, int *n) {
  append<<<1, 1>>>(list, n, (int)threadIdx.x);
  append<<<1, 1>>>(list, n, 10 + (int)threadIdx.x);
}

__global__ void read(int *to, const int *from) { *to = *from; }
__global__ void copies(int *data) {
  data[0] = 5;
  read<<<1, 1>>>(data + 1, data);
  cudaMemcpyAsync(data, data + 8, 4, cudaMemcpyDeviceToDevice, 0);
  read<<<1, 1>>>(data + 2, data);
  cudaMemsetAsync(data, 0, 4, 0);
  read<<<1, 1>>>(data + 3, data);
  cudaMemcpy2DAsync(data + 16, 8, data + 8, 12, 4, 3, cudaMemcpyDeviceToDevice, 0);
}

int main() {
  int *data, at[32];
  cudaMallocManaged(&data, 64 * sizeof(int));
  one_stream<<<1, 1>>>();
  note<<<1, 1>>>(12); // by the host: after all of the above
  two_streams<<<1, 1>>>();
  tail<<<1, 1>>>();
  note<<<1, 1>>>(13);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpyFromSymbol(at, order, sizeof at);
  for (int i = 0; i < 4; i++) printf("%d ", at[i]);
  printf("then %d\n%d %d %d\n", at[12], at[4], at[5], at[6]);
  const int first = at[7] < at[8] ? at[7] : at[8];
  printf("%d %d, tail %d %d, then %d\n", first, at[8] < at[9], at[10], at[11], at[13]);

  for (int i = 0; i < 64; i++) data[i] = i;
  data[0] = 0;
  one_block<<<1, 2>>>(data + 1, data);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 1; i < 5; i++) sum += data[i];
  printf("%d children, %d\n", data[0], sum);
  data[8] = 77, data[11] = 78, data[14] = 79;
  copies<<<1, 1>>>(data);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %d %d, %d %d %d\n", data[1], data[2], data[3], data[16], data[18], data[20]);
  cudaFree(data);
  return 0;
}
