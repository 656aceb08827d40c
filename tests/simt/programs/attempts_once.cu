// SPDX-License-Identifier: MIT
// checked: none of them is a race, in the code of either compiler
//
// Plain reads that keep a compare-and-swap from being tried where the word has left, for good, the
// constant that all of them expect. race_attempts_once.cu has kernels where it comes back.
#include <cstdio>

#define NONE (-1)
#define WORDS 61

__device__ int me() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void claim(int *owner) {
  int *word = &owner[me() % WORDS];
  if (*word == NONE) atomicCAS(word, NONE, me() % WORDS);
}

__global__ void claim_or_leave(int *owner) {
  int *word = &owner[me() % WORDS];
  if (*word != NONE) return;
  atomicCAS(word, NONE, me() % WORDS);
}

__global__ void claim_and_tell(int *owner, int *changed) {
  int *word = &owner[me() % WORDS];
  if (*word == NONE) {
    atomicCAS(word, NONE, me() % WORDS);
    *changed = 1;
  }
}

__global__ void claim_twice(int *owner) { // both expect the same
  int *word = &owner[me() % WORDS];
  if (me() % 2) {
    if (*word == NONE) atomicCAS(word, NONE, me() % WORDS);
  } else {
    if (*word == NONE) atomicCAS(word, NONE, me() % WORDS + WORDS);
  }
}

static void begin(int *words, int n) {
  for (int i = 0; i < n; ++i) words[i] = NONE;
}

static void show(const char *name, const int *words) {
  const cudaError_t error = cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < WORDS; ++i) sum += words[i] % WORDS;
  printf("%s %s %d\n", name, cudaGetErrorName(error), sum);
}

int main() {
  int *words;
  cudaMallocManaged(&words, (WORDS + 1) * sizeof *words);
  begin(words, WORDS);
  claim<<<4, 64>>>(words);
  show("claim", words);
  begin(words, WORDS);
  claim_or_leave<<<4, 64>>>(words);
  show("claim_or_leave", words);
  begin(words, WORDS + 1);
  claim_and_tell<<<4, 64>>>(words, &words[WORDS]);
  show("claim_and_tell", words);
  printf("%d\n", words[WORDS]);
  begin(words, WORDS);
  claim_twice<<<4, 64>>>(words);
  show("claim_twice", words);
  cudaFree(words);
}
