// SPDX-License-Identifier: MIT
// differential.c - runs generated kernels (generate.h) through the CUDA runtime API and prints a
// hash of what each leaves behind. Built against the software GPU and with the CUDA toolkit, it
// makes the two comparable bit for bit:
//   cc -o differential tests/differential/*.c -I... -lcudart      (any C11 compiler)
//
// usage: differential [SEEDS] [options]          SEEDS: FIRST..LAST, or a list; default 0..99
//   --expect FILE    compare with the hashes in FILE instead of printing; names what differs
//                    (hash 0: not settled; such kernels are counted)
//   --compiler FILE  "SEED HASH STATEMENT": these kernels have these hashes instead, since the
//                    driver's optimising compiler does not do what the PTX ISA says
//   --trace          hashes of every kernel cut after 0, 1, 2 … statements: "SEED.LIMIT HASH"
//   --dump           all words that are hashed; --limit N: of the kernel cut after N statements
//   --print          the kernels' PTX, --last: the last statement within the limit; nothing is run
//   --coverage       how many statements use each row of isa.def; nothing is run
//   --stored FILE... run kernels that were kept: PTX whose first line says what a GPU gave,
//                    "// kernel NAME blocks N threads N hash H: what went wrong once"
//   --per-module N   kernels loaded at a time (64)
//   --optimise N     0 … 4: how hard the driver's compiler tries (as hard as it can); a kernel
//                    whose hash depends on it shows a mistake of that compiler, or open semantics
// Exit status: 0, 1 when a hash differs or CUDA failed, 2 for bad arguments.
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { MOST_PER_MODULE = 256, MOST_SEEDS = 1 << 20, MOST_OPTIMISED = 4 };
enum { OUT_WORDS = MAX_THREADS * STATE_WORDS, REGION_WORDS = OUT_WORDS + CELLS + MAX_THREADS };

typedef struct job {
  uint64_t seed;
  unsigned limit;
  kernel_shape shape;
  char name[64]; // of the kernel
} job;

typedef struct options {
  uint64_t *seeds; // [n_seeds]
  size_t n_seeds;
  unsigned limit, per_module, optimise; // optimise: MOST_OPTIMISED when not given
  bool traces, dumps, prints, last_only, coverage;
  const char *expect, *compiler;
  char **stored; // [n_stored] files
  int n_stored;
} options;

typedef struct session {
  const options *o;
  uint64_t *pool, *regions; // device
  uint64_t *start, *host;   // [per_module * REGION_WORDS] before and after
  uint32_t *expected;       // by seed; NULL: none
  size_t n_expected, n_compared, n_wrong, n_failed, n_open;
} session;

// ---- running

static bool ok(cudaError_t error, const char *step, uint64_t seed) {
  if (error == cudaSuccess) return true;
  fprintf(stderr, "seed %llu: %s: %s: %s\n", (unsigned long long)seed, step,
          cudaGetErrorName(error), cudaGetErrorString(error));
  return false;
}

static bool launch_one(session *s, cudaLibrary_t library, const job *one, size_t index) {
  cudaKernel_t kernel;
  if (!ok(cudaLibraryGetKernel(&kernel, library, one->name), "finding the kernel", one->seed))
    return false;
  uint64_t *out = s->regions + index * REGION_WORDS, *cells = out + OUT_WORDS,
           *private_cells = cells + CELLS;
  void *arguments[] = {&s->pool, &out, &cells, &private_cells};
  const dim3 grid = {one->shape.n_blocks, 1, 1}, block = {one->shape.n_threads, 1, 1};
  return ok(cudaLaunchKernel((const void *)kernel, grid, block, arguments, 0, NULL), "launching",
            one->seed);
}

// Runs all jobs of one module; afterwards s->host holds their regions.
static bool run_module(session *s, const char *ptx, const job *jobs, size_t n) {
  cudaLibrary_t library;
  const size_t bytes = n * REGION_WORDS * sizeof(uint64_t);
  enum cudaJitOption option[] = {cudaJitOptimizationLevel};
  void *values[] = {(void *)(uintptr_t)s->o->optimise};
  const unsigned n_options = s->o->optimise < MOST_OPTIMISED; // none where none is asked for
  if (!ok(cudaMemcpy(s->regions, s->start, bytes, cudaMemcpyHostToDevice), "copying", jobs->seed) ||
      !ok(cudaLibraryLoadData(&library, ptx, option, values, n_options, NULL, NULL, 0), "loading",
          jobs->seed))
    return false;
  bool fine = true;
  for (size_t i = 0; i < n && fine; i++) fine = launch_one(s, library, &jobs[i], i);
  fine = ok(cudaDeviceSynchronize(), "running", jobs->seed) && fine;
  fine = fine &&
         ok(cudaMemcpy(s->host, s->regions, bytes, cudaMemcpyDeviceToHost), "copying", jobs->seed);
  return ok(cudaLibraryUnload(library), "unloading", jobs->seed) && fine;
}

