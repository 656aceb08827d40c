// SPDX-License-Identifier: MIT
// runtime/children.h - dynamic parallelism: what kernels ask of the device and of the runtime.
#ifndef SIMT_RUNTIME_CHILDREN_H
#define SIMT_RUNTIME_CHILDREN_H

#include "runtime/runtime.h"

// runtime/children.c: carries out all that `parent` has asked for, and what that asks for, and
// frees it. Stops at the first device fault.
cudaError_t simt_rt_children_run(rt_context *context, rt_stream *stream, const rt_launch *parent,
                                 simt_child *children);

// runtime/launch.c: one grid alone. `n_pending`: as in simt_launch; 0: launched by the host.
// *children: what it has asked for, the caller's to carry out.
cudaError_t simt_rt_grid_run(rt_context *context, rt_stream *stream, const rt_launch *launch,
                             uint32_t n_pending, simt_child **children);

// runtime/device_answers.c. Who asks: a grid of a kernel of this module.
typedef struct rt_asker {
  rt_context *context;
  rt_module *module;
  bool has_failed; // a launch of it, for a reason that has been said
} rt_asker;
int simt_rt_device_answer(void *asker, simt_question *question); // simt_launch.ask
// The runtime's own object for a kernel that device code names; NULL: no memory.
rt_kernel *simt_rt_kernel_of(rt_context *context, rt_module *module, const simt_kernel *kernel);

// runtime/function.c
void simt_rt_function_describe(const rt_context *context, rt_kernel *kernel,
                               struct cudaFuncAttributes *out);
// runtime/device.c
cudaError_t simt_rt_read_limit(const rt_context *context, enum cudaLimit limit, size_t *value);

#endif
