// SPDX-License-Identifier: MIT
// Products are fused with the sums of their own basic block alone: a hash of 32 results for each of
// these pieces of PTX, in which a branch, a loop, a barrier or a shuffle stands between the two.
#include <cstdio>
#include <cstring>

// p is the product. %1 to %4 are floats, %5 is 5, %6 the thread, %7 an address.
#define KERNEL(name, text)                                                                         \
  __global__ void name(float *out, const float *in, unsigned five) {                               \
    const unsigned i = threadIdx.x;                                                                \
    float r;                                                                                       \
    asm volatile("{ .reg .f32 p, s, t, r; .reg .pred q; .reg .u32 i; " text " }"                   \
                 : "=f"(r)                                                                         \
                 : "f"(in[i]), "f"(in[i + 40]), "f"(in[i + 80]), "f"(in[i + 120]), "r"(five),      \
                   "r"(i), "l"(out + 64 + i)                                                       \
                 : "memory");                                                                      \
    out[i] = r;                                                                                    \
  }
KERNEL(loop_between,
       "mul.f32 p, %1, %2; mov.u32 i, 0; mov.f32 s, %3; L%=: fma.rn.f32 s, s, 0f3F000000, %4; "
       "add.u32 i, i, 1; setp.lt.u32 q, i, %5; @q bra L%=; add.f32 r, p, s; mov.f32 %0, r;")
KERNEL(loop_long,
       "mul.f32 p, %1, %2; mov.u32 i, 0; mov.f32 s, %3; L%=: fma.rn.f32 s, s, 0f3F000000, %4; "
       "sqrt.rn.f32 s, s; add.u32 i, i, 1; setp.lt.u32 q, i, %5; @q bra L%=; add.f32 r, s, p; "
       "mov.f32 %0, r;")
KERNEL(branch_store,
       "mul.f32 p, %1, %2; setp.gt.u32 q, %6, 16; @q bra L%=; st.global.f32 [%7], %3; "
       "L%=: add.f32 r, p, %4; mov.f32 %0, r;")
KERNEL(branch_big,
       "mul.f32 p, %1, %2; mov.f32 s, %3; setp.gt.u32 q, %6, 16; @q bra L%=; sqrt.rn.f32 s, s; "
       "div.rn.f32 s, s, %4; sqrt.rn.f32 s, s; div.rn.f32 s, %4, s; sqrt.rn.f32 s, s; "
       "L%=: add.f32 r, p, s; mov.f32 %0, r;")
KERNEL(branch_shuffle,
       "mul.f32 p, %1, %2; mov.f32 s, %3; setp.gt.u32 q, %6, 15; @q bra L%=; "
       "shfl.sync.idx.b32 s, s, 3, 31, 0x0000ffff; L%=: add.f32 r, p, s; mov.f32 %0, r;")
KERNEL(two_shuffle, "mul.f32 p, %1, %2; mul.f32 s, %3, %4; mov.f32 t, %3; setp.gt.u32 q, %6, 15; "
                    "@q bra L%=; shfl.sync.idx.b32 t, t, 3, 31, 0x0000ffff; L%=: add.f32 r, p, s; "
                    "add.f32 r, r, t; mov.f32 %0, r;")
KERNEL(shuffle_plain,
       "mul.f32 p, %1, %2; shfl.sync.idx.b32 s, %3, 3, 31, 0xffffffff; add.f32 r, p, s; "
       "mov.f32 %0, r;")
KERNEL(barrier, "mul.f32 p, %1, %2; bar.sync 0; add.f32 r, p, %3; mov.f32 %0, r;")
KERNEL(branch_barrier, "mul.f32 p, %1, %2; setp.gt.u32 q, %5, 100; @q bra L%=; bar.sync 0; "
                       "L%=: add.f32 r, p, %3; mov.f32 %0, r;")
KERNEL(inside_branch, "mul.f32 p, %1, %2; mov.f32 r, %3; setp.gt.u32 q, %6, 15; @q bra L%=; "
                      "sqrt.rn.f32 s, %4; add.f32 r, p, s; div.rn.f32 s, r, %4; sqrt.rn.f32 s, s; "
                      "add.f32 r, r, s; L%=: mov.f32 %0, r;")
KERNEL(uniform_branch,
       "mul.f32 p, %1, %2; mov.f32 s, %3; setp.gt.u32 q, %5, 100; @q bra L%=; "
       "sqrt.rn.f32 s, s; div.rn.f32 s, s, %4; sqrt.rn.f32 s, s; L%=: add.f32 r, p, s; "
       "mov.f32 %0, r;")
KERNEL(both_before_loop,
       "mul.f32 p, %1, %2; mul.f32 t, %3, %4; mov.u32 i, 0; mov.f32 s, %3; "
       "L%=: fma.rn.f32 s, s, 0f3F000000, %4; add.u32 i, i, 1; setp.lt.u32 q, i, %5; "
       "@q bra L%=; add.f32 r, p, t; add.f32 r, r, s; mov.f32 %0, r;")
KERNEL(both_before_store,
       "mul.f32 p, %1, %2; mul.f32 t, %3, %4; setp.gt.u32 q, %6, 16; @q bra L%=; "
       "st.global.f32 [%7], %3; L%=: add.f32 r, p, t; mov.f32 %0, r;")
