// SPDX-License-Identifier: MIT
#include <omp.h>

int parallel_sum(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= n; i++) sum += i;
  return omp_get_max_threads() > 0 ? sum : 0;
}
