// SPDX-License-Identifier: MIT
//
// Boxes of memory and of arrays that are copied, many in one call.
#include <cuda_runtime.h>
#include "runtime_calls.h"

int main() {
  // cudaMemcpy3DBatchAsync: pitched pointers and arrays
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  int h[4][8], o[4][8];
  for (int i = 0; i < 32; i++) {
    h[i / 8][i % 8] = i;
    o[i / 8][i % 8] = -1;
  }
  int *d;
  CK(cudaMalloc(&d, 128));
  CK(cudaMemset(d, 0, 128));
  cudaArray_t a;
  cudaChannelFormatDesc cd = cudaCreateChannelDesc<int>();
  CK(cudaMallocArray(&a, &cd, 8, 4));
  cudaMemcpy3DBatchOp op[2] = {};
  op[0].src.type = cudaMemcpyOperandTypePointer;
  op[0].src.op.ptr.ptr = h;
  op[0].src.op.ptr.rowLength = 8;
  op[0].src.op.ptr.layerHeight = 4;
  op[0].dst.type = cudaMemcpyOperandTypePointer;
  op[0].dst.op.ptr.ptr = d;
  op[0].dst.op.ptr.rowLength = 8;
  op[0].dst.op.ptr.layerHeight = 4;
  op[0].extent = make_cudaExtent(16, 3, 1);
  op[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  op[0].src.op.ptr.rowLength = 32;
  op[0].dst.op.ptr.rowLength = 32;
  op[1] = op[0];
  op[1].dst.type = cudaMemcpyOperandTypeArray;
  op[1].dst.op.array.array = a;
  op[1].dst.op.array.offset = {1, 1, 0};
  op[1].extent = make_cudaExtent(4, 2, 1);
  E(cudaMemcpy3DBatchAsync(2, op, 0, s));
  CK(cudaStreamSynchronize(s));
  CK(cudaMemcpy(o, d, 128, cudaMemcpyDeviceToHost));
  for (int r = 0; r < 4; r++) {
    for (int c = 0; c < 8; c++) printf("%d ", o[r][c]);
    printf("\n");
  }
  int b[8];
  CK(cudaMemcpy2DFromArray(b, 32, a, 4, 1, 16, 2, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d\n", b[0], b[1], b[2], b[3]);
  E(cudaMemcpy3DBatchAsync(0, op, 0, s));
  E(cudaMemcpy3DBatchAsync(1, op, 5, s));
  E(cudaMemcpy3DBatchAsync(1, nullptr, 0, s));
  E(cudaMemcpy3DBatchAsync(1, op, 0, 0));
  return 0;
}
