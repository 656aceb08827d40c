// SPDX-License-Identifier: MIT
// repair_write.c - many variants of one CUDA text as one text that compiles: each in a namespace of
// its own, with kernels of other names. See repair.h.
#include "repair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "nearest_tokens.h"

enum { MOST_KERNELS = 8 };

typedef struct kernel_names {
  const wb_token *at[MOST_KERNELS];
  size_t n;
} kernel_names;

// The name before the parameters of each __global__ function.
static void find_kernels(const wb_token_list *list, kernel_names *out) {
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
      if (out->n < MOST_KERNELS) out->at[out->n++] = &list->at[i];
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

static void rename_kernels(FILE *out, const kernel_names *kernels, size_t number, bool begins) {
  for (size_t k = 0; k < kernels->n; k++) {
    int length = (int)kernels->at[k]->length;
    if (begins)
      fprintf(out, "#define %.*s %.*s_tried_%zu\n", length, kernels->at[k]->text, length,
              kernels->at[k]->text, number);
    else fprintf(out, "#undef %.*s\n", length, kernels->at[k]->text);
  }
}

bool wb_repairs_write(FILE *out, const char *text, const wb_edit *edits, size_t n, const bool *skip,
                      unsigned *first_lines) {
  wb_token_list *list = malloc(sizeof *list);
  kernel_names kernels;
  if (!list) return false;
  wb_tokens_read(text, list);
  find_kernels(list, &kernels);
  unsigned line = 1 + write_lines(out, text, true);
  bool written = kernels.n > 0;
  for (size_t i = 0; i < n && written; i++) {
    if (first_lines) first_lines[i] = line;
    if (skip && skip[i]) continue;
    char *changed = wb_repair_apply(text, &edits[i]);
    written = changed != NULL;
    if (!changed) break;
    rename_kernels(out, &kernels, i, true);
    fprintf(out, "namespace tried_%zu {\n", i);
    line += (unsigned)kernels.n + 1 + write_lines(out, changed, false);
    fputs("}\n", out);
    rename_kernels(out, &kernels, i, false);
    line += (unsigned)kernels.n + 1;
    free(changed);
  }
  if (first_lines) first_lines[n] = line;
  free(list);
  return written && fflush(out) == 0 && !ferror(out);
}
