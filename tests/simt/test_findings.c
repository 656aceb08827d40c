// SPDX-License-Identifier: MIT
// test_findings.c - the set of findings and its JSON for tools, from launches described by hand:
// what is one finding, which witness it keeps. Its text for people: test_findings_text.c.
#include "findings_fixture.h"
#include "run_suite.h"

// ---- The set.

START_TEST(pairs_of_lines_are_counted_once)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 0, SIMT_RELATION_BLOCK);
  for (int i = 0; i < 480; i++) simt_findings_add(findings, &f);
  f.first.pc = 0; // another instruction of the same line
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_errors(findings), 1);
  has(text_of(0, false), "(seen 481 times)");
  f.first.pc = 3;
  simt_findings_add(findings, &f); // another line
  f.kind = SIMT_FINDING_race_write_after_write;
  simt_findings_add(findings, &f); // another kind
  f.space = PTX_SPACE_GLOBAL;
  simt_findings_add(findings, &f); // another space
  ck_assert_uint_eq(simt_findings_errors(findings), 4);
  ck_assert_uint_eq(simt_findings_notes(findings), 0);
}
END_TEST

START_TEST(the_widest_relation_is_the_witness)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_WARP);
  simt_findings_add(findings, &f);
  f.relation = SIMT_RELATION_BLOCK;
  f.first.lane = 9;
  simt_findings_add(findings, &f);
  f.relation = SIMT_RELATION_WARP;
  f.first.lane = 11;
  simt_findings_add(findings, &f);
  const char *text = text_of(0, false);
  has(text, "lane 9,");
  has(text, "__syncthreads() between line 8 and line 9");
  has(text, "(seen 3 times)");
}
END_TEST

START_TEST(notes_are_no_errors)
{
  simt_finding f = race(SIMT_FINDING_race_same_value, 1, 1, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_errors(findings), 0);
  ck_assert_uint_eq(simt_findings_notes(findings), 1);
  has(text_of(0, false), "racecheck: note: ");
}
END_TEST

START_TEST(no_note_on_the_lines_of_an_error)
{
  simt_finding f = race(SIMT_FINDING_race_same_value, 3, 3, SIMT_RELATION_GRID);
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_notes_reported(findings), 1);
  f = race(SIMT_FINDING_race_read_after_write, 3, 2, SIMT_RELATION_GRID); // both at line 9
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_notes(findings), 1);
  ck_assert_uint_eq(simt_findings_notes_reported(findings), 0);
  cJSON *list = json_of();
  ck_assert_uint_eq(reported_in(list, "note"), 0);
  ck_assert_uint_eq(reported_in(list, "error"), 1);
  cJSON_Delete(list);
  const char *text = text_of(0, false);
  has(text, "read after write");
  has_not(text, "same value");
}
END_TEST

// Both directions of one pair are one note, as they are one error.
START_TEST(notes_on_one_pair_are_one)
{
  simt_finding f = race(SIMT_FINDING_race_same_value, 1, 3, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  f = race(SIMT_FINDING_race_same_value, 3, 1, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  ck_assert_uint_eq(simt_findings_notes(findings), 2);
  ck_assert_uint_eq(simt_findings_notes_reported(findings), 1);
  cJSON *list = json_of();
  ck_assert_uint_eq(reported_in(list, "note"), 1);
  cJSON_Delete(list);
  const char *text = text_of(0, false);
  has(text, "(seen 2 times)");
}
END_TEST

START_TEST(launches_are_counted)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  info.launch = 4;
  simt_findings_set_launch(findings, &info);
  simt_findings_add(findings, &f);
  simt_findings_add(findings, &f);
  cJSON *list = json_of(), *one = cJSON_GetArrayItem(list, 0);
  ck_assert_int_eq(cJSON_GetArraySize(list), 1);
  ck_assert_int_eq(cJSON_GetObjectItem(one, "count")->valueint, 3);
  ck_assert_int_eq(cJSON_GetObjectItem(one, "launches")->valueint, 2);
  ck_assert_int_eq(cJSON_GetObjectItem(one, "launch")->valueint, 3);
  cJSON_Delete(list);
}
END_TEST

START_TEST(findings_outlive_module_and_memory)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 1, 2, SIMT_RELATION_BLOCK);
  simt_findings_add(findings, &f);
  simt_findings_set_launch(findings, NULL);
  simt_findings_set_memory(findings, NULL);
  simt_module_unload(module);
  simt_memory_destroy(memory);
  module = NULL;
  memory = NULL;
  has(text_of(0, false), "sum[t] += sum[t + s];");
}
END_TEST

START_TEST(only_new_ones_are_printed_and_few_in_full)
{
  for (uint32_t pc = 0; pc < 4; pc++) {
    simt_finding f = race(SIMT_FINDING_race_read_after_write, pc, 4 + pc, SIMT_RELATION_BLOCK);
    simt_findings_add(findings, &f);
  }
  uint64_t n = simt_findings_errors(findings);
  ck_assert_uint_eq(n, 4);
  const char *text = text_of(1, false);
  int full = 0, lines = 0;
  for (const char *at = text; (at = strstr(at, "Likely missing")); at++) full++;
  for (const char *at = text; (at = strstr(at, "simt: racecheck")); at++) lines++;
  ck_assert_int_eq(full, 1);
  ck_assert_int_eq(lines, 4);
  ck_assert_str_eq(text_of(0, false), "");
}
END_TEST

