// SPDX-License-Identifier: MIT
// intake.c - from what an instructor has downloaded to a folder with one folder per student.
//
// Invariants: what is handed in is only read; a copy holds nothing but candidates for exercises and
// what could not be unpacked, under its own name, so that nothing is missing in silence. What was
// not taken is a remark. The copy does not depend on the order in which a folder lists its entries.
#define _GNU_SOURCE
#include "intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archives.h"
#include "files.h"
#include "layout.h"
#include "search.h"
#include "source.h"
#include "text.h"
#include "tree.h"

enum {
  MAX_DEPTH = 3,
  MAX_REMARKS = 100, // of one student
  PATH_BYTES = 2048,
  LIST_BYTES = 64 << 20,
  ARCHIVE_BYTES = 64 << 20,
  STUDENT_MIB = 256,
  DOWNLOAD_MIB = 8192
};

typedef struct intake_run {
  grade_intake *intake;
  const char *work, *unpacker;
  const grade_intake_from *from;
  const char *student; // whose files are being sorted
  size_t n_remarks;    // about that student
  int root;            // of the copy; -1: there is none, remarks only
  unsigned n_archives;
  bool special; // a copy is needed
  grade_status status;
  grade_diag *diag;
} intake_run;

static void add_remark(intake_run *run, const char *path, const char *what, bool minor) {
  grade_intake *intake = run->intake;
  if (run->status || ++run->n_remarks > MAX_REMARKS) return;
  if (run->n_remarks == MAX_REMARKS) path = "...", what = "and more";
  grade_remark *all = realloc(intake->remarks, (intake->n_remarks + 1) * sizeof *all);
  char safe[2 * PATH_BYTES];
  if (all) {
    intake->remarks = all;
    all[intake->n_remarks++] =
        (grade_remark){.student = grade_copy(run->student),
                       .path = grade_copy(grade_text_safe(safe, sizeof safe, path)),
                       .what = what,
                       .minor = minor};
  }
  if (!all || !all[intake->n_remarks - 1].student || !all[intake->n_remarks - 1].path)
    run->status = grade_fail(run->diag, GRADE_NO_MEMORY, "out of memory");
}

static void remark(intake_run *run, const char *path, const char *what) {
  add_remark(run, path, what, false);
}

static void begin_student(intake_run *run, const char *student) {
  if (strcmp(run->student, student) != 0) run->n_remarks = 0;
  run->student = student;
}

// Copies one file to the student's `path`; a second one of that name goes where it is seen to be
// one.
static void copy(intake_run *run, const char *path, int folder, const char *name, size_t limit) {
  char place[2 * PATH_BYTES];
  if (run->root < 0 || run->status) return;
  snprintf(place, sizeof place, "%s%s%s", run->student, *run->student ? "/" : "", path);
  bool copied = grade_tree_copy(run->root, place, folder, name, limit);
  if (!copied && errno == EEXIST) {
    snprintf(place, sizeof place, "%s/second/%s", run->student, path);
    copied = grade_tree_copy(run->root, place, folder, name, limit);
  }
  if (copied) return;
  if (errno == EINVAL || errno == EEXIST || errno == ENAMETOOLONG || errno == ELOOP ||
      errno == ENOTDIR)
    remark(run, path, "not taken: its name");
  else
    run->status = grade_fail(run->diag, GRADE_IO_ERROR, "cannot copy a file of '%s': %s",
                             run->student, strerror(errno));
}

static bool is_exercise(const intake_run *run, const char *name) {
  char file[GRADE_NAME_BYTES + 8];
  for (size_t i = 0; i < run->from->n_plans; i++) {
    snprintf(file, sizeof file, "%s.cu", run->from->plans[i].name);
    if (grade_search_is_near(name, file)) return true;
  }
  return false;
}

// Remarks on what will not be found where the copy at `path` lies.
static void check_found(intake_run *run, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  int depth = 0;
  for (const char *at = path; *at; at++) depth += *at == '/';
  if (!*run->student || !grade_layout_is_source(base)) return;
  if (!is_exercise(run, base)) remark(run, path, "not taken: no exercise has this name");
  else if (depth > MAX_DEPTH) remark(run, path, "not taken: it lies too deep");
}

