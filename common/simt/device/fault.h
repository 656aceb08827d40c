// SPDX-License-Identifier: MIT
// device/fault.h - a device fault as a record: the part that programs can query (include/simt.h),
// and where it is in the launched kernel, for reports that quote the source.
#ifndef SIMT_FAULT_RECORD_H
#define SIMT_FAULT_RECORD_H

#include "device/lane.h"
#include "include/simt.h"

typedef struct simt_fault_record { // info.kind SIMT_FAULT_NONE: no fault
  simt_fault_info info;
  uint32_t pc;    // dense instruction index of the launched kernel
  uint32_t block; // linear
} simt_fault_record;

#endif
