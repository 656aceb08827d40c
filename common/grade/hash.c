// SPDX-License-Identifier: MIT
// hash.c - SHA-256, and what is hashed: fields, files, folders.
#define _GNU_SOURCE
#include "hash.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static uint32_t big_endian(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// One round, in which the variables do not move: the caller names them in another order each time.
static void one_round(uint32_t s[8], unsigned turn, uint32_t added) {
  uint32_t a = s[-turn & 7], b = s[(1 - turn) & 7], c = s[(2 - turn) & 7], e = s[(4 - turn) & 7];
  uint32_t f = s[(5 - turn) & 7], g = s[(6 - turn) & 7], *d = &s[(3 - turn) & 7],
           *h = &s[(7 - turn) & 7];
  uint32_t one = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + added;
  uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
  *d += one;
  *h = one + two;
}

static void compress(grade_hash *hash) {
  uint32_t w[64], s[8];
  for (unsigned i = 0; i < 16; i++) w[i] = big_endian(hash->block + 4 * i);
  for (unsigned i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(s, hash->state, sizeof s);
  for (unsigned i = 0; i < 64; i += 8) {
    one_round(s, 0, round_constants[i] + w[i]);
    one_round(s, 1, round_constants[i + 1] + w[i + 1]);
    one_round(s, 2, round_constants[i + 2] + w[i + 2]);
    one_round(s, 3, round_constants[i + 3] + w[i + 3]);
    one_round(s, 4, round_constants[i + 4] + w[i + 4]);
    one_round(s, 5, round_constants[i + 5] + w[i + 5]);
    one_round(s, 6, round_constants[i + 6] + w[i + 6]);
    one_round(s, 7, round_constants[i + 7] + w[i + 7]);
  }
  for (unsigned i = 0; i < 8; i++) hash->state[i] += s[i];
}

void grade_hash_begin(grade_hash *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  *hash = (grade_hash){.n_bytes = 0};
  memcpy(hash->state, start, sizeof start);
}

void grade_hash_bytes(grade_hash *hash, const void *bytes, size_t n_bytes) {
  const unsigned char *from = bytes;
  while (n_bytes > 0) {
    size_t used = hash->n_bytes % 64, n = n_bytes < 64 - used ? n_bytes : 64 - used;
    memcpy(hash->block + used, from, n);
    hash->n_bytes += n;
    from += n;
    n_bytes -= n;
    if (used + n == 64) compress(hash);
  }
}

void grade_hash_number(grade_hash *hash, uint64_t number) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> (56 - 8 * i));
  grade_hash_bytes(hash, bytes, sizeof bytes);
}

void grade_hash_text(grade_hash *hash, const char *text) {
  grade_hash_number(hash, text ? strlen(text) : UINT64_MAX);
  if (text) grade_hash_bytes(hash, text, strlen(text));
}

void grade_hash_end(grade_hash *hash, char hex[GRADE_HEX_BYTES]) {
  static const unsigned char padding[64] = {0x80};
  uint64_t n_bits = 8 * hash->n_bytes;
  size_t used = hash->n_bytes % 64;
  grade_hash_bytes(hash, padding, used < 56 ? 56 - used : 120 - used);
  grade_hash_number(hash, n_bits);
  for (unsigned i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", hash->state[i]);
}

// --- files and folders -------------------------------------------------------------------------

bool grade_hash_file(grade_hash *hash, const char *path) {
  struct stat info;
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool read = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  if (!read) errno = EINVAL;
  uint64_t n_bytes = 0;
  char bytes[16384];
  for (size_t n; read && (n = fread(bytes, 1, sizeof bytes, file)) > 0; n_bytes += n)
    grade_hash_bytes(hash, bytes, n);
  read = read && !ferror(file);
  fclose(file);
  grade_hash_number(hash, n_bytes);
  return read;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

bool grade_hash_folder(grade_hash *hash, const char *path) {
  struct dirent **entries = NULL;
  int n = scandir(path, &entries, is_visible, by_bytes);
  bool read = n >= 0;
  for (int i = 0; i < n; i++) {
    char *one = NULL;
    struct stat info;
    read = read && asprintf(&one, "%s/%s", path, entries[i]->d_name) >= 0 && stat(one, &info) == 0;
    grade_hash_text(hash, entries[i]->d_name);
    if (read && S_ISDIR(info.st_mode)) read = grade_hash_folder(hash, one);
    else if (read && S_ISREG(info.st_mode)) read = grade_hash_file(hash, one);
    free(one);
    free(entries[i]);
  }
  free(entries);
  return read;
}
