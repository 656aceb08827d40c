// SPDX-License-Identifier: MIT
// exit: 86
// stderr: fault_unasked.cu:8
// stderr: a device fault that it never asked about
//
// No call tells the program of the fault: a launch does not.
#include <cstdio>
__global__ void store(int *at) { *at = 1; }

int main() {
  store<<<1, 1>>>(nullptr);
  store<<<1, 1>>>(nullptr);
  printf("done\n");
}
