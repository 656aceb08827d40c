// SPDX-License-Identifier: MIT
// Clusters on the execution core: which blocks make one, their barrier, each other's shared memory,
// and what goes wrong there. Under every schedule.
#include <inttypes.h>

#include "core_fixture.h"
#include "run_suite.h"

// %r10 the block's rank, %r11 blocks in the cluster, %r12 the address of `x` (a word per thread,
// 64 of them), %r13 that of the thread's own.
#define CLUSTER_HEAD                                                                               \
  KERNEL_HEAD ".shared .align 16 .b8 x[256];\n"                                                    \
              "mov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, %cluster_nctarank;\n"                \
              "mov.u32 %r12, x;\nmad.lo.u32 %r13, %me, 4, %r12;\n"
#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
// x[me] = 1000 * block + me
#define FILL "mad.lo.u32 %r1, %cb, 1000, %me;\nst.shared.u32 [%r13], %r1;\n"
// %r2 = the next rank
#define NEXT "add.u32 %r2, %r10, 1;\nrem.u32 %r2, %r2, %r11;\n"

static const char *const schedules[] = {"lockstep", "reverse",  "lane-serial", "delayed-stores",
                                        "random:1", "random:2", "random:3",    "random:4"};
enum { N_SCHEDULES = sizeof schedules / sizeof *schedules };

static simt_schedule schedule_of(int i) {
  simt_schedule schedule = {0};
  ck_assert(simt_schedule_parse(schedules[i], &schedule));
  return schedule;
}

static uint32_t next_block(uint32_t block, uint32_t cluster) {
  return block / cluster * cluster + (block % cluster + 1) % cluster;
}

