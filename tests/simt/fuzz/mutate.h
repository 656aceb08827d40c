// SPDX-License-Identifier: MIT
// mutate.h - the mutator and the main loop that the fuzzers share. Iteration i of seed s is always
// the same mutant. The fuzzer defines FUZZ_NAME and, before it includes this,
//
//   static bool check_text(const char *text, size_t text_bytes, size_t limit_bytes);
//
// which aborts when something is wrong and returns whether the text was accepted.
#ifndef SIMT_FUZZ_MUTATE_H
#define SIMT_FUZZ_MUTATE_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 18, MOST_FILES = 256, MOST_MUTATIONS = 8, SECONDS_PER_TEXT = 20 };

typedef struct text {
  char *at; // [MOST_BYTES]
  size_t size;
} text;

static text files[MOST_FILES];
static uint32_t n_files;
static unsigned long long current_iteration, seed = 1;
static uint64_t random_state;

static uint32_t draw(uint32_t below) { // 0 for below == 0
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return below == 0 ? 0 : (uint32_t)((random_state >> 32) * below >> 32);
}

// Replaces size_bytes at `at` by `with`.
static void replace(text *t, size_t at, size_t size_bytes, const char *with, size_t with_bytes) {
  if (at > t->size) at = t->size;
  if (size_bytes > t->size - at) size_bytes = t->size - at;
  if (t->size - size_bytes + with_bytes > MOST_BYTES) return;
  char *copy = malloc(with_bytes + 1); // `with` may lie in the text itself
  if (copy == NULL) return;
  memcpy(copy, with, with_bytes);
  memmove(t->at + at + with_bytes, t->at + at + size_bytes, t->size - at - size_bytes);
  memcpy(t->at + at, copy, with_bytes);
  t->size += with_bytes - size_bytes;
  free(copy);
}

static void line_at(const text *t, size_t at, size_t *begin, size_t *size_bytes) {
  size_t end = at;
  while (at > 0 && t->at[at - 1] != '\n') at--;
  while (end < t->size && t->at[end] != '\n') end++;
  *begin = at;
  *size_bytes = end - at + (end < t->size);
}

static bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '%' || c == '$' || c == '.';
}

static void token_at(const text *t, size_t at, size_t *begin, size_t *size_bytes) {
  size_t end = at;
  while (at > 0 && is_word(t->at[at - 1])) at--;
  while (end < t->size && is_word(t->at[end])) end++;
  *begin = at;
  *size_bytes = end > at ? end - at : 1;
}

// clang-format off
static const char *const dictionary[] = {
    ".version", ".target sm_70", ".address_size 64", ".entry", ".func", ".visible", ".extern",
    ".weak", ".global", ".const", ".shared", ".local", ".param", ".reg", ".align", ".ptr",
    ".attribute(.managed)", ".maxntid", ".section", ".file 1 \"x\"", ".loc 1 1 1",
    ", inlined_at 1 1 1",
    ", function_name $L+1", ".callprototype _ ()", ".branchtargets", ".pragma \"x\";", ".alias",
    ".b8", ".b32", ".f64", ".pred", ".b128", ".v2", ".v4", "{", "}", "[", "]", "(", ")", "<", ">",
    ";", ",", ":", "=", "@", "@!%p1", "|", "!", "+", "-", "+-", "_", "%r1", "%p1", "%rd1", "%tid.x",
    "%r<4294967295>", "%r<0>", "[]", "[0]", "[65536]", "[1099511627776]", "generic(", "mask(0xff)(",
    "0xff00(", "= {{1,2},{3}}", "0f3F800000", "0d3FF0000000000000", "1e308", "-1", "0",
    "18446744073709551615", "0x8000000000000000", "4294967296", "2147483648", "65536", "\"", "//",
    "/*", "*/", "\n", "\r\n", "\x00", "\xff", "\\", "call (x), f, (y), p", "bra L;", "L:", "ret;",
    "{ .reg .b32 %r1;", "WARP_SZ", "::", ".L2::128B"};
