// SPDX-License-Identifier: MIT
// decode/link.c - loading a module: its variables get device memory and their initial values, its
// entry points are decoded. Everything is checked at load, so that a kernel that loads can run.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/module.h"

static const size_t MODULE_MEMORY_LIMIT_BYTES = (size_t)2 << 30;

// ---- variables ---------------------------------------------------------------------------------

static bool has_memory(const ptx_variable *v) {
  return !v->is_extern && (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) &&
         v->size_bytes;
}

static bool swaps_words(const simt_module *m, const ptx_function *f) {
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    isa_op op;
    isa_refusal refusal;
    if (isa_lookup(&m->isa, &f->instrs[i], &op, &refusal) == SIMT_OK &&
        op.row->id == ISA_ATOM_CAS_B32)
      return true;
  }
  return false;
}

// Atomics on one or two bytes are a compare-and-swap of the word that they lie in, which reaches
// beyond a small variable. On a GPU there is always memory; here there is where a module has such a
// swap.
static uint64_t memory_of(simt_module *m, const ptx_variable *v) {
  enum { WORD_BYTES = 4 };
  if (v->size_bytes % WORD_BYTES == 0 || v->space == PTX_SPACE_CONST) return v->size_bytes;
  for (uint32_t i = 0; i < m->ptx->n_functions && !m->has_looked_for_swaps; i++)
    m->swaps_words |= swaps_words(m, &m->ptx->functions[i]);
  m->has_looked_for_swaps = true;
  return m->swaps_words ? (v->size_bytes / WORD_BYTES + 1) * WORD_BYTES : v->size_bytes;
}

static simt_status place_variable(simt_module *m, uint32_t i, simt_diag *diag) {
  const ptx_variable *v = &m->ptx->variables[i];
  if (v->space == PTX_SPACE_CONST) m->const_bytes += v->size_bytes;
  if (!has_memory(v)) return SIMT_OK;
  char *name = simt_str_copy(&m->arena, v->name);
  if (!name) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  simt_allocation_kind kind =
      v->space == PTX_SPACE_CONST ? SIMT_ALLOCATION_CONSTANT : SIMT_ALLOCATION_VARIABLE;
  simt_status status =
      simt_memory_alloc(m->memory, memory_of(m, v), kind, name, &m->variable_address[i], diag);
  if (status != SIMT_OK) return status;
  uint8_t *host = simt_memory_host(m->memory, m->variable_address[i], v->size_bytes);
  if (v->init) memcpy(host, v->init, (size_t)v->size_bytes);
  return SIMT_OK;
}

static simt_status relocate(simt_module *m, uint32_t i, simt_diag *diag) {
  const ptx_variable *v = &m->ptx->variables[i];
  // clang's own list of what the host uses, kernels too; no code reads it.
  if (simt_str_is(v->name, "__clang_gpu_used_external")) return SIMT_OK;
  for (uint32_t r = 0; r < v->n_relocs && has_memory(v); r++) {
    const ptx_reloc *reloc = &v->relocs[r];
    uint64_t address;
    const ptx_variable *to = simt_module_find_variable(m, reloc->symbol, &address);
    const uint64_t function = to ? 0 : simt_function_address(m, reloc->symbol);
    if (function) address = function;
    else if (!to || !has_memory(to))
      return simt_fail(
          diag, SIMT_UNSUPPORTED,
          "%s:%u: the initialiser of '%.*s' needs the address of '%.*s', which has none here",
          m->ptx->name, v->line, SIMT_STR_ARG(v->name), SIMT_STR_ARG(reloc->symbol));
    uint64_t value = (address + (uint64_t)reloc->addend) >> reloc->shift_bits;
    memcpy(simt_memory_host(m->memory, m->variable_address[i], v->size_bytes) + reloc->at, &value,
           reloc->size_bytes);
  }
  return SIMT_OK;
}

const ptx_variable *simt_module_find_variable(const simt_module *module, simt_str name,
                                              uint64_t *address) {
  const ptx_variable *v = ptx_find_global(module->ptx, name);
  *address = v ? module->variable_address[v - module->ptx->variables] : 0;
  return v;
}

// ---- kernels -----------------------------------------------------------------------------------

static simt_status load_kernels(simt_module *m, simt_diag *diag) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->ptx->n_functions; i++)
    n += m->ptx->functions[i].is_entry && m->ptx->functions[i].has_body;
  m->kernels = SIMT_ARENA_ARRAY(&m->arena, simt_kernel, n + 1);
  if (!m->kernels) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  for (uint32_t i = 0; i < m->ptx->n_functions; i++) {
    const ptx_function *f = &m->ptx->functions[i];
    if (!f->is_entry || !f->has_body) continue;
    simt_kernel *k = &m->kernels[m->n_kernels];
    *k = (simt_kernel){.module = m,
                       .function = f,
                       .name = simt_str_copy(&m->arena, f->name),
                       .attempts = SIMT_ARENA_ARRAY(&m->arena, simt_thread_attempts, 1)};
    if (!k->name || !k->attempts ||
        !simt_map_add(&m->kernel_names, &m->arena, f->name, m->n_kernels))
      return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
    simt_status status = simt_decode_kernel(m, k, diag);
    if (status != SIMT_OK) return status;
    m->n_kernels++;
  }
  return SIMT_OK;
}

