// SPDX-License-Identifier: MIT
// instructions.cu - latency and throughput of single PTX instructions, whatever the assembler makes
// of them: a division is one row although it becomes twenty machine instructions.
//
// latency_X: cycles until the next, dependent instruction X can begin. interval_X: cycles of one SM
// per warp instruction when all its schedulers are busy with X. Where a row needs two instructions
// to be a chain (a conversion there and back) it is named after both.
#include "calibrate.cuh"

enum { CHAIN = 32, ROUNDS = 16, CHAINS = 4 };

// A struct per instruction: step() is one link of a chain of values of type T.
#define STEP(name, type, ...)                                                                      \
  struct name {                                                                                    \
    typedef type T;                                                                                \
    static __device__ __forceinline__ void step(T &x, T a, T b) { __VA_ARGS__; }                   \
  };
#define ASM2(text, c)                                                                              \
  (void)b;                                                                                         \
  asm volatile(text : "+" c(x) : c(a))
#define ASM1(text, c)                                                                              \
  (void)a;                                                                                         \
  (void)b;                                                                                         \
  asm volatile(text : "+" c(x))
#define ASM3(text, c) asm volatile(text : "+" c(x) : c(a), c(b))

STEP(fma_f32, float, ASM3("fma.rn.f32 %0, %0, %1, %2;", "f"))
STEP(add_f32, float, ASM2("add.rn.f32 %0, %0, %1;", "f"))
STEP(mul_f32, float, ASM2("mul.rn.f32 %0, %0, %1;", "f"))
STEP(min_f32, float, ASM3("{.reg .f32 t; min.f32 t, %0, %1; max.f32 %0, t, %2;}", "f"))
STEP(fma_f64, double, ASM3("fma.rn.f64 %0, %0, %1, %2;", "d"))
STEP(add_f64, double, ASM2("add.rn.f64 %0, %0, %1;", "d"))
STEP(mad_u32, uint32_t, ASM3("mad.lo.u32 %0, %0, %1, %2;", "r"))
STEP(mul_hi_u32, uint32_t, ASM2("mul.hi.u32 %0, %0, %1;", "r"))
STEP(add_xor_u32, uint32_t, ASM3("{.reg .u32 t; add.u32 t, %0, %1; xor.b32 %0, t, %2;}", "r"))
STEP(shl_xor_u32, uint32_t, ASM3("{.reg .u32 t; shl.b32 t, %0, %1; xor.b32 %0, t, %2;}", "r"))
STEP(min_max_u32, uint32_t, ASM3("{.reg .u32 t; min.u32 t, %0, %1; max.u32 %0, t, %2;}", "r"))
STEP(prmt_u32, uint32_t, ASM3("prmt.b32 %0, %0, %1, %2;", "r"))
STEP(bfe_xor_u32, uint32_t, ASM3("{.reg .u32 t; bfe.u32 t, %0, %1, %2; xor.b32 %0, t, %1;}", "r"))
STEP(popc_u32, uint32_t, ASM1("popc.b32 %0, %0;", "r"))
STEP(clz_u32, uint32_t, ASM1("clz.b32 %0, %0;", "r"))
STEP(brev_u32, uint32_t, ASM1("brev.b32 %0, %0;", "r"))
STEP(setp_selp_u32, uint32_t,
     ASM3("{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %2, p;}", "r"))
STEP(setp_selp_f32, float,
     ASM3("{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}", "f"))
STEP(add_xor_u64, uint64_t, ASM3("{.reg .u64 t; add.u64 t, %0, %1; xor.b64 %0, t, %2;}", "l"))
STEP(mad_lo_u64, uint64_t, ASM3("mad.lo.u64 %0, %0, %1, %2;", "l"))
STEP(mad_wide_u32, uint64_t,
     ASM3("{.reg .u32 t; cvt.u32.u64 t, %0; mad.wide.u32 %0, t, 3, %2;}", "l"))
STEP(shl_xor_u64, uint64_t, ASM3("{.reg .u64 t; shl.b64 t, %0, 3; xor.b64 %0, t, %2;}", "l"))
STEP(ex2_f32, float, ASM1("ex2.approx.ftz.f32 %0, %0;", "f"))
STEP(lg2_f32, float, ASM1("lg2.approx.ftz.f32 %0, %0;", "f"))
STEP(rcp_add_f32, float,
     ASM2("{.reg .f32 t; rcp.approx.ftz.f32 t, %0; add.rn.f32 %0, t, %1;}", "f"))
