// SPDX-License-Identifier: MIT
// tree_time.c - threads' states and processes' times, as Linux shows them in /proc.
//
// Not handled: descendants whose parent has ended; they belong to the subreaper and are no longer
// below `root`. Their own limit of processor time ends them, and so does the end of `root`.
#include "tree_time.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LOOKED_AT = 1024, STAT_BYTES = 1024 };

typedef struct walk {
  pid_t found[MAX_LOOKED_AT];
  size_t n;
  grade_tree_time time;
} walk;

// The fields of a stat file behind the name, which may hold blanks and brackets itself: the state
// comes first. NULL: the process or thread has ended.
static const char *fields_of(const char *path, char text[STAT_BYTES]) {
  FILE *file = fopen(path, "re");
  size_t n = file ? fread(text, 1, STAT_BYTES - 1, file) : 0;
  if (file) fclose(file);
  text[n] = '\0';
  const char *end = strrchr(text, ')');
  return end && end[1] == ' ' ? end + 2 : NULL;
}

static void add_children(walk *w, pid_t pid, long thread) {
  char path[96];
  long child = 0;
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, thread);
  FILE *file = fopen(path, "re");
  while (file && fscanf(file, "%ld", &child) == 1) {
    if (w->n < MAX_LOOKED_AT) w->found[w->n++] = (pid_t)child;
    else w->time.awake = true;
  }
  if (file) fclose(file);
}

static void look_at_threads(walk *w, pid_t pid) {
  char path[96], text[STAT_BYTES];
  long thread = 0;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
  DIR *threads = opendir(path);
  for (struct dirent *entry; threads && (entry = readdir(threads));) {
    if (sscanf(entry->d_name, "%ld", &thread) != 1) continue;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", (long)pid, thread);
    const char *fields = fields_of(path, text);
    if (!fields) continue;
    w->time.awake = w->time.awake || *fields == 'R' || *fields == 'D';
    add_children(w, pid, thread);
  }
  if (threads) closedir(threads);
}

// Its own time and that of the processes it has waited for: fields 14 to 17 of proc(5).
static void add_time(walk *w, pid_t pid) {
  char path[64], text[STAT_BYTES];
  unsigned long user = 0, system = 0;
  long waited_user = 0, waited_system = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  const char *fields = fields_of(path, text);
  if (fields && sscanf(fields, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user,
                       &system, &waited_user, &waited_system) == 4)
    w->time.cpu_s += ((double)user + (double)system + (double)waited_user + (double)waited_system) /
                     (double)sysconf(_SC_CLK_TCK);
}

grade_tree_time grade_tree_time_of(pid_t root) {
  walk w = {.found = {root}, .n = 1};
  for (size_t i = 0; i < w.n; i++) {
    look_at_threads(&w, w.found[i]);
    add_time(&w, w.found[i]);
  }
  return w.time;
}
