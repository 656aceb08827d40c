// SPDX-License-Identifier: MIT
// runtime/driver_link.c - the driver's linker, which collects PTX texts and looks for what is
// missing, and the logs that a program asks for with its options. Code is made of the texts when
// the module is loaded.
#include "runtime/driver.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

// ---- Logs.

void simt_drv_logs(const simt_drv_options *o, const char *why) {
  size_t room = 0;
  const bool asks = o->options && o->values;
  for (unsigned i = 0; i < o->n && asks; i++)
    if (o->options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) room = (size_t)(uintptr_t)o->values[i];
  size_t length = 0;
  for (unsigned i = 0; i < o->n && asks; i++) {
    const bool is_error_log = o->options[i] == CU_JIT_ERROR_LOG_BUFFER;
    if ((!is_error_log && o->options[i] != CU_JIT_INFO_LOG_BUFFER) || !o->values[i]) continue;
    if (!why || !is_error_log) *(char *)o->values[i] = '\0';
    else if (room) length = (size_t)snprintf(o->values[i], room, "%s\n", why);
  }
  if (length >= room) length = room ? room - 1 : 0;
  for (unsigned i = 0; i < o->n && asks; i++) { // how much of each buffer is used
    if (o->options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      o->values[i] = (void *)(uintptr_t)(length ? length + 1 : 0);
    if (o->options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) o->values[i] = NULL;
    if (o->options[i] == CU_JIT_WALL_TIME) o->values[i] = NULL; // 0.0f: nothing is compiled
  }
}

// `name:LINE: what` as ptxas says it.
static void say_in_line(const simt_diag *diag, char *out, size_t out_bytes) {
  unsigned line = 0;
  int end = 0;
  const char *colon = strchr(diag->text, ':');
  if (colon && sscanf(colon, ":%u: %n", &line, &end) == 1 && end)
    snprintf(out, out_bytes, "ptxas application ptx input, line %u; error   : %s", line,
             colon + end);
  else snprintf(out, out_bytes, "ptxas error   : %s", diag->text);
}

bool simt_drv_reads(const char *text, size_t bytes, char *why, size_t why_bytes) {
  ptx_module *module = NULL;
  simt_diag diag = {.status = SIMT_OK, .text = ""};
  if (ptx_parse(&module, "", text, bytes, SIZE_MAX, &diag) == SIMT_OK) {
    ptx_module_free(module);
    return true;
  }
  say_in_line(&diag, why, why_bytes);
  return false;
}

// ---- The linker.

struct CUlinkState_st {
  char *text;
  size_t bytes;
  simt_drv_options options; // the program's, valid until the state is destroyed
};

CUresult cuLinkCreate(unsigned int n, CUjit_option *options, void **values, CUlinkState *state) {
  if (!atomic_load(&simt_drv_is_initialised)) return CUDA_ERROR_NOT_INITIALIZED;
  if (simt_drv_needs_context()) return simt_drv_needs_context();
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  if (!(*state = calloc(1, sizeof **state))) return CUDA_ERROR_OUT_OF_MEMORY;
  (*state)->options = (simt_drv_options){n, options, values};
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int n, CUjit_option *options, void **values) {
  (void)name, (void)n, (void)options, (void)values;
  if (!state || !data || !bytes) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_JIT_INPUT_PTX) return CUDA_ERROR_NO_BINARY_FOR_GPU; // machine code does not run
  char why[512];
  if (!simt_drv_reads(data, strnlen(data, bytes), why, sizeof why)) {
    simt_drv_logs(&state->options, why);
    return CUDA_ERROR_INVALID_PTX;
  }
  const size_t length = strnlen(data, bytes), between = strlen(SIMT_RT_NEXT_UNIT);
  char *grown = realloc(state->text, state->bytes + between + length + 1);
  if (!grown) return CUDA_ERROR_OUT_OF_MEMORY;
  state->text = grown;
  if (state->bytes) {
    memcpy(grown + state->bytes, SIMT_RT_NEXT_UNIT, between);
    state->bytes += between;
  }
  memcpy(grown + state->bytes, data, length);
  state->bytes += length;
  grown[state->bytes] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
                       CUjit_option *options, void **values) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  char *text = NULL;
  size_t bytes = 0, room = 0, got = 1;
  CUresult result = CUDA_SUCCESS;
  while (!result && got) {
    if (bytes == room) {
      room = room ? 2 * room : 1 << 16;
      char *grown = realloc(text, room);
      if (!grown) result = CUDA_ERROR_OUT_OF_MEMORY;
      else text = grown;
    }
    got = result ? 0 : fread(text + bytes, 1, room - bytes, file);
    bytes += got;
  }
  fclose(file);
  if (!result) result = cuLinkAddData(state, type, text, bytes, path, n, options, values);
  free(text);
  return result;
}

enum { MOST_UNITS = 64 };

static size_t units_of(const struct CUlinkState_st *state, ptx_unit *units) {
  size_t n = 0;
  for (const char *at = state->text, *next; at && n < MOST_UNITS; at = next) {
    next = strstr(at, SIMT_RT_NEXT_UNIT);
    units[n++] = (ptx_unit){"", at, next ? (size_t)(next - at) : strlen(at)};
    if (next) next += strlen(SIMT_RT_NEXT_UNIT);
  }
  return n;
}

static bool is_of_system(simt_str name) { // defined by the device's runtime
  static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail", "cudaMalloc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (name.size == strlen(names[i]) && !memcmp(name.at, names[i], name.size)) return true;
  return false;
}

// What no text defines, or where two define the same; NULL text: nothing is missing.
static bool is_complete(const struct CUlinkState_st *state, char *why, size_t why_bytes) {
  ptx_unit units[MOST_UNITS];
  ptx_module *module = NULL;
  simt_diag diag = {.status = SIMT_OK, .text = ""};
  const size_t n = units_of(state, units);
  if (ptx_link(&module, "", units, (uint32_t)n, SIZE_MAX, &diag) != SIMT_OK) {
    snprintf(why, why_bytes, "error   : %s", diag.text);
    return false;
  }
  bool complete = true;
  for (uint32_t i = 0; complete && i < module->n_functions; i++) {
    const ptx_function *f = &module->functions[i];
    complete = f->has_body || is_of_system(f->name);
    if (!complete)
      snprintf(why, why_bytes, "error   : Undefined reference to '%.*s'", SIMT_STR_ARG(f->name));
  }
  ptx_module_free(module);
  return complete;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  if (!state || !image || !state->bytes) return CUDA_ERROR_INVALID_VALUE;
  char why[512];
  const bool complete = is_complete(state, why, sizeof why);
  simt_drv_logs(&state->options, complete ? NULL : why);
  if (!complete) return CUDA_ERROR_UNKNOWN; // as on an H100
  *image = state->text;                     // still owned by the state
  if (bytes) *bytes = state->bytes + 1;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  if (!state) return CUDA_ERROR_INVALID_VALUE;
  free(state->text);
  free(state);
  return CUDA_SUCCESS;
}
