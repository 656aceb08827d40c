// SPDX-License-Identifier: MIT
// findings_fixture.h - what the tests of findings share: a set, and a launch described by hand.
//
// The kernel of most tests: its instructions stand at the lines of `source` that the .loc
// directives name; instruction i of the launch is instruction i of the PTX.
#ifndef FINDINGS_FIXTURE_H
#define FINDINGS_FIXTURE_H
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 // mkstemps
#endif

#include <check.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"
#include "findings/findings.h"
#include "runtime/platform.h"
#include "device/memory.h"

static const char *const source = "__shared__ float sum[256];\n"           // 1
                                  "__device__ float fold(float x) {\n"     // 2
                                  "  sum[t] = x;\n"                        // 3
                                  "  return sum[0];\n"                     // 4
                                  "}\n"                                    // 5
                                  "__global__ void tree(float *out) {\n"   // 6
                                  "  for (int s = 128; s > 0; s /= 2)\n"   // 7
                                  "    if (t < s) sum[t] += sum[t + s];\n" // 8
                                  "  bins[key]++;\n"                       // 9
                                  "\tout[blockIdx.x] = fold(sum[0]);\n"    // 10
                                  "  float b = fold(1);\n"                 // 11
                                  "}\n";

enum { N_CODE = 12 };
static char path[] = "/tmp/test_findings.XXXXXX.cu";
static simt_module *module;
static simt_memory *memory;
static simt_findings *findings;
static simt_launch_info info;
static const simt_shared_variable shared[] = {
    {{"_ZZ4treePfE3sum", 15}, 0, 1024, false},
    {{"_ZZ4treePfE4bins", 16}, 1024, 64, false},
    {{"flag", 4}, 1088, 4, false},
    {{"tail", 4}, 1092, 0, true},
};