// clang-format on

static void mutate_token(text *t, size_t at) {
  const char *word = dictionary[draw(sizeof dictionary / sizeof dictionary[0])];
  size_t begin, size_bytes;
  token_at(t, at, &begin, &size_bytes);
  if (draw(2)) size_bytes = 0; // insert instead of replace
  replace(t, begin, size_bytes, word, word[0] == '\0' ? 1 : strlen(word));
}

static void mutate_number(text *t, size_t at) {
  while (at < t->size && (t->at[at] < '0' || t->at[at] > '9')) at++;
  if (at == t->size) return;
  char digits[24];
  int n = snprintf(digits, sizeof digits, "%llu",
                   draw(4) == 0 ? (unsigned long long)random_state : 1ull << draw(64));
  size_t end = at;
  while (end < t->size && t->at[end] >= '0' && t->at[end] <= '9') end++;
  replace(t, at, end - at, digits, (size_t)n);
}

// Moves in a stretch of the same or another file.
static void splice(text *t, size_t at) {
  const text *other = draw(2) ? t : &files[draw(n_files)];
  size_t from = draw((uint32_t)other->size), most = other->size - from;
  size_t size_bytes = draw((uint32_t)(most < 400 ? most : 400) + 1);
  replace(t, at, draw(2) ? size_bytes : 0, other->at + from, size_bytes);
}

static void repeat(text *t, size_t at) {
  size_t begin, size_bytes;
  if (draw(2)) line_at(t, at, &begin, &size_bytes);
  else token_at(t, at, &begin, &size_bytes);
  if (size_bytes > t->size - begin) return;
  for (uint32_t n = draw(4) == 0 ? draw(300) : 1; n > 0; n--)
    replace(t, begin, 0, t->at + begin, size_bytes);
}

// One word becomes another word of some file: most such texts still parse.
static void swap_words(text *t, size_t at) {
  const text *other = draw(2) ? t : &files[draw(n_files)];
  size_t begin, size_bytes, from, from_bytes;
  token_at(other, draw((uint32_t)other->size), &from, &from_bytes);
  token_at(t, at, &begin, &size_bytes);
  if (from + from_bytes <= other->size && other->at[from] != '\n')
    replace(t, begin, size_bytes, other->at + from, from_bytes);
}

// A line of some file is moved in before another line.
static void borrow_line(text *t, size_t at) {
  const text *other = draw(4) ? t : &files[draw(n_files)];
  size_t begin, size_bytes, from, from_bytes;
  line_at(other, draw((uint32_t)other->size), &from, &from_bytes);
  line_at(t, at, &begin, &size_bytes);
  replace(t, begin, draw(2) ? size_bytes : 0, other->at + from, from_bytes);
}

static void mutate(text *t) {
  size_t at = draw((uint32_t)t->size), begin, size_bytes;
  char byte = (char)draw(256);
  switch (draw(FUZZ_NAME[5] == 'r' ? 24 : 14)) {
  case 0: replace(t, at, 1, &byte, 1); break;
  case 1: replace(t, at, 0, &byte, 1); break;
  case 2: replace(t, at, 1 + draw(4), "", 0); break;
  case 3:
    line_at(t, at, &begin, &size_bytes);
    replace(t, begin, size_bytes, "", 0);
    break;
  case 4: repeat(t, at); break;
  case 5: mutate_number(t, at); break;
  case 6: splice(t, at); break;
  case 7:
    if (draw(8) == 0) t->size = at; // cut off
    break;
  case 8:
  case 9:
  case 10:
  case 11: mutate_token(t, at); break;
  case 12: borrow_line(t, at); break;
  default: swap_words(t, at); break;
  }
}

