// SPDX-License-Identifier: MIT
/// @file hash.h
/// SHA-256 (FIPS 180-4): what names a verdict in the store. Two inputs with one name would give one
/// student another's points, so that nothing weaker will do.
#ifndef GRADE_HASH_H
#define GRADE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "grade.h"

enum { GRADE_DIGEST_BYTES = 32, GRADE_HEX_BYTES = 2 * GRADE_DIGEST_BYTES + 1 };

typedef struct grade_hash {
  uint32_t state[8];
  uint64_t n_bytes;
  unsigned char block[64];
} grade_hash;

void grade_hash_begin(grade_hash *hash);
void grade_hash_bytes(grade_hash *hash, const void *bytes, size_t n_bytes);
/// A field: its length, then its bytes, so that neighbouring fields cannot run together. NULL is
/// another field than "".
void grade_hash_text(grade_hash *hash, const char *text);
void grade_hash_number(grade_hash *hash, uint64_t number);
/// The bytes of a regular file, as a field. False: it cannot be read (errno says why).
bool grade_hash_file(grade_hash *hash, const char *path);
/// The names and bytes of all regular files below a folder, in the order of their names.
bool grade_hash_folder(grade_hash *hash, const char *path);
void grade_hash_end(grade_hash *hash, char hex[GRADE_HEX_BYTES]);

#endif
