// SPDX-License-Identifier: MIT
// repair_write.c - many variants of one CUDA text as one text that compiles: each in a namespace of
// its own, with kernels of other names. See repair.h.
#include "repair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "nearest_tokens.h"

enum { MOST_RENAMED = 12 };

// What has one name in the whole module, whatever namespace it stands in.
typedef struct global_names {
  const wb_token *at[MOST_RENAMED];
  size_t n;
} global_names;

// extern __shared__ float values[]: in some variants of another type.
static void find_shared_arrays(const wb_token_list *list, global_names *out) {
  for (size_t i = 0; i + 1 < list->n; i++) {
    if (!wb_token_is(&list->at[i], "extern") || !wb_token_is(&list->at[i + 1], "__shared__"))
      continue;
    while (i + 1 < list->n && !wb_token_is(&list->at[i + 1], "[")) i++;
    bool is_new = out->n < MOST_RENAMED && list->at[i].is_word;
    for (size_t k = 0; k < out->n; k++)
      is_new &= out->at[k]->length != list->at[i].length ||
                memcmp(out->at[k]->text, list->at[i].text, list->at[i].length) != 0;
    if (is_new) out->at[out->n++] = &list->at[i];
  }
}

// The name before the parameters of each __global__ function.
static void find_kernels(const wb_token_list *list, global_names *out) {
  out->n = 0;
  for (size_t i = 0; i < list->n; i++) {
    if (!wb_token_is(&list->at[i], "__global__")) continue;
    for (i++; i + 1 < list->n && !wb_token_is(&list->at[i], "{"); i++) {
      bool is_bound = wb_token_is(&list->at[i], "__launch_bounds__");
      if (!list->at[i].is_word || !wb_token_is(&list->at[i + 1], "(")) continue;
      if (is_bound) {
        while (i < list->n && !wb_token_is(&list->at[i], ")")) i++;
        continue;
      }
      if (out->n < MOST_RENAMED) out->at[out->n++] = &list->at[i];
      break;
    }
  }
}

static bool is_directive(const char *line, const char *name) {
  line += strspn(line, " \t");
  if (*line++ != '#') return false;
  line += strspn(line, " \t");
  return strncmp(line, name, strlen(name)) == 0;
}

// The lines that include, or all others but #pragma unroll, which makes much code; every line keeps
// its place. Returns the number of lines.
static unsigned write_lines(FILE *out, const char *text, bool includes) {
  unsigned n = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (is_directive(text, "include") == includes && !is_directive(text, "pragma unroll"))
      fwrite(text, 1, length, out);
    fputc('\n', out);
    text += length + (text[length] == '\n');
    n++;
  }
  return n;
}

static void rename_all(FILE *out, const global_names *names, size_t number, bool begins) {
  for (size_t k = 0; k < names->n; k++) {
    int length = (int)names->at[k]->length;
    if (begins)
      fprintf(out, "#define %.*s %.*s_tried_%zu\n", length, names->at[k]->text, length,
              names->at[k]->text, number);
    else fprintf(out, "#undef %.*s\n", length, names->at[k]->text);
  }
}

bool wb_repairs_write(FILE *out, const char *text, const wb_edit *edits, size_t n, const bool *skip,
                      unsigned *first_lines) {
  wb_token_list *list = malloc(sizeof *list);
  global_names names;
  if (!list) return false;
  wb_tokens_read(text, list);
  find_kernels(list, &names);
  const bool has_kernel = names.n > 0;
  find_shared_arrays(list, &names);
  unsigned line = 1 + write_lines(out, text, true);
  bool written = has_kernel;
  for (size_t i = 0; i < n && written; i++) {
    if (first_lines) first_lines[i] = line;
    if (skip && skip[i]) continue;
    char *changed = wb_repair_apply(text, &edits[i]);
    written = changed != NULL;
    if (!changed) break;
    rename_all(out, &names, i, true);
    fprintf(out, "namespace tried_%zu {\n", i);
    line += (unsigned)names.n + 1 + write_lines(out, changed, false);
    fputs("}\n", out);
    rename_all(out, &names, i, false);
    line += (unsigned)names.n + 1;
    free(changed);
  }
  if (first_lines) first_lines[n] = line;
  free(list);
  return written && fflush(out) == 0 && !ferror(out);
}