STEP(rsqrt_f32, float, ASM1("rsqrt.approx.ftz.f32 %0, %0;", "f"))
STEP(sqrt_approx_f32, float, ASM1("sqrt.approx.ftz.f32 %0, %0;", "f"))
STEP(sin_add_f32, float,
     ASM2("{.reg .f32 t; sin.approx.ftz.f32 t, %0; add.rn.f32 %0, t, %1;}", "f"))
STEP(rcp_rn_f32, float, ASM1("rcp.rn.f32 %0, %0;", "f"))
STEP(sqrt_rn_f32, float, ASM1("sqrt.rn.f32 %0, %0;", "f"))
STEP(div_rn_f32, float, ASM2("div.rn.f32 %0, %1, %0;", "f"))
STEP(div_full_f32, float, ASM2("div.full.f32 %0, %1, %0;", "f"))
STEP(div_rn_f64, double, ASM2("div.rn.f64 %0, %1, %0;", "d"))
STEP(sqrt_rn_f64, double, ASM1("sqrt.rn.f64 %0, %0;", "d"))
STEP(div_u32, uint32_t, ASM3("{.reg .u32 t; div.u32 t, %1, %0; add.u32 %0, t, %2;}", "r"))
STEP(rem_u32, uint32_t, ASM3("{.reg .u32 t; rem.u32 t, %1, %0; add.u32 %0, t, %2;}", "r"))
STEP(div_s32, int32_t, ASM3("{.reg .s32 t; div.s32 t, %1, %0; add.s32 %0, t, %2;}", "r"))
STEP(div_u64, uint64_t, ASM3("{.reg .u64 t; div.u64 t, %1, %0; add.u64 %0, t, %2;}", "l"))
STEP(cvt_add_u32_f32, float,
     ASM2("{.reg .u32 t; .reg .f32 r; cvt.rzi.u32.f32 t, %0; cvt.rn.f32.u32 r, t; "
          "add.rn.f32 %0, r, %1;}",
          "f"))
STEP(cvt_add_f64_f32, float,
     ASM2("{.reg .f64 t; .reg .f32 r; cvt.f64.f32 t, %0; cvt.rn.f32.f64 r, t; "
          "add.rn.f32 %0, r, %1;}",
          "f"))
STEP(vote_u32, uint32_t,
     ASM2("{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}", "r"))
STEP(redux_u32, uint32_t, ASM1("redux.sync.add.u32 %0, %0, 0xffffffff;", "r"))
STEP(shfl_u32, uint32_t, x = __shfl_down_sync(0xffffffffu, x, 1) + a; (void)b)
STEP(match_u32, uint32_t, x = __match_any_sync(0xffffffffu, x) + a; (void)b)

template <class S>
__global__ void latency_of(typename S::T x, typename S::T a, typename S::T b, long long *out,
                           uint32_t *sink) {
  long long t0 = 0;
  x += (typename S::T)threadIdx.x; // else the whole warp is one value, and computed as one
  for (int round = 0; round < ROUNDS + 1; round++) {
    if (round == 1) t0 = clock64();
#pragma unroll
    for (int i = 0; i < CHAIN; i++) S::step(x, a, b);
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) *out = t1 - t0;
  if (x == (typename S::T)12345) *sink = 1;
}

template <class S>
__global__ void __launch_bounds__(1024)
    interval_of(typename S::T x, typename S::T a, typename S::T b, long long *out, uint32_t *sink) {
  typename S::T v[CHAINS];
  for (int c = 0; c < CHAINS; c++) v[c] = x + (typename S::T)(threadIdx.x + c);
  __syncthreads();
  long long t0 = clock64();
  for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
    for (int i = 0; i < CHAIN / CHAINS; i++) {
#pragma unroll
      for (int c = 0; c < CHAINS; c++) S::step(v[c], a, b);
    }
  }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  typename S::T sum = v[0];
  for (int c = 1; c < CHAINS; c++) sum += v[c];
  if (sum == (typename S::T)12345) *sink = 1;
}

