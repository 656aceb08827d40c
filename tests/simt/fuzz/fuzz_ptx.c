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

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) complain(__LINE__, #condition);                                              \
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
    if (operand->reg >= 0) REQUIRE(simt_str_equal(f->variables[operand->reg].name, operand->name));
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

#define FUZZ_NAME "fuzz_ptx"
#include "mutate.h"

int main(int argc, char **argv) { return fuzz_main(argc, argv); }

#endif
