// SPDX-License-Identifier: MIT
// test_findings_text.c - findings as people read them: which line, which thread, what was done
// there, what is missing, what comes first, and what is reported as one.
#include "findings_fixture.h"
#include "run_suite.h"

START_TEST(a_race_is_reported_like_this)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  f.first.value_bytes = f.second.value_bytes = 4;
  f.first.value = 0x40600000;
  f.second.value = 0x3f800000;
  f.second.block = 5;
  simt_findings_add(findings, &f);
  f.first.lane = 30; // not the witness
  simt_findings_add(findings, &f);
  char want[2048];
  const char *name = strrchr(path, '/') + 1;
  snprintf(want, sizeof want,
           "simt: racecheck: race: read after write, in shared memory (seen 2 times)\n"
           "  in kernel tree, launch 3\n"
           "  %s:8  | if (t < s) sum[t] += sum[t + s];\n"
           "      thread (35,0,0) of block (0,0,0), warp 1 lane 3, wrote 3.5 (0x40600000)\n"
           "        to sum[16]\n"
           "  %s:8  | if (t < s) sum[t] += sum[t + s];\n"
           "      thread (0,0,0) of block (1,1,0), warp 0 lane 0, read sum[16], found 1\n"
           "        (0x3f800000)\n"
           "  Nothing orders the two: they are in different warps, and no barrier lies\n"
           "  between.\n"
           "  Likely missing: __syncthreads() at the end of the loop body, after line 8.\n",
           name, name);
  ck_assert_str_eq(text_of(0, false), want);
}
END_TEST

START_TEST(lines_stay_within_80_columns)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 4, 7, SIMT_RELATION_GRID);
  memset(f.detail, 'x', 100);
  strcat(f.detail, " and more words follow so that this sentence is too long for one line");
  f.detail[40] = ' ';
  simt_findings_add(findings, &f);
  const char *text = text_of(0, false);
  for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
    ck_assert_msg(strcspn(at, "\n") <= 80, "too long: %.100s", at);
  f = race(SIMT_FINDING_race_same_value, 1, 4, SIMT_RELATION_GRID);
  for (int i = 0; i < 1000; i++) simt_findings_add(findings, &f);
  has(text_of(0, false), "in shared memory\n  (seen 1000 times)\n");
}
END_TEST

START_TEST(colour_only_when_asked_for)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  has_not(text_of(0, false), "\033");
  f.first.pc = 3;
  simt_findings_add(findings, &f);
  has(text_of(0, true), "\033[1;31m");
}
END_TEST

START_TEST(missing_calls_by_relation)
{
  simt_finding_kind raw = SIMT_FINDING_race_read_after_write;
  has(printed(race(raw, 1, 2, SIMT_RELATION_WARP)), "missing: __syncwarp() between line 8 and");
  has(printed(race(raw, 3, 4, SIMT_RELATION_BLOCK)), "missing: __syncthreads() between line 9");
  has(printed(race(raw, 1, 4, SIMT_RELATION_GRID)), "line 10 in a second launch");
  has(printed(race(raw, 3, 0, SIMT_RELATION_BLOCK)), "end of the loop body, after line 9");
  simt_finding waw = race(SIMT_FINDING_race_write_after_write, 1, 1, SIMT_RELATION_LANE);
  has(printed(waw), "Are all these lanes to write this element? If not, the index at line 8");
  simt_finding war = race(SIMT_FINDING_race_write_after_read, 0, 1, SIMT_RELATION_BLOCK);
  has(printed(war), "keep what is read in a variable, wait, then write");
  // A round's last line writes what the next round's first line reads: no barrier in the branch.
  war = race(SIMT_FINDING_race_write_after_read, 1, 3, SIMT_RELATION_BLOCK);
  war.first.act = SIMT_ACT_READ, war.second.act = SIMT_ACT_WRITE;
  war.space = PTX_SPACE_GLOBAL; // or it would be reported with one before
  has(printed(war), "end of the loop body, after line 9, where all threads come");
  simt_finding scope = race(SIMT_FINDING_race_scope, 1, 2, SIMT_RELATION_GRID);
  has(printed(scope), "without _block");
}
END_TEST

// A block of one warp is often only the smallest that a kernel is meant for.
START_TEST(one_warp_may_be_a_block)
{
  info.warps_per_block = 1;
  simt_findings_set_launch(findings, &info);
  has(printed(race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_WARP)),
      "missing: __syncthreads() (or __syncwarp(), for a block of one warp) between line 8");
}
END_TEST

