// SPDX-License-Identifier: MIT
// test_model_clusters.c - what it costs to get at the shared memory of another block of the
// cluster: the model's rules by hand, and the model beside what bench/gpu_cluster.cu measured on an
// H100 (figures/data/h100-clusters.csv), rows that no constant comes from among them.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "profile/transactions.h"
#include "run_suite.h"

enum { THREADS = 1024, WARPS = THREADS / 32, WORDS = 8192, TURNS = 24 };

// ---- kernels: (to_next, lane_step, warp_step, turn_step, n). Lane l of warp w reaches in turn i
// word l * lane_step + w * warp_step + i * turn_step of the next block, or of block 0 where to_next
// is 0; where lane_step is 0xffff, any word.

#define HEAD(name)                                                                                 \
  ".visible .entry " name "(.param .u32 p_next, .param .u32 p_lane, .param .u32 p_warp,\n"         \
  ".param .u32 p_turn, .param .u32 p_n) {\n"                                                       \
  ".reg .pred %p<4>; .reg .b32 %r<32>; .reg .f32 %f<4>;\n"                                         \
  ".shared .align 16 .b8 words[32768];\n"                                                          \
  "ld.param.u32 %r1, [p_next]; ld.param.u32 %r2, [p_lane]; ld.param.u32 %r3, [p_warp];\n"          \
  "ld.param.u32 %r4, [p_turn]; ld.param.u32 %r5, [p_n];\n"                                         \
  "mov.u32 %r6, %cluster_ctarank; mov.u32 %r7, %cluster_nctarank; mad.lo.u32 %r6, %r6, %r1, "      \
  "%r1;\n"                                                                                         \
  "rem.u32 %r6, %r6, %r7; mov.u32 %r8, words; mapa.shared::cluster.u32 %r8, %r8, %r6;\n"           \
  "mov.u32 %r9, %tid.x; and.b32 %r10, %r9, 31; shr.u32 %r11, %r9, 5;\n"                            \
  "mul.lo.u32 %r12, %r10, %r2; mad.lo.u32 %r12, %r11, %r3, %r12;\n"                                \
  "mov.u32 %r13, %ctaid.x; mad.lo.u32 %r13, %r13, 1024, %r9; mul.lo.u32 %r13, %r13, 0x9e3779b1;\n" \
  "setp.eq.u32 %p2, %r2, 0xffff; mov.u32 %r14, 0; mov.u32 %r20, 0; mov.f32 %f1, 0f3F800000;\n"     \
  "barrier.cluster.arrive; barrier.cluster.wait;\n"                                                \
  "setp.eq.u32 %p3, %r5, 0; @%p3 bra $done;\n"                                                     \
  "$loop: mad.lo.u32 %r13, %r13, 1664525, 1013904223; shr.u32 %r15, %r13, 8;\n"                    \
  "mad.lo.u32 %r16, %r14, %r4, %r12; selp.b32 %r16, %r15, %r16, %p2;\n"                            \
  "and.b32 %r16, %r16, 8191; shl.b32 %r16, %r16, 2; add.u32 %r17, %r8, %r16;\n"
#define TAIL                                                                                       \
  "add.s32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, %r5; @%p1 bra $loop;\n"                           \
  "$done: barrier.cluster.arrive; barrier.cluster.wait; ret; }\n"

static const char *const texts[] = {
    ".version 7.8\n.target sm_90\n.address_size 64\n",
    HEAD("load") "ld.volatile.shared::cluster.u32 %r18, [%r17]; add.u32 %r20, %r20, %r18;\n" TAIL,
    HEAD("store") "st.volatile.shared::cluster.u32 [%r17], %r14;\n" TAIL,
    HEAD("add") "red.shared::cluster.add.u32 [%r17], %r14;\n" TAIL,
    HEAD("add_result") "atom.shared::cluster.add.u32 %r18, [%r17], %r14;\n"
                       "add.u32 %r20, %r20, %r18;\n" TAIL,
    HEAD("chain") "and.b32 %r20, %r20, 0; add.u32 %r17, %r17, %r20;\n"
                  "atom.shared::cluster.add.u32 %r20, [%r17], %r14;\n" TAIL};

static char ptx[16384];
static const simt_model_device *h100(void) { return simt_model_find("h100"); }

static simt_engine *gpu;
static simt_module *module;
static simt_diag diag;

#define OK(call) ck_assert_msg((call) == SIMT_OK, "%s: %s", #call, diag.text)

static void set_up(void) {
  ptx[0] = '\0';
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    strncat(ptx, texts[i], sizeof ptx - strlen(ptx) - 1);
  OK(simt_engine_create(&gpu, &(simt_engine_options){.device = h100()}, &diag));
  OK(simt_engine_load(gpu, "clusters.ptx", ptx, strlen(ptx), &module, &diag));
}

static void tear_down(void) {
  simt_engine_unload(gpu, module);
  simt_engine_destroy(gpu);
}

