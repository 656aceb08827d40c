// SPDX-License-Identifier: MIT
// openmp_late.c - what clang 19's OpenMP code calls and its library has had since then, for earlier
// libraries (openmp.sh).

typedef struct place place; // of a directive, in the source

// A loop with a dynamic schedule is over: earlier libraries notice that by themselves.
void __kmpc_dispatch_deinit(const place *at, int thread) {
  (void)at;
  (void)thread;
}