START_TEST(special_registers_say_where_a_block_is)
{
  core_run run =
      core_ok(CLUSTER_HEAD
              "mov.u32 %r1, %clusterid.x;\nmov.u32 %r2, %nclusterid.x;\n"
              "mov.u32 %r3, %cluster_ctaid.x;\nmov.u32 %r4, %cluster_nctaid.x;\n"
              "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r0, 1, 0, %p1;\n"
              "mad.lo.u32 %r0, %r0, 10, %r1;\nmad.lo.u32 %r0, %r0, 10, %r2;\n"
              "mad.lo.u32 %r0, %r0, 10, %r3;\nmad.lo.u32 %r0, %r0, 10, %r4;\n"
              "mad.lo.u32 %r0, %r0, 10, %r10;\nmad.lo.u32 %r0, %r0, 10, %r11;\n"
              "mov.u32 %r1, %cluster_nctaid.y;\nmov.u32 %r2, %clusterid.y;\n"
              "mad.lo.u32 %r0, %r0, 10, %r1;\nmad.lo.u32 %r0, %r0, 10, %r2;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.grid = 12, .cluster = 4});
  for (uint32_t b = 0; b < 12; b++)
    ck_assert_uint_eq(run.out_host[32 * b],
                      103040410 + 10000000 * (b / 4) + 100000 * (b % 4) + 1000 * (b % 4));
  core_launch(&run, (core_options){.grid = 3}); // without clusters: of one block
  for (uint32_t b = 0; b < 3; b++) ck_assert_uint_eq(run.out_host[32 * b], 3010110 + 10000000 * b);
  core_free(&run);
}
END_TEST

START_TEST(blocks_read_each_others_memory)
{
  core_options o = {.grid = 24, .cluster = 8, .block = 64, .schedule = schedule_of(_i)};
  core_run run = core_ok(CLUSTER_HEAD FILL CLUSTER_SYNC NEXT
                         "mapa.shared::cluster.u32 %r3, %r13, %r2;\n"
                         "ld.shared::cluster.u32 %r0, [%r3];\n" CLUSTER_SYNC STORE_R0 KERNEL_TAIL,
                         o);
  for (uint32_t i = 0; i < 24 * 64; i++)
    ck_assert_uint_eq(run.out_host[i], 1000 * next_block(i / 64, 8) + i % 64);
  core_free(&run);
}
END_TEST

START_TEST(lanes_reach_different_blocks)
{ // lane l adds to rank l % 4 of its cluster, through generic pointers
  core_options o = {.grid = 8, .cluster = 4, .block = 64, .schedule = schedule_of(_i)};
  core_run run = core_ok(
      CLUSTER_HEAD "mov.u32 %r1, 0;\nst.shared.u32 [%r13], %r1;\n" CLUSTER_SYNC
                   "cvt.u64.u32 %rd4, %r13;\ncvta.shared.u64 %rd4, %rd4;\nand.b32 %r3, %me, 3;\n"
                   "mapa.u64 %rd5, %rd4, %r3;\nadd.u32 %r4, %r10, 1;\n"
                   "red.add.u32 [%rd5], %r4;\n" CLUSTER_SYNC
                   "ld.shared.u32 %r0, [%r13];\n" STORE_R0 KERNEL_TAIL,
      o);
  for (uint32_t i = 0; i < 8 * 64; i++) // 1 + 2 + 3 + 4, from every block
    ck_assert_uint_eq(run.out_host[i], i % 64 % 4 == i / 64 % 4 ? 10 : 0);
  core_free(&run);
}
END_TEST

START_TEST(a_pointer_means_the_same_in_every_block)
{ // each block publishes the generic address of its own memory; the next one follows it
  core_options o = {.grid = 4, .cluster = 2, .schedule = schedule_of(_i)};
  core_run run = core_ok(
      CLUSTER_HEAD FILL
      "mov.u64 %rd4, x;\ncvta.shared.u64 %rd4, %rd4;\nmul.wide.u32 %rd5, %cb, 8;\n"
      "add.u64 %rd5, %rd1, %rd5;\nst.global.u64 [%rd5], %rd4;\nfence.acq_rel.gpu;\n" CLUSTER_SYNC
      "xor.b32 %r2, %cb, 1;\nmul.wide.u32 %rd5, %r2, 8;\nadd.u64 %rd5, %rd1, %rd5;\n"
      "ld.global.u64 %rd6, [%rd5];\nmad.wide.u32 %rd6, %me, 4, %rd6;\nld.u32 %r0, [%rd6];\n"
      "getctarank.u64 %r3, %rd6;\nmad.lo.u32 %r0, %r3, 100000, %r0;\n" CLUSTER_SYNC STORE_R0
          KERNEL_TAIL,
      o);
  for (uint32_t i = 0; i < 4 * 32; i++)
    ck_assert_uint_eq(run.out_host[i], 1000 * (i / 32 ^ 1) + i % 32 + 100000 * ((i / 32 ^ 1) % 2));
  core_free(&run);
}
END_TEST

START_TEST(isspacep_knows_whose_memory_it_is)
{ // bit 0, 1: own memory lies in .shared::cta, in .shared::cluster; bit 2, 3: another block's
  core_run run =
      core_ok(CLUSTER_HEAD NEXT
              "mov.u64 %rd4, x;\ncvta.shared.u64 %rd4, %rd4;\nmapa.u64 %rd5, %rd4, %r2;\n"
              "isspacep.shared %p1, %rd4;\nisspacep.shared::cluster %p2, %rd4;\n"
              "isspacep.shared::cta %p3, %rd5;\nisspacep.shared::cluster %p4, %rd5;\n"
              "selp.u32 %r0, 1, 0, %p1;\nselp.u32 %r1, 2, 0, %p2;\nor.b32 %r0, %r0, %r1;\n"
              "selp.u32 %r1, 4, 0, %p3;\nor.b32 %r0, %r0, %r1;\n"
              "selp.u32 %r1, 8, 0, %p4;\nor.b32 %r0, %r0, %r1;\n" STORE_R0 KERNEL_TAIL,
              (core_options){.grid = 4, .cluster = 4});
  for (uint32_t b = 0; b < 4; b++) ck_assert_uint_eq(run.out_host[32 * b], 1 + 2 + 8);
  core_free(&run);
}
END_TEST

// ---- the barrier -------------------------------------------------------------------------------

START_TEST(exited_threads_count_as_arrived)
{ // half of each block, and all of rank 1, leave first
  core_options o = {.grid = 4, .cluster = 2, .block = 64, .schedule = schedule_of(_i)};
  core_run run = core_ok(CLUSTER_HEAD "setp.ge.u32 %p1, %me, 40;\nsetp.eq.u32 %p2, %r10, 1;\n"
                                      "or.pred %p1, %p1, %p2;\n@%p1 exit;\n"
                                      "barrier.cluster.arrive;\nmov.u32 %r0, 7;\n"
                                      "barrier.cluster.wait;\n" STORE_R0 KERNEL_TAIL,
                         o);
  for (uint32_t i = 0; i < 4 * 64; i++)
    ck_assert_uint_eq(run.out_host[i], i / 64 % 2 == 0 && i % 64 < 40 ? 7 : 0xdeadbeef);
  core_free(&run);
}
END_TEST

START_TEST(the_barrier_works_again_and_again)
{ // ten rounds of passing a value on to the next rank
  core_options o = {.grid = 6, .cluster = 3, .block = 64, .schedule = schedule_of(_i)};
  core_run run = core_ok(CLUSTER_HEAD FILL NEXT
                         "mapa.shared::cluster.u32 %r3, %r13, %r2;\nmov.u32 %r5, 0;\n"
                         "AGAIN:\n" CLUSTER_SYNC "ld.shared::cluster.u32 %r0, [%r3];\n"
                         "barrier.cluster.arrive;\nadd.u32 %r5, %r5, 1;\nbarrier.cluster.wait;\n"
                         "st.shared.u32 [%r13], %r0;\nsetp.lt.u32 %p1, %r5, 10;\n"
                         "@%p1 bra AGAIN;\n" CLUSTER_SYNC STORE_R0 KERNEL_TAIL,
                         o);
  for (uint32_t i = 0; i < 6 * 64; i++) // 10 steps in a ring of three are one
    ck_assert_uint_eq(run.out_host[i], 1000 * next_block(i / 64, 3) + i % 64);
  core_free(&run);
}
END_TEST

#define ARRIVAL(modifier)                                                                          \
  CLUSTER_HEAD "mov.u32 %r1, 0;\nst.shared.u32 [%r13], %r1;\n" CLUSTER_SYNC FILL                   \
               "barrier.cluster.arrive" modifier ";\nbarrier.cluster.wait;\n" NEXT                 \
               "mapa.shared::cluster.u32 %r3, %r13, %r2;\n"                                        \
               "ld.shared::cluster.u32 %r0, [%r3];\n" CLUSTER_SYNC STORE_R0 KERNEL_TAIL

START_TEST(a_relaxed_arrival_publishes_nothing)
{ // delayed-stores: what nothing orders is seen late
  core_options o = {.grid = 2, .cluster = 2, .schedule = {.kind = SIMT_SCHEDULE_DELAYED_STORES}};
  core_run run = core_ok(ARRIVAL(".release"), o);
  ck_assert_uint_eq(run.out_host[5], 1005);
  core_free(&run);
  run = core_ok(ARRIVAL(".relaxed"), o);
  ck_assert_uint_eq(run.out_host[5], 0);
  core_free(&run);
}
END_TEST

START_TEST(arrivals_and_waits_come_in_pairs)
{
  core_options o = {.grid = 2, .cluster = 2};
  core_fails(CLUSTER_HEAD "barrier.cluster.wait;\n" KERNEL_TAIL, o, SIMT_INVALID_BARRIER,
             TEXTS("without having arrived", "barrier_arrive()"));
  core_fails(CLUSTER_HEAD "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n" KERNEL_TAIL, o,
             SIMT_INVALID_BARRIER, TEXTS("again without having waited", "barrier_wait()"));
}
END_TEST

START_TEST(a_deadlock_names_the_blocks_that_are_missing)
{ // rank 1 waits for a warp that never comes
  core_fails(CLUSTER_HEAD "setp.eq.u32 %p1, %r10, 1;\nsetp.lt.u32 %p2, %me, 32;\n"
                          "and.pred %p1, %p1, %p2;\n.loc 1 20 0\n@%p1 bar.sync 1, 64;\n"
                          ".loc 1 21 0\n" CLUSTER_SYNC KERNEL_TAIL,
             (core_options){.grid = 2, .cluster = 2, .block = 64}, SIMT_DEADLOCK,
             TEXTS("t.cu:21", "at the cluster's barrier", "64 of 64 threads (0 to 63) wait",
                   "in block (1,0,0), rank 1 of the cluster, 32 of 64 threads have arrived",
                   "32 of 64 threads (0 to 31) wait at barrier 1, t.cu:20"));
}
END_TEST

// ---- faults ------------------------------------------------------------------------------------

// `rank` sets %r2; %r3: the thread's word in the block of that rank.
#define ACCESS(rank, access)                                                                       \
  CLUSTER_HEAD FILL CLUSTER_SYNC rank "mapa.shared::cluster.u32 %r3, %r13, %r2;\n"                 \
                                      ".loc 1 30 0\n" access "\n" CLUSTER_SYNC KERNEL_TAIL

START_TEST(wrong_addresses_are_faults)
{
  core_options o = {.grid = 4, .cluster = 2};
  core_fails(ACCESS("mov.u32 %r2, 2;\n", "ld.shared::cluster.u32 %r0, [%r3];"), o,
             SIMT_CLUSTER_ADDRESS,
             TEXTS("t.cu:30", "load of 4 bytes in the shared memory of block 2 of the cluster",
                   "the cluster has 2, ranks 0 to 1"));
  core_fails(ACCESS("mov.u32 %r2, 300;\n", "st.shared::cluster.u32 [%r3], %r2;"), o,
             SIMT_CLUSTER_ADDRESS, TEXTS("block 255 of the cluster", "there is no such block"));
  core_fails(ACCESS(NEXT, "ld.shared::cluster.u32 %r0, [%r3+256];"), o, SIMT_CLUSTER_ADDRESS,
             TEXTS("block 0 of the cluster", "offset 256 lies outside", "has 256 bytes"));
  core_fails(ACCESS(NEXT, "ld.shared::cluster.u32 %r0, [%r3+4194304];"), o, SIMT_ILLEGAL_ADDRESS,
             TEXTS("block 0 of the cluster", "offset 4194304 lies outside"));
  core_fails(ACCESS(NEXT, "ld.shared.u32 %r0, [%r3];"), o, SIMT_OWN_MEMORY_ONLY,
             TEXTS("block 0 of the cluster", "(.shared) reaches the memory of its own block only",
                   ".shared::cluster"));
  core_fails(ACCESS(NEXT, "ld.shared::cluster.u32 %r0, [%r13+256];"), o, SIMT_ILLEGAL_ADDRESS,
             TEXTS("out-of-bounds shared load of 4 bytes at offset 256"));
  core_fails(ACCESS(NEXT, "ld.shared.u32 %r0, [%r13+-4];"), o, SIMT_ILLEGAL_ADDRESS,
             TEXTS("out-of-bounds shared load of 4 bytes at offset -4"));
  core_fails(ACCESS(NEXT, "atom.shared::cluster.add.u32 %r0, [%r3+2], 1;"), o,
             SIMT_MISALIGNED_ADDRESS, TEXTS("misaligned atomic of 4 bytes"));
}
END_TEST

START_TEST(an_offset_before_the_own_memory_is_negative)
{ // for a block whose part of the window is not the first
  core_fails(CLUSTER_HEAD
             "setp.eq.u32 %p1, %r10, 1;\n@%p1 ld.shared.u32 %r0, [%r13+-8];\n" KERNEL_TAIL,
             (core_options){.grid = 2, .cluster = 2}, SIMT_ILLEGAL_ADDRESS,
             TEXTS("out-of-bounds shared load of 4 bytes at offset -8", "has 256 bytes"));
}
END_TEST

START_TEST(the_memory_of_a_block_ends_with_it)
{ // rank 1 leaves; rank 0 spins for longer than that takes, then reads
  core_fails(CLUSTER_HEAD FILL CLUSTER_SYNC
             "setp.eq.u32 %p1, %r10, 1;\n@%p1 exit;\nmov.u32 %r5, 0;\n"
             "WAIT:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100000;\n@%p1 bra WAIT;\n"
             "mapa.shared::cluster.u32 %r3, %r13, 1;\n.loc 1 40 0\n"
             "ld.shared::cluster.u32 %r0, [%r3];\n" STORE_R0 KERNEL_TAIL,
             (core_options){.grid = 2, .cluster = 2}, SIMT_BLOCK_EXITED,
             TEXTS("t.cu:40", "block 1 of the cluster", "have left the kernel", "cluster.sync()"));
}
END_TEST

START_TEST(geometry_is_checked)
{
  core_run run = core_load(CLUSTER_HEAD KERNEL_TAIL);
  core_launch(&run, (core_options){.grid = 5, .cluster = 2});
  ck_assert_int_eq(run.status, SIMT_INVALID_CONFIGURATION);
  ck_assert_ptr_nonnull(strstr(run.diag.text, "clusters of 2x1x1 blocks do not divide"));
  core_launch(&run, (core_options){.grid = 32, .cluster = 32});
  ck_assert_int_eq(run.status, SIMT_INVALID_CONFIGURATION);
  core_launch(&run, (core_options){.grid = 16, .cluster = 16});
  ck_assert_int_eq(run.status, SIMT_OK);
  core_free(&run);
}
END_TEST

START_TEST(cooperative_grids_have_clusters_too)
{ // blocks that wait for one another across clusters: more than one cluster must be resident
  core_options o = {.grid = 8, .cluster = 2, .cooperative = _i == 0, .max_resident_blocks = 9};
  core_run run = core_ok(
      CLUSTER_HEAD "atom.global.add.u32 %r1, [%rd1], 1;\nmov.u32 %r2, 256;\n"
                   "SPIN:\nld.relaxed.gpu.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r1, %r2;\n"
                   "@%p1 bra SPIN;\n" CLUSTER_SYNC "mov.u32 %r0, %r1;\n" STORE_R0 KERNEL_TAIL,
      o);
  for (uint32_t b = 0; b < 8; b++) ck_assert_uint_eq(run.out_host[32 * b], 256);
  core_free(&run);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cluster");
  TCase *memory = tcase_create("memory"), *barrier = tcase_create("barrier");
  TCase *faults = tcase_create("faults"), *launches = tcase_create("launches");
  tcase_add_test(memory, special_registers_say_where_a_block_is);
  tcase_add_loop_test(memory, blocks_read_each_others_memory, 0, N_SCHEDULES);
  tcase_add_loop_test(memory, lanes_reach_different_blocks, 0, N_SCHEDULES);
  tcase_add_loop_test(memory, a_pointer_means_the_same_in_every_block, 0, N_SCHEDULES);
  tcase_add_test(memory, isspacep_knows_whose_memory_it_is);
  tcase_add_loop_test(barrier, exited_threads_count_as_arrived, 0, N_SCHEDULES);
  tcase_add_loop_test(barrier, the_barrier_works_again_and_again, 0, N_SCHEDULES);
  tcase_add_test(barrier, a_relaxed_arrival_publishes_nothing);
  tcase_add_test(barrier, arrivals_and_waits_come_in_pairs);
  tcase_add_test(barrier, a_deadlock_names_the_blocks_that_are_missing);
  tcase_add_test(faults, wrong_addresses_are_faults);
  tcase_add_test(faults, an_offset_before_the_own_memory_is_negative);
  tcase_add_test(faults, the_memory_of_a_block_ends_with_it);
  tcase_add_test(launches, geometry_is_checked);
  tcase_add_loop_test(launches, cooperative_grids_have_clusters_too, 0, 2);
  suite_add_tcase(suite, memory);
  suite_add_tcase(suite, barrier);
  suite_add_tcase(suite, faults);
  suite_add_tcase(suite, launches);
  return run_suite(suite);
}
