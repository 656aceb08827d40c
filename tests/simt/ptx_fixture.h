// SPDX-License-Identifier: MIT
// ptx_fixture.h - what the tests of the parser share: the module that was parsed, and looking
// things up in it.
#ifndef PTX_FIXTURE_H
#define PTX_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

static ptx_module *module;
static simt_diag diag;

static inline void setup(void) { module = NULL; }
static inline void teardown(void) { ptx_module_free(module); }

static inline void parse(const char *text) {
  simt_status status = ptx_parse(&module, "k.ptx", text, strlen(text), 1 << 24, &diag);
  ck_assert_msg(status == SIMT_OK, "%s", diag.text);
}

static inline const ptx_function *function(const char *name) {
  const ptx_function *found = ptx_find_function(module, simt_str_of(name));
  ck_assert_msg(found != NULL, "no function %s", name);
  return found;
}

static inline const ptx_variable *variable(const char *name) {
  const ptx_variable *found =
      ptx_find_variable(module->variables, module->n_variables, simt_str_of(name));
  ck_assert_msg(found != NULL, "no variable %s", name);
  return found;
}

static inline void expect_str(simt_str got, const char *wanted) {
  ck_assert_msg(simt_str_is(got, wanted), "'%.*s', not '%s'", SIMT_STR_ARG(got), wanted);
}

static inline void expect_bytes(const char *name, uint64_t size, const char *hex) {
  const ptx_variable *v = variable(name);
  ck_assert_msg(v->size_bytes == size, "%s: %llu bytes", name, (unsigned long long)v->size_bytes);
  ck_assert_ptr_nonnull(v->init);
  for (uint64_t i = 0; i < size; i++) {
    unsigned byte;
    sscanf(hex + 2 * i, "%2x", &byte);
    ck_assert_msg(v->init[i] == byte, "%s[%u]: %02x, not %02x", name, (unsigned)i, v->init[i],
                  byte);
  }
}

#endif
