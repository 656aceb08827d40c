// SPDX-License-Identifier: MIT
/// @file files.h
/// Notices that a file was saved: written in place, replaced by another one (as most editors do),
/// deleted, or there again. The kernel's notices only wake the caller up earlier; what counts is
/// the file's own state, looked at again and again, so that nothing is missed where there are no
/// notices: on a network file system, whose other computers send this one none.
#ifndef TUTOR_FILES_H
#define TUTOR_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "tutor.h"

typedef enum tutor_change { TUTOR_UNCHANGED, TUTOR_SAVED, TUTOR_GONE } tutor_change;

/// What tells one content of a file from the next.
typedef struct tutor_file_state {
  bool exists;
  ino_t inode;
  off_t size_bytes;
  int64_t changed_ns;
} tutor_file_state;

typedef struct tutor_watcher {
  char path[TUTOR_PATH_BYTES];
  int notices;     ///< descriptor to poll, or -1: there are none
  const char *why; ///< why there are none, for the user; NULL where there are
  tutor_file_state known, seen;
  int64_t seen_ms; ///< since when `seen` is as it is
} tutor_watcher;

/// Watches `path`, which need not exist, from its state now on.
void tutor_watcher_open(tutor_watcher *watcher, const char *path, int64_t now_ms);
void tutor_watcher_close(tutor_watcher *watcher);
/// Whether the file has changed and come to rest: a save counts once it is whole, a deletion once
/// it is not the first half of a replacement.
tutor_change tutor_watcher_look(tutor_watcher *watcher, int64_t now_ms);
/// After how many milliseconds to look again, if no notice comes before.
int tutor_watcher_patience_ms(const tutor_watcher *watcher);

#endif
