// SPDX-License-Identifier: MIT
//
// Functions that are really called: recursion of all kinds, with lanes at different depths;
// pointers to functions in tables, variables and arguments; virtual functions, with a barrier in
// them.
#include <cstdio>

__device__ __noinline__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

__device__ void sort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

struct Large {
  int a[5];
  double d;
};
__device__ __noinline__ Large twist(Large x, int n) { // a structure comes and goes by value
  if (n == 0) return x;
  x.a[n % 5] += n;
  x.d *= 1.5;
  Large result = twist(x, n - 1);
  result.a[0]++;
  return result;
}

__global__ void recursion(int *out, int *data) {
  int t = threadIdx.x;
  Large x = {{t, 1, 2, 3, 4}, 1.0};
  Large y = twist(x, t % 7);
  out[t] = factorial(t % 10);
  out[32 + t] = fibonacci(t % 13);
  out[64 + t] = ackermann(t % 3, t % 5);
  out[96 + t] = 10 * is_even(t) + is_odd(t);
  out[128 + t] = y.a[0] * 1000 + y.a[3] * 10 + (int)y.d;
  sort(data + 16 * t, 0, 15);
}

typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ operation table[3] = {add, subtract, multiply};
__device__ operation chosen = multiply;

__device__ __noinline__ int fold(operation f, const int *values, int n) {
  int result = values[0];
  for (int i = 1; i < n; i++) result = f(result, values[i]);
  return result;
}
__global__ void pointers(int *out, operation from_host) {
  int t = threadIdx.x, values[4] = {t, 2, 3, 4};
  out[t] = table[t % 3](t, 3);
  out[32 + t] = from_host(t, t);
  out[64 + t] = fold(table[t % 3], values, 4);
}

struct Stage {
  __device__ virtual int step(int *s) = 0;
  __device__ virtual int name() { return 'S'; }
};
struct Rotate : Stage {
  int by;
  __device__ explicit Rotate(int by) : by(by) {}
  __device__ int step(int *s) override {
    int value = s[(threadIdx.x + by) % blockDim.x];
    __syncthreads();
    s[threadIdx.x] = value;
    __syncthreads();
    return by;
  }
};
struct Reverse : Stage {
  __device__ int step(int *s) override {
    __shared__ int copy[64];
    copy[threadIdx.x] = s[threadIdx.x];
    __syncthreads();
    s[threadIdx.x] = 2 * copy[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    return 0;
  }
  __device__ int name() override { return 'R'; }
};
__global__ void virtuals(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  s[t] = t;
  __syncthreads();
  Rotate three(3), five(5);
  Reverse reverse;
  Stage *stages[4] = {&three, &reverse, &five, &reverse};
  for (int i = 0; i < 4; i++) sum += stages[i]->step(s);
  out[t] = s[t] * 1000 + sum * 10 + (stages[t % 4]->name() == 'R');
}

static void print(const char *what, const int *values, int n) {
  printf("%s:", what);
  for (int i = 0; i < n; i++) printf(" %d", values[i]);
  printf("\n");
}

int main() {
  int *out, *data;
  operation f;
  cudaMallocManaged(&out, 160 * sizeof *out);
  cudaMallocManaged(&data, 512 * sizeof *data);
  for (int i = 0; i < 512; i++) data[i] = (i * 7919 + 13) % 1009;
  recursion<<<1, 32>>>(out, data);
  printf("recursion: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  print("factorial", out, 32);
  print("fibonacci", out + 32, 32);
  print("ackermann", out + 64, 32);
  print("parity", out + 96, 32);
  print("twist", out + 128, 32);
  int unsorted = 0;
  for (int i = 0; i < 512; i++) unsorted += i % 16 && data[i] < data[i - 1];
  printf("unsorted: %d, first %d, last %d\n", unsorted, data[0], data[511]);
  cudaMemcpyFromSymbol(&f, chosen, sizeof f);
  pointers<<<1, 32>>>(out, f);
  printf("pointers: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  print("table", out, 32);
  print("from host", out + 32, 32);
  print("fold", out + 64, 32);
  virtuals<<<1, 64>>>(out);
  printf("virtuals: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  print("stages", out, 64);
  cudaFree(out);
  cudaFree(data);
}