static void make_mutant(text *t, unsigned long long iteration) {
  random_state = (seed * UINT64_C(0x9e3779b97f4a7c15)) ^ (iteration * UINT64_C(0xd1b54a32d192ed03));
  for (int i = 0; i < 4; i++) draw(1);
  const text *file = &files[draw(n_files)];
  memcpy(t->at, file->at, file->size);
  t->size = file->size;
  for (uint32_t n = draw(2) ? 1 : 1 + draw(MOST_MUTATIONS); n > 0; n--) mutate(t);
}

static void on_death(void) {
  fprintf(stderr, FUZZ_NAME ": died in iteration %llu of seed %llu; again with -s %llu -i %llu\n",
          current_iteration, seed, seed, current_iteration);
}

static void on_signal(int number) {
  on_death();
  if (number == SIGALRM) fprintf(stderr, FUZZ_NAME ": it takes too long\n");
  _exit(1);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void load_file(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL || n_files == MOST_FILES) {
    if (file != NULL) fclose(file);
    return;
  }
  text *t = &files[n_files];
  t->at = malloc(MOST_BYTES);
  if (t->at != NULL) {
    t->size = fread(t->at, 1, MOST_BYTES, file);
    n_files++;
  }
  fclose(file);
}

static int load_folder(const char *folder) {
  struct dirent **entries;
  int n = scandir(folder, &entries, NULL, alphasort);
  if (n < 0) {
    perror(folder);
    return 1;
  }
  for (int i = 0; i < n; i++) {
    size_t size = strlen(entries[i]->d_name);
    if (size > 4 && strcmp(entries[i]->d_name + size - 4, ".ptx") == 0)
      load_file(folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return 0;
}

static unsigned long long fuzz(unsigned long long first, unsigned long long end, bool keep) {
  text mutant = {malloc(MOST_BYTES), 0};
  unsigned long long n_accepted = 0;
  if (mutant.at == NULL) return 0;
  for (current_iteration = first; current_iteration < end; current_iteration++) {
    alarm(SECONDS_PER_TEXT);
    make_mutant(&mutant, current_iteration);
    FILE *file = keep ? fopen(FUZZ_NAME ".mutant", "wb") : NULL;
    if (file != NULL) {
      fwrite(mutant.at, 1, mutant.size, file);
      fclose(file);
    }
    size_t limit_bytes = draw(8) == 0 ? 1 + draw(200000) : 8u << 20;
    n_accepted += check_text(mutant.at, mutant.size, limit_bytes);
  }
  free(mutant.at);
  return n_accepted;
}

static int fuzz_main(int argc, char **argv) {
  unsigned long long n = 20000, only = 0;
  for (int option; (option = getopt(argc, argv, "n:s:i:")) != -1;) {
    if (option == 'n') n = strtoull(optarg, NULL, 10);
    else if (option == 's') seed = strtoull(optarg, NULL, 10);
    else if (option == 'i') only = strtoull(optarg, NULL, 10);
    else return 2;
  }
  for (int i = optind; i < argc; i++)
    if (load_folder(argv[i]) != 0) return 2;
  if (n_files == 0) {
    fprintf(stderr, "usage: " FUZZ_NAME " [-n ITERATIONS] [-s SEED] [-i ITERATION] DIRECTORY...\n");
    return 2;
  }
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_death);
  else signal(SIGSEGV, on_signal);
  signal(SIGALRM, on_signal);
  signal(SIGABRT, on_signal);
  unsigned long long n_accepted = 0;
  for (uint32_t i = 0; i < n_files && only == 0; i++) {
    alarm(SECONDS_PER_TEXT);
    n_accepted += check_text(files[i].at, files[i].size, 0);
  }
  printf("%u files, %llu accepted\n", n_files, n_accepted);
  n_accepted = only != 0 ? fuzz(only, only + 1, true) : fuzz(1, n + 1, false);
  printf("%llu mutants of seed %llu, %llu accepted\n", only != 0 ? 1 : n, seed, n_accepted);
  for (uint32_t i = 0; i < n_files; i++) free(files[i].at);
  return 0;
}

#endif
