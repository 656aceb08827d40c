// SPDX-License-Identifier: MIT
// test_args.c - the command line of lesson programs: counts in every spelling, options, sizes, and
// what is said about wrong ones.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "lesson.h"
#include "run_suite.h"

START_TEST(counts_in_every_spelling)
{
  static const struct {
    const char *text;
    uint64_t value;
  } good[] = {{"0", 0},
              {"1048576", 1048576},
              {"1_048_576", 1048576},
              {"1M", 1048576},
              {"3k", 3072},
              {"1G", 1073741824},
              {"2^20", 1048576},
              {"1e6", 1000000},
              {"2^0", 1},
              {"0^3", 0},
              {"1^999", 1},
              {"5E+2", 500},
              {"18446744073709551615", UINT64_MAX}};
  static const char *const bad[] = {"",
                                    "x",
                                    "-1",
                                    "+1",
                                    " 1",
                                    "1 ",
                                    "1.5",
                                    "1e",
                                    "2^",
                                    "1MM",
                                    "1T",
                                    "0x10",
                                    "18446744073709551616",
                                    "2^64",
                                    "1e20",
                                    "1__0",
                                    "_1",
                                    "17179869184G",
                                    "1e6M"};
  for (size_t i = 0; i < WB_COUNT(good); i++) {
    uint64_t value = 77;
    ck_assert_msg(wb_parse_count(good[i].text, UINT64_MAX, &value), "%s", good[i].text);
    ck_assert_uint_eq(value, good[i].value);
  }
  for (size_t i = 0; i < WB_COUNT(bad); i++) {
    uint64_t value = 77;
    ck_assert_msg(!wb_parse_count(bad[i], UINT64_MAX, &value), "'%s' was accepted", bad[i]);
    ck_assert_uint_eq(value, 77);
  }
  uint64_t value = 0;
  ck_assert(wb_parse_count("100", 100, &value));
  ck_assert(!wb_parse_count("101", 100, &value));
}
END_TEST

static const char *const names_of_variants[] = {"modulo", "strided", "contention"};
static const wb_names variants = {names_of_variants, 3};

// Parses up to 15 words; returns success, `message` is the reason.
static bool parse(wb_args *args, char *message, size_t room, const char *words) {
  static char text[200];
  char *argv[16] = {"program"};
  int argc = 1;
  memset(args, 0, sizeof *args);
  args->variant = "all";
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok(text, " "); word != NULL && argc < 16; word = strtok(NULL, " "))
    argv[argc++] = word;
  message[0] = '\0';
  return wb_args_parse(args, argc, argv, variants, message, room);
}

START_TEST(arguments_are_read)
{
  wb_args args;
  char message[200];
  ck_assert(parse(&args, message, sizeof message, "--n 2^10 --block=64 --variant strided"));
  ck_assert_uint_eq(args.n, 1024);
  ck_assert_uint_eq(args.block, 64);
  ck_assert_str_eq(args.variant, "strided");
  ck_assert(parse(&args, message, sizeof message, "--json --seed 9 --offset 1 --repeat 3 --list"));
  ck_assert(args.json && args.list && !args.help);
  ck_assert_uint_eq(args.seed, 9);
  ck_assert_uint_eq(args.offset, 1);
  ck_assert_uint_eq(args.repeat, 3);
  ck_assert_ptr_eq(args.check, NULL);
  ck_assert(parse(&args, message, sizeof message, "--check --json"));
  ck_assert_str_eq(args.check, "all");
  ck_assert(parse(&args, message, sizeof message, "--check=racecheck --schedule sweep:4"));
  ck_assert_str_eq(args.check, "racecheck");
  ck_assert_str_eq(args.schedule, "sweep:4");
  ck_assert(parse(&args, message, sizeof message, "--n 2^31 --variant all"));
  ck_assert_uint_eq(args.n, 1u << 31);
  ck_assert(parse(&args, message, sizeof message, "--regime warm --graph --profile"));
  ck_assert(args.warm && args.graph && args.profile);
  ck_assert(parse(&args, message, sizeof message, "--regime=cold"));
  ck_assert(!args.warm && !args.graph && !args.profile);
}
END_TEST

