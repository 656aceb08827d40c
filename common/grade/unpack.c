// SPDX-License-Identifier: MIT
// unpack.c - the program that reads an archive which is not trusted; it runs behind the fence.
//
//   unpack ARCHIVE MAX_MIB     in an empty folder
//
// It takes what may be an exercise (*.cu, *.cu.txt), an archive, or Gradescope's list of who handed
// in what, and writes each into a file of the current folder that is named by a number: no name of
// the archive is ever a path here. What it did is in the file `list`, a line per entry:
//
//   taken 3 src/01%20x.cu      left link src/y.cu      stopped size      done 17
//
// Names are percent-encoded. Without `done` as its last line the list is not whole.
// Exit: 0 the list says all, 2 wrong use.
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "layout.h"

enum {
  MAX_ENTRIES = 50000,
  MAX_TAKEN = 20000,
  MAX_NAME_BYTES = 600,
  BLOCK_BYTES = 65536,
  MAX_RATIO = 100,             // of what comes out to what went in ...
  RATIO_FROM_BYTES = 16 << 20, // ... once this much has come out
  MAX_SOURCE_BYTES = (1 << 20) + 1,
  MAX_ARCHIVE_BYTES = 64 << 20
};

typedef struct unpacking {
  struct archive *archive;
  FILE *list;
  uint64_t read_bytes, limit_bytes, archive_bytes; // came out; may come out; went in
  unsigned n_entries, n_taken;
  const char *stopped; // why no more is read, or NULL
} unpacking;

static void put_name(FILE *list, const char *name) {
  for (const unsigned char *at = (const unsigned char *)name; *at; at++)
    if (*at > ' ' && *at < 0x7f && *at != '%') fputc(*at, list);
    else fprintf(list, "%%%02x", *at);
  fputc('\n', list);
}

static void leave(unpacking *u, const char *why, const char *name) {
  fprintf(u->list, "left %s ", why);
  put_name(u->list, name);
}

// What a name may not be, or NULL.
static const char *fault_of_name(const char *name) {
  size_t length = strlen(name);
  if (length == 0 || length > MAX_NAME_BYTES) return "name";
  if (name[0] == '/' || name[0] == '\\' || (isalpha((unsigned char)name[0]) && name[1] == ':'))
    return "absolute";
  for (const char *at = name; *at;) {
    size_t n = strcspn(at, "/\\");
    if (n == 2 && strncmp(at, "..", 2) == 0) return "parent";
    at += n + (at[n] != '\0');
  }
  return NULL;
}

static const char *fault_of_entry(struct archive_entry *entry) {
  if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) return "link";
  if (archive_entry_filetype(entry) != AE_IFREG) return "special";
  if (archive_entry_is_encrypted(entry)) return "encrypted";
  return NULL;
}

// Counts what came out. False: that is enough.
static bool account(unpacking *u, size_t n_bytes) {
  u->read_bytes += n_bytes;
  if (u->read_bytes > u->limit_bytes) u->stopped = "size";
  else if (u->read_bytes > RATIO_FROM_BYTES && u->read_bytes / MAX_RATIO > u->archive_bytes)
    u->stopped = "ratio";
  return !u->stopped;
}

// Writes the entry's bytes, at most `limit`, to the file `number`.
static const char *write_entry(unpacking *u, unsigned number, uint64_t limit) {
  char name[16], block[BLOCK_BYTES];
  uint64_t written = 0;
  const char *fault = NULL;
  snprintf(name, sizeof name, "%u", number);
  FILE *file = fopen(name, "wxe");
  if (!file) return "write";
  for (la_ssize_t n; !fault && (n = archive_read_data(u->archive, block, sizeof block)) != 0;) {
    if (n < 0) fault = "damaged";
    else if (!account(u, (size_t)n)) fault = "limit";
    else if ((written += (uint64_t)n) > limit) fault = "large";
    else if (fwrite(block, 1, (size_t)n, file) != (size_t)n) fault = "write";
  }
  if (fclose(file) != 0 && !fault) fault = "write";
  if (fault) remove(name);
  return fault;
}

