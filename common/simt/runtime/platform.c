// SPDX-License-Identifier: MIT
// runtime/platform.c - see runtime/platform.h. Everything that the rooms below need from the
// operating system.
#define _DEFAULT_SOURCE 1 // mincore

#include "runtime/platform.h"

#include <pthread.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/lane.h"

// ---- Memory.

static void *map(void *data, uint64_t size_bytes) {
  (void)data;
  void *bytes = mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return bytes == MAP_FAILED ? NULL : bytes;
}

static void unmap(void *data, void *bytes, uint64_t size_bytes) {
  (void)data;
  munmap(bytes, (size_t)size_bytes);
}

// Programs allocate and free small arrays again and again, a judge thousands of times: pages that
// the kernel has given once are kept, up to a limit, by size in powers of two.
enum {
  FIRST_CLASS = 12, // a page
  N_CLASSES = 11,   // up to 4 MiB
  MAX_SPARE_BYTES = 32 << 20
};

typedef struct spare { // lies in the memory itself
  struct spare *next;
} spare;

static struct {
  pthread_mutex_t lock;
  spare *of_class[N_CLASSES];
  size_t bytes;
} spares = {.lock = PTHREAD_MUTEX_INITIALIZER};

// N_CLASSES: too large to be kept.
static unsigned class_of(uint64_t size_bytes) {
  unsigned c = 0;
  while (c < N_CLASSES && size_bytes > UINT64_C(1) << (FIRST_CLASS + c)) c++;
  return c;
}

// Memory of megabytes that the caller is about to write from end to end: in large pages, where the
// system has any, it takes a fault for every 2 MiB instead of every 4 KiB.
static void *map_whole(void *data, uint64_t size_bytes) {
  void *bytes = map(data, size_bytes);
#ifdef MADV_HUGEPAGE
  if (bytes) madvise(bytes, (size_t)size_bytes, MADV_HUGEPAGE); // advice: it may be refused
#endif
  return bytes;
}

static void *borrow(void *data, uint64_t size_bytes) {
  unsigned c = class_of(size_bytes);
  if (c == N_CLASSES) return map_whole(data, size_bytes);
  pthread_mutex_lock(&spares.lock);
  spare *found = spares.of_class[c];
  if (found) {
    spares.of_class[c] = found->next;
    spares.bytes -= (size_t)1 << (FIRST_CLASS + c);
  }
  pthread_mutex_unlock(&spares.lock);
  return found ? found : map(data, UINT64_C(1) << (FIRST_CLASS + c));
}

static void give_back(void *data, void *bytes, uint64_t size_bytes) {
  unsigned c = class_of(size_bytes);
  if (c == N_CLASSES) {
    unmap(data, bytes, size_bytes);
    return;
  }
  size_t class_bytes = (size_t)1 << (FIRST_CLASS + c);
  spare *back = bytes;
  pthread_mutex_lock(&spares.lock);
  bool is_kept = spares.bytes + class_bytes <= MAX_SPARE_BYTES;
  if (is_kept) {
    back->next = spares.of_class[c];
    spares.of_class[c] = back;
    spares.bytes += class_bytes;
  }
  pthread_mutex_unlock(&spares.lock);
  if (!is_kept) unmap(data, bytes, class_bytes);
}

// Linux gives a page to a mapping when it is first touched, and mincore() tells. A page that has
// only been read counts as touched as well; so do all where pages have another size.
static bool is_touched(void *data, const void *page) {
  (void)data;
  unsigned char resident = 1;
  if (sysconf(_SC_PAGESIZE) != SIMT_PAGE_BYTES) return true;
  return mincore((void *)(uintptr_t)page, SIMT_PAGE_BYTES, &resident) != 0 || (resident & 1);
}

// ---- Threads.

typedef struct task {
  void (*work)(void *argument, uint32_t index);
  void *argument;
  uint32_t index;
  pthread_t thread;
  bool started;
} task;

