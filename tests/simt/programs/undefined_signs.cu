// SPDX-License-Identifier: MIT
// The sign of NaN where an operand is negated before it is added: a GPU does both at once, and a
// NaN keeps its sign.
#include <cstdio>

__global__ void show(double one) {
  printf("acos(-2)       %016llx\n", (unsigned long long)__double_as_longlong(acos(-2 * one)));
  printf("acos(2)        %016llx\n", (unsigned long long)__double_as_longlong(acos(2 * one)));
  printf("erfcinv(-1)    %016llx\n", (unsigned long long)__double_as_longlong(erfcinv(-one)));
  printf("normcdfinv(-1) %016llx\n", (unsigned long long)__double_as_longlong(normcdfinv(-one)));
  printf("normcdfinv(7)  %016llx\n", (unsigned long long)__double_as_longlong(normcdfinv(7 * one)));
  printf("asin(2)        %016llx\n", (unsigned long long)__double_as_longlong(asin(2 * one)));
}

int main() {
  show<<<1, 1>>>(1.0);
  return cudaDeviceSynchronize();
}