// --- archives ------------------------------------------------------------------------------------

// Unpacks the archive at `path` and puts its files below `prefix` of the student's. `shown`: its
// own name there. False: nothing of it could be taken, and a remark says why.
static bool unpack(intake_run *run, const char *path, const char *shown, const char *prefix,
                   unsigned limit_mib) {
  char place[PATH_BYTES], name[PATH_BYTES], number[16];
  snprintf(place, sizeof place, "%.1900s/%u", run->work, ++run->n_archives);
  const grade_unpack_call call = {run->unpacker, path, place, limit_mib, run->from->memory_bytes};
  grade_unpacked unpacked;
  const char *failure = grade_unpack(&unpacked, &call);
  if (failure) {
    remark(run, shown, failure);
    grade_folder_remove(place);
    return false;
  }
  int folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (grade_unpacked_line line; folder >= 0 && grade_unpacked_next(&unpacked, &line);) {
    if ((size_t)snprintf(name, sizeof name, "%s%s", prefix, line.path) >= sizeof name) continue;
    snprintf(number, sizeof number, "%u", line.number);
    if (line.number) copy(run, name, folder, number, ARCHIVE_BYTES), check_found(run, name);
    else add_remark(run, name, line.why, line.minor);
  }
  if (folder >= 0) close(folder);
  free(unpacked.text);
  grade_folder_remove(place);
  return true;
}

// An archive of a student's: beside what else there is, in a folder of its name.
static void sort_archive(intake_run *run, int folder, const char *name, const char *path) {
  char place[PATH_BYTES], prefix[PATH_BYTES];
  run->special = run->special || *run->unpacker;
  if (run->root < 0 || run->status) return;
  snprintf(place, sizeof place, "%.1900s/archive", run->work);
  unlink(place);
  int work = open(run->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool copied = work >= 0 && grade_tree_copy(work, "archive", folder, name, ARCHIVE_BYTES + 1);
  if (work >= 0) close(work);
  snprintf(prefix, sizeof prefix, "%.1500s/", path);
  // What could not be unpacked stays, so that no exercise counts as not handed in.
  if (!copied || !unpack(run, place, path, prefix, STUDENT_MIB)) copy(run, path, folder, name, 1);
  unlink(place);
}

// --- one student ---------------------------------------------------------------------------------

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0;
}

static void sort_file(intake_run *run, int folder, const char *name, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  if (grade_layout_is_source(base)) {
    copy(run, path, folder, name, GRADE_SOURCE_MAX_BYTES + 1);
    check_found(run, path);
  } else if (grade_layout_is_archive(base)) {
    sort_archive(run, folder, name, path);
  } else {
    add_remark(run, path, "not taken: no CUDA file", true);
  }
}

