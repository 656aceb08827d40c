// SPDX-License-Identifier: MIT
// csmith_kernel.h - what a program by csmith needs to run inside a kernel, in place of csmith.h:
// csmith's own checked arithmetic as device functions, and a checksum without global state.
// csmith_fuzz.py writes the programs. With CSMITH_HOST the same text is a plain C++ program, the
// reference.
#pragma once
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CSMITH_HOST
#define HD
#define DEVICE
#else
#define HD __host__ __device__
#define DEVICE __device__
#endif

#define COUNT(n)
#define TC
#define SAFE
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define STATIC static HD
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"

#undef NULL
#define NULL nullptr // also behind a comma

// The order of calls counts, and each bit of a value has a say.
static HD uint64_t checksum_with(uint64_t sum, uint64_t value) {
  sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 29;
}
static HD uint64_t checksum_with_bytes(uint64_t sum, const void *bytes, size_t n_bytes) {
  for (size_t i = 0; i < n_bytes; i++) sum = checksum_with(sum, ((const unsigned char *)bytes)[i]);
  return sum;
}
#define transparent_crc(value, name, print) checksum = checksum_with(checksum, (uint64_t)(value))
#define transparent_crc_bytes(address, bytes, name, print)                                         \
  checksum = checksum_with_bytes(checksum, (const void *)(address), bytes)