// Without a loop the second site, at an earlier line, was the earlier one of another warp.
START_TEST(straight_code_has_no_next_round)
{
  simt_module_unload(module);
  load(".loc 1 7 1\nbar.sync 0;");
  simt_findings_set_launch(findings, &info);
  has(printed(race(SIMT_FINDING_race_write_after_read, 3, 0, SIMT_RELATION_BLOCK)),
      "__syncthreads() between line 8 and line 9.");
  has(printed(race(SIMT_FINDING_race_write_after_read, 7, 6, SIMT_RELATION_BLOCK)),
      "__syncthreads() between line 3 and line 4.");
  has(printed(race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK)),
      "between the reading and the writing of line 8");
  simt_finding war = race(SIMT_FINDING_race_write_after_read, 0, 1, SIMT_RELATION_BLOCK);
  war.space = PTX_SPACE_GLOBAL; // or it would be reported with the one before
  has(printed(war), "between the reading and the writing of line 8");
}
END_TEST

// Threads that skip the first line may be sent around it by the compiler, and then read early.
START_TEST(branches_are_put_in_the_order_of_lines)
{
  simt_module_unload(module);
  load(".loc 1 7 1\nbar.sync 0;");
  static const simt_code_block apart[] = {{.first_pc = 0, .n_instrs = 2},
                                          {.first_pc = 2, .n_instrs = N_CODE - 2}};
  info.code_blocks = apart; // 0 and 1 here, 2 and 3 there
  info.n_code_blocks = 2;
  simt_findings_set_launch(findings, &info);
  has(printed(race(SIMT_FINDING_race_write_after_read, 3, 1, SIMT_RELATION_BLOCK)),
      "__syncthreads() between line 8 and line 9, outside any branch");
}
END_TEST

// No order between blocks helps where they overwrite data in place.
START_TEST(blocks_that_overwrite_want_a_second_array)
{
  has(printed(race(SIMT_FINDING_race_write_after_read, 0, 4, SIMT_RELATION_GRID)),
      "to a second array; else do line 10 in a second launch");
  simt_finding war = race(SIMT_FINDING_race_write_after_read, 0, 1, SIMT_RELATION_GRID);
  has(printed(war), "Line 8 reads what other blocks write there: write to another array");
}
END_TEST

START_TEST(what_explains_most_comes_first_and_once)
{
  simt_finding f = {.kind = SIMT_FINDING_uninitialised_shared,
                    .first = {.act = SIMT_ACT_READ, .pc = 0},
                    .space = PTX_SPACE_SHARED,
                    .width_bytes = 4};
  simt_findings_add(findings, &f);
  f = race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  f = race(SIMT_FINDING_race_write_after_read, 2, 1, SIMT_RELATION_BLOCK); // the other direction
  simt_findings_add(findings, &f);
  const char *text = text_of(0, false);
  ck_assert_ptr_ne(strstr(text, "initcheck"), NULL);
  ck_assert(strstr(text, "racecheck") < strstr(text, "initcheck"));
  const char *first = strstr(text, "Nothing orders");
  ck_assert_ptr_ne(first, NULL);
  ck_assert_msg(strstr(first + 1, "Nothing orders") == NULL, "reported twice:\n%s", text);
  has(text, "race: read after write, in shared memory (seen 2 times)");
  has_not(text, "write after read");
}
END_TEST

START_TEST(races_of_one_pair_are_reported_by_the_widest)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_WARP);
  for (int i = 0; i < 15; i++) simt_findings_add(findings, &f);
  f = race(SIMT_FINDING_race_write_after_read, 0, 1, SIMT_RELATION_BLOCK);
  for (int i = 0; i < 384; i++) simt_findings_add(findings, &f);
  f = race(SIMT_FINDING_race_read_after_write, 3, 4, SIMT_RELATION_WARP); // another pair
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_errors(findings), 3);
  ck_assert_uint_eq(simt_findings_reported(findings), 2);
  const char *text = text_of(0, false);
  has(text, "write after read, in shared memory (seen 399 times)");
  has(text, "(15 of them inside one warp)");
  const char *wide = strstr(text, "missing: __syncthreads()"),
             *narrow = strstr(text, "__syncwarp() bet");
  ck_assert_ptr_ne(wide, NULL);
  ck_assert(wide < narrow);
  cJSON *list = json_of();
  ck_assert_int_eq(cJSON_GetArraySize(list), 3); // tools get each, and the one reported
  ck_assert_uint_eq(reported_in(list, "error"), 2);
  cJSON_Delete(list);
}
END_TEST

