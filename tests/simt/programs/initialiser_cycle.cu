// SPDX-License-Identifier: MIT
// Variables whose initialisers need each other's addresses: PTX has no order for them.
// nvcc: skip
// refused: cannot make PTX of this file: Circular dependency found in global variable set
struct node {
  int value;
  const node *next;
};
extern __device__ node second;
__device__ node first = {1, &second};
__device__ node second = {2, &first};
__global__ void walk(int *out) { *out = first.next->next->value; }
int main() { return 0; }
