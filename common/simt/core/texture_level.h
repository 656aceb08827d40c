// SPDX-License-Identifier: MIT
// core/texture_level.h - private to core/texture*.c: which level of a mipmap a read goes to.
#ifndef SIMT_CORE_TEXTURE_LEVEL_H
#define SIMT_CORE_TEXTURE_LEVEL_H

#include "core/state.h"
#include "device/texture.h"

// In 256ths; a whole number of levels where the texture does not mix them. A read that names no
// level reads level 0; the texture's bias does not apply to it.
int simt_texture_level(const simt_warp *warp, const simt_instr *in, const simt_texture *texture,
                       uint32_t lane);

#endif
