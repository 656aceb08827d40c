// SPDX-License-Identifier: MIT
// state_outside.c - what the engine must not do, all of it: check_symbols.py has to find every
// line.
#define _DEFAULT_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int simt_wrong_counter = 1;
static _Thread_local int per_thread;

static int count(void) {
  static int calls;
  return ++calls + ++per_thread;
}

static void *body(void *data) { return data; }

int simt_wrong(void);
int simt_wrong(void) {
  pthread_t thread;
  fprintf(stderr, "%d", errno);
  if (pthread_create(&thread, NULL, body, NULL) != 0) exit(1);
  if (signal(SIGINT, SIG_IGN) == SIG_ERR || !getenv("HOME")) return 1;
  return count() + (mmap(NULL, 1, 0, 0, -1, 0) == MAP_FAILED);
}
