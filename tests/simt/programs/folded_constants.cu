// SPDX-License-Identifier: MIT
// Approximations of constants: ptxas computes them exactly; of the same numbers from memory the
// multi-function unit has its own bits.
#include <cstdio>

#define APPROXIMATIONS(X)                                                                          \
  X(rcp, "rcp.approx.f32")                                                                         \
  X(rsqrt, "rsqrt.approx.f32")                                                                     \
  X(sqrt, "sqrt.approx.f32")                                                                       \
  X(ex2, "ex2.approx.f32")                                                                         \
  X(ex2_ftz, "ex2.approx.ftz.f32")                                                                 \
  X(lg2, "lg2.approx.f32")                                                                         \
  X(sin, "sin.approx.f32")                                                                         \
  X(cos, "cos.approx.f32")                                                                         \
  X(tanh, "tanh.approx.f32")

#define OF_CONSTANT(k, text, bits)                                                                 \
  asm("{ .reg .f32 t; mov.f32 t, 0f" bits "; " text " %0, t; }" : "=f"(r));                        \
  out[k] = r;
// The constants: 2, 3, 0.5, 10, 0.1, 1.7, -1.3, 100.25.
#define KERNELS(name, text)                                                                        \
  __global__ void name##_of_constants(float *out) {                                                \
    float r;                                                                                       \
    OF_CONSTANT(0, text, "40000000")                                                               \
    OF_CONSTANT(1, text, "40400000")                                                               \
    OF_CONSTANT(2, text, "3F000000")                                                               \
    OF_CONSTANT(3, text, "41200000")                                                               \
    OF_CONSTANT(4, text, "3DCCCCCD")                                                               \
    OF_CONSTANT(5, text, "3FD9999A")                                                               \
    OF_CONSTANT(6, text, "BFA66666")                                                               \
    OF_CONSTANT(7, text, "42C88000")                                                               \
  }                                                                                                \
  __global__ void name##_of_values(float *out) {                                                   \
    float r;                                                                                       \
    asm(text " %0, %1;" : "=f"(r) : "f"(out[threadIdx.x]));                                        \
    out[threadIdx.x] = r;                                                                          \
  }
APPROXIMATIONS(KERNELS)

static void show(const char *name, void (*of_constants)(float *), void (*of_values)(float *)) {
  const float values[8] = {2.0f, 3.0f, 0.5f, 10.0f, 0.1f, 1.7f, -1.3f, 100.25f};
  unsigned results[2][8];
  float *out;
  cudaMalloc(&out, sizeof values);
  of_constants<<<1, 1>>>(out);
  cudaMemcpy(results[0], out, sizeof values, cudaMemcpyDeviceToHost);
  cudaMemcpy(out, values, sizeof values, cudaMemcpyHostToDevice);
  of_values<<<1, 8>>>(out);
  cudaMemcpy(results[1], out, sizeof values, cudaMemcpyDeviceToHost);
  cudaFree(out);
  for (int k = 0; k < 8; k++)
    printf("%s(%g) %08x %08x\n", name, values[k], results[0][k], results[1][k]);
}

int main() {
#define SHOW(name, text) show(#name, name##_of_constants, name##_of_values);
  APPROXIMATIONS(SHOW)
  return 0;
}
