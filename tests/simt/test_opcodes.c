// SPDX-License-Identifier: MIT
// test_opcodes.c - every row of isa.def in a whole PTX kernel, through the CUDA runtime API alone.
//
// Built against the software GPU it is a unit test; built with the CUDA toolkit the same file asks
// a real GPU whether the tables are right (cases beyond its compute capability are skipped):
//   nvcc -x c -o opcodes_on_gpu tests/simt/test_opcodes.c -lcudart -lm    (or any C compiler)
//
// usage: test_opcodes [--list] [--json] [--only ROW] [--dump DIR]
//   --json writes each mismatch as one object per line; --dump writes every kernel as a .ptx file.
// Exit status 0 only if every case ran and matched.
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>

#include "opcode_case.h"
#include "opcode_kernel.h"

enum { TEXT_BYTES = 1 << 15, N_THREADS = 64, SCRATCH_BYTES = 4096, LANES = 32 };

typedef struct text {
  char at[TEXT_BYTES];
  size_t size;
} text;

static void add(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(t->at + t->size, sizeof t->at - t->size, format, arguments);
  va_end(arguments);
  if (n > 0) t->size += (size_t)n;
}

typedef struct options {
  bool list, json;
  const char *only, *dump;
} options;

typedef struct totals {
  unsigned n_run, n_skipped, n_failed;
} totals;

typedef struct buffers { // device memory, made once
  uint64_t *in, *out, *scratch;
} buffers;

// ---- kernels as text

static void add_header(text *t, int version, int sm) {
  add(t, ".version %d.%d\n.target sm_%d\n.address_size 64\n", version / 10, version % 10, sm);
}

static const char *register_type(char letter) {
  switch (letter) {
  case 'p': return ".pred";
  case 'h': return ".b16";
  case 'r': return ".b32";
  default: return ".b64";
  }
}

// Moves the 64-bit %x%i into the operand `name` and back.
static void add_load(text *t, char letter, char name, uint32_t i) {
  add(t, "  ld.global.b64 %%x, [%%from+%u];\n", 8 * i);
  if (letter == 'p') add(t, "  setp.ne.u64 %%%c, %%x, 0;\n", name);
  else if (letter == 'd') add(t, "  mov.b64 %%%c, %%x;\n", name);
  else add(t, "  cvt.u%d.u64 %%%c, %%x;\n", letter == 'h' ? 16 : 32, name);
}

static void add_store(text *t, char letter, char name, uint32_t i) {
  if (letter == 'p') add(t, "  selp.u64 %%x, 1, 0, %%%c;\n", name);
  else if (letter == 'd') add(t, "  mov.b64 %%x, %%%c;\n", name);
  else add(t, "  cvt.u64.u%d %%x, %%%c;\n", letter == 'h' ? 16 : 32, name);
  add(t, "  st.global.b64 [%%to+%u], %%x;\n", 8 * i);
}

