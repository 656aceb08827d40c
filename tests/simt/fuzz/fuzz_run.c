// SPDX-License-Identifier: MIT
// fuzz_run.c - a deterministic mutation fuzzer of the whole pipeline: PTX text that loads is run.
//
//   fuzz_run [-n ITERATIONS] [-s SEED] [-i ITERATION] DIRECTORY...
//
// Every kernel of every text that simt_module_load accepts is launched with a small geometry and a
// low limit of instructions. Whatever the code does, the simulator must end, within seconds, with a
// status and an explanation: build it with ASan and UBSan, which detect accesses beyond its own
// memory. Geometry and schedule depend on the text alone, so that -i repeats a run exactly.
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"

enum { BUFFER_BYTES = 4096, MOST_WARP_INSTRUCTIONS = 3000, MOST_PRINTED = 1 << 16 };

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) complain(__LINE__, #condition);                                              \
  } while (0)

static void complain(int line, const char *condition) {
  fprintf(stderr, "fuzz_run.c:%d: violated: %s\n", line, condition);
  abort();
}

static uint64_t hash_bytes(const char *text, size_t text_bytes) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < text_bytes; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 29;
}

static void take_text(void *data, const char *text, size_t bytes) {
  size_t *sum = data;
  for (size_t i = 0; i < bytes; i++) *sum += (unsigned char)text[i]; // reads every byte
}

// A parameter block of exactly the declared size: 8-byte parameters are pointers, or nearly.
static uint8_t *make_params(const simt_kernel_info *info, uint64_t buffer, uint64_t random) {
  uint8_t *params = malloc(info->param_bytes ? info->param_bytes : 1);
  REQUIRE(params != NULL);
  memset(params, (int)(random & 3), info->param_bytes);
  for (uint32_t i = 0; i < info->n_params; i++) {
    if (info->params[i].size_bytes != 8) continue;
    uint64_t value = random >> i & 1 ? buffer : buffer + BUFFER_BYTES / 2;
    if ((random >> i & 0x1f000) == 0) value = (uint64_t)0 - 64; // an address that wraps around
    memcpy(params + info->params[i].offset_bytes, &value, sizeof value);
  }
  return params;
}

// Half of the launches in lockstep, the others in one of the hostile orders.
static simt_schedule make_schedule(uint64_t random) {
  static const uint8_t kinds[8] = {SIMT_SCHEDULE_REVERSE, SIMT_SCHEDULE_LANE_SERIAL,
                                   SIMT_SCHEDULE_RANDOM, SIMT_SCHEDULE_DELAYED_STORES};
  return (simt_schedule){.kind = kinds[random & 7], .seed = random >> 3 & 7};
}

static void launch(simt_memory *memory, const simt_kernel *kernel, uint64_t buffer,
                   uint64_t random) {
  static const uint32_t blocks[] = {1, 32, 33, 64, 7, 96, 31, 128};
  simt_kernel_info info;
  simt_kernel_describe(kernel, &info);
  if (info.static_shared_bytes > 1 << 20 || info.local_bytes_per_thread > 1 << 14) return;
  uint8_t *params = make_params(&info, buffer, random);
  size_t printed = 0;
  simt_diag diag = {.status = SIMT_OK};
  const simt_launch l = {.kernel = kernel,
                         .grid = {1 + (random >> 8 & 1), 1, 1},
                         .block = {blocks[random >> 10 & 7], 1 + (random >> 14 & 1), 1},
                         .dynamic_shared_bytes = random >> 16 & 1 ? 512 : 0,
                         .params = params,
                         .cooperative = random >> 17 & 1,
                         .max_warp_instructions = MOST_WARP_INSTRUCTIONS,
                         .schedule = make_schedule(random >> 18),
                         .print = take_text,
                         .print_data = &printed};
  simt_status status = simt_launch_run(memory, &l, &diag);
  REQUIRE(status == diag.status);
  REQUIRE(status == SIMT_OK || strlen(diag.text) > 4);
  free(params);
}

static bool check_text(const char *text, size_t text_bytes, size_t limit_bytes) {
  (void)limit_bytes;
  simt_memory *memory;
  simt_module *module = (simt_module *)(uintptr_t)1;
  simt_diag diag = {.status = SIMT_OK};
  uint64_t buffer, random = hash_bytes(text, text_bytes);
  REQUIRE(simt_memory_create(&memory, UINT64_C(64) << 20) == SIMT_OK);
  REQUIRE(simt_memory_alloc(memory, BUFFER_BYTES, SIMT_ALLOCATION_DEVICE, NULL, &buffer, &diag) ==
          SIMT_OK);
  simt_status status = simt_module_load(&module, memory, "f.ptx", text, text_bytes, &diag);
  REQUIRE((status == SIMT_OK) == (module != NULL));
  REQUIRE(status == SIMT_OK || (diag.status == status && strlen(diag.text) > 4));
  for (uint32_t i = 0; module && i < simt_module_n_kernels(module); i++)
    launch(memory, simt_module_kernel_at(module, i), buffer, random >> (i & 15));
  simt_module_unload(module);
  simt_memory_destroy(memory);
  return status == SIMT_OK;
}

#define FUZZ_NAME "fuzz_run"
#include "mutate.h"

int main(int argc, char **argv) { return fuzz_main(argc, argv); }