// ---- results

static uint64_t add_words(uint64_t hash, const uint64_t *words, size_t n) {
  for (size_t i = 0; i < n; i++) hash = mix64((hash ^ words[i]) + UINT64_C(0x9e3779b97f4a7c15));
  return hash;
}

static uint64_t hash_of(const job *one, const uint64_t *region) {
  const size_t n_threads = (size_t)one->shape.n_blocks * one->shape.n_threads;
  const uint64_t hash = add_words(one->shape.n_threads, region, n_threads * STATE_WORDS);
  return add_words(hash, region + OUT_WORDS, CELLS + n_threads);
}

static const char *word_name(unsigned word, char *out, size_t room) {
  static const struct {
    const char *letter;
    unsigned n;
  } groups[] = {{"p", 4}, {"h", 6}, {"r", 10}, {"d", 6}, {"local", 8}, {"own", 1}, {"cell", 1}};
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
    if (word < groups[i].n) {
      snprintf(out, room, "%s%u", groups[i].letter, word);
      break;
    }
    word -= groups[i].n;
  }
  return out;
}

static void dump(const job *one, const uint64_t *region) {
  char name[16];
  const unsigned n_threads = one->shape.n_blocks * one->shape.n_threads;
  for (unsigned t = 0; t < n_threads; t++)
    for (unsigned w = 0; w < STATE_WORDS; w++)
      printf("%llu.%u thread %u %s %016llx\n", (unsigned long long)one->seed, one->limit, t,
             word_name(w, name, sizeof name),
             (unsigned long long)region[(size_t)t * STATE_WORDS + w]);
  for (unsigned c = 0; c < CELLS + n_threads; c++)
    printf("%llu.%u %s %u %016llx\n", (unsigned long long)one->seed, one->limit,
           c < CELLS ? "global cell" : "private cell", c < CELLS ? c : c - CELLS,
           (unsigned long long)region[OUT_WORDS + c]);
}

static void report(session *s, const job *one, const uint64_t *region) {
  const uint64_t hash = hash_of(one, region);
  if (s->o->dumps) dump(one, region);
  else if (s->o->traces)
    printf("%llu.%u %016llx\n", (unsigned long long)one->seed, one->limit,
           (unsigned long long)hash);
  else if (s->expected == NULL)
    printf("%llu %016llx\n", (unsigned long long)one->seed, (unsigned long long)hash);
  else if (one->seed < s->n_expected) {
    s->n_compared++;
    if ((uint32_t)(hash >> 32) == s->expected[one->seed]) return;
    s->n_wrong++;
    printf("%llu differs: %08x, expected %08x\n", (unsigned long long)one->seed,
           (unsigned)(hash >> 32), (unsigned)s->expected[one->seed]);
  }
}

// A module that fails is run again kernel by kernel, so that one bad kernel costs no others.
static void run_jobs(session *s, job *jobs, size_t n, kernel_text *text) {
  text->size = 0;
  generate_header(text);
  for (size_t i = 0; i < n; i++)
    jobs[i].shape = generate_kernel(text, jobs[i].seed, jobs[i].limit, NULL);
  if (run_module(s, text->at, jobs, n)) {
    for (size_t i = 0; i < n; i++) report(s, &jobs[i], s->host + i * REGION_WORDS);
  } else if (n == 1) s->n_failed++;
  else
    for (size_t i = 0; i < n; i++) run_jobs(s, &jobs[i], 1, text);
}

// Such a kernel is not run: it may be one that stops a real GPU.
static bool is_open(const session *s, uint64_t seed) {
  return s->expected != NULL && seed < s->n_expected && s->expected[seed] == 0;
}