// A loop that is not unrolled: what counting and branching cost around one multiply-add.
__global__ void __launch_bounds__(1024)
    loop_of(float x, float a, float b, int n, long long *out, uint32_t *sink) {
  x += (float)threadIdx.x;
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 1
  for (int i = 0; i < n; i++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  if (x == 12345.0f) *sink = 1;
}

static double first_cycles(const Bench &b) {
  long long cycles = 0;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&cycles, b.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
  return (double)cycles;
}

template <class S>
static void measure(const Bench &b, const char *name, double x, double a, double c) {
  typedef typename S::T T;
  char text[80];
  double latency = 1e30, interval = 1e30;
  for (int i = 0; i < (b.quick ? 1 : 3); i++) {
    latency_of<S><<<1, 32>>>((T)x, (T)a, (T)c, b.cycles, b.sink);
    latency = std::min(latency, first_cycles(b) / (ROUNDS * CHAIN));
    interval_of<S><<<b.n_sms, 1024>>>((T)x, (T)a, (T)c, b.cycles, b.sink);
    interval = std::min(interval, first_cycles(b) / (32.0 * ROUNDS * CHAIN));
  }
  snprintf(text, sizeof text, "latency_%s", name);
  row(text, latency, "cycles");
  snprintf(text, sizeof text, "interval_%s", name);
  row(text, interval, "cycles per warp and SM");
}

#define MEASURE(name, x, a, c) measure<name>(b, #name, x, a, c)

static void measure_floats(const Bench &b) {
  MEASURE(fma_f32, 1.5, 0.999, 0.001);
  MEASURE(add_f32, 1.5, 0.001, 0);
  MEASURE(mul_f32, 1.5, 0.9999, 0);
  MEASURE(min_f32, 1.5, 3, 2);
  MEASURE(fma_f64, 1.5, 0.999, 0.001);
  MEASURE(add_f64, 1.5, 0.001, 0);
  MEASURE(ex2_f32, 0.5, 0, 0);
  MEASURE(lg2_f32, 1.5, 0, 0);
  MEASURE(rcp_add_f32, 1.5, 0.37, 0);
  MEASURE(rsqrt_f32, 1.5, 0, 0);
  MEASURE(sqrt_approx_f32, 1.5, 0, 0);
  MEASURE(sin_add_f32, 1.5, 0.37, 0);
  MEASURE(rcp_rn_f32, 1.5, 0, 0);
  MEASURE(sqrt_rn_f32, 1.5, 0, 0);
  MEASURE(div_rn_f32, 1.5, 2, 0);
  MEASURE(div_full_f32, 1.5, 2, 0);
  MEASURE(div_rn_f64, 1.5, 2, 0);
  MEASURE(sqrt_rn_f64, 1.5, 0, 0);
  MEASURE(setp_selp_f32, 1.5, 2, 3);
}

static void measure_integers(const Bench &b) {
  MEASURE(mad_u32, 7, 5, 3);
  MEASURE(mul_hi_u32, 7, 0x87654321u, 0);
  MEASURE(add_xor_u32, 7, 5, 3);
  MEASURE(shl_xor_u32, 7, 1, 3);
  MEASURE(min_max_u32, 7, 5, 3);
  MEASURE(prmt_u32, 7, 5, 0x3210);
  MEASURE(bfe_xor_u32, 7, 5, 3);
  MEASURE(popc_u32, 7, 0, 0);
  MEASURE(clz_u32, 7, 0, 0);
  MEASURE(brev_u32, 7, 0, 0);
  MEASURE(setp_selp_u32, 7, 5, 3);
  MEASURE(add_xor_u64, 7, 5, 3);
  MEASURE(mad_lo_u64, 7, 5, 3);
  MEASURE(mad_wide_u32, 7, 5, 3);
  MEASURE(shl_xor_u64, 7, 5, 3);
  MEASURE(div_u32, 7, 1000003, 3);
  MEASURE(rem_u32, 7, 1000003, 3);
  MEASURE(div_s32, 7, 1000003, 3);
  MEASURE(div_u64, 7, 1e15, 3);
}

static void measure_loop(const Bench &b) {
  int n = 1024;
  for (int i = 0; i < 2; i++) loop_of<<<1, 32>>>(1.5f, 0.9f, 0.1f, n, b.cycles, b.sink);
  row("latency_loop", first_cycles(b) / n, "cycles");
  for (int i = 0; i < 2; i++) loop_of<<<b.n_sms, 1024>>>(1.5f, 0.9f, 0.1f, n, b.cycles, b.sink);
  row("interval_loop", first_cycles(b) / (32.0 * n), "cycles per warp and SM");
}

void calibrate_instructions(const Bench &b) {
  measure_loop(b);
  measure_floats(b);
  measure_integers(b);
  MEASURE(cvt_add_u32_f32, 1.5, 0.37, 0);
  MEASURE(cvt_add_f64_f32, 1.5, 0.37, 0);
  MEASURE(vote_u32, 7, 5, 0);
  MEASURE(redux_u32, 7, 0, 0);
  MEASURE(shfl_u32, 7, 1, 0);
  MEASURE(match_u32, 7, 1, 0);
}
