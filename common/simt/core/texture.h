// SPDX-License-Identifier: MIT
// core/texture.h - private to the core: reads through texture objects, accesses through surface
// objects.
#ifndef SIMT_CORE_TEXTURE_H
#define SIMT_CORE_TEXTURE_H

#include "core/state.h"

bool simt_exec_texture(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);
bool simt_exec_surface(simt_core *core, simt_warp *warp, const simt_instr *in, uint32_t mask);

#endif
