// SPDX-License-Identifier: MIT
// files.c - one file, looked at; inotify on its folder where that helps.
#define _GNU_SOURCE
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
  SETTLE_MS = 40,       // a save in several writes is one save
  GONE_MS = 400,        // editors delete and write anew
  LOOK_MS = 1000,       // with notices, in case one was lost
  LOOK_OFTEN_MS = 500,  // without
  LOOK_CHANGING_MS = 20 // until a change has come to rest
};

// File systems on which other computers write, and FUSE, behind which one may be (statfs(2)).
static bool is_remote(const char *folder) {
  static const unsigned long remote[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                         0x01021997, 0x5346414f, 0x73757245, 0x00c36400,
                                         0x0bd00bd0, 0x786f4256, 0x65735546};
  struct statfs found;
  if (statfs(folder, &found) != 0) return false;
  for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
    if ((unsigned long)found.f_type == remote[i]) return true;
  return false;
}

static tutor_file_state state_of(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return (tutor_file_state){0};
  return (tutor_file_state){true, found.st_ino, found.st_size,
                            found.st_mtim.tv_sec * INT64_C(1000000000) + found.st_mtim.tv_nsec};
}

static bool is_same(const tutor_file_state *a, const tutor_file_state *b) {
  if (!a->exists || !b->exists) return a->exists == b->exists;
  return a->inode == b->inode && a->size_bytes == b->size_bytes && a->changed_ns == b->changed_ns;
}

// Notices of everything in the folder: the file itself may be replaced.
static void ask_for_notices(tutor_watcher *w) {
  char folder[TUTOR_PATH_BYTES];
  const char *slash = strrchr(w->path, '/'), *asked = getenv("WORKBOOK_POLL");
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - w->path) : 1,
           slash ? w->path : ".");
  if (asked && *asked) w->why = "WORKBOOK_POLL is set";
  else if (is_remote(folder)) w->why = "the file is on a network file system";
  if (w->why) return;
  w->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (w->notices >= 0 &&
      inotify_add_watch(w->notices, folder,
                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE) >= 0)
    return;
  if (w->notices >= 0) close(w->notices);
  w->notices = -1;
  w->why = "the system gives no notices of files";
}

void tutor_watcher_open(tutor_watcher *watcher, const char *path, int64_t now_ms) {
  *watcher = (tutor_watcher){.notices = -1, .seen_ms = now_ms};
  snprintf(watcher->path, sizeof watcher->path, "%s", path);
  ask_for_notices(watcher);
  watcher->known = watcher->seen = state_of(path);
}

void tutor_watcher_close(tutor_watcher *watcher) {
  if (watcher->notices >= 0) close(watcher->notices);
  watcher->notices = -1;
}

tutor_change tutor_watcher_look(tutor_watcher *watcher, int64_t now_ms) {
  char notices[4096];
  while (watcher->notices >= 0 && read(watcher->notices, notices, sizeof notices) > 0) continue;
  tutor_file_state now = state_of(watcher->path);
  if (!is_same(&now, &watcher->seen)) {
    watcher->seen = now;
    watcher->seen_ms = now_ms;
  }
  if (is_same(&watcher->seen, &watcher->known)) return TUTOR_UNCHANGED;
  if (now_ms - watcher->seen_ms < (now.exists ? SETTLE_MS : GONE_MS)) return TUTOR_UNCHANGED;
  watcher->known = watcher->seen;
  return now.exists ? TUTOR_SAVED : TUTOR_GONE;
}

int tutor_watcher_patience_ms(const tutor_watcher *watcher) {
  if (!is_same(&watcher->seen, &watcher->known)) return LOOK_CHANGING_MS;
  return watcher->notices >= 0 ? LOOK_MS : LOOK_OFTEN_MS;
}
