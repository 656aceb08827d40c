// SPDX-License-Identifier: MIT
// device.h - what the device headers share. Device functions are inlined and carry no debug
// information, so that faults and counters are reported at the user's own line.
#ifndef SIMT_CUDA_DEVICE_H
#define SIMT_CUDA_DEVICE_H

#include "qualifiers.h"

#define SIMT_DEVICE static __inline__ __attribute__((device, always_inline, nodebug, unused))
// For functions whose PTX is written out and whose lanes act together: the compiler must not move
// the call into or out of a branch.
#define SIMT_DEVICE_TOGETHER                                                                       \
  static __inline__ __attribute__((device, always_inline, nodebug, unused, convergent))
#define SIMT_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug, unused))

#endif