// `last`: the last instruction with its .loc.
static inline void parse_module(const char *last) {
  const char *const body[N_CODE] = {
      ".loc 1 8 1\nld.shared.f32 %f1, [sum];",
      ".loc 1 8 1\nst.shared.f32 [sum], %f1;",
      ".loc 1 9 1\nld.shared.b32 %r1, [sum];",
      ".loc 1 9 1\nst.shared.b32 [sum], %r1;",
      ".loc 1 10 1\nst.global.f32 [g], %f1;",
      ".loc 1 0 0\nld.shared.u32 %r1, [sum];",
      ".loc 1 3 1, function_name L, inlined_at 1 10 1\nst.shared.f32 [sum], %f1;",
      ".loc 1 4 1, function_name L, inlined_at 1 10 1\nld.shared.f32 %f1, [sum];",
      ".loc 1 3 1, function_name L, inlined_at 1 11 1\nst.shared.f32 [sum], %f1;",
      ".loc 1 11 1\nst.shared.u64 [sum], %rd1;",
      ".loc 2 7 1, function_name L, inlined_at 1 9 1\natom.shared.add.u32 %r1, [sum], 1;",
      last};
  char text[4096];
  int at = snprintf(text, sizeof text,
                    ".version 7.0\n.target sm_70\n.address_size 64\n.global .f32 g;\n"
                    ".visible .entry _Z4treePf()\n{ .reg .pred %%p<2>; .reg .f32 %%f<2>; .reg .b32 "
                    "%%r<2>; .reg .b64 "
                    "%%rd<2>; .shared .align 8 .b8 sum[64];\nTOP:\n");
  for (int i = 0; i < N_CODE; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s\n", body[i]);
  at += snprintf(text + at, sizeof text - (size_t)at,
                 "ret;\n}\n.file 1 \"%s\"\n.file 2 \"/x/include/simt_cuda/atomics.h\"\n", path);
  simt_diag diag = {.text = ""};
  simt_status status = simt_module_load(&module, memory, "tree.ptx", text, (size_t)at, &diag);
  ck_assert_msg(status == SIMT_OK, "%s", diag.text);
}

// The kernel without the marker of its first block; a second one, of the `ret`, is not shown.
static inline void load(const char *last) {
  static simt_code_block blocks[2];
  parse_module(last);
  const simt_kernel *k = simt_module_kernel_at(module, 0);
  ck_assert_uint_le(k->n_blocks, 2);
  for (uint32_t i = 0; i < k->n_blocks; i++) {
    blocks[i] = k->blocks[i];
    blocks[i].first_pc -= 1;
  }
  info = (simt_launch_info){.module = k->module->ptx,
                            .kernel = k->function,
                            .grid = {4, 2, 1},
                            .block = {64, 4, 1},
                            .n_blocks = 8,
                            .block_threads = 256,
                            .warps_per_block = 8,
                            .shared_bytes = 2048,
                            .code = k->code + 1,
                            .n_code = N_CODE,
                            .code_loc = k->code_loc + 1,
                            .code_ptx_line = k->code_ptx_line + 1,
                            .code_blocks = blocks,
                            .n_code_blocks = k->n_blocks,
                            .shared_variables = shared,
                            .n_shared_variables = 4,
                            .launch = 3};
}

static inline void set_up(void) {
  strcpy(path, "/tmp/test_findings.XXXXXX.cu");
  int fd = mkstemps(path, 3);
  ck_assert_int_eq(write(fd, source, strlen(source)), (ssize_t)strlen(source));
  close(fd);
  ck_assert_int_eq(simt_memory_create(&memory, 1 << 20), SIMT_OK);
  load(".loc 1 7 1\n@%p1 bra TOP;");
  findings = simt_findings_create(memory);
  simt_findings_set_reader(findings, simt_host_sources(NULL));
  simt_findings_set_launch(findings, &info);
}

static inline void tear_down(void) {
  simt_findings_destroy(findings);
  simt_module_unload(module);
  simt_memory_destroy(memory);
  unlink(path);
}

static inline simt_finding race(simt_finding_kind kind, uint32_t first_pc, uint32_t second_pc,
                                simt_relation relation) {
  return (simt_finding){.kind = kind,
                        .first = {.act = SIMT_ACT_WRITE, .pc = first_pc, .warp = 1, .lane = 3},
                        .second = {.act = SIMT_ACT_READ, .pc = second_pc, .block = 5},
                        .relation = (uint8_t)relation,
                        .space = PTX_SPACE_SHARED,
                        .address = 16 * 4,
                        .width_bytes = 4};
}

static inline const char *text_of(unsigned limit, bool colour) {
  static char text[16384];
  FILE *file = tmpfile();
  const simt_sink to = simt_file_sink(file);
  simt_findings_print_new(findings, &to, colour, limit);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static inline cJSON *json_of(void) {
  static char text[32768];
  FILE *file = tmpfile();
  fputc('[', file);
  const simt_sink to = simt_file_sink(file);
  simt_findings_write_json(findings, &to);
  fputc(']', file);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  cJSON *list = cJSON_Parse(text);
  ck_assert_msg(list != NULL, "not JSON: %s", text);
  return list;
}

// Findings of a severity that are reported.
static inline uint64_t reported_in(const cJSON *list, const char *severity) {
  uint64_t n = 0;
  const cJSON *one;
  cJSON_ArrayForEach (one, list) {
    bool reported = cJSON_IsTrue(cJSON_GetObjectItem(one, "reported"));
    n += reported && strcmp(cJSON_GetObjectItem(one, "severity")->valuestring, severity) == 0;
  }
  return n;
}

static inline void has(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%s", part, text);
}
static inline void has_not(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) == NULL, "'%s' is in:\n%s", part, text);
}

// Adds one race and gives what is printed of it, its lines joined by blanks.
static inline const char *printed(simt_finding f) {
  static char joined[16384];
  simt_findings_add(findings, &f);
  snprintf(joined, sizeof joined, "%s", text_of(0, false));
  char *to = joined;
  for (const char *from = joined; *from; from++) {
    bool blank = *from == ' ' || *from == '\n';
    if (blank && to > joined && to[-1] == ' ') continue;
    *to++ = blank ? ' ' : *from;
  }
  *to = '\0';
  return joined;
}

#endif
