// SPDX-License-Identifier: MIT
// unmeasured: all of it, which is of the host's code
//
// Host code computes with long double, also with structures that hold one, where there is device
// code that does not see them.
#include <cstdio>

struct mixed {
  int first;
  long double exact;
  int last;
  long double twice() const { return exact * 2; }
};
template <class T> __host__ __device__ T cubed(T x) { return x * x * x; }
static const long double third = 1.0L / 3;
static long double parts[3] = {1, .5L, .25L};

__global__ void look(int *out, double x) { out[threadIdx.x] = (int)(cubed(x) + threadIdx.x); }

int main() {
  mixed *m = new mixed{1, third, 7};
  int *out;
  cudaMallocManaged(&out, 32 * sizeof *out);
  look<<<1, 32>>>(out, 2.0);
  printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), out[31]);
  printf("%d %d %Lg %d\n", (int)sizeof *m, m->last, m->twice() + parts[1],
         cubed(third) == cubed(m->exact));
  cudaFree(out);
  delete m;
}