static void run_all(session *s) {
  kernel_text text = {NULL, 0, 0};
  job jobs[MOST_PER_MODULE];
  size_t n = 0;
  for (size_t i = 0; i < s->o->n_seeds; i++) {
    if (is_open(s, s->o->seeds[i])) {
      s->n_open++;
      continue;
    }
    text.size = 0;
    unsigned first = s->o->limit, last = s->o->limit;
    if (s->o->traces) {
      first = 0;
      last = generate_kernel(&text, s->o->seeds[i], NO_LIMIT, NULL).n_statements;
    }
    for (unsigned limit = first; limit <= last; limit++) {
      jobs[n] = (job){.seed = s->o->seeds[i], .limit = limit};
      snprintf(jobs[n].name, sizeof jobs[n].name, "k%llu_%u", (unsigned long long)s->o->seeds[i],
               limit);
      n++;
      if (n < s->o->per_module) continue;
      run_jobs(s, jobs, n, &text);
      n = 0;
    }
  }
  if (n > 0) run_jobs(s, jobs, n, &text);
  free(text.at);
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, got = 1;
  while (file != NULL && got > 0) {
    text = (char *)realloc(text, size + 4097);
    if (text == NULL) abort();
    got = fread(text + size, 1, 4096, file);
    size += got;
    text[size] = 0;
  }
  if (file != NULL) fclose(file);
  else fprintf(stderr, "differential: cannot read %s\n", path);
  return text;
}

// A stored kernel does not depend on the generator, which may have changed since.
static void run_stored(session *s, const char *path) {
  job one = {.seed = 0};
  unsigned long long expected = 0;
  char *ptx = read_text(path);
  s->n_compared++;
  if (ptx == NULL ||
      sscanf(ptx, "// kernel %63s blocks %u threads %u hash %llx:", one.name, &one.shape.n_blocks,
             &one.shape.n_threads, &expected) != 4 ||
      one.shape.n_blocks * one.shape.n_threads > MAX_THREADS) {
    fprintf(stderr, "%s: no line that says what to expect\n", path);
    s->n_failed++;
  } else if (!run_module(s, ptx, &one, 1)) s->n_failed++;
  else if (s->o->dumps) dump(&one, s->host);
  else if (hash_of(&one, s->host) != expected) {
    printf("%s differs: %016llx, expected %016llx\n", path,
           (unsigned long long)hash_of(&one, s->host), expected);
    s->n_wrong++;
  }
  free(ptx);
}

// ---- without a device

static int print_kernels(const options *o) {
  kernel_text text = {NULL, 0, 0};
  if (!o->last_only) generate_header(&text);
  for (size_t i = 0; i < o->n_seeds; i++) {
    const kernel_shape shape = generate_kernel(&text, o->seeds[i], o->limit, NULL);
    if (!o->last_only) continue;
    printf("%llu.%u:\n%.*s", (unsigned long long)o->seeds[i], o->limit, (int)shape.last_size,
           text.at + shape.last_at);
  }
  if (!o->last_only) fwrite(text.at, 1, text.size, stdout);
  free(text.at);
  return 0;
}

// Rows without a statement must be known to be left out; exit status 1 when one is not.
static int print_coverage(const options *o) {
  static unsigned counts[MAX_ROWS];
  kernel_text text = {NULL, 0, 0};
  unsigned n_covered = 0, n_left_out = 0, n_missing = 0;
  for (size_t i = 0; i < o->n_seeds; i++) {
    text.size = 0;
    generate_kernel(&text, o->seeds[i], NO_LIMIT, counts);
  }
  free(text.at);
  for (unsigned row = 0; row < generated_rows(); row++) {
    const char *why = why_not_generated(row);
    if (counts[row] > 0) n_covered++;
    else if (why != NULL) n_left_out++;
    else n_missing++;
    printf("%-28s %u%s%s\n", generated_row_name(row), counts[row],
           counts[row] == 0 && why == NULL ? " MISSING"
           : why != NULL                   ? " left out: "
                                           : "",
           why != NULL ? why : "");
  }
  printf("%u rows of %u generated, %u left out, %u missing\n", n_covered, generated_rows(),
         n_left_out, n_missing);
  return n_missing > 0;
}

// ---- the program

static bool read_expected(session *s) {
  FILE *file = fopen(s->o->expect, "r");
  char line[512];
  if (file == NULL) {
    fprintf(stderr, "differential: cannot read %s\n", s->o->expect);
    return false;
  }
  s->expected = (uint32_t *)calloc(MOST_SEEDS, sizeof *s->expected);
  while (s->expected != NULL && fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#') continue;
    for (char *at = line, *end = NULL; s->n_expected < MOST_SEEDS; at = end) {
      const unsigned long hash = strtoul(at, &end, 16);
      if (end == at) break;
      s->expected[s->n_expected++] = (uint32_t)hash;
    }
  }
  fclose(file);
  return s->expected != NULL;
}

static bool read_compiler(session *s) {
  FILE *file = fopen(s->o->compiler, "r");
  char line[512];
  unsigned long long seed = 0;
  unsigned long hash = 0;
  if (file == NULL) {
    fprintf(stderr, "differential: cannot read %s\n", s->o->compiler);
    return false;
  }
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "%llu %8lx", &seed, &hash) == 2 && seed < s->n_expected)
      s->expected[seed] = (uint32_t)hash;
  fclose(file);
  return true;
}