START_TEST(sizes_come_in_lists_and_ranges)
{
  wb_args args;
  char message[200];
  ck_assert(parse(&args, message, sizeof message, "--block 64"));
  ck_assert_uint_eq(args.n_sizes, 0);
  ck_assert(parse(&args, message, sizeof message, "--n 7"));
  ck_assert(args.n_sizes == 1 && args.sizes[0] == 7 && args.n == 7);
  ck_assert(parse(&args, message, sizeof message, "--n 0,2^4..2^6,1e3"));
  static const unsigned sizes[] = {0, 16, 32, 64, 1000};
  ck_assert_uint_eq(args.n_sizes, WB_COUNT(sizes));
  for (size_t i = 0; i < WB_COUNT(sizes); i++) ck_assert_uint_eq(args.sizes[i], sizes[i]);
  ck_assert_uint_eq(args.n, 0);
  ck_assert(parse(&args, message, sizeof message, "--n 3..13"));
  ck_assert(args.n_sizes == 3 && args.sizes[2] == 12); // 3, 6, 12
  ck_assert(parse(&args, message, sizeof message, "--n 1..2^31"));
  ck_assert(args.n_sizes == 32 && args.sizes[31] == 1u << 31);
  ck_assert(parse(&args, message, sizeof message, "--n 5 --n 6")); // the last one counts
  ck_assert(args.n_sizes == 1 && args.n == 6);
}
END_TEST

START_TEST(bad_arguments_say_what_is_allowed)
{
  static const struct {
    const char *words, *option, *help;
  } bad[] = {
      {"--n 3x", "--n", "2^20"},
      {"--n 4G", "'4G'", "2^31"},
      {"--block 1025", "--block", "1 to 1024"},
      {"--block 0", "--block", "1024"},
      {"--block 2048", "'2048'", "1024"},
      {"--repeat 0", "--repeat", "1 to 10000"},
      {"--offset 65", "--offset", "64"},
      {"--variant stridde", "'stridde'", "'strided'"},
      {"--variant qqqqqqqqqqqq", "qqqq", "--list"},
      {"--n", "--n", "missing"},
      {"--n 10..5", "'10..5'", "2^10..2^20"},
      {"--n 0..5", "'0..5'", "2^10..2^20"},
      {"--n 5,", "'5,'", "1000,4096"},
      {"--n 5..", "'5..'", "1000,4096"},
      {"--n 1..2^31,1", "'1..2^31,1'", "32 at most"},
      {"--regime hot", "'hot'", "cold or warm"},
      {"--graph=1", "--graph", "no value"},
      {"--json=1", "--json", "no value"},
      {"--schedule", "--schedule", "missing"},
      {"--check racecheck", "'racecheck'", "--help"},
      {"--blok 3", "--blok", "--block"},
      {"12", "'12'", "--help"},
      {"--seed -1", "--seed", "whole number"},
  };
  for (size_t i = 0; i < WB_COUNT(bad); i++) {
    wb_args args;
    char message[300];
    ck_assert_msg(!parse(&args, message, sizeof message, bad[i].words), "%s", bad[i].words);
    ck_assert_msg(strstr(message, bad[i].option) != NULL, "%s: %s", bad[i].words, message);
    ck_assert_msg(strstr(message, bad[i].help) != NULL, "%s: %s", bad[i].words, message);
  }
}
END_TEST

START_TEST(long_words_do_not_overflow)
{
  char word[5000], message[100], *argv[] = {"program", "--variant", word};
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  wb_args args = {0};
  ck_assert(!wb_args_parse(&args, 3, argv, variants, message, sizeof message));
  ck_assert(memchr(message, '\0', sizeof message) != NULL);
  ck_assert_ptr_null(wb_nearest_name(word, (wb_names){names_of_variants, 0}));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("workbook_args");
  TCase *all = tcase_create("args");
  tcase_add_test(all, counts_in_every_spelling);
  tcase_add_test(all, arguments_are_read);
  tcase_add_test(all, sizes_come_in_lists_and_ranges);
  tcase_add_test(all, bad_arguments_say_what_is_allowed);
  tcase_add_test(all, long_words_do_not_overflow);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
