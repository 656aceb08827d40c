// SPDX-License-Identifier: MIT
// A stack of nodes. Where all only pop, the plain read of the head is no race: it only makes a
// guess for the compare-and-swap, of which the address of the next node is one, too. The wrong one
// pops beside those that push, so that nothing orders the link it reads with the store that made
// it.
//
// FINDS: race_read_after_write @link @read
#include "case.h"

struct node {
  int value;
  node *next;
};
__device__ node *head;

__device__ bool swap(node *&old, node *with) {
  node *const seen = (node *)atomicCAS((unsigned long long *)&head, (unsigned long long)old,
                                       (unsigned long long)with);
  const bool is_done = seen == old;
  old = seen;
  return is_done;
}

__device__ void push(node *me) {
  node *old = head;
  do {
    me->next = old; // @link
    __threadfence();
  } while (!swap(old, me));
}

__device__ void pop(int *seen) {
  node *old = head;
  while (old) {
    node *const next = old->next; // @read
    node *const mine = old;
    if (!swap(old, next)) continue;
    atomicAdd(seen, mine->value);
    break;
  }
}

__global__ void fill(node *nodes, int *seen) {
  if (blockIdx.x % 2 == 0) push(nodes + blockIdx.x);
  else if (!MENDED) pop(seen);
}

__global__ void empty(int *seen) { pop(seen); }

int main() {
  node *nodes = case_unwritten<node>(64);
  node made[64];
  for (int i = 0; i < 64; i++) made[i] = {1, nullptr};
  cudaMemcpy(nodes, made, sizeof made, cudaMemcpyHostToDevice);
  int *seen = case_zeros<int>(1);
  fill<<<64, 1>>>(nodes, seen);
  empty<<<64, 1>>>(seen);
  return case_end(case_fetch(seen, 1)[0] == 32);
}
