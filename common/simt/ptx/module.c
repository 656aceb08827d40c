// SPDX-License-Identifier: MIT
// ptx/module.c - reading a parsed module: types, look-ups, source positions as text.
#include "ptx/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 4 }; // of inlined code that a description names

static const struct {
  const char *name;
  uint32_t size_bytes;
} types[PTX_TYPE_COUNT] = {
    [PTX_NO_TYPE] = {"", 0},      [PTX_PRED] = {"pred", 0},   [PTX_B8] = {"b8", 1},
    [PTX_U8] = {"u8", 1},         [PTX_S8] = {"s8", 1},       [PTX_B16] = {"b16", 2},
    [PTX_U16] = {"u16", 2},       [PTX_S16] = {"s16", 2},     [PTX_F16] = {"f16", 2},
    [PTX_BF16] = {"bf16", 2},     [PTX_B32] = {"b32", 4},     [PTX_U32] = {"u32", 4},
    [PTX_S32] = {"s32", 4},       [PTX_F32] = {"f32", 4},     [PTX_F16X2] = {"f16x2", 4},
    [PTX_U16X2] = {"u16x2", 4},   [PTX_S16X2] = {"s16x2", 4}, [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_B64] = {"b64", 8},       [PTX_U64] = {"u64", 8},     [PTX_S64] = {"s64", 8},
    [PTX_F64] = {"f64", 8},       [PTX_B128] = {"b128", 16},  [PTX_E4M3X2] = {"e4m3x2", 2},
    [PTX_E5M2X2] = {"e5m2x2", 2}, [PTX_TF32] = {"tf32", 4},   [PTX_U2] = {"u2", 1},
    [PTX_S2] = {"s2", 1},         [PTX_U4] = {"u4", 1},       [PTX_S4] = {"s4", 1},
};

_Static_assert(PTX_TYPE_COUNT == 30, "a new type needs a name and a size here");

uint32_t ptx_type_size_bytes(ptx_type type) {
  return (unsigned)type < PTX_TYPE_COUNT ? types[type].size_bytes : 0;
}

const char *ptx_type_name(ptx_type type) {
  return (unsigned)type < PTX_TYPE_COUNT ? types[type].name : "";
}

bool ptx_type_is_float(ptx_type type) {
  switch (type) {
  case PTX_F16:
  case PTX_F16X2:
  case PTX_BF16:
  case PTX_BF16X2:
  case PTX_E4M3X2:
  case PTX_E5M2X2:
  case PTX_F32:
  case PTX_F64: return true;
  default: return false;
  }
}

bool ptx_type_from_name(simt_str name, ptx_type *type) {
  for (int i = PTX_PRED; i < PTX_TYPE_COUNT; i++) {
    if (simt_str_is(name, types[i].name)) {
      *type = (ptx_type)i;
      return true;
    }
  }
  return false;
}

void ptx_module_free(ptx_module *module) {
  if (module == NULL) return;
  simt_arena_free(&module->arena);
  free(module);
}

const ptx_function *ptx_find_function(const ptx_module *module, simt_str name) {
  uint32_t index;
  return simt_map_find(&module->function_names, name, &index) ? &module->functions[index] : NULL;
}

const ptx_variable *ptx_find_global(const ptx_module *module, simt_str name) {
  uint32_t index;
  return simt_map_find(&module->variable_names, name, &index) ? &module->variables[index] : NULL;
}

const ptx_variable *ptx_find_variable(const ptx_variable *variables, uint32_t n, simt_str name) {
  for (uint32_t i = 0; i < n; i++)
    if (simt_str_equal(variables[i].name, name)) return &variables[i];
  return NULL;
}

bool ptx_names_register(const ptx_operand *operand, int32_t reg) {
  bool may = operand->kind == PTX_OPERAND_REGISTER ||
             (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_OPERAND_REGISTER);
  if (may && operand->reg == reg) return true;
  for (uint32_t i = 0; i < operand->n_items; i++)
    if (ptx_names_register(&operand->items[i], reg)) return true;
  return false;
}

