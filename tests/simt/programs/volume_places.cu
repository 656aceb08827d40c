// SPDX-License-Identifier: MIT
//
// Places in memory count in elements of the array where one takes part in a copy, else in bytes.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  enum { W = 6, H = 2 };
  int host[H][W], got[H][W] = {};
  for (int i = 0; i < H * W; i++) host[i / W][i % W] = i;
  int *memory;
  cudaMalloc(&memory, sizeof host);
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, W, H);
  cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], H, cudaMemcpyHostToDevice);

  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(memory, sizeof host[0], W, H);
  in.srcPos = make_cudaPos(4, 0, 0);
  in.dstArray = array;
  in.extent = make_cudaExtent(2, 2, 1);
  in.kind = cudaMemcpyDeviceToDevice;
  printf("%s\n", cudaGetErrorName(cudaMemcpy3D(&in)));
  cudaMemcpy3DParms out = {};
  out.srcArray = array;
  out.srcPos = make_cudaPos(0, 0, 0);
  out.dstPtr = make_cudaPitchedPtr(got, sizeof got[0], W, H);
  out.dstPos = make_cudaPos(3, 0, 0);
  out.extent = make_cudaExtent(3, 2, 1);
  out.kind = cudaMemcpyDeviceToHost;
  printf("%s\n", cudaGetErrorName(cudaMemcpy3D(&out)));
  for (auto &row : got) {
    for (int x : row) printf("%d ", x);
    printf("\n");
  }
  cudaMemcpy3DParms bytes = {};
  bytes.srcPtr = make_cudaPitchedPtr(memory, sizeof host[0], W, H);
  bytes.srcPos = make_cudaPos(4, 1, 0);
  bytes.dstPtr = make_cudaPitchedPtr(got, sizeof got[0], W, H);
  bytes.extent = make_cudaExtent(8, 1, 1);
  bytes.kind = cudaMemcpyDeviceToHost;
  printf("%s\n", cudaGetErrorName(cudaMemcpy3D(&bytes)));
  printf("%d %d %d\n", got[0][0], got[0][1], got[0][2]);
  cudaFreeArray(array);
  cudaFree(memory);
  return 0;
}