KERNEL(one_after_store,
       "mul.f32 p, %1, %2; setp.gt.u32 q, %6, 16; @q bra L%=; st.global.f32 [%7], %3; "
       "L%=: mul.f32 t, %3, %4; add.f32 r, p, t; mov.f32 %0, r;")
KERNEL(one_after_loop,
       "mul.f32 p, %1, %2; mov.u32 i, 0; mov.f32 s, %3; L%=: fma.rn.f32 s, s, 0f3F000000, %4; "
       "add.u32 i, i, 1; setp.lt.u32 q, i, %5; @q bra L%=; mul.f32 t, %3, %4; add.f32 r, p, t; "
       "add.f32 r, r, s; mov.f32 %0, r;")
KERNEL(sub_after_loop,
       "mul.f32 p, %1, %2; mov.u32 i, 0; mov.f32 s, %3; L%=: fma.rn.f32 s, s, 0f3F000000, %4; "
       "add.u32 i, i, 1; setp.lt.u32 q, i, %5; @q bra L%=; sub.f32 r, s, p; mov.f32 %0, r;")
KERNEL(two_uses_two_blocks,
       "mul.f32 p, %1, %2; mov.f32 s, %3; setp.gt.u32 q, %6, 15; @q bra L%=; add.f32 s, p, %4; "
       "sqrt.rn.f32 s, s; div.rn.f32 s, s, %3; sqrt.rn.f32 s, s; L%=: add.f32 r, p, s; "
       "mov.f32 %0, r;")
KERNEL(same_then_other,
       "mul.f32 p, %1, %2; add.f32 t, p, %3; setp.gt.u32 q, %6, 16; @q bra L%=; "
       "st.global.f32 [%7], %3; L%=: add.f32 r, p, %4; mul.f32 r, r, t; mov.f32 %0, r;")
KERNEL(same_then_loop, "mul.f32 p, %1, %2; add.f32 t, p, %3; mov.u32 i, 0; mov.f32 s, %3; "
                       "L%=: add.f32 s, s, p; add.u32 i, i, 1; setp.lt.u32 q, i, %5; @q bra L%=; "
                       "mul.f32 r, s, t; mov.f32 %0, r;")
KERNEL(same_only, "mul.f32 p, %1, %2; add.f32 t, p, %3; setp.gt.u32 q, %6, 16; @q bra L%=; "
                  "st.global.f32 [%7], %3; L%=: mov.f32 %0, t;")
KERNEL(two_same, "mul.f32 p, %1, %2; add.f32 t, p, %3; add.f32 s, p, %4; setp.gt.u32 q, %6, 16; "
                 "@q bra L%=; st.global.f32 [%7], %3; L%=: mul.f32 %0, t, s;")
KERNEL(predicated_add,
       "mul.f32 p, %1, %2; mov.f32 r, %3; setp.gt.u32 q, %6, 16; @q add.f32 r, p, %4; "
       "mov.f32 %0, r;")
KERNEL(predicated_mul,
       "mov.f32 p, %3; setp.gt.u32 q, %6, 16; @q mul.f32 p, %1, %2; add.f32 r, p, %4; "
       "mov.f32 %0, r;")
KERNEL(label_unused, "mul.f32 p, %1, %2; M%=: add.f32 r, p, %4; mov.f32 %0, r;")
KERNEL(fallthrough, "mul.f32 p, %1, %2; bra M%=; M%=: add.f32 r, p, %4; mov.f32 %0, r;")
KERNEL(uni_loop,
       "mov.u32 i, 0; mov.f32 s, %3; L%=: mul.f32 p, s, %2; add.f32 s, p, %4; add.u32 i, i, 1; "
       "setp.lt.u32 q, i, %5; @q bra L%=; mov.f32 %0, s;")

static void show(const char *name, void (*kernel)(float *, const float *, unsigned)) {
  float host[256], *in, *out;
  for (unsigned i = 0; i < 256; i++) host[i] = 1.0f + (i * 2654435761u % 1000003) * 1.3e-6f;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  kernel<<<1, 32>>>(out, in, 5);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  unsigned hash = 2166136261u;
  for (int i = 0; i < 32; i++) {
    unsigned bits;
    memcpy(&bits, &host[i], 4);
    hash = (hash ^ bits) * 16777619u;
  }
  printf("%s %08x\n", name, hash);
  cudaFree(in);
  cudaFree(out);
}

int main() {
#define SHOW(name) show(#name, name)
  SHOW(loop_between);
  SHOW(loop_long);
  SHOW(branch_store);
  SHOW(branch_big);
  SHOW(branch_shuffle);
  SHOW(two_shuffle);
  SHOW(shuffle_plain);
  SHOW(barrier);
  SHOW(branch_barrier);
  SHOW(inside_branch);
  SHOW(uniform_branch);
  SHOW(both_before_loop);
  SHOW(both_before_store);
  SHOW(one_after_store);
  SHOW(one_after_loop);
  SHOW(sub_after_loop);
  SHOW(two_uses_two_blocks);
  SHOW(same_then_other);
  SHOW(same_then_loop);
  SHOW(same_only);
  SHOW(two_same);
  SHOW(predicated_add);
  SHOW(predicated_mul);
  SHOW(label_unused);
  SHOW(fallthrough);
  SHOW(uni_loop);
  return cudaDeviceSynchronize();
}