typedef struct pattern {
  const char *name;
  uint32_t lane_step, warp_step, turn_step;
} pattern;
enum { ANY_WORD = 0xffff };

// Cycles of one launch of clusters of `size` blocks, `turns` accesses each.
static double cycles_to(uint32_t to_next, const char *kernel, const pattern *p, uint32_t size,
                        uint32_t threads, uint32_t turns) {
  const void *arguments[] = {&to_next, &p->lane_step, &p->warp_step, &p->turn_step, &turns};
  simt_launch launch = {.kernel = simt_module_kernel(module, kernel),
                        .grid = {2 * size, 1, 1},
                        .block = {threads, 1, 1},
                        .cluster = {size, 1, 1}};
  simt_run *run;
  simt_engine_clear_total(gpu);
  OK(simt_run_begin(&run, gpu, &launch, arguments, 5, &diag));
  simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
  OK(simt_run_end(run));
  const simt_model_time *t = simt_engine_last_time(gpu);
  ck_assert(t->is_judged);
  return t->total_ms * 1e-3 * (double)h100()->clock_hz;
}

static double cycles(const char *kernel, const pattern *p, uint32_t size, uint32_t threads,
                     uint32_t turns) {
  return cycles_to(1, kernel, p, size, threads, turns);
}

// The value of a row of the stored measurement.
static double measured(const char *name) {
  FILE *file = fopen(CLUSTER_DATA, "r");
  char line[256], key[128];
  double value, found = -1.0;
  ck_assert_msg(file != NULL, "%s", CLUSTER_DATA);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%127[^,#],%lf", key, &value) == 2 && !strcmp(key, name)) found = value;
  fclose(file);
  ck_assert_msg(found > 0.0, "no row %s", name);
  return found;
}

START_TEST(packets_of_stores_by_hand)
{
  uint64_t next[32], second[32], eighth[32], wide[32], one[32];
  for (uint64_t lane = 0; lane < 32; lane++) {
    next[lane] = lane * 4, second[lane] = lane * 8, eighth[lane] = lane * 32;
    wide[lane] = lane * 16, one[lane] = 64;
  }
  ck_assert_uint_eq(simt_count_store_packets(next, ~0u, 4), 4);
  ck_assert_uint_eq(simt_count_store_packets(next, 0x00ff00ffu, 4), 2);
  ck_assert_uint_eq(simt_count_store_packets(next, 0x0000003fu, 4), 2); // both halves, not whole
  ck_assert_uint_eq(simt_count_store_packets(next, 0x00000001u, 4), 1);
  ck_assert_uint_eq(simt_count_store_packets(next, 0, 4), 0);
  ck_assert_uint_eq(simt_count_store_packets(second, ~0u, 4), 16);
  ck_assert_uint_eq(simt_count_store_packets(second, ~0u, 8), 8);
  ck_assert_uint_eq(simt_count_store_packets(eighth, ~0u, 4), 32);
  ck_assert_uint_eq(simt_count_store_packets(wide, ~0u, 16), 16);
  ck_assert_uint_eq(simt_count_store_packets(wide, 0x55555555u, 16), 16);
  ck_assert_uint_eq(simt_count_store_packets(one, ~0u, 4), 1);
}
END_TEST

START_TEST(packets_of_atomics_by_hand)
{
  uint64_t next[32], one[32], two[32];
  for (uint64_t lane = 0; lane < 32; lane++)
    next[lane] = lane * 4, one[lane] = 64, two[lane] = lane % 2 * 4;
  ck_assert_uint_eq(simt_count_atomic_packets(next, ~0u), 4);
  ck_assert_uint_eq(simt_count_atomic_packets(one, ~0u), 32);
  ck_assert_uint_eq(simt_count_atomic_packets(two, ~0u), 16);
  ck_assert_uint_eq(simt_count_atomic_packets(next, 1), 1);
  ck_assert_uint_eq(simt_count_atomic_packets(next, 0), 0);
}
END_TEST

// Within a fifth, whatever lanes reach and in clusters of either size. A store of all lanes to one
// word is as fast as the warp issues it, which the loop here does more slowly than the benchmark's.
START_TEST(throughput_is_as_measured)
{
  static const char *const kernels[] = {"load", "store", "add", "add_result"};
  static const pattern patterns[] = {{"neighbours", 1, 32, 32},
                                     {"every_2nd", 2, 64, 64},
                                     {"every_8th", 8, 256, 4},
                                     {"one_bank", 32, 1, 1},
                                     {"any_word", ANY_WORD, 0, 0}};
  char name[128];
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
      for (uint32_t size = 2; size <= 8; size *= 4) {
        double all = cycles(kernels[k], &patterns[p], size, THREADS, 2 * TURNS);
        double half = cycles(kernels[k], &patterns[p], size, THREADS, TURNS);
        double ours = (all - half) / (TURNS * WARPS);
        snprintf(name, sizeof name, "interval_%s_%s_%u_next", kernels[k], patterns[p].name, size);
        double theirs = measured(name);
        ck_assert_msg(fabs(ours / theirs - 1.0) < 0.2, "%s: modelled %g, measured %g", name, ours,
                      theirs);
      }
    }
  }
}
END_TEST