START_TEST(a_lost_update_wants_an_atomic)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 3, 2, SIMT_RELATION_BLOCK);
  f.address = 1024 + 8; // bins[key]++
  const char *text = printed(f);
  has(text, "bins[2]");
  has(text, "atomicAdd()");
  has_not(text, "__syncthreads()");
  f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  has_not(printed(f), "atomicAdd()"); // sum[t] += sum[t + s]
}
END_TEST

START_TEST(two_calls_of_one_function_are_kept_apart)
{
  simt_finding f = race(SIMT_FINDING_race_write_after_read, 7, 8, SIMT_RELATION_BLOCK);
  const char *text = printed(f);
  has(text, ":4 | return sum[0];");
  has(text, "(inlined at");
  has(text, ":10)");
  has(text, "__syncthreads() between line 10 and line 11");
  f = race(SIMT_FINDING_race_read_after_write, 7, 6, SIMT_RELATION_BLOCK); // in a loop
  f.space = PTX_SPACE_GLOBAL;
  has(printed(f), "after line 4");
}
END_TEST

START_TEST(lines_of_the_toolkit_are_those_of_their_caller)
{
  simt_finding f = race(SIMT_FINDING_race_atomic, 10, 4, SIMT_RELATION_BLOCK);
  const char *text = printed(f);
  has(text, ":9 | bins[key]++;");
  has_not(text, "atomics.h");
}
END_TEST

START_TEST(without_a_line_the_nearest_is_named)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 5, 0, SIMT_RELATION_BLOCK);
  has(printed(f), "near test_findings."); // the next instruction's
  cJSON *list = json_of(), *one = cJSON_GetArrayItem(list, 0);
  cJSON *first = cJSON_GetObjectItem(one, "first"), *second = cJSON_GetObjectItem(one, "second");
  ck_assert_int_eq(cJSON_GetObjectItem(first, "line")->valueint, 3);
  ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(first, "exact")));
  ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(second, "exact")));
  cJSON_Delete(list);
}
END_TEST

START_TEST(without_source_lines_the_ptx_is_named)
{
  info.code_loc = NULL;
  simt_findings_set_launch(findings, &info);
  const char *text = printed(race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_BLOCK));
  has(text, "tree.ptx:");
  has_not(text, "near");
}
END_TEST

START_TEST(unreadable_sources_are_named_only)
{
  unlink(path);
  const char *text = printed(race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK));
  has(text, ":8 thread (35,0,0)");
  has(text, "after line 8");
}
END_TEST

START_TEST(values_are_guessed_sensibly)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 3, 0, SIMT_RELATION_BLOCK); // .b32
  f.first.value_bytes = 4;
  f.first.value = 7;
  has(printed(f), "wrote 7 to sum[16]");
  f.first.pc = 4, f.first.value = 0xffffffff; // .f32: not a number
  has(printed(f), "nan (0xffffffff)");
  f.first.pc = 2, f.second.pc = 7, f.first.value = 0xfffffffe;
  f.kind = SIMT_FINDING_race_write_after_write;
  has(printed(f), "wrote -2 (0xfffffffe)");
  f.first.pc = 5, f.first.value = 0x40600000; // .u32: no float, whatever it looks like
  has(printed(f), "wrote 1080033280 (0x40600000)");
  f.first.pc = 3, f.second.pc = 5, f.first.value = 0x40600000; // .b32
  has(printed(f), "wrote 3.5 (0x40600000)");
  f.first.pc = 8, f.first.value = 0xa5a5a5a5;
  has(printed(f), "what uninitialised memory holds");
  f.first.pc = 9, f.first.value_bytes = 8, f.first.value = UINT64_C(1) << 40;
  has(printed(f), "1099511627776 (0x0000010000000000)");
}
END_TEST

START_TEST(addresses_are_named)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  f.address = 1088;
  has(printed(f), "wrote flag ");
  f.first.pc = 2, f.address = 1096;
  has(printed(f), "wrote tail[1] ");
  f.first.pc = 4, f.address = 1030;
  has(printed(f), "byte 6 of bins");
  uint64_t address;
  simt_diag diag;
  f.space = PTX_SPACE_GLOBAL;
  ck_assert_int_eq(simt_memory_alloc(memory, 4096, SIMT_ALLOCATION_DEVICE, NULL, &address, &diag),
                   SIMT_OK);
  f.address = address + 140;
  has(printed(f), "element 35 of allocation #2 (cudaMalloc, 4096 bytes)");
  ck_assert_int_eq(
      simt_memory_alloc(memory, 64, SIMT_ALLOCATION_VARIABLE, "_ZL5table", &address, &diag),
      SIMT_OK);
  f.first.pc = 1, f.address = address + 8;
  has(printed(f), "table[2]");
}
END_TEST

