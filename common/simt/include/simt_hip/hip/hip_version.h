// SPDX-License-Identifier: MIT
// hip_version.h - the version of HIP whose names these headers have.
#ifndef SIMT_HIP_VERSION_H
#define SIMT_HIP_VERSION_H
#define HIP_VERSION_MAJOR 5
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 3
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)
#endif