// One thread, each of whose additions needs the result before it.
START_TEST(latency_is_as_measured)
{
  static const pattern one = {"one", 0, 0, 0};
  for (uint32_t size = 2; size <= 8; size *= 4) {
    char name[64];
    snprintf(name, sizeof name, "latency_add_result_%u", size);
    double link =
        (cycles("chain", &one, size, 1, 2 * TURNS) - cycles("chain", &one, size, 1, TURNS)) / TURNS;
    double theirs = measured(name);
    ck_assert_msg(fabs(link / theirs - 1.0) < 0.25, "%s: modelled %g, measured %g", name, link,
                  theirs);
  }
}
END_TEST

// Seven blocks that store to one keep it busy seven times as long as one would.
START_TEST(a_block_that_many_reach_is_busy)
{
  static const pattern next = {"neighbours", 1, 32, 32};
  double each = cycles_to(1, "store", &next, 8, THREADS, 2 * TURNS) -
                cycles_to(1, "store", &next, 8, THREADS, TURNS);
  double one = cycles_to(0, "store", &next, 8, THREADS, 2 * TURNS) -
               cycles_to(0, "store", &next, 8, THREADS, TURNS);
  ck_assert_msg(one > 6 * each && one < 8 * each, "%g and %g cycles", each, one);
}
END_TEST

// The same kernel reads its own block's shared memory where it is not launched by clusters, and a
// kernel that leaves its neighbours alone is judged in a cluster, too.
static void check_what_is_judged(simt_beyond reached) {
  const char *text = ".version 7.8\n.target sm_90\n.address_size 64\n"
                     ".visible .entry reach() {\n.shared .b32 x;\n.reg .u32 %r<4>;\n"
                     "mov.u32 %r1, x; mapa.shared::cluster.u32 %r2, %r1, 0;\n"
                     "barrier.cluster.arrive; barrier.cluster.wait;\n"
                     "st.shared::cluster.u32 [%r2], %r1;\n"
                     "barrier.cluster.arrive; barrier.cluster.wait;\nret; }\n"
                     ".visible .entry keep() {\n.shared .b32 x;\n.reg .u32 %r<4>;\n"
                     "mov.u32 %r1, x; st.shared.u32 [%r1], %r1;\nret; }\n";
  const struct {
    const char *kernel;
    uint32_t blocks;
    simt_beyond beyond;
  } cases[] = {{"reach", 2, reached}, {"reach", 0, SIMT_NOT_BEYOND}, {"keep", 2, SIMT_NOT_BEYOND}};
  simt_module *own;
  OK(simt_engine_load(gpu, "own.ptx", text, strlen(text), &own, &diag));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    simt_launch launch = {
        .kernel = simt_module_kernel(own, cases[i].kernel), .grid = {4, 1, 1}, .block = {32, 1, 1}};
    if (cases[i].blocks > 0)
      launch.cluster[0] = cases[i].blocks, launch.cluster[1] = launch.cluster[2] = 1;
    simt_run *run;
    simt_engine_clear_total(gpu);
    OK(simt_run_begin(&run, gpu, &launch, NULL, 0, &diag));
    simt_run_advance(run, SIMT_UNTIL_END, SIMT_NO_BUDGET);
    OK(simt_run_end(run));
    ck_assert_int_eq(simt_engine_beyond(gpu), cases[i].beyond);
    ck_assert(simt_engine_last_time(gpu)->is_judged == (cases[i].beyond == SIMT_NOT_BEYOND));
  }
  simt_engine_clear_total(gpu);
  ck_assert_int_eq(simt_engine_beyond(gpu), SIMT_NOT_BEYOND);
  simt_engine_unload(gpu, own);
}

START_TEST(only_measured_clusters_are_judged)
{
  simt_model_device unmeasured = *h100();
  check_what_is_judged(SIMT_NOT_BEYOND);
  tear_down();
  unmeasured.cluster_latency[0] = 0.0;
  OK(simt_engine_create(&gpu, &(simt_engine_options){.device = &unmeasured}, &diag));
  OK(simt_engine_load(gpu, "clusters.ptx", ptx, strlen(ptx), &module, &diag));
  check_what_is_judged(SIMT_CLUSTER_MEMORY);
  tear_down();
  set_up();
}
END_TEST

static Suite *suite(void) {
  Suite *s = suite_create("model_clusters");
  TCase *c = tcase_create("model_clusters");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 60);
  tcase_add_test(c, packets_of_stores_by_hand);
  tcase_add_test(c, packets_of_atomics_by_hand);
  tcase_add_test(c, throughput_is_as_measured);
  tcase_add_test(c, latency_is_as_measured);
  tcase_add_test(c, a_block_that_many_reach_is_busy);
  tcase_add_test(c, only_measured_clusters_are_judged);
  suite_add_tcase(s, c);
  return s;
}

int main(void) { return run_suite(suite()); }