START_TEST(an_array_is_named_by_the_access)
{
  static int16_t provenance[N_CODE];
  for (int i = 0; i < N_CODE; i++) provenance[i] = -1;
  simt_shared_variable both[2] = {shared[3], shared[3]};
  both[1].name = (simt_str){"other", 5};
  provenance[0] = 1;
  info.shared_variables = both;
  info.n_shared_variables = 2;
  info.facts.provenance = provenance;
  simt_findings_set_launch(findings, &info);
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  f.address = 1092 + 12;
  has(printed(f), "other[3]");
}
END_TEST

START_TEST(own_words_win)
{
  simt_finding f = {.kind = SIMT_FINDING_absent_lane,
                    .first = {.act = SIMT_ACT_SHUFFLE, .pc = 0, .lane = -1, .warp = 2},
                    .detail = "lane 20 has left the kernel",
                    .advice = "take it out of the mask"};
  const char *text = printed(f);
  has(text, "warp 2 of block (0,0,0) came to a shuffle");
  has(text, "Lane 20 has left the kernel. Take it out of the mask.");
  f.first.pc = 2, f.advice[0] = '\0';
  has(printed(f), "The mask must name exactly the lanes");
}
END_TEST

START_TEST(plain_text_findings)
{
  simt_findings_add_text(findings, SIMT_FINDING_leak, "allocation #1 was never freed");
  simt_findings_add_text(findings, SIMT_FINDING_leak, "allocation #1 was never freed");
  ck_assert_uint_eq(simt_findings_errors(findings), 0); // a leak is a note
  ck_assert_uint_eq(simt_findings_notes(findings), 1);
  has(text_of(0, false), "memcheck: note: memory never freed (seen 2 times)\n  allocation #1 was");
}
END_TEST

START_TEST(one_text_for_each_kernel)
{
  simt_findings_add_about(findings, SIMT_FINDING_schedule_dependent, "tree", "launch 1 differs");
  simt_findings_add_about(findings, SIMT_FINDING_schedule_dependent, "tree", "launch 2 differs");
  simt_findings_add_about(findings, SIMT_FINDING_schedule_dependent, "scan", "launch 3 differs");
  ck_assert_uint_eq(simt_findings_errors(findings), 2);
  const char *text = text_of(0, false);
  has(text, "launch 1 differs");
  has_not(text, "launch 2 differs");
  has(text, "launch 3 differs");
}
END_TEST

START_TEST(errors_can_be_printed_again_in_brief)
{
  char text[4096], little[8];
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  f.kind = SIMT_FINDING_race_same_value;
  simt_findings_add(findings, &f);
  simt_fault_info fault = {.space = SIMT_SPACE_GLOBAL};
  simt_findings_add_fault(findings, SIMT_FINDING_out_of_bounds, NULL, &fault, "a fault");
  text_of(0, false);
  simt_text_buffer whole = {.text = text, .capacity_bytes = sizeof text};
  simt_sink to = simt_buffer_sink(&whole);
  simt_findings_print_errors(findings, &to, 0);
  has(text, "simt: racecheck: race: read after write, in shared memory, test_findings.");
  has_not(text, "a fault");
  has_not(text, "same value");
  ck_assert_ptr_eq(strchr(text, '\n'), text + whole.n_bytes - 1);
  simt_text_buffer part = {.text = little, .capacity_bytes = sizeof little};
  to = simt_buffer_sink(&part);
  simt_findings_print_errors(findings, &to, 0);
  ck_assert_uint_eq(part.n_bytes, whole.n_bytes); // of all, as far as it fits
  ck_assert_str_eq(little, "simt: r");
}
END_TEST