static bool add_seeds(options *o, const char *word) {
  char *end = NULL;
  const unsigned long long first = strtoull(word, &end, 10);
  unsigned long long last = first;
  if (end == word) return false;
  if (strncmp(end, "..", 2) == 0) last = strtoull(end + 2, &end, 10);
  if (*end != 0 || last < first || last - first >= MOST_SEEDS - o->n_seeds) return false;
  for (unsigned long long seed = first; seed <= last; seed++) o->seeds[o->n_seeds++] = seed;
  return true;
}

static bool parse_flag(options *o, const char *word) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--trace", &o->traces},
               {"--dump", &o->dumps},
               {"--print", &o->prints},
               {"--last", &o->last_only},
               {"--coverage", &o->coverage}};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (strcmp(flags[i].name, word) == 0) return *flags[i].flag = true;
  return false;
}

static bool parse(options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : NULL;
    if (parse_flag(o, argv[i])) continue;
    if (argv[i][0] != '-') {
      if (!add_seeds(o, argv[i])) return false;
      continue;
    }
    if (next == NULL) return false;
    if (strcmp(argv[i], "--expect") == 0) o->expect = next;
    else if (strcmp(argv[i], "--compiler") == 0) o->compiler = next;
    else if (strcmp(argv[i], "--stored") == 0) {
      o->stored = argv + i + 1;
      o->n_stored = argc - i - 1;
      return true;
    } else if (strcmp(argv[i], "--limit") == 0) o->limit = (unsigned)atoi(next);
    else if (strcmp(argv[i], "--optimise") == 0) o->optimise = (unsigned)atoi(next);
    else if (strcmp(argv[i], "--per-module") == 0) o->per_module = (unsigned)atoi(next);
    else return false;
    i++;
  }
  if (o->n_seeds == 0 && !add_seeds(o, "0..99")) return false;
  return o->per_module > 0 && o->per_module <= MOST_PER_MODULE;
}

static bool open_session(session *s) {
  const size_t words = (size_t)s->o->per_module * REGION_WORDS;
  uint64_t pool[POOL_WORDS];
  s->start = (uint64_t *)malloc(words * sizeof(uint64_t));
  s->host = (uint64_t *)malloc(words * sizeof(uint64_t));
  if (s->start == NULL || s->host == NULL) return false;
  for (size_t i = 0; i < words; i++) // outputs: poison; cells: anything but 0
    s->start[i] = i % REGION_WORDS < OUT_WORDS ? UINT64_MAX : mix64(i % REGION_WORDS);
  make_pool(pool);
  return ok(cudaMalloc((void **)&s->pool, sizeof pool), "allocating", 0) &&
         ok(cudaMalloc((void **)&s->regions, words * sizeof(uint64_t)), "allocating", 0) &&
         ok(cudaMemcpy(s->pool, pool, sizeof pool, cudaMemcpyHostToDevice), "copying", 0) &&
         (s->o->expect == NULL || read_expected(s)) &&
         (s->o->compiler == NULL || s->expected == NULL || read_compiler(s));
}

static void close_session(session *s) {
  cudaFree(s->pool);
  cudaFree(s->regions);
  free(s->start);
  free(s->host);
  free(s->expected);
}

int main(int argc, char **argv) {
  options o = {.limit = NO_LIMIT, .per_module = 64, .optimise = MOST_OPTIMISED};
  o.seeds = (uint64_t *)malloc(MOST_SEEDS * sizeof *o.seeds);
  if (o.seeds == NULL || !parse(&o, argc, argv)) {
    fprintf(stderr, "differential: bad arguments; see the head of differential.c\n");
    free(o.seeds);
    return 2;
  }
  session s = {.o = &o};
  int status = 0;
  if (o.prints) status = print_kernels(&o);
  else if (o.coverage) status = print_coverage(&o);
  else {
    const bool fine = open_session(&s);
    for (int i = 0; fine && i < o.n_stored; i++) run_stored(&s, o.stored[i]);
    if (fine && o.n_stored == 0) run_all(&s);
    if (s.expected != NULL || o.n_stored > 0)
      printf("%zu of %zu kernels differ, %zu failed, %zu not compared\n", s.n_wrong, s.n_compared,
             s.n_failed, s.n_open);
    status = !fine || s.n_wrong > 0 || s.n_failed > 0;
    close_session(&s);
  }
  free(o.seeds);
  return status;
}
