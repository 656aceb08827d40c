// SPDX-License-Identifier: MIT
// init_fixture.h - runs hand-written kernels under initcheck.
#ifndef INIT_FIXTURE_H
#define INIT_FIXTURE_H

#include "check_fixture.h"

// `in` and `out` are watched; `in` holds nothing yet, unless `written_bytes` of it do.
static inline watched watch_init(const char *text, uint64_t written_bytes) {
  watched w = watch(simt_initcheck_create, text);
  simt_initcheck_allocated(w.observer, simt_memory_find(w.run.memory, w.run.in, 1));
  simt_initcheck_allocated(w.observer, simt_memory_find(w.run.memory, w.run.out, 1));
  if (written_bytes) simt_initcheck_host_wrote(w.observer, w.run.in, written_bytes);
  return w;
}

// Runs and expects nothing.
static inline void expect_quiet(const char *text, uint64_t written_bytes, core_options o) {
  watched w = watch_init(text, written_bytes);
  launch_watched(&w, o);
  expect_none(&w);
  unwatch(&w, simt_initcheck_destroy);
}

// Runs and expects one finding.
static inline void expect_caught(const char *text, uint64_t written_bytes, core_options o,
                                 simt_finding_kind kind, const char *const *texts) {
  watched w = watch_init(text, written_bytes);
  launch_watched(&w, o);
  expect_one(&w, kind, texts);
  unwatch(&w, simt_initcheck_destroy);
}

// The register decides something.
#define USE(r) "add.u32 %r19, " r ", 1;\nsetp.eq.u32 %p9, %r19, 0;\n@%p9 exit;\n"

#define GLOBAL SIMT_FINDING_uninitialised_global
#define SHARED SIMT_FINDING_uninitialised_shared

#endif
