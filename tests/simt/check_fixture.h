// SPDX-License-Identifier: MIT
// check_fixture.h - one checker watching small PTX kernels, and what it found.
#ifndef CHECK_FIXTURE_H
#define CHECK_FIXTURE_H

#include "check/checks.h"
#include "core_fixture.h"

typedef struct watched {
  core_run run;
  simt_findings *findings;
  simt_observer *observer;
} watched;

// Loads `text` (see core_fixture.h) to be watched by one checker.
static inline watched watch(simt_observer *(*create)(simt_findings *), const char *text) {
  watched w = {.run = core_load(text)};
  ck_assert_msg(w.run.status == SIMT_OK, "load: %s", w.run.diag.text);
  w.findings = simt_findings_create(w.run.memory);
  w.observer = create(w.findings);
  ck_assert_ptr_nonnull(w.observer);
  return w;
}

// Tells the set of findings about the launch, as the runtime does.
typedef struct relay {
  simt_observer hooks;
  simt_findings *findings;
} relay;
static inline void relay_begin(simt_observer *self, const simt_launch_info *info) {
  simt_findings_set_launch(((relay *)(void *)self)->findings, info);
}

static inline void launch_watched(watched *w, core_options o) {
  struct {
    uint64_t out, in;
    uint32_t n;
  } params = {w->run.out, w->run.in, o.n};
  relay first = {.hooks = {.launch_begin = relay_begin}, .findings = w->findings};
  simt_observer *observers[] = {&first.hooks, w->observer};
  simt_launch launch = {.kernel = simt_module_kernel(w->run.module, "k"),
                        .grid = {o.grid ? o.grid : 1, 1, 1},
                        .block = {o.block ? o.block : 32, 1, 1},
                        .params = &params,
                        .cooperative = o.cooperative,
                        .dynamic_shared_bytes = o.dynamic_shared_bytes,
                        .n_host_threads = o.n_host_threads,
                        .number = o.number ? o.number : 1,
                        .schedule = o.schedule,
                        .observers = observers,
                        .n_observers = 2};
  w->run.status = core_run_launch(w->run.memory, &launch, &w->run.diag);
  ck_assert_msg(w->run.status == SIMT_OK, "launch: %s", w->run.diag.text);
}

static inline void unwatch(watched *w, void (*destroy)(simt_observer *)) {
  destroy(w->observer);
  simt_findings_destroy(w->findings);
  core_free(&w->run);
}

// Everything found, as JSON; to be freed.
static inline char *found(const watched *w) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  ck_assert_ptr_nonnull(to);
  const simt_sink sink = simt_file_sink(to);
  simt_findings_write_json(w->findings, &sink);
  fclose(to);
  return text;
}

static inline unsigned occurrences(const char *text, const char *part) {
  unsigned n = 0;
  while ((text = strstr(text, part)) != NULL) n++, text++;
  return n;
}

// Exactly one finding, of this kind, with every one of the NULL-terminated texts in its JSON.
static inline void expect_one(const watched *w, simt_finding_kind kind, const char *const *texts) {
  char *all = found(w), name[96];
  snprintf(name, sizeof name, "\"kind\": \"%s\"", simt_finding_name(kind));
  ck_assert_msg(occurrences(all, "\"kind\"") == 1, "not one finding: %s", all);
  ck_assert_msg(occurrences(all, name) == 1, "no %s: %s", name, all);
  for (; *texts; texts++)
    ck_assert_msg(strstr(all, *texts) != NULL, "'%s' is missing in: %s", *texts, all);
  free(all);
}

static inline void expect_none(const watched *w) {
  char *all = found(w);
  ck_assert_msg(occurrences(all, "\"kind\"") == 0, "false alarm: %s", all);
  free(all);
}

#endif
