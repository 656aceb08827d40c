// SPDX-License-Identifier: MIT
// decode/device_calls.c - calls of CUDA's runtime by device code, above all launches of kernels:
// an instruction each, which the core carries out (core/device_calls.c). Its arguments are loaded
// into registers first, a dim3 into three.
//
// What a kernel's own header has no call for since CUDA 12 is refused: waiting for kernels that it
// has launched, and launches of graphs.
#include "decode/device_calls.h"

#include <string.h>

#include "decode/builder.h"

const simt_device_call_row simt_device_call_rows[SIMT_DEVICE_CALL_COUNT] = {
#define DEVICE_CALL(id, name, arguments, result) {name, arguments, result},
#include "decode/device_calls.def"
#undef DEVICE_CALL
};

static bool drop_prefix(simt_str *name, const char *prefix) {
  const uint32_t n = (uint32_t)strlen(prefix);
  if (!simt_str_starts(*name, prefix)) return false;
  *name = (simt_str){name->at + n, name->size - n};
  return true;
}

static void drop_suffix(simt_str *name, const char *suffix) {
  const uint32_t n = (uint32_t)strlen(suffix);
  if (name->size > n && !memcmp(name->at + name->size - n, suffix, n)) name->size -= n;
}

simt_device_call simt_device_call_find(simt_str function) {
  simt_device_call call = SIMT_DEVICE_CALL_COUNT;
  if (!drop_prefix(&function, "__cudaCDP2") && !drop_prefix(&function, "cuda")) return call;
  drop_suffix(&function, "_ptsz");
  for (call = 0; call < SIMT_DEVICE_CALL_COUNT; call++)
    if (simt_str_is(function, simt_device_call_rows[call].name)) break;
  return call;
}

// The slots of the instruction, in the order of the arguments.
static uint32_t *slot_of(simt_instr *in, uint32_t argument) {
  return argument == 0 ? &in->a : argument == 1 ? &in->b : &in->service.in[argument - 2];
}

static simt_status load_arguments(const context *c, const char *arguments, const uint64_t *at,
                                  simt_instr *in) {
  uint32_t n = 0;
  for (uint32_t i = 0; arguments[i]; i++)
    for (uint32_t part = 0; part < (arguments[i] == 'd' ? 3u : 1u); part++)
      TRY(simt_decode_argument(c, at[i] + 4 * part, arguments[i] == 'p' ? 8 : 4, slot_of(in, n++)));
  return SIMT_OK;
}

simt_status simt_decode_device_call(const context *c, simt_device_call call, const uint64_t *in_at,
                                    const uint64_t *out_at) {
  const simt_device_call_row *row = &simt_device_call_rows[call];
  const uint8_t result_bytes = row->result == 'p' ? 8 : 4;
  simt_kernel *k = c->b->kernel;
  simt_instr in = simt_decode_blank(c, SIMT_FORM_DEVICE_CALL, SIMT_CLASS_CONTROL);
  in.service.call = (uint8_t)call;
  TRY(load_arguments(c, row->arguments, in_at, &in));
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = result_bytes, .is_register = true},
                           &in.d));
  k->order_matters = k->calls_runtime = true;
  k->uses_heap |= call == SIMT_DEVICE_MALLOC || call == SIMT_DEVICE_FREE;
  TRY(simt_decode_emit(c->b, &in));
  return simt_decode_store_result(c, out_at[0], result_bytes, in.d);
}

simt_status simt_decode_refuse_device_call(const context *c, simt_str name) {
  if (simt_str_is(name, "cudaDeviceSynchronize") ||
      simt_str_is(name, "__cudaDeviceSynchronizeDeprecationAvoidance"))
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "a kernel cannot wait for kernels that it has launched: CUDA 12 has "
                            "removed cudaDeviceSynchronize() from device code; launch what comes "
                            "afterwards into cudaStreamTailLaunch");
  if (simt_str_starts(name, "cudaGraph"))
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "calls %.*s(): graphs are launched and changed by the host only here",
                            SIMT_STR_ARG(name));
  if (simt_str_starts(name, "__cudaCDP2Mem"))
    return simt_decode_fail(c, SIMT_UNSUPPORTED,
                            "calls cuda%.*s(): device code copies and sets in one and two "
                            "dimensions here",
                            (int)name.size - 10, name.at + 10);
  return SIMT_OK;
}