static bool is_wanted(const char *name, uint64_t *limit) {
  const char *base = strrchr(name, '/');
  base = base ? base + 1 : name;
  *limit = grade_layout_is_source(base) ? MAX_SOURCE_BYTES : MAX_ARCHIVE_BYTES;
  return *base != '.' && (grade_layout_is_archive(base) || grade_layout_is_source(base) ||
                          strcmp(base, GRADE_GRADESCOPE_LIST) == 0);
}

static void take(unpacking *u, struct archive_entry *entry) {
  const char *name = archive_entry_pathname(entry);
  if (!name) name = archive_entry_pathname_utf8(entry);
  if (!name) name = "";
  while (strncmp(name, "./", 2) == 0) name += 2;
  if (archive_entry_filetype(entry) == AE_IFDIR || strncmp(name, "__MACOSX/", 9) == 0) return;
  uint64_t limit;
  const char *fault = fault_of_name(name);
  if (!fault) fault = fault_of_entry(entry);
  if (!fault && !is_wanted(name, &limit)) fault = "other";
  if (!fault && u->n_taken >= MAX_TAKEN) fault = "count";
  if (!fault) fault = write_entry(u, u->n_taken + 1, limit);
  // Where what was handed in cannot be known, nothing of it is taken.
  static const char *const fatal[] = {"encrypted", "damaged", "limit", "write"};
  for (size_t i = 0; fault && !u->stopped && i < sizeof fatal / sizeof *fatal; i++)
    if (strcmp(fault, fatal[i]) == 0) u->stopped = fatal[i];
  if (fault) {
    leave(u, fault, name);
    return;
  }
  fprintf(u->list, "taken %u ", ++u->n_taken);
  put_name(u->list, name);
}

// Skipping costs as much as reading where all is one compressed stream, and counts as much.
static void read_all(unpacking *u) {
  struct archive_entry *entry;
  while (!u->stopped) {
    int status = archive_read_next_header(u->archive, &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN) u->stopped = u->n_entries ? "damaged" : "format";
    else if (++u->n_entries > MAX_ENTRIES) u->stopped = "count";
    else take(u, entry);
    uint64_t out = (uint64_t)archive_filter_bytes(u->archive, 0);
    if (!u->stopped && out > u->read_bytes) account(u, (size_t)(out - u->read_bytes));
  }
}

static bool open_archive(unpacking *u, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  u->archive_bytes = (uint64_t)info.st_size;
  u->archive = archive_read_new();
  if (!u->archive) return false;
  archive_read_support_filter_gzip(u->archive);
  archive_read_support_filter_bzip2(u->archive);
  archive_read_support_filter_xz(u->archive);
  archive_read_support_format_zip(u->archive);
  archive_read_support_format_tar(u->archive);
  archive_read_support_format_7zip(u->archive);
  return archive_read_open_filename(u->archive, path, BLOCK_BYTES) == ARCHIVE_OK;
}

int main(int argc, char **argv) {
  unpacking u = {.n_taken = 0};
  long limit_mib = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (limit_mib < 1 || limit_mib > 1 << 20) {
    fputs("usage: unpack ARCHIVE MAX_MIB (in an empty folder)\n", stderr);
    return 2;
  }
  // Without it libarchive gives no name that has letters beyond ASCII ("Übung/01_x.cu").
  if (!setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "");
  u.limit_bytes = (uint64_t)limit_mib << 20;
  u.list = fopen("list", "wxe");
  if (!u.list) return perror("unpack: list"), 2;
  if (open_archive(&u, argv[1])) read_all(&u);
  else u.stopped = "format";
  if (u.stopped) fprintf(u.list, "stopped %s\n", u.stopped);
  fprintf(u.list, "done %u\n", u.n_taken);
  archive_read_free(u.archive);
  return fclose(u.list) == 0 ? 0 : 2;
}
