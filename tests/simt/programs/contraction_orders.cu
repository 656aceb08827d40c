// SPDX-License-Identifier: MIT
// Which product a sum takes in where its operands come from loops, conditions and functions, and
// where sums have a product in common: the operands' order is a compiler's, which sorts them by
// when their values are there.
#include <cmath>
#include <cstdio>
#include <cstring>

enum { THREADS = 64, WORDS = 8 };

// Four loaded values, an accumulator `a` whose loop lies behind them, and `w`, loaded behind that.
#define KERNEL(name, loop, w_at, sum)                                                              \
  template <class T> __global__ void name(const T *in, T *out, int n) {                            \
    const T *at = in + threadIdx.x * WORDS;                                                        \
    const T v0 = at[0], v1 = at[1], v2 = at[2], v3 = at[3];                                        \
    T a = v0;                                                                                      \
    loop;                                                                                          \
    const T w = at[w_at];                                                                          \
    out[threadIdx.x] = sum;                                                                        \
  }
#define TURNS                                                                                      \
  for (int j = 0; j < n; ++j) a += in[j + threadIdx.x] * v3
#define SEVEN                                                                                      \
  for (int j = 0; j < 7; ++j) a += in[j + threadIdx.x] * v2
#define CHOICE                                                                                     \
  if (v1 > v2) a = v1 * T(0.5)
#define NOTHING

KERNEL(after_loop, TURNS, 5, w *a + v1 * a)
KERNEL(after_loop_turned, TURNS, 5, v1 *a + w * a)
KERNEL(after_three, TURNS, 5, v1 *w *a + a * v0)
KERNEL(after_both_three, TURNS, 6, w *a *v3 + a * v1 * w)
KERNEL(after_seven, SEVEN, 4, v0 *a + v1 * w)
KERNEL(after_seven_turned, SEVEN, 4, w *v1 + a * v0)
KERNEL(of_the_loop, TURNS, 7, a *a + v1 * v2)
KERNEL(of_the_choice, CHOICE, 7, v1 *a *w + a * w)
KERNEL(of_the_choice_first, CHOICE, 7, a *v2 + w * v1)
KERNEL(of_a_function, NOTHING, 4, std::sqrt(v1) * v2 + w * v3)
KERNEL(of_two_functions, TURNS, 4, std::fmax(v1, w) * v3 + std::fabs(v2 - w) * v0)
KERNEL(of_a_whole, NOTHING, 4, std::floor(v1 * 8) * v2 + v3 * w)
KERNEL(of_an_integer, NOTHING, 4, T(int(v1 * 100)) * v2 + v3 * w)
KERNEL(of_a_fused_one, NOTHING, 4, std::fma(v1, v2, v3) * v2 + v3 * w)
KERNEL(of_a_value_behind, NOTHING, 4, std::fabs(v1) * v2 + v3 * at[6])
KERNEL(twice_behind, NOTHING, 5, v0 *v2 *v1 + v1 * v3 + v3 * v1)
KERNEL(twice_around, NOTHING, 5, v0 *v2 + v1 * v0 + v0 * v2)
KERNEL(thrice, NOTHING, 5, v2 *v1 + v1 * v2 + v1 * v2)
KERNEL(four_times, NOTHING, 5, v2 *v1 + v1 * v2 + v1 * v2 + v2 * v1)
KERNEL(five_times, NOTHING, 5, v2 *v1 + v1 * v2 + v1 * v2 + v2 * v1 + v1 * v2)
KERNEL(twice_and_less, NOTHING, 5, v0 *v1 + (v0 * v1 - v2 * v3))
KERNEL(doubled, NOTHING, 5, v0 *v1 + v1 * v0)
KERNEL(in_two_sums, NOTHING, 5, (v0 * v1 + v2) * (v3 + v0 * v1))
KERNEL(in_three_sums, NOTHING, 5, (v0 * v1 + v2 * w) * (v3 * w + v0 * v1) + v0 * v1)

template <class T>
static void show(const char *name, void (*kernel)(const T *, T *, int), const T *in, T *out) {
  memset(out, 0, THREADS * sizeof *out);
  kernel<<<1, THREADS>>>(in, out, 9);
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed: ");
  unsigned long long hash = 0;
  for (int i = 0; i < THREADS; ++i) {
    unsigned long long bits = 0;
    memcpy(&bits, &out[i], sizeof *out);
    hash = hash * 1099511628211ull + bits;
  }
  printf("%-20s %016llx\n", name, hash);
}
#define SHOW(name) show<T>(#name, name<T>, in, out)

template <class T> static void show_all() {
  T *in, *out;
  cudaMallocManaged(&in, THREADS * WORDS * sizeof *in);
  cudaMallocManaged(&out, THREADS * sizeof *out);
  unsigned random = 12345;
  for (int i = 0; i < THREADS * WORDS; ++i) {
    random = random * 1664525u + 1013904223u;
    in[i] = T(random >> 8) / T(1 << 24) + T(0.01);
  }
  SHOW(after_loop);
  SHOW(after_loop_turned);
  SHOW(after_three);
  SHOW(after_both_three);
  SHOW(after_seven);
  SHOW(after_seven_turned);
  SHOW(of_the_loop);
  SHOW(of_the_choice);
  SHOW(of_the_choice_first);
  SHOW(of_a_function);
  SHOW(of_two_functions);
  SHOW(of_a_whole);
  SHOW(of_an_integer);
  SHOW(of_a_fused_one);
  SHOW(of_a_value_behind);
  SHOW(twice_behind);
  SHOW(twice_around);
  SHOW(thrice);
  SHOW(four_times);
  SHOW(five_times);
  SHOW(twice_and_less);
  SHOW(doubled);
  SHOW(in_two_sums);
  SHOW(in_three_sums);
  cudaFree(in);
  cudaFree(out);
}

int main() {
  show_all<float>();
  show_all<double>();
}