// Lane l reads its sources from in[4 * l ...] and writes its results to out[2 * l ...].
static void case_text(text *t, const opcode_case *c) {
  static const char sources[] = "abce", results[] = "dq";
  t->size = 0;
  add_header(t, c->sm >= 90 ? 80 : 78, c->sm);
  add(t, ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n");
  add(t, "  .reg .b32 %%lane;\n  .reg .b64 %%from, %%to, %%x;\n");
  for (uint32_t i = 0; i < opcode_n_sources(c); i++) {
    add(t, "  .reg %s %%%c;\n", register_type(opcode_source_letter(c, i)), sources[i]);
  }
  for (uint32_t i = 0; i < opcode_n_results(c); i++) {
    add(t, "  .reg %s %%%c;\n", register_type(c->signature[i]), results[i]);
  }
  add(t, "  .reg %s %%t;\n", register_type(c->signature[0]));
  add(t, "  mov.u32 %%lane, %%tid.x;\n  ld.param.u64 %%from, [in];\n  ld.param.u64 %%to, [out];\n");
  add(t, "  mad.wide.u32 %%from, %%lane, %d, %%from;\n", 8 * OPCODE_MAX_SOURCES);
  add(t, "  mad.wide.u32 %%to, %%lane, %d, %%to;\n", 8 * OPCODE_MAX_RESULTS);
  for (uint32_t i = 0; i < opcode_n_sources(c); i++) {
    add_load(t, opcode_source_letter(c, i), sources[i], i);
  }
  add(t, "  %s\n", c->text);
  for (uint32_t i = 0; i < opcode_n_results(c); i++) add_store(t, c->signature[i], results[i], i);
  add(t, "  ret;\n}\n");
}

static void kernel_text(text *t, const opcode_kernel *k) {
  t->size = 0;
  add_header(t, k->version, k->sm);
  static const char bytes[] = "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}";
  add(t, ".global .align 16 .b8 gvar[16] = %s;\n", bytes);
  add(t, ".const .align 16 .b8 cvar[16] = %s;\n", bytes);
  add(t, ".func (.param .b32 y) twice(.param .b32 x)\n{\n  .reg .b32 %%a;\n"
         "  ld.param.b32 %%a, [x];\n  add.u32 %%a, %%a, %%a;\n  st.param.b32 [y], %%a;\n"
         "  ret;\n}\n");
  add(t, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scratch,\n"
         "  .param .u32 number)\n{\n"
         "  .shared .align 16 .b8 smem[2048];\n  .local .align 16 .b8 lmem[64];\n"
         "  .reg .pred %%p<8>;\n  .reg .b16 %%h<8>;\n  .reg .b32 %%r<16>;\n"
         "  .reg .b64 %%d<16>, %%to;\n"
         "  mov.u32 %%r0, %%tid.x;\n  ld.param.u64 %%d2, [in];\n  ld.param.u64 %%to, [out];\n"
         "  ld.param.u64 %%d0, [scratch];\n  mad.wide.u32 %%d1, %%r0, 8, %%d0;\n"
         "  mad.wide.u32 %%d2, %%r0, 8, %%d2;\n  mad.wide.u32 %%to, %%r0, 8, %%to;\n"
         "  ld.global.u64 %%d3, [%%d2];\n  mov.b64 {%%r1, %%r2}, %%d3;\n"
         "  and.b32 %%r15, %%r0, 1;\n  setp.ne.u32 %%p0, %%r15, 0;\n");
  add(t, "  %s\n  st.global.u64 [%%to], %%d15;\n  ret;\n}\n", k->body);
}

// ---- running one

static void complain(const options *o, totals *sum, const char *row, const char *what,
                     unsigned lane, uint64_t expected, uint64_t got, const uint64_t *sources) {
  sum->n_failed++;
  if (o->json) {
    printf("{\"row\": \"%s\", \"text\": \"%s\", \"lane\": %u, \"expected\": \"%llx\", "
           "\"got\": \"%llx\", \"sources\": \"%llx %llx %llx %llx\"}\n",
           row, what, lane, (unsigned long long)expected, (unsigned long long)got,
           (unsigned long long)sources[0], (unsigned long long)sources[1],
           (unsigned long long)sources[2], (unsigned long long)sources[3]);
    return;
  }
  printf("%s: %s\n  lane %u: %llx %llx %llx %llx gave %llx, expected %llx\n", row, what, lane,
         (unsigned long long)sources[0], (unsigned long long)sources[1],
         (unsigned long long)sources[2], (unsigned long long)sources[3], (unsigned long long)got,
         (unsigned long long)expected);
}

static void complain_error(const options *o, totals *sum, const char *row, const char *what,
                           const char *step, cudaError_t error) {
  sum->n_failed++;
  if (o->json) {
    printf("{\"row\": \"%s\", \"text\": \"%s\", \"step\": \"%s\", \"error\": \"%s\"}\n", row, what,
           step, cudaGetErrorName(error));
  } else {
    printf("%s: %s\n  %s failed: %s\n", row, what, step, cudaGetErrorString(error));
  }
}

// Loads, launches and waits; the step that failed goes to *step.
static cudaError_t launch(const char *ptx, unsigned n_threads, void **arguments,
                          const char **step) {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  *step = "loading";
  cudaError_t error = cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
  if (error != cudaSuccess) return error;
  *step = "launching";
  error = cudaLibraryGetKernel(&kernel, library, "k");
  if (error == cudaSuccess) {
    const dim3 grid = {1, 1, 1}, block = {n_threads, 1, 1};
    error = cudaLaunchKernel((const void *)kernel, grid, block, arguments, 0, NULL);
  }
  if (error == cudaSuccess) {
    *step = "running";
    error = cudaDeviceSynchronize();
  }
  const cudaError_t unloaded = cudaLibraryUnload(library);
  return error != cudaSuccess ? error : unloaded;
}

static void compare_case(const options *o, totals *sum, const opcode_case *c,
                         const opcode_vector *vectors, uint32_t n, uint32_t first,
                         const uint64_t *out) {
  for (uint32_t l = 0; l < LANES; l++) {
    const opcode_vector *v = &vectors[(first + l) % n];
    for (uint32_t r = 0; r < opcode_n_results(c); r++) {
      const uint64_t got = out[OPCODE_MAX_RESULTS * l + r];
      if (opcode_within(c->tolerance, v->results[r], got)) continue;
      complain(o, sum, c->row, c->text, l, v->results[r], got, v->sources);
      if (!o->json) return;
    }
    if (l + 1 == n) return; // the vectors begin again
  }
}

static void run_case(const options *o, totals *sum, const buffers *b, const opcode_case *c,
                     const char *ptx) {
  opcode_vector vectors[OPCODE_MAX_VECTORS];
  const uint32_t n = opcode_read_vectors(c, vectors);
  for (uint32_t first = 0; first < n; first += LANES) {
    uint64_t in[LANES * OPCODE_MAX_SOURCES], out[LANES * OPCODE_MAX_RESULTS];
    for (uint32_t l = 0; l < LANES; l++) {
      const opcode_vector *v = &vectors[(first + l) % n];
      memcpy(in + OPCODE_MAX_SOURCES * l, v->sources, sizeof v->sources);
    }
    void *arguments[] = {(void *)&b->in, (void *)&b->out};
    const char *step = "copying";
    cudaError_t error = cudaMemcpy(b->in, in, sizeof in, cudaMemcpyHostToDevice);
    if (error == cudaSuccess) error = launch(ptx, LANES, arguments, &step);
    if (error == cudaSuccess) error = cudaMemcpy(out, b->out, sizeof out, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
      complain_error(o, sum, c->row, c->text, step, error);
      return;
    }
    compare_case(o, sum, c, vectors, n, first, out);
  }
}

static void run_kernel(const options *o, totals *sum, const buffers *b, const opcode_kernel *k,
                       const char *ptx) {
  uint64_t in[N_THREADS], out[N_THREADS];
  for (uint32_t t = 0; t < N_THREADS; t++) in[t] = IN(t);
  unsigned number = NUMBER;
  void *arguments[] = {(void *)&b->in, (void *)&b->out, (void *)&b->scratch, &number};
  const char *step = "copying";
  cudaError_t error = cudaMemcpy(b->in, in, sizeof in, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) error = cudaMemset(b->out, 0xaa, sizeof out);
  if (error == cudaSuccess) error = cudaMemset(b->scratch, 0, SCRATCH_BYTES);
  if (error == cudaSuccess) error = launch(ptx, k->n_threads, arguments, &step);
  if (error == cudaSuccess) error = cudaMemcpy(out, b->out, sizeof out, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    complain_error(o, sum, k->row, k->body, step, error);
    return;
  }
  for (uint32_t t = 0; t < k->n_threads; t++) {
    const uint64_t expected = opcode_kernel_expected(k->line, t);
    if (out[t] == expected) continue;
    const uint64_t sources[4] = {in[t], 0, 0, 0};
    complain(o, sum, k->row, k->body, t, expected, out[t], sources);
    if (!o->json) return;
  }
}

// ---- all of them

static bool dump(const options *o, const char *row, unsigned index, const text *t) {
  if (!o->dump) return false;
  char path[512];
  snprintf(path, sizeof path, "%s/%04u_%s.ptx", o->dump, index, row);
  FILE *file = fopen(path, "w");
  if (file) {
    fwrite(t->at, 1, t->size, file);
    fclose(file);
  }
  return true;
}

static bool wanted(const options *o, totals *sum, const char *row, int sm, int device_sm) {
  if (o->only && strcmp(o->only, row)) return false;
  if (o->list) {
    printf("%s\n", row);
    return false;
  }
  if (sm > device_sm) {
    sum->n_skipped++;
    return false;
  }
  sum->n_run++;
  return true;
}

static void run_all(const options *o, totals *sum, const buffers *b, int device_sm) {
  static text t;
  for (unsigned i = 0; i < OPCODE_N_CASES; i++) {
    const opcode_case *c = &opcode_cases[i];
    if (!wanted(o, sum, c->row, c->sm, device_sm)) continue;
    case_text(&t, c);
    if (!dump(o, c->row, i, &t)) run_case(o, sum, b, c, t.at);
  }
  for (unsigned i = 0; i < OPCODE_N_KERNELS; i++) {
    const opcode_kernel *k = &opcode_kernels[i];
    if (!wanted(o, sum, k->row, k->sm, device_sm)) continue;
    kernel_text(&t, k);
    if (!dump(o, k->row, OPCODE_N_CASES + i, &t)) run_kernel(o, sum, b, k, t.at);
  }
}

static options read_options(int argc, char **argv) {
  options o = {false, false, NULL, NULL};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list")) o.list = true;
    else if (!strcmp(argv[i], "--json")) o.json = true;
    else if (!strcmp(argv[i], "--only") && i + 1 < argc) o.only = argv[++i];
    else if (!strcmp(argv[i], "--dump") && i + 1 < argc) o.dump = argv[++i];
    else {
      fprintf(stderr, "usage: test_opcodes [--list] [--json] [--only ROW] [--dump DIR]\n");
      exit(2);
    }
  }
  return o;
}

