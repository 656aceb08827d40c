// SPDX-License-Identifier: MIT
// verify.c - verdicts on results; see verify.h.
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"

static wb_verdict verdict_of(double error, double bound, bool correct) {
  wb_verdict verdict;
  memset(&verdict, 0, sizeof verdict);
  verdict.correct = correct;
  verdict.error = error;
  verdict.bound = bound;
  verdict.error_over_bound = error == 0.0 ? 0.0 : error / bound; // bound 0: infinite
  return verdict;
}

static bool all_bits_set(float value) { return wb_is_poison(&value, sizeof value); }

static void say_wrong(wb_verdict *verdict, double expected, double got, int digits) {
  char *at = verdict->message;
  const size_t room = sizeof verdict->message;
  const char *hint = "";
  if (isnan(got)) {
    hint = " (not a number)";
  } else if (got == 0.0) {
    hint = " (nothing was added, or only zeros)";
  }
  if (verdict->bound > 0.0 && isfinite(verdict->error)) {
    snprintf(at, room, "expected %.*g, got %.*g%s: off by %.3g, %.3g times the error bound %.3g",
             digits, expected, digits, got, hint, verdict->error, verdict->error_over_bound,
             verdict->bound);
  } else {
    snprintf(at, room, "expected %.*g, got %.*g%s", digits, expected, digits, got, hint);
  }
}

wb_verdict wb_verify_double(double expected, double got, double bound) {
  wb_verdict verdict;
  if (isnan(expected)) {
    verdict = verdict_of(isnan(got) ? 0.0 : INFINITY, bound, isnan(got));
  } else if (isinf(expected)) {
    verdict = verdict_of(got == expected ? 0.0 : INFINITY, bound, got == expected);
  } else {
    const double error = fabs(got - expected);
    verdict = verdict_of(error, bound, error <= bound); // false for a NaN
  }
  if (!verdict.correct) say_wrong(&verdict, expected, got, 15);
  return verdict;
}

wb_verdict wb_verify_float(double expected, float got, double bound) {
  wb_verdict verdict = wb_verify_double(expected, (double)got, bound);
  if (!verdict.correct && all_bits_set(got)) {
    snprintf(verdict.message, sizeof verdict.message,
             "expected %.9g, but nothing was written: the poison is still there", expected);
  } else if (!verdict.correct) {
    say_wrong(&verdict, expected, (double)got, 9);
  }
  return verdict;
}

wb_verdict wb_verify_int(int64_t expected, int64_t got) {
  const bool correct = expected == got;
  wb_verdict verdict = verdict_of(fabs((double)got - (double)expected), 0.0, correct);
  if (!correct) {
    snprintf(verdict.message, sizeof verdict.message, "expected %lld, got %lld",
             (long long)expected, (long long)got);
  }
  return verdict;
}

wb_verdict wb_verify_float_bits(float expected, float got) {
  uint32_t expected_bits, got_bits;
  memcpy(&expected_bits, &expected, sizeof expected_bits);
  memcpy(&got_bits, &got, sizeof got_bits);
  const bool correct = expected_bits == got_bits;
  wb_verdict verdict =
      verdict_of(correct ? 0.0 : fabs((double)got - (double)expected), 0.0, correct);
  if (!correct) {
    snprintf(verdict.message, sizeof verdict.message,
             "expected the bits of %.9g (0x%08x), got %.9g (0x%08x)", (double)expected,
             (unsigned)expected_bits, (double)got, (unsigned)got_bits);
  }
  return verdict;
}

// Puts "[index] " before the message of a wrong element.
static void name_element(wb_verdict *verdict, size_t index) {
  char text[sizeof verdict->message];
  memcpy(text, verdict->message, sizeof text);
  verdict->index = index;
  const int used = snprintf(verdict->message, sizeof verdict->message, "element %zu: ", index);
  const size_t room = sizeof verdict->message - (size_t)used;
  const size_t length = strlen(text) < room - 1 ? strlen(text) : room - 1;
  memcpy(verdict->message + used, text, length);
  verdict->message[(size_t)used + length] = '\0';
}

wb_verdict wb_verify_floats(const double *expected, const float *got, const double *bounds,
                            size_t n) {
  wb_verdict worst = verdict_of(0.0, 0.0, true);
  for (size_t i = 0; i < n; i++) {
    wb_verdict verdict = wb_verify_float(expected[i], got[i], bounds != NULL ? bounds[i] : 0.0);
    if (!verdict.correct) {
      name_element(&verdict, i);
      return verdict;
    }
    if (verdict.error_over_bound > worst.error_over_bound) {
      worst = verdict;
      worst.index = i;
    }
  }
  return worst;
}

wb_verdict wb_verify_ints(const int32_t *expected, const int32_t *got, size_t first, size_t n) {
  for (size_t i = 0; i < n; i++) {
    wb_verdict verdict = wb_verify_int(expected[i], got[i]);
    if (!verdict.correct) {
      name_element(&verdict, first + i);
      return verdict;
    }
  }
  return verdict_of(0.0, 0.0, true);
}

bool wb_is_poison(const void *at, size_t size_bytes) {
  const unsigned char *bytes = (const unsigned char *)at;
  for (size_t i = 0; i < size_bytes; i++) {
    if (bytes[i] != WB_POISON_BYTE) return false;
  }
  return true;
}