static void *run_task(void *data) {
  task *t = data;
  t->work(t->argument, t->index);
  return NULL;
}

// When a thread cannot be started, the calling thread runs its part.
static void run(void *data, uint32_t n, void (*work)(void *, uint32_t), void *argument) {
  (void)data;
  task *tasks = calloc(n, sizeof *tasks);
  for (uint32_t i = 1; tasks && i < n; i++) {
    tasks[i] = (task){.work = work, .argument = argument, .index = i};
    tasks[i].started = pthread_create(&tasks[i].thread, NULL, run_task, &tasks[i]) == 0;
  }
  work(argument, 0);
  for (uint32_t i = 1; i < n; i++) {
    if (tasks && tasks[i].started) pthread_join(tasks[i].thread, NULL);
    else work(argument, i);
  }
  free(tasks);
}

static uint32_t n_processors(void *data) {
  (void)data;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (uint32_t)online;
}

static void *lock_create(void *data) {
  (void)data;
  pthread_mutex_t *lock = malloc(sizeof *lock);
  if (lock && pthread_mutex_init(lock, NULL) == 0) return lock;
  free(lock);
  return NULL;
}

static void lock_destroy(void *data, void *lock) {
  (void)data;
  pthread_mutex_destroy(lock);
  free(lock);
}

static void lock_take(void *data, void *lock) {
  (void)data;
  pthread_mutex_lock(lock);
}

static void lock_give(void *data, void *lock) {
  (void)data;
  pthread_mutex_unlock(lock);
}

const simt_platform *simt_host_platform(void) {
  static const simt_platform host = {.map = map,
                                     .unmap = unmap,
                                     .borrow = borrow,
                                     .give_back = give_back,
                                     .is_touched = is_touched,
                                     .run = run,
                                     .n_processors = n_processors,
                                     .lock_create = lock_create,
                                     .lock_destroy = lock_destroy,
                                     .lock = lock_take,
                                     .unlock = lock_give};
  return &host;
}

// ---- Files.

FILE *simt_rt_open_regular(const char *path) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fdopen(fd, "r");
  if (fd >= 0) close(fd);
  return NULL;
}

// Names in PTX may be relative to the folder of compilation: then the file may be in the folder of
// the running program.
static FILE *open_beside_program(const char *name) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);
  if (length <= 0) return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  const char *base = strrchr(name, '/');
  base = base ? base + 1 : name;
  if (!slash || strlen(base) >= sizeof path / 2) return NULL;
  strcpy(slash + 1, base);
  return simt_rt_open_regular(path);
}

// Whether `name` refers to the file `only`, as a compiler in the same folder would name it.
static bool is_that_file(const char *name, const char *only) {
  char folder[4096];
  if (strcmp(name, only) == 0) return true;
  if (!getcwd(folder, sizeof folder)) return false;
  size_t length = strlen(folder);
  return strncmp(name, folder, length) == 0 && name[length] == '/' &&
         strcmp(name + length + 1, only) == 0;
}

// `data`: the only file that may be quoted, or NULL: all. A module may name any file.
static bool read_source(void *data, const char *name, const simt_sink *to) {
  const char *only = data;
  if (only && !is_that_file(name, only)) return false;
  FILE *file = simt_rt_open_regular(only ? only : name);
  if (!file && !only) file = open_beside_program(name);
  if (!file) return false;
  char piece[1 << 14];
  size_t n;
  while ((n = fread(piece, 1, sizeof piece, file)) > 0) simt_sink_write(to, piece, n);
  fclose(file);
  return true;
}

const simt_source_reader *simt_host_sources(const char *only) {
  static simt_source_reader sources = {.read = read_source};
  sources.data = (void *)only;
  return &sources;
}

static void write_file(void *data, const char *text, size_t n_bytes) {
  fwrite(text, 1, n_bytes, data);
}

simt_sink simt_file_sink(FILE *to) { return (simt_sink){.write = write_file, .data = to}; }
