// SPDX-License-Identifier: MIT
// wasi.c - what the C library of a page lacks and the CUDA runtime asks for: mappings are taken
// from the heap, zeroed, and all of their pages count as touched.
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

int mincore(void *address, size_t bytes, unsigned char *resident);

int mincore(void *address, size_t bytes, unsigned char *resident) {
  (void)address, (void)bytes;
  *resident = 1;
  return 0;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  (void)address, (void)protection, (void)flags, (void)file, (void)offset;
  void *memory = calloc(1, bytes);
  return memory != NULL ? memory : MAP_FAILED;
}

int madvise(void *address, size_t bytes, int advice) { // large pages: there are none
  (void)address, (void)bytes, (void)advice;
  return 0;
}
int munmap(void *address, size_t bytes) {
  (void)bytes;
  free(address);
  return 0;
}
