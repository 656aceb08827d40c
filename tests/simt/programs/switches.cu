// SPDX-License-Identifier: MIT
//
// Switches that compilers turn into tables: branches to one of many labels (brx.idx), with lanes
// that go everywhere, in a loop, and one that all lanes take alike.
#include <cstdio>

enum { N = 64, CASES = 9 };

__device__ int step(int op, int x, const int *table) {
  switch (op) {
  case 0: return table[0] * 3 + x;
  case 1: return __popc(x + table[1]);
  case 2: return x / (table[2] + 1);
  case 3: return x ^ 0x55;
  case 4: return x * x - table[4];
  case 5: return 77 % (table[5] + 3);
  case 6: return -x;
  case 7: return x << (table[7] & 3);
  default: return x - 1;
  }
}

__global__ void run(int *out, const int *ops, const int *table) {
  int x = (int)threadIdx.x;
  for (int i = 0; i < 5; i++) x = step(ops[(threadIdx.x + i) % N], x, table);
  out[threadIdx.x] = x;
}

__global__ void together(int *out, const int *table, int op) {
  out[threadIdx.x] = step(op, (int)threadIdx.x, table);
}

static long long sum_of(const int *device) {
  int values[N];
  long long sum = 0;
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) sum = sum * 31 + values[i];
  return sum;
}

int main() {
  int ops[N], table[CASES], *d_ops, *d_table, *out;
  for (int i = 0; i < N; i++) ops[i] = i * 7 % 11;
  for (int i = 0; i < CASES; i++) table[i] = i * i + 1;
  cudaMalloc(&d_ops, sizeof ops);
  cudaMalloc(&d_table, sizeof table);
  cudaMalloc(&out, N * sizeof *out);
  cudaMemcpy(d_ops, ops, sizeof ops, cudaMemcpyHostToDevice);
  cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice);
  run<<<1, N>>>(out, d_ops, d_table);
  printf("%lld\n", sum_of(out));
  for (int op = -1; op <= CASES; op++) {
    together<<<1, N>>>(out, d_table, op);
    printf("%d: %lld\n", op, sum_of(out));
  }
  cudaFree(d_ops);
  cudaFree(d_table);
  cudaFree(out);
}
