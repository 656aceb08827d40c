// SPDX-License-Identifier: MIT
// runtime/platform.h - the machine under the CUDA runtime: pages from mmap, POSIX threads, and
// files on disk.
#ifndef SIMT_RUNTIME_PLATFORM_H
#define SIMT_RUNTIME_PLATFORM_H

#include <stdio.h>

#include "base/sink.h"
#include "device/platform.h"
#include "findings/findings.h"

const simt_platform *simt_host_platform(void);
// Finds source files by their name, or in the folder of the running program.
// `only`: the one file that reports may quote; NULL: whatever a module names.
const simt_source_reader *simt_host_sources(const char *only);
// Opens a regular file for reading, or NULL: the name may be that of a pipe, which would block
// forever.
FILE *simt_rt_open_regular(const char *path);
// Writes to a stream.
simt_sink simt_file_sink(FILE *to);

#endif