START_TEST(too_many_are_lost_but_counted)
{
  enum { KEPT = 10000, MORE = 3 };
  char text[32];
  for (int i = 0; i < KEPT + MORE; i++) {
    snprintf(text, sizeof text, "%c finding %d", 'a' + i % 26, i);
    simt_findings_add_text(findings, SIMT_FINDING_leak, text);
  }
  ck_assert_uint_eq(simt_findings_notes(findings), KEPT);
  ck_assert_uint_eq(simt_findings_lost(findings), MORE);
}
END_TEST

// ---- JSON.

START_TEST(json_holds_all_fields)
{
  simt_finding f = race(SIMT_FINDING_race_read_after_write, 8, 0, SIMT_RELATION_BLOCK);
  f.first.value_bytes = 4;
  f.first.value = 0x40600000;
  strcpy(f.detail, "a \"quoted\" word");
  simt_findings_add(findings, &f);
  cJSON *list = json_of(), *one = cJSON_GetArrayItem(list, 0);
  static const char *const texts[][2] = {{"kind", "race_read_after_write"},
                                         {"checker", "racecheck"},
                                         {"severity", "error"},
                                         {"kernel", "tree"},
                                         {"relation", "block"},
                                         {"space", "shared"},
                                         {"symbol", "sum"},
                                         {"target", "sum[16]"},
                                         {"address", "0x40"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ck_assert_str_eq(cJSON_GetObjectItem(one, texts[i][0])->valuestring, texts[i][1]);
  ck_assert_int_eq(cJSON_GetObjectItem(one, "element")->valueint, 16);
  has(cJSON_GetObjectItem(one, "message")->valuestring, "a \"quoted\" word");
  has(cJSON_GetObjectItem(one, "advice")->valuestring, "__syncthreads()");
  cJSON *first = cJSON_GetObjectItem(one, "first");
  ck_assert_str_eq(cJSON_GetObjectItem(first, "file")->valuestring, path);
  ck_assert_int_eq(cJSON_GetObjectItem(first, "line")->valueint, 3);
  ck_assert_str_eq(cJSON_GetObjectItem(first, "text")->valuestring, "sum[t] = x;");
  ck_assert_str_eq(cJSON_GetObjectItem(first, "act")->valuestring, "write");
  ck_assert_str_eq(cJSON_GetObjectItem(first, "value")->valuestring, "0x40600000");
  cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(first, "inlined_at"), 0);
  ck_assert_int_eq(cJSON_GetObjectItem(frame, "line")->valueint, 11);
  ck_assert_int_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "thread"), 0)->valueint, 35);
  cJSON *second = cJSON_GetObjectItem(one, "second");
  ck_assert_int_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(second, "block"), 1)->valueint, 1);
  ck_assert(cJSON_IsNull(cJSON_GetObjectItem(second, "value")));
  cJSON_Delete(list);
}
END_TEST

START_TEST(json_stands_any_bytes)
{
  simt_findings_add_text(findings, SIMT_FINDING_leak,
                         "tab\t, caf\xc3\xa9, \xff\xe0\x80\x80 and \"\\\x7f");
  cJSON *list = json_of(), *one = cJSON_GetArrayItem(list, 0);
  ck_assert_str_eq(cJSON_GetObjectItem(one, "message")->valuestring,
                   "tab\t, caf\xc3\xa9, ???? and \"\\\x7f");
  cJSON_Delete(list);
}
END_TEST

START_TEST(every_kind_has_its_row)
{
  for (int k = 0; k < SIMT_FINDING_COUNT; k++) {
    simt_finding_kind kind = (simt_finding_kind)k;
    ck_assert_int_gt((int)strlen(simt_finding_name(kind)), 0);
    ck_assert_int_gt((int)strlen(simt_finding_title(kind)), 0);
    ck_assert_str_ne(simt_checker_name(simt_finding_checker(kind)), "unknown");
    simt_finding f = {.kind = kind, .first = {.act = SIMT_ACT_READ}, .space = PTX_SPACE_SHARED};
    simt_findings_add(findings, &f);
  }
  ck_assert_uint_eq(simt_findings_errors(findings) + simt_findings_notes(findings),
                    SIMT_FINDING_COUNT);
  cJSON_Delete(json_of());
  text_of(0, false);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("findings");
  TCase *c = tcase_create("findings");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, pairs_of_lines_are_counted_once);
  tcase_add_test(c, the_widest_relation_is_the_witness);
  tcase_add_test(c, notes_are_no_errors);
  tcase_add_test(c, no_note_on_the_lines_of_an_error);
  tcase_add_test(c, notes_on_one_pair_are_one);
  tcase_add_test(c, launches_are_counted);
  tcase_add_test(c, findings_outlive_module_and_memory);
  tcase_add_test(c, only_new_ones_are_printed_and_few_in_full);
  tcase_add_test(c, too_many_are_lost_but_counted);
  tcase_add_test(c, json_holds_all_fields);
  tcase_add_test(c, json_stands_any_bytes);
  tcase_add_test(c, every_kind_has_its_row);
  suite_add_tcase(suite, c);
  return run_suite(suite);
}
