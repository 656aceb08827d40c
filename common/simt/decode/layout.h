// SPDX-License-Identifier: MIT
// decode/layout.h - private to decode*.c.
#ifndef SIMT_DECODE_LAYOUT_H
#define SIMT_DECODE_LAYOUT_H

#include "decode/builder.h"

// Builds the frames of all functions `kernel` reaches and the layout of its shared memory.
simt_status simt_decode_layout(builder *b, const ptx_function *kernel);

// Where a shared variable of the module lies; NULL: extern, so in dynamic shared memory.
const shared_place *simt_decode_shared_place(const builder *b, const ptx_variable *variable);

// The function a call names; NULL for a call through a pointer or to an unknown name.
const ptx_function *simt_decode_callee(const ptx_module *ptx, const ptx_instr *instr);

#endif