static const char *explained(simt_finding_kind kind, const simt_site *site,
                             const simt_fault_info *fault, const char *what) {
  static char text[4096];
  FILE *file = tmpfile();
  simt_findings_add_fault(findings, kind, site, fault, what);
  const simt_sink to = simt_file_sink(file);
  simt_findings_explain_fault(findings, &to);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

START_TEST(faults_are_explained)
{
  simt_site site = {.act = SIMT_ACT_WRITE, .pc = 4, .block = 1, .lane = 2};
  const simt_fault_info in_shared = {.space = SIMT_SPACE_SHARED},
                        global = {.space = SIMT_SPACE_GLOBAL};
  const simt_fault_info barrier = {.wait = SIMT_WAIT_BARRIER}, spin = {.wait = SIMT_WAIT_MEMORY};
  const char *text = explained(SIMT_FINDING_out_of_bounds, &site, &in_shared, "a load");
  has(text, ".cu:10  | out[blockIdx.x] = fold(sum[0]);\n  Check the index against the size of");
  text = explained(SIMT_FINDING_out_of_bounds, NULL, &global, "another load");
  has(text, "  Check the index against the number of elements");
  has_not(text, "|");
  has(explained(SIMT_FINDING_deadlock, NULL, &barrier, "a wait"), "All threads must come to");
  ck_assert_str_eq(explained(SIMT_FINDING_deadlock, NULL, &spin, "another wait"), "");
  // An earlier one again is the latest.
  has(explained(SIMT_FINDING_deadlock, NULL, &barrier, "a wait"), "All threads must come to");
}
END_TEST

START_TEST(faults_are_filed_not_printed)
{
  simt_site site = {.act = SIMT_ACT_WRITE, .pc = 4, .block = 1, .lane = 2};
  simt_fault_info fault = {.space = SIMT_SPACE_GLOBAL};
  simt_findings_add_fault(findings, SIMT_FINDING_out_of_bounds, &site, &fault,
                          "k.cu:10: out of bounds");
  ck_assert_str_eq(text_of(0, false), "");
  ck_assert_uint_eq(simt_findings_errors(findings), 1);
  cJSON *list = json_of(), *one = cJSON_GetArrayItem(list, 0);
  ck_assert_str_eq(cJSON_GetObjectItem(one, "kind")->valuestring, "out_of_bounds");
  cJSON *first = cJSON_GetObjectItem(one, "first");
  ck_assert_int_eq(cJSON_GetObjectItem(first, "line")->valueint, 10);
  cJSON_Delete(list);
}
END_TEST

// A #line directive in a submitted kernel must not make a report quote arbitrary files.
START_TEST(only_source_files_are_quoted)
{
  char other[] = "/tmp/test_findings.XXXXXX.key";
  int fd = mkstemps(other, 4);
  ck_assert_int_eq(write(fd, "secret\n", 7), 7);
  close(fd);
  ptx_module *ptx = module->ptx;
  for (uint32_t i = 0; i < ptx->n_files; i++)
    if (ptx->files[i].number == 1) ptx->files[i].name = (simt_str){other, (uint32_t)strlen(other)};
  for (uint32_t i = 0; i < ptx->n_locs; i++) ptx->locs[i].line = 1;
  const char *text = printed(race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK));
  unlink(other);
  has(text, ".key:1");
  has_not(text, "secret");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("findings_text");
  TCase *tcase = tcase_create("text");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, a_race_is_reported_like_this);
  tcase_add_test(tcase, lines_stay_within_80_columns);
  tcase_add_test(tcase, colour_only_when_asked_for);
  tcase_add_test(tcase, missing_calls_by_relation);
  tcase_add_test(tcase, one_warp_may_be_a_block);
  tcase_add_test(tcase, straight_code_has_no_next_round);
  tcase_add_test(tcase, branches_are_put_in_the_order_of_lines);
  tcase_add_test(tcase, blocks_that_overwrite_want_a_second_array);
  tcase_add_test(tcase, what_explains_most_comes_first_and_once);
  tcase_add_test(tcase, races_of_one_pair_are_reported_by_the_widest);
  tcase_add_test(tcase, a_lost_update_wants_an_atomic);
  tcase_add_test(tcase, two_calls_of_one_function_are_kept_apart);
  tcase_add_test(tcase, lines_of_the_toolkit_are_those_of_their_caller);
  tcase_add_test(tcase, without_a_line_the_nearest_is_named);
  tcase_add_test(tcase, without_source_lines_the_ptx_is_named);
  tcase_add_test(tcase, unreadable_sources_are_named_only);
  tcase_add_test(tcase, values_are_guessed_sensibly);
  tcase_add_test(tcase, addresses_are_named);
  tcase_add_test(tcase, an_array_is_named_by_the_access);
  tcase_add_test(tcase, own_words_win);
  tcase_add_test(tcase, plain_text_findings);
  tcase_add_test(tcase, one_text_for_each_kernel);
  tcase_add_test(tcase, errors_can_be_printed_again_in_brief);
  tcase_add_test(tcase, faults_are_explained);
  tcase_add_test(tcase, faults_are_filed_not_printed);
  tcase_add_test(tcase, only_source_files_are_quoted);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
