// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// The name and the text of every error of the runtime API and of the driver API.
#include <cstdio>
#include <cuda.h>
int main() {
  for (int i = 0; i < 1002; i++) {
    const char *n = cudaGetErrorName((cudaError_t)i);
    if (n[0] == 'u') continue;
    printf("%d %s: %s\n", i, n, cudaGetErrorString((cudaError_t)i));
  }
  printf("%s %s\n", cudaGetErrorName((cudaError_t)5000), cudaGetErrorString((cudaError_t)5000));
  for (int i = 0; i < 1002; i++) {
    const char *n = nullptr, *s = nullptr;
    CUresult a = cuGetErrorName((CUresult)i, &n), b = cuGetErrorString((CUresult)i, &s);
    if (n) printf("%d %s: %s %d %d\n", i, n, s, a, b);
    else if (i < 20) printf("%d %d %d %d\n", i, n == nullptr, a, b);
  }
}
