// SPDX-License-Identifier: MIT
// core/requests.h - private to the core: the work that a grid asks of the device.
#ifndef SIMT_REQUESTS_H
#define SIMT_REQUESTS_H

#include "core/state.h"

// CUDA's error codes, which these calls return.
enum {
#define CUDART_ERROR(name, value, text) simt_##name = value,
#include "include/simt_cuda/cuda_errors.def"
#undef CUDART_ERROR
};

// A stream, by what came last in it; all NULL and 0: cudaStreamFireAndForget.
typedef struct simt_stream_end {
  simt_child **last;
  bool is_tail;
} simt_stream_end;

// A parameter buffer that the program fills before it launches.
typedef struct simt_buffer {
  uint64_t address;
  uint32_t size_bytes;
  const simt_kernel *kernel; // NULL: the launch names it
  uint32_t grid[3], block[3], shared_bytes;
} simt_buffer;

simt_status simt_requests_begin(simt_core *core); // of a kernel that calls the runtime
void simt_requests_end(simt_core *core);          // frees what was not taken
simt_child *simt_requests_take(simt_core *core);

// A buffer in device memory, poison-free; its address goes into *b. False: no memory.
bool simt_requests_add_buffer(simt_core *core, simt_buffer *b);
// The buffer that begins at `address`, which is forgotten. False: there is none.
bool simt_requests_take_buffer(simt_core *core, uint64_t address, simt_buffer *out);

// Handles of streams and events; 0: no memory.
uint64_t simt_requests_new_stream(simt_core *core);
uint64_t simt_requests_new_event(simt_core *core);
// The stream or event behind a handle, of this grid's own or one that every grid has. False: none.
bool simt_requests_stream(simt_core *core, simt_block *block, uint64_t handle,
                          simt_stream_end *out);
simt_child **simt_requests_event(simt_core *core, uint64_t handle); // what it stands for, or NULL

// Appends a copy of `child` to the stream; owns its parameters. CUDA's error code.
int simt_requests_add(simt_core *core, const simt_stream_end *stream, const simt_child *child);

// The address of a text in device memory, for device code; 0: no memory.
uint64_t simt_requests_text(simt_core *core, const char *text);

#endif