static simt_status load(simt_module *m, const char *name, const ptx_unit *units, uint32_t n_units,
                        simt_diag *diag) {
  simt_status status = ptx_link(&m->ptx, name, units, n_units, MODULE_MEMORY_LIMIT_BYTES, diag);
  if (status != SIMT_OK) return status;
  if (m->ptx->address_bits != 64)
    return simt_fail(diag, SIMT_UNSUPPORTED, "%s: only .address_size 64 is supported",
                     m->ptx->name);
  m->variable_address = SIMT_ARENA_ARRAY(&m->arena, uint64_t, m->ptx->n_variables + 1);
  if (!m->variable_address)
    return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  status = simt_find_functions(m, diag);
  for (uint32_t i = 0; i < m->ptx->n_variables && status == SIMT_OK; i++)
    status = place_variable(m, i, diag);
  for (uint32_t i = 0; i < m->ptx->n_variables && status == SIMT_OK; i++)
    status = relocate(m, i, diag);
  return status == SIMT_OK ? load_kernels(m, diag) : status;
}

simt_status simt_module_load(simt_module **module, simt_memory *memory, const char *name,
                             const char *text, size_t text_bytes, simt_diag *diag) {
  const ptx_unit unit = {name, text, text_bytes};
  return simt_module_link(module, memory, name, &unit, 1, diag);
}

simt_status simt_module_link(simt_module **module, simt_memory *memory, const char *name,
                             const ptx_unit *units, uint32_t n_units, simt_diag *diag) {
  *module = NULL;
  simt_module *m = calloc(1, sizeof *m);
  if (!m) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to load the module");
  m->memory = memory;
  isa_index_build(&m->isa);
  simt_arena_limit(&m->arena, MODULE_MEMORY_LIMIT_BYTES);
  simt_status status = load(m, name, units, n_units, diag);
  if (status != SIMT_OK) {
    simt_module_unload(m);
    return status;
  }
  *module = m;
  return SIMT_OK;
}

void simt_module_unload(simt_module *m) {
  if (!m) return;
  for (uint32_t i = 0; m->ptx && m->variable_address && i < m->ptx->n_variables; i++)
    if (m->variable_address[i]) simt_memory_free(m->memory, m->variable_address[i], NULL);
  ptx_module_free(m->ptx);
  simt_arena_free(&m->arena);
  free(m);
}

// ---- look-ups ----------------------------------------------------------------------------------

const simt_kernel *simt_module_kernel(const simt_module *module, const char *name) {
  uint32_t index;
  return simt_map_find(&module->kernel_names, simt_str_of(name), &index) ? &module->kernels[index]
                                                                         : NULL;
}

uint32_t simt_module_n_kernels(const simt_module *module) { return module->n_kernels; }

const simt_kernel *simt_module_kernel_at(const simt_module *module, uint32_t index) {
  return index < module->n_kernels ? &module->kernels[index] : NULL;
}

// A unit's own variable, to whose name the parser has added a suffix: "name@@3". nvcc registers
// such variables under names that no other unit has.
static const ptx_variable *find_own(const simt_module *m, simt_str name, uint64_t *address) {
  for (uint32_t i = 0; i < m->ptx->n_variables; i++) {
    const simt_str other = m->ptx->variables[i].name;
    if (other.size < name.size + 2 || memcmp(other.at, name.at, name.size) != 0 ||
        memcmp(other.at + name.size, "@@", 2) != 0)
      continue;
    *address = m->variable_address[i];
    return &m->ptx->variables[i];
  }
  return NULL;
}

simt_status simt_module_variable(const simt_module *module, const char *name, uint64_t *address,
                                 uint64_t *size_bytes) {
  const ptx_variable *v = simt_module_find_variable(module, simt_str_of(name), address);
  if (!v && module->ptx->n_units > 1) v = find_own(module, simt_str_of(name), address);
  if (!v || !*address) return SIMT_NOT_FOUND;
  *size_bytes = v->size_bytes;
  return SIMT_OK;
}

static uint32_t product_or(const uint32_t limits[3], uint32_t otherwise) {
  if (!limits[0]) return otherwise;
  return limits[0] * (limits[1] ? limits[1] : 1) * (limits[2] ? limits[2] : 1);
}

void simt_kernel_describe(const simt_kernel *k, simt_kernel_info *info) {
  *info = (simt_kernel_info){.name = k->name,
                             .module = k->module->ptx,
                             .n_params = k->function->n_params,
                             .param_bytes = k->function->param_bytes,
                             .params = k->function->params,
                             .static_shared_bytes = k->static_shared_bytes,
                             .local_bytes_per_thread = k->local_bytes,
                             .const_bytes = k->module->const_bytes,
                             .registers_per_thread = k->registers_per_thread,
                             .max_threads = product_or(k->function->required_threads,
                                                       product_or(k->function->max_threads, 1024)),
                             .max_cluster_blocks = k->function->max_cluster_blocks,
                             .is_cluster_explicit = k->function->is_cluster_explicit};
  memcpy(info->required_cluster, k->function->required_cluster, sizeof info->required_cluster);
}
