// SPDX-License-Identifier: MIT
// buffers.c - arguments of a launch from words.
#include "buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 1 << 26 };

static const struct {
  const char *name;
  size_t size_bytes;
} types[] = {{"float", 4}, {"unsigned", 4}, {"long", 8}, {"byte", 1}};
enum { N_TYPES = sizeof types / sizeof *types, TYPE_FLOAT = 0 };

static int type_of(const char *text, size_t n) {
  for (int i = 0; i < N_TYPES; i++)
    if (strlen(types[i].name) == n && strncmp(types[i].name, text, n) == 0) return i;
  return -1;
}

// SplitMix64's finaliser: the value of an index, the same everywhere.
static uint64_t random_bits(uint64_t index) {
  uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void fill(void *data, int type, uint64_t n, char content) {
  float *floats = data;
  unsigned char *bytes = data;
  memset(data, 0, n * types[type].size_bytes);
  if (content == 'l' && type == TYPE_FLOAT)
    for (uint64_t i = 0; i < n; i++) floats[i] = -INFINITY;
  if (content == 'r' && type == TYPE_FLOAT)
    for (uint64_t i = 0; i < n; i++) floats[i] = (float)(random_bits(i) >> 40) * 0x1p-24f;
  if (content == 'r' && type != TYPE_FLOAT)
    for (uint64_t i = 0; i < n * types[type].size_bytes; i++)
      bytes[i] = (unsigned char)random_bits(i);
}

static const tutor_buffer *find(const tutor_arguments *a, const char *name, size_t n) {
  for (size_t i = 0; i < a->n_buffers; i++)
    if (strlen(a->buffers[i].name) == n && strncmp(a->buffers[i].name, name, n) == 0)
      return &a->buffers[i];
  return NULL;
}

static simt_status add_value(tutor_arguments *a, uint64_t value, const char *word,
                             simt_diag *diag) {
  if (a->n_values == TUTOR_MAX_ARGUMENTS)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "'%s': too many arguments", word);
  a->values[a->n_values] = value;
  a->pointers[a->n_values] = &a->values[a->n_values];
  a->n_values++;
  return SIMT_OK;
}

// Memory of [size_bytes] with `data` (NULL: uninitialised), as the next argument.
static simt_status add_buffer(tutor_arguments *a, simt_engine *gpu, const char *word, size_t n_name,
                              const void *data, uint64_t size_bytes, simt_diag *diag) {
  if (a->n_buffers == TUTOR_MAX_BUFFERS || n_name >= sizeof a->buffers->name)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "'%s': too many buffers or too long a name",
                     word);
  tutor_buffer *b = &a->buffers[a->n_buffers];
  memcpy(b->name, word, n_name);
  b->name[n_name] = '\0';
  b->size_bytes = size_bytes;
  simt_status status = simt_engine_alloc(gpu, size_bytes, &b->address, diag);
  if (!status && data) status = simt_engine_write(gpu, b->address, data, size_bytes, diag);
  if (status) return status;
  a->n_buffers++;
  return add_value(a, b->address, word, diag);
}

static simt_status add_sums(tutor_arguments *a, simt_engine *gpu, const char *word, size_t n_name,
                            const char *of, simt_diag *diag) {
  const tutor_buffer *source = find(a, of, strlen(of));
  uint32_t *data = source ? malloc(source->size_bytes) : NULL;
  if (!data)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "'%s': there is no memory named '%s'", word, of);
  uint64_t n = source->size_bytes / sizeof *data;
  simt_status status = simt_engine_read(gpu, data, source->address, n * sizeof *data, diag);
  for (uint64_t i = 0, sum = 0; i < n; i++) {
    uint32_t here = data[i];
    data[i] = (uint32_t)sum;
    sum += here;
  }
  if (!status) status = add_buffer(a, gpu, word, n_name, data, n * sizeof *data, diag);
  free(data);
  return status;
}

static simt_status add_filled(tutor_arguments *a, simt_engine *gpu, const char *word, size_t n_name,
                              const char *content, simt_diag *diag) {
  const char *type_at = strchr(content, ':'), *count_at = type_at ? strchr(type_at + 1, ':') : NULL;
  int type = count_at ? type_of(type_at + 1, (size_t)(count_at - type_at - 1)) : -1;
  char *end = NULL;
  uint64_t n = type >= 0 ? strtoull(count_at + 1, &end, 10) : 0;
  if (type < 0 || *end || end == count_at + 1 || n > MAX_ELEMENTS || !strchr("rzln", content[0]))
    return simt_fail(diag, SIMT_INVALID_ARGUMENT,
                     "'%s' is not NAME=random|zero|lowest|none:TYPE:COUNT", word);
  if (n == 0) n = 1; // a pointer to nothing must still be one
  uint64_t size_bytes = n * types[type].size_bytes;
  if (content[0] == 'n') return add_buffer(a, gpu, word, n_name, NULL, size_bytes, diag);
  void *data = malloc(size_bytes);
  if (!data) return simt_fail(diag, SIMT_OUT_OF_MEMORY, "out of memory");
  fill(data, type, n, content[0]);
  simt_status status = add_buffer(a, gpu, word, n_name, data, size_bytes, diag);
  free(data);
  return status;
}

static simt_status add_number(tutor_arguments *a, const char *word, size_t n_type,
                              simt_diag *diag) {
  const char *text = word + n_type + 1;
  char *end = NULL;
  int type = type_of(word, n_type);
  uint64_t value = 0;
  if (type == TYPE_FLOAT) {
    float number = strtof(text, &end);
    memcpy(&value, &number, sizeof number);
  } else if (type > 0) value = strtoull(text, &end, 10);
  if (type < 0 || end == text || *end)
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "'%s' is no value", word);
  return add_value(a, value, word, diag);
}

simt_status tutor_arguments_add(tutor_arguments *arguments, simt_engine *gpu, const char *word,
                                simt_diag *diag) {
  size_t n = strcspn(word, "=:");
  if (word[n] == ':') return add_number(arguments, word, n, diag);
  const tutor_buffer *known = find(arguments, word, n);
  if (word[n] == '\0' && known) return add_value(arguments, known->address, word, diag);
  if (word[n] == '\0')
    return simt_fail(diag, SIMT_INVALID_ARGUMENT, "there is no memory named '%s'", word);
  if (known) return simt_fail(diag, SIMT_INVALID_ARGUMENT, "'%s': the name is taken", word);
  if (strncmp(word + n + 1, "sums:", 5) == 0)
    return add_sums(arguments, gpu, word, n, word + n + 6, diag);
  return add_filled(arguments, gpu, word, n, word + n + 1, diag);
}
