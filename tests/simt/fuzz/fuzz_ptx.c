// SPDX-License-Identifier: MIT
// fuzz_ptx.c - a deterministic mutation fuzzer of the PTX parser.
//
//   fuzz_ptx [-n ITERATIONS] [-s SEED] [-i ITERATION] DIRECTORY...
//
// Every file of the directories is parsed as it is, then ITERATIONS mutants of them (default 20000)
// under a memory limit. A parse must end within seconds, must not crash (build it with ASan and
// UBSan), must explain every refusal, and what it accepts must be consistent: indices in range,
// symbols declared, the same again when parsed again. Iteration i of seed s is always the same
// mutant: -i runs that one alone and leaves it in fuzz_ptx.mutant.
// With -DSIMT_LIBFUZZER the same check is a libFuzzer target.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptx.h"

enum { MOST_BYTES = 1 << 18, MOST_FILES = 256, MOST_MUTATIONS = 8, SECONDS_PER_PARSE = 20 };

#define REQUIRE(condition) \
  do { \
    if (!(condition)) complain(__LINE__, #condition); \
  } while (0)

static void complain(int line, const char *condition) {
  fprintf(stderr, "fuzz_ptx.c:%d: violated: %s\n", line, condition);
  abort();
}

static void check_operand(const ptx_function *f, const ptx_operand *operand, bool is_item) {
  ptx_operand_kind kind = operand->kind == PTX_OPERAND_ADDRESS ? operand->base : operand->kind;
  if (operand->has_second)
    REQUIRE(operand->second >= -1 && operand->second < (int32_t)f->n_registers);
  if (kind == PTX_OPERAND_REGISTER)
    REQUIRE(operand->reg >= 0 && (uint32_t)operand->reg < f->n_registers);
  if (kind == PTX_OPERAND_SYMBOL) {
    REQUIRE(operand->name.size > 0 && operand->reg >= -1);
    REQUIRE(operand->reg < (int32_t)f->n_variables);
    if (operand->reg >= 0)
      REQUIRE(simt_str_equal(f->variables[operand->reg].name, operand->name));
  }
  bool is_group = kind == PTX_OPERAND_VECTOR || kind == PTX_OPERAND_LIST;
  REQUIRE(is_group || operand->n_items == 0);
  REQUIRE(!is_group || !is_item);
  for (uint32_t i = 0; i < operand->n_items; i++) check_operand(f, &operand->items[i], true);
}

static void check_instr(const ptx_module *module, const ptx_function *f, const ptx_instr *instr) {
  char where[64];
  REQUIRE(instr->n_suffixes <= PTX_MAX_SUFFIXES && instr->n_operands <= PTX_MAX_OPERANDS);
  REQUIRE(instr->opcode.size > 0 && instr->line > 0);
  REQUIRE(instr->loc >= -1 && instr->loc < (int32_t)module->n_locs);
  REQUIRE(instr->guard >= -1 && instr->guard < (int32_t)f->n_registers);
  if (instr->guard >= 0) REQUIRE(f->registers[instr->guard].type == PTX_PRED);
  for (uint32_t i = 0; i < instr->n_operands; i++) check_operand(f, &instr->operands[i], false);
  ptx_describe_loc(module, instr->loc, instr->line, where, sizeof where);
  REQUIRE(strlen(where) > 0 && strlen(where) < sizeof where);
}

static void check_function(const ptx_module *module, const ptx_function *f) {
  uint32_t end_bytes = 0;
  for (uint32_t i = 0; i < f->n_params; i++) {
    const ptx_param *param = &f->params[i];
    if (param->reg >= 0) {
      REQUIRE(!f->has_body || (uint32_t)param->reg < f->n_registers);
      continue;
    }
    REQUIRE(param->offset_bytes >= end_bytes && param->offset_bytes % param->align_bytes == 0);
    end_bytes = param->offset_bytes + param->size_bytes;
  }
  REQUIRE(end_bytes == f->param_bytes);
  for (uint32_t i = 0; i < f->n_instrs; i++) check_instr(module, f, &f->instrs[i]);
  for (uint32_t i = 0; i < f->n_labels; i++) {
    REQUIRE(f->labels[i].instr <= f->n_instrs);
    REQUIRE(ptx_find_label(f, f->labels[i].name) == f->labels[i].instr);
  }
}

static void check_module(const ptx_module *module) {
  for (uint32_t i = 0; i < module->n_locs; i++)
    REQUIRE(module->locs[i].inlined_at >= -1 && module->locs[i].inlined_at < (int32_t)i);
  for (uint32_t i = 0; i < module->n_variables; i++) {
    const ptx_variable *v = &module->variables[i];
    REQUIRE(v->align_bytes != 0 && (v->align_bytes & (v->align_bytes - 1)) == 0);
    uint64_t sum = 0; // reads every byte of the initialiser
    for (uint64_t b = 0; v->init != NULL && b < v->size_bytes; b++) sum += v->init[b];
    REQUIRE(v->init != NULL || sum == 0);
    for (uint32_t r = 0; r < v->n_relocs; r++)
      REQUIRE((uint64_t)v->relocs[r].at + v->relocs[r].size_bytes <= v->size_bytes);
  }
  for (uint32_t i = 0; i < module->n_functions; i++) check_function(module, &module->functions[i]);
}

// Parses one text and checks what comes of it. True when it was accepted.
static bool check_text(const char *text, size_t text_bytes, size_t limit_bytes) {
  ptx_module *module = (ptx_module *)(uintptr_t)1, *again;
  simt_diag diag = {.status = SIMT_OK}, diag_again = {.status = SIMT_OK};
  simt_status status = ptx_parse(&module, "f.ptx", text, text_bytes, limit_bytes, &diag);
  REQUIRE(ptx_parse(&again, "f.ptx", text, text_bytes, limit_bytes, &diag_again) == status);
  if (status != SIMT_OK) {
    REQUIRE(module == NULL && again == NULL && diag.status == status);
    REQUIRE(strncmp(diag.text, "f.ptx:", 6) == 0 && strlen(diag.text) > 10);
    REQUIRE(strcmp(diag.text, diag_again.text) == 0);
    return false;
  }
  REQUIRE(module != NULL && again != NULL);
  REQUIRE(limit_bytes == 0 || module->arena.used_bytes <= limit_bytes);
  REQUIRE(module->arena.used_bytes == again->arena.used_bytes);
  check_module(module);
  ptx_module_free(module);
  ptx_module_free(again);
  return true;
}

#ifdef SIMT_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_text((const char *)data, size, 8u << 20);
  return 0;
}

