// SPDX-License-Identifier: MIT
// compared.c - programs as they are compared with each other.
// Invariant: rows are written as they come, so that a class of any size needs one program's memory.
#define _GNU_SOURCE
#include "compared.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "programs.h"

enum { PTX_BYTES = 2 << 20, KEPT_BYTES = 256 << 10, SOURCE_BYTES = 1 << 20 };

struct grade_compared {
  FILE *file;
  char part[GRADE_PATH_BYTES + 32], path[GRADE_PATH_BYTES];
  bool whole;
};

// Neither comments nor directives: declarations of registers, places in the source, sections.
static bool is_instruction(const char *line, size_t length) {
  size_t blank = strspn(line, " \t");
  return blank < length && line[blank] != '.' && strncmp(line + blank, "//", 2) != 0;
}

char *grade_compared_instructions(const char *work) {
  char path[GRADE_PATH_BYTES];
  char *text = grade_path(path, work, "module", ".ptx") ? grade_file_read(path, PTX_BYTES) : NULL;
  if (!text) return NULL;
  char *to = text;
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    const char *next = line + length + (line[length] == '\n');
    if (strncmp(line, "\t.section", 9) == 0) break; // debug information, to the end
    if (is_instruction(line, length)) {
      memmove(to, line, (size_t)(next - line));
      to += next - line;
    }
    line = next;
  }
  *to = '\0';
  if (to > text && to - text <= KEPT_BYTES) return text;
  free(text);
  return NULL;
}

grade_status grade_compared_begin(grade_compared **list, const char *out, grade_diag *diag) {
  grade_compared *l = *list = calloc(1, sizeof *l);
  if (!l) return grade_fail(diag, GRADE_NO_MEMORY, "out of memory");
  if (!grade_path(l->path, out, "programs", ".jsonl"))
    return grade_fail(diag, GRADE_IO_ERROR, "paths are too long");
  snprintf(l->part, sizeof l->part, "%s.%ld.part", l->path, (long)getpid());
  l->file = fopen(l->part, "we");
  l->whole = l->file != NULL;
  return l->file
             ? GRADE_OK
             : grade_fail(diag, GRADE_IO_ERROR, "cannot write %s: %s", l->part, strerror(errno));
}

void grade_compared_add(grade_compared *list, const char *student, const char *exercise,
                        const char *source, const char *ptx) {
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "student", student);
  cJSON_AddStringToObject(json, "exercise", exercise);
  cJSON_AddStringToObject(json, "source", source);
  if (ptx) cJSON_AddStringToObject(json, "ptx", ptx);
  char *text = cJSON_PrintUnformatted(json);
  list->whole = text && fprintf(list->file, "%s\n", text) > 0 && list->whole;
  cJSON_free(text);
  cJSON_Delete(json);
}

void grade_compared_add_solution(grade_compared *list, const grade_setup *setup,
                                 const grade_exercise *plan) {
  char path[GRADE_PATH_BYTES];
  char *source = setup->rubrics && grade_path(path, setup->rubrics, plan->name, ".cu")
                     ? grade_file_read(path, SOURCE_BYTES)
                     : NULL;
  char *ptx = *plan->counts && grade_path(path, setup->counts, plan->counts, ".ptx")
                  ? grade_file_read(path, PTX_BYTES)
                  : NULL;
  if (source) grade_compared_add(list, GRADE_COMPARED_SOLUTION, plan->name, source, ptx);
  free(source);
  free(ptx);
}

grade_status grade_compared_end(grade_compared *list, bool keep, grade_diag *diag) {
  if (!list) return GRADE_OK;
  bool whole = list->file && list->whole;
  if (list->file && fclose(list->file) != 0) whole = false;
  bool kept = keep && whole && rename(list->part, list->path) == 0;
  grade_status status = GRADE_OK;
  if (keep && !kept)
    status = grade_fail(diag, GRADE_IO_ERROR, "cannot write %s: %s", list->path, strerror(errno));
  if (!kept && *list->part) unlink(list->part);
  free(list);
  return status;
}
