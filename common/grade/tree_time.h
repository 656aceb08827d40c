// SPDX-License-Identifier: MIT
/// @file tree_time.h
/// What a process and all that descend from it are doing: whether any of them could go on if it got
/// a processor, and how much processor time they have had. A busy machine changes neither.
#ifndef GRADE_TREE_TIME_H
#define GRADE_TREE_TIME_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct grade_tree_time {
  bool awake;   ///< a thread computes, waits for a processor, or waits for a disk
  double cpu_s; ///< of all processes, with those that they have waited for
} grade_tree_time;

/// Linux's account in /proc, of `root` and its descendants. What ends meanwhile is left out; more
/// processes than can be looked at count as awake.
grade_tree_time grade_tree_time_of(pid_t root);

#endif