static cudaError_t prepare(buffers *b, int *major, int *minor) {
  cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, 0);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, 0);
  }
  if (error == cudaSuccess) error = cudaMalloc((void **)&b->in, LANES * OPCODE_MAX_SOURCES * 8);
  if (error == cudaSuccess) error = cudaMalloc((void **)&b->out, LANES * OPCODE_MAX_RESULTS * 8);
  if (error == cudaSuccess) error = cudaMalloc((void **)&b->scratch, SCRATCH_BYTES);
  return error;
}

int main(int argc, char **argv) {
  const options o = read_options(argc, argv);
  totals sum = {0, 0, 0};
  buffers b = {NULL, NULL, NULL};
  int major = 99, minor = 0;
  if (!o.list && !o.dump) {
    const cudaError_t error = prepare(&b, &major, &minor);
    if (error != cudaSuccess) {
      fprintf(stderr, "no device: %s\n", cudaGetErrorString(error));
      return 1;
    }
  }
  run_all(&o, &sum, &b, 10 * major + minor);
  if (o.list || o.dump) return 0;
  cudaFree(b.in);
  cudaFree(b.out);
  cudaFree(b.scratch);
  printf("%s%u cases on sm_%d%d: %u mismatches, %u skipped%s\n", o.json ? "{\"summary\": \"" : "",
         sum.n_run, major, minor, sum.n_failed, sum.n_skipped, o.json ? "\"}" : "");
  return sum.n_failed != 0 || sum.n_run == 0;
}
