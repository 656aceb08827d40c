// SPDX-License-Identifier: MIT
// decode/module.h - loaded modules and their kernels, opaque: this room's interface.
#ifndef SIMT_MODULE_H
#define SIMT_MODULE_H

#include "device/memory.h"
#include "ptx/ptx.h"

typedef struct simt_module simt_module; // decoded, linked to device memory
typedef struct simt_kernel simt_kernel; // one entry point of a module

// Parses, checks and links PTX: allocates its variables in `memory` and copies their initialisers.
// Two modules may define the same names. `name` is for diagnostics.
simt_status simt_module_load(simt_module **module, simt_memory *memory, const char *name,
                             const char *text, size_t text_bytes, simt_diag *diag);
// The same from several texts that use each other's functions and variables (ptx_link()).
simt_status simt_module_link(simt_module **module, simt_memory *memory, const char *name,
                             const ptx_unit *units, uint32_t n_units, simt_diag *diag);
void simt_module_unload(simt_module *module);
const simt_kernel *simt_module_kernel(const simt_module *module, const char *name); // NULL: absent
uint32_t simt_module_n_kernels(const simt_module *module);
const simt_kernel *simt_module_kernel_at(const simt_module *module, uint32_t index);
// Address and size of a device or constant variable; SIMT_NOT_FOUND when absent.
simt_status simt_module_variable(const simt_module *module, const char *name, uint64_t *address,
                                 uint64_t *size_bytes);

typedef struct simt_kernel_info {
  const char *name;
  const ptx_module *module; // the module that it was decoded from
  uint32_t n_params;
  uint32_t param_bytes;    // size of the parameter block
  const ptx_param *params; // [n_params]: offset_bytes and size_bytes of each argument
  uint64_t static_shared_bytes, local_bytes_per_thread, const_bytes;
  uint32_t registers_per_thread; // estimate: live 32-bit virtual registers, rounded up to 8
  uint32_t max_threads;          // from .maxntid / .reqntid, else 1024
  uint32_t required_cluster[3];  // .reqnctapercluster; [0] == 0: not given
  uint32_t max_cluster_blocks;   // .maxclusterrank; 0: not given
  bool is_cluster_explicit;      // .explicitcluster
} simt_kernel_info;
void simt_kernel_describe(const simt_kernel *kernel, simt_kernel_info *info);

#endif