#else

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

static const char *const dictionary[] = {
    ".version", ".target sm_70", ".address_size 64", ".entry", ".func", ".visible", ".extern",
    ".weak", ".global", ".const", ".shared", ".local", ".param", ".reg", ".align", ".ptr",
    ".attribute(.managed)", ".maxntid", ".section", ".file 1 \"x\"", ".loc 1 1 1", ", inlined_at 1 1 1",
    ", function_name $L+1", ".callprototype _ ()", ".branchtargets", ".pragma \"x\";", ".alias",
    ".b8", ".b32", ".f64", ".pred", ".b128", ".v2", ".v4", "{", "}", "[", "]", "(", ")", "<", ">",
    ";", ",", ":", "=", "@", "@!%p1", "|", "!", "+", "-", "+-", "_", "%r1", "%p1", "%rd1", "%tid.x",
    "%r<4294967295>", "%r<0>", "[]", "[0]", "[65536]", "[1099511627776]", "generic(", "mask(0xff)(",
    "0xff00(", "= {{1,2},{3}}", "0f3F800000", "0d3FF0000000000000", "1e308", "-1", "0",
    "18446744073709551615", "0x8000000000000000", "4294967296", "2147483648", "65536", "\"", "//",
    "/*", "*/", "\n", "\r\n", "\x00", "\xff", "\\", "call (x), f, (y), p", "bra L;", "L:", "ret;",
    "{ .reg .b32 %r1;", "WARP_SZ", "::", ".L2::128B"};

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
  if (draw(2))
    line_at(t, at, &begin, &size_bytes);
  else
    token_at(t, at, &begin, &size_bytes);
  if (size_bytes > t->size - begin) return;
  for (uint32_t n = draw(4) == 0 ? draw(300) : 1; n > 0; n--)
    replace(t, begin, 0, t->at + begin, size_bytes);
}

static void mutate(text *t) {
  size_t at = draw((uint32_t)t->size), begin, size_bytes;
  char byte = (char)draw(256);
  switch (draw(12)) {
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
    default: mutate_token(t, at); break;
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
  fprintf(stderr, "fuzz_ptx: died in iteration %llu of seed %llu; again with -s %llu -i %llu\n",
          current_iteration, seed, seed, current_iteration);
}

static void on_signal(int number) {
  on_death();
  if (number == SIGALRM) fprintf(stderr, "fuzz_ptx: the parser takes too long\n");
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
    alarm(SECONDS_PER_PARSE);
    make_mutant(&mutant, current_iteration);
    FILE *file = keep ? fopen("fuzz_ptx.mutant", "wb") : NULL;
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

int main(int argc, char **argv) {
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
    fprintf(stderr, "usage: fuzz_ptx [-n ITERATIONS] [-s SEED] [-i ITERATION] DIRECTORY...\n");
    return 2;
  }
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_death);
  else signal(SIGSEGV, on_signal);
  signal(SIGALRM, on_signal);
  signal(SIGABRT, on_signal);
  unsigned long long n_accepted = 0;
  for (uint32_t i = 0; i < n_files && only == 0; i++) {
    alarm(SECONDS_PER_PARSE);
    n_accepted += check_text(files[i].at, files[i].size, 0);
  }
  printf("%u files, %llu accepted\n", n_files, n_accepted);
  n_accepted = only != 0 ? fuzz(only, only + 1, true) : fuzz(1, n + 1, false);
  printf("%llu mutants of seed %llu, %llu accepted\n", only != 0 ? 1 : n, seed, n_accepted);
  for (uint32_t i = 0; i < n_files; i++) free(files[i].at);
  return 0;
}

#endif
