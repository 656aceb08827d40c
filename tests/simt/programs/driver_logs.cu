// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Logs that a program asks for with its code, and the linker: texts that cannot be read, and
// functions that no text defines.
#include <cuda.h>
#include <cstring>
#include "driver_calls.h"
static const char *ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .b8 factors[16];
.visible .global .align 4 .u32 total;
.visible .entry addk(.param .u64 p, .param .u32 v, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r2; @%p1 bra DONE;
  cvta.to.global.u64 %rd1, %rd1; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3]; add.s32 %r7, %r7, %r1; st.global.u32 [%rd3], %r7;
DONE: ret; }
.visible .entry scalek(.param .u64 p) {
  .reg .b32 %r<8>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r5, %tid.x;
  mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;
  and.b32 %r6, %r5, 3; mul.wide.u32 %rd4, %r6, 4;
  mov.u64 %rd5, factors; add.s64 %rd5, %rd5, %rd4; ld.const.u32 %r1, [%rd5];
  ld.global.u32 %r7, [%rd3]; mul.lo.s32 %r7, %r7, %r1; st.global.u32 [%rd3], %r7;
  atom.global.add.u32 %r2, [total], %r7; ret; }
)";

int main() {
  start();
  static char info[4096], err[4096];
  float wall = -1;
  CUmodule m;
  CUjit_option o[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                      CU_JIT_MAX_REGISTERS,    CU_JIT_OPTIMIZATION_LEVEL,
                      CU_JIT_WALL_TIME};
  void *v[] = {info, (void *)sizeof info, err, (void *)sizeof err, (void *)32, (void *)4, 0};
  (void)wall;
  E(cuModuleLoadDataEx(&m, ptx, 7, o, v));
  printf("errors: '%s' size %zu\n", err, (size_t)v[3]);
  E(cuModuleUnload(m));
  const char *bad = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg "
                    ".b32 %r<2>; add.s32 %r1, %r9, 1; ret; }\n";
  v[1] = (void *)sizeof info;
  v[3] = (void *)sizeof err;
  E(cuModuleLoadDataEx(&m, bad, 4, o, v));
  printf("something said: %d\n", err[0] != 0);
  printf("mentions line: %d\n", strstr(err, "line 4") != nullptr);
  printf("length agrees: %d\n", (size_t)v[3] >= strlen(err));
  E(cuModuleLoadDataEx(&m, "hello", 0, nullptr, nullptr));
  E(cuModuleLoadData(&m, bad));
  E(cuModuleLoadDataEx(&m, ".version 99.0\n.target sm_70\n", 0, nullptr, nullptr));
  E(cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_999\n.address_size 64\n", 0, nullptr,
                       nullptr));
  // linking two texts
  const char *lib = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func (.param .b32 r) "
                    "twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; shl.b32 %r2, "
                    "%r1, 1; st.param.b32 [r], %r2; ret; }\n";
  const char *use = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) "
                    "twice(.param .b32 x);\n.visible .entry k(.param .u64 p, .param .u32 a) { .reg "
                    ".b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [a]; "
                    "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), twice, (x); "
                    "ld.param.b32 %r2, [r]; } st.global.u32 [%rd1], %r2; ret; }\n";
  CUlinkState l;
  v[1] = (void *)sizeof info;
  v[3] = (void *)sizeof err;
  err[0] = 0;
  E(cuLinkCreate(4, o, v, &l));
  E(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)lib, strlen(lib) + 1, "lib.ptx", 0, 0, 0));
  E(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)use, strlen(use) + 1, "use.ptx", 0, 0, 0));
  void *img;
  size_t sz;
  E(cuLinkComplete(l, &img, &sz));
  printf("image %d '%s'\n", sz > 0, err);
  E(cuModuleLoadData(&m, img));
  E(cuLinkDestroy(l));
  CUfunction k;
  E(cuModuleGetFunction(&k, m, "k"));
  CUdeviceptr p;
  CK(cuMemAlloc(&p, 4));
  int a = 21;
  void *args[] = {&p, &a};
  E(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
  int h;
  E(cuMemcpyDtoH(&h, p, 4));
  printf("%d\n", h);
  v[1] = (void *)sizeof info;
  v[3] = (void *)sizeof err;
  err[0] = 0;
  E(cuLinkCreate(4, o, v, &l));
  E(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)use, strlen(use) + 1, "use.ptx", 0, 0, 0));
  E(cuLinkComplete(l, &img, &sz));
  printf("names it: %d\n", strstr(err, "twice") != nullptr);
  E(cuLinkDestroy(l));
  E(cuLinkCreate(0, 0, 0, &l));
  E(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)bad, strlen(bad) + 1, "bad", 0, 0, 0));
  E(cuLinkAddFile(l, CU_JIT_INPUT_PTX, "missing.ptx", 0, 0, 0));
  E(cuLinkDestroy(l));
  return 0;
}