static void sort_folder(intake_run *run, int parent, const char *name, const char *prefix,
                        int depth) {
  struct dirent **entries = NULL;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int n = folder >= 0 ? scandirat(folder, ".", &entries, is_shown, alphasort) : 0;
  for (int i = 0; i < n; i++) {
    char path[PATH_BYTES];
    struct stat info;
    const char *one = entries[i]->d_name;
    bool fits = snprintf(path, sizeof path, "%s%s", prefix, one) < (int)sizeof path - 1 &&
                fstatat(folder, one, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (fits && !S_ISDIR(info.st_mode)) sort_file(run, folder, one, path);
    else if (fits && depth < MAX_DEPTH)
      strcat(path, "/"), sort_folder(run, folder, one, path, depth + 1);
    else if (fits) remark(run, path, "not looked into: it lies too deep");
    free(entries[i]);
  }
  free(entries);
  if (folder >= 0) close(folder);
}

// An empty or unreadable folder, or archive, still counts as a student's.
static void begin_folder(intake_run *run, const char *student) {
  begin_student(run, student);
  int folder = run->root >= 0 ? grade_tree_folder(run->root, student) : -1;
  if (folder >= 0) close(folder);
}

static void sort_students_folder(intake_run *run, int parent, const char *name,
                                 const char *student) {
  begin_folder(run, student);
  sort_folder(run, parent, name, "", 0);
}

// --- the class -----------------------------------------------------------------------------------

// Each submitter of a submission gets its files. False: the list does not name the folder.
static bool sort_listed(intake_run *run, int parent, const char *name, const char *list) {
  char folder[GRADE_OWNER_BYTES] = "", student[GRADE_OWNER_BYTES];
  bool found = false;
  for (const char *at = list; grade_layout_next_submitter(&at, folder, student);) {
    if (strcmp(folder, name) != 0) continue;
    sort_students_folder(run, parent, name, student);
    run->student = "";
    found = true;
  }
  return found;
}

static void sort_entry(intake_run *run, int folder, const char *name, const char *list) {
  grade_owner owner;
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  bool is_folder = S_ISDIR(info.st_mode), is_file = S_ISREG(info.st_mode);
  if (strcmp(name, GRADE_GRADESCOPE_LIST) == 0) return;
  if (is_folder && list && sort_listed(run, folder, name, list)) return;
  if (!is_folder && !is_file) { // is listed, and said to be what it is
    if (run->root >= 0) grade_tree_copy(run->root, name, folder, name, 0);
  } else if (!grade_layout_owner(name, is_folder, &owner)) {
    begin_student(run, "");
    remark(run, name, "not taken: neither a student's folder nor an archive");
  } else {
    run->special = run->special || strcmp(owner.student, is_folder ? name : "") != 0;
    if (is_folder) sort_students_folder(run, folder, name, owner.student);
    else begin_folder(run, owner.student), sort_file(run, folder, name, owner.file);
    if (owner.late) remark(run, owner.file, "taken; the learning platform marks it as late");
    run->student = "";
  }
}

static void sort_class(intake_run *run, int folder) {
  struct dirent **entries = NULL;
  char *list = grade_read_below(folder, GRADE_GRADESCOPE_LIST, LIST_BYTES);
  int n = scandirat(folder, ".", &entries, is_shown, alphasort);
  run->special = run->special || list;
  for (int i = 0; i < n; i++) {
    if (!run->status) sort_entry(run, folder, entries[i]->d_name, list);
    free(entries[i]);
  }
  free(entries);
  free(list);
}

// Whether a folder looks like that of a class: students' folders, archives or a platform's files,
// more than one, and nothing else.
static bool is_class(int folder) {
  struct dirent **entries = NULL;
  int n = scandirat(folder, ".", &entries, is_shown, alphasort), n_students = 0;
  for (int i = 0; i < n; i++) {
    struct stat info;
    grade_owner owner;
    const char *name = entries[i]->d_name;
    bool is_folder =
        fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
    n_students +=
        grade_layout_owner(name, is_folder, &owner) || strcmp(name, GRADE_GRADESCOPE_LIST) == 0;
    free(entries[i]);
  }
  free(entries);
  return n > 1 && n_students == n;
}

// A download whose only entry is a folder that holds the class: that one instead.
static int unwrap(int folder) {
  struct dirent **entries = NULL;
  int n = scandirat(folder, ".", &entries, is_shown, alphasort), inside = -1;
  if (n == 1)
    inside = openat(folder, entries[0]->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  for (int i = 0; i < n; i++) free(entries[i]);
  free(entries);
  bool deeper = inside >= 0 && is_class(inside);
  if (inside >= 0) close(deeper ? folder : inside);
  return deeper ? inside : folder;
}

// Opens [work]/name, made anew.
static int make_place(intake_run *run, const char *name) {
  char place[PATH_BYTES];
  snprintf(place, sizeof place, "%.1900s/%s", run->work, name);
  int folder = -1;
  if (mkdir(run->work, 0700) == 0 || errno == EEXIST)
    if (mkdir(place, 0700) == 0) folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    run->status =
        grade_fail(run->diag, GRADE_IO_ERROR, "cannot make %s: %s", place, strerror(errno));
  return folder;
}

// A learning platform's whole download. Returns the folder of what was in it.
static int open_download(intake_run *run, const char *path) {
  char real[4096];
  if (!*run->unpacker)
    run->status = grade_fail(run->diag, GRADE_IO_ERROR,
                             "'%s' is an archive, and this build cannot unpack any: install "
                             "libarchive (Debian: apt install libarchive-dev), then the same again",
                             path);
  if (!run->status && !realpath(path, real))
    run->status = grade_fail(run->diag, GRADE_IO_ERROR, "%s: %s", path, strerror(errno));
  int download = run->status ? -1 : make_place(run, "download");
  if (download < 0) return -1;
  run->root = download;
  run->special = true;
  if (!unpack(run, real, path, "", DOWNLOAD_MIB) && !run->status)
    run->status = grade_fail(run->diag, GRADE_IO_ERROR, "'%s': %s", path,
                             run->intake->remarks[run->intake->n_remarks - 1].what);
  run->root = -1;
  run->n_remarks = 0;
  return unwrap(download);
}

static void forget_remarks(grade_intake *intake) {
  for (size_t i = 0; i < intake->n_remarks; i++) {
    free(intake->remarks[i].student);
    free(intake->remarks[i].path);
  }
  free(intake->remarks);
  intake->remarks = NULL;
  intake->n_remarks = 0;
}

grade_status grade_intake_open(grade_intake *intake, const grade_intake_from *from,
                               grade_diag *diag) {
  *intake = (grade_intake){.folder = -1};
  intake_run run = {.intake = intake, .from = from, .work = from->work, .student = "", .root = -1};
  run.unpacker = from->unpacker;
  run.diag = diag;
  struct stat info;
  bool is_file = stat(from->submissions, &info) == 0 && S_ISREG(info.st_mode);
  int folder = is_file && grade_layout_is_archive(from->submissions)
                   ? open_download(&run, from->submissions)
                   : open(from->submissions, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 && !run.status)
    run.status = grade_fail(diag, GRADE_IO_ERROR, "cannot open the submissions '%s': %s",
                            from->submissions, strerror(errno));
  if (!run.status && !run.special) sort_class(&run, folder); // to see what there is
  if (!run.status && run.special) {
    if (!is_file) forget_remarks(intake);
    run.n_remarks = 0;
    run.root = make_place(&run, "class");
    if (run.root >= 0) sort_class(&run, folder);
    close(folder);
    folder = run.root;
  }
  intake->folder = folder;
  if (run.status) grade_intake_close(intake);
  return run.status;
}

void grade_intake_close(grade_intake *intake) {
  forget_remarks(intake);
  if (intake->folder >= 0) close(intake->folder);
  intake->folder = -1;
}

size_t grade_intake_count(const grade_intake *intake, const char *student,
                          const grade_remark **first) {
  size_t n = 0;
  *first = NULL;
  for (size_t i = 0; i < intake->n_remarks; i++) {
    if (intake->remarks[i].minor || strcmp(intake->remarks[i].student, student) != 0) continue;
    if (n++ == 0) *first = &intake->remarks[i];
  }
  return n;
}

char *grade_intake_csv(const grade_intake *intake) {
  char *text = NULL, safe[1100];
  size_t size_bytes = 0;
  FILE *out = open_memstream(&text, &size_bytes);
  if (!out) return NULL;
  fputs("student,path,what\r\n", out);
  for (size_t i = 0; i < intake->n_remarks; i++) {
    const grade_remark *one = &intake->remarks[i];
    grade_csv_field(out, grade_text_safe(safe, sizeof safe, one->student));
    fputc(',', out);
    grade_csv_field(out, one->path);
    fputc(',', out);
    grade_csv_field(out, one->what);
    fputs("\r\n", out);
  }
  return fclose(out) == 0 ? text : (free(text), NULL);
}