// Labels are sorted by name: see ptx/function.c.
int64_t ptx_find_label(const ptx_function *function, simt_str name) {
  uint32_t low = 0, high = function->n_labels;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    simt_str other = function->labels[middle].name;
    uint32_t common = other.size < name.size ? other.size : name.size;
    int order = memcmp(other.at, name.at, common);
    if (order == 0 && other.size == name.size) return function->labels[middle].instr;
    if (order < 0 || (order == 0 && other.size < name.size)) low = middle + 1;
    else high = middle;
  }
  return -1;
}

static simt_str file_name(const ptx_module *module, uint32_t number) {
  for (uint32_t i = 0; i < module->n_files; i++)
    if (module->files[i].number == number) return module->files[i].name;
  return SIMT_STR("unknown file");
}

bool ptx_comes_from(const ptx_module *module, int32_t loc, const char *part) {
  for (; loc >= 0 && (uint32_t)loc < module->n_locs; loc = module->locs[loc].inlined_at)
    if (simt_str_contains(file_name(module, module->locs[loc].file), part)) return true;
  return false;
}

bool ptx_is_toolkit(simt_str file) {
  static const char *const parts[] = {"/simt_cuda/",
                                      "/cooperative_groups",
                                      "/crt/",
                                      "__clang_cuda",
                                      "/cuda_fp16",
                                      "/cuda_bf16",
                                      "intrinsics",
                                      "device_atomic_functions",
                                      "device_functions",
                                      "/cuda_runtime",
                                      "vector_functions",
                                      "/cuda_device_runtime_api"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (simt_str_contains(file, parts[i])) return true;
  return false;
}

const ptx_loc *ptx_own_loc(const ptx_module *module, int32_t loc, simt_str *file) {
  const ptx_loc *toolkit = NULL;
  for (; loc >= 0 && (uint32_t)loc < module->n_locs; loc = module->locs[loc].inlined_at) {
    const ptx_loc *frame = &module->locs[loc];
    if (!frame->line) continue;
    *file = file_name(module, frame->file);
    if (!ptx_is_toolkit(*file)) return frame;
    if (!toolkit) toolkit = frame;
  }
  if (toolkit) *file = file_name(module, toolkit->file);
  return toolkit;
}

// The last component of a path, as compute-sanitizer shows it.
static simt_str short_name(simt_str name) {
  for (uint32_t at = name.size; at > 0; at--)
    if (name.at[at - 1] == '/' && at < name.size) return (simt_str){name.at + at, name.size - at};
  return name;
}

static void __attribute__((format(printf, 4, 5)))
append(char *out, size_t out_bytes, size_t *at, const char *format, ...) {
  if (*at >= out_bytes) return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out + *at, out_bytes - *at, format, args);
  va_end(args);
  if (n > 0) *at += (size_t)n;
}

const char *ptx_describe_loc(const ptx_module *module, int32_t loc, uint32_t ptx_line, char *out,
                             size_t out_bytes) {
  const ptx_loc *frames[MOST_FRAMES]; // the innermost ones, and the outermost in the last
  uint32_t n_frames = 0, n_shown = 0;
  size_t at = 0;
  if (out_bytes != 0) out[0] = '\0';
  while (loc >= 0 && (uint32_t)loc < module->n_locs) { // inlined_at points backwards: it ends
    const ptx_loc *frame = &module->locs[loc];
    loc = frame->inlined_at;
    if (frame->line == 0) continue;
    n_shown = n_frames < MOST_FRAMES ? n_frames + 1 : MOST_FRAMES;
    frames[n_shown - 1] = frame;
    n_frames++;
  }
  for (uint32_t i = 0; i < n_shown; i++) {
    const char *before = i == 0 ? "" : i == 1 ? " (inlined at " : ", ";
    const char *gap = n_frames > MOST_FRAMES && i == MOST_FRAMES - 1 ? "..., " : "";
    simt_str file = short_name(file_name(module, frames[i]->file));
    append(out, out_bytes, &at, "%s%s%.*s:%u", before, gap, SIMT_STR_ARG(file), frames[i]->line);
  }
  if (n_shown > 1) append(out, out_bytes, &at, ")");
  if (n_shown == 0) append(out, out_bytes, &at, "%s:%u", module->name, ptx_line);
  return out;
}
