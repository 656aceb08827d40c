// SPDX-License-Identifier: MIT
// Member masks that do not name the lanes that are there. The PTX ISA leaves open what happens; an
// H100 printed this. When all lanes that have not left arrive together with one mask, they all take
// part, whatever it says; and a shuffle reads from lanes that name another mask.
// flags: -arch=sm_90
// found: synccheck: a lane takes part that the mask does not name
// found: Lanes 16-31 take part, and the mask 0x0000ffff does not name them
#include <cstdio>
#include <cuda_runtime.h>

#define KERNEL(name, ...)                                                                          \
  __global__ void name(unsigned m, unsigned none, unsigned *out) {                                 \
    const unsigned lane = threadIdx.x, v = 100 + lane;                                             \
    unsigned r = 7777;                                                                             \
    __VA_ARGS__;                                                                                   \
    out[lane] = r;                                                                                 \
  }

// The whole warp, with the mask of its lower half, a constant or an argument (m), or with none.
KERNEL(up_const, r = __shfl_up_sync(0x0000ffffu, v, 16))
KERNEL(up_arg, r = __shfl_up_sync(m, v, 16))
KERNEL(xor_arg, r = __shfl_xor_sync(m, v, 16))
KERNEL(idx_arg, r = __shfl_sync(m, v, (lane + 5) & 31))
KERNEL(down_arg, r = __shfl_down_sync(m, v, 3))
KERNEL(ballot_arg, r = __ballot_sync(m, 1))
KERNEL(ballot_const, r = __ballot_sync(0x0000ffffu, 1))
KERNEL(ballot_odd, r = __ballot_sync(m, lane & 1))
KERNEL(any_arg, r = __any_sync(m, lane >= 16))
KERNEL(all_arg, r = __all_sync(m, lane < 16))
KERNEL(match_any_arg, r = __match_any_sync(m, lane & 3))
KERNEL(reduce_arg, r = __reduce_add_sync(m, v))
KERNEL(reduce_max, r = __reduce_max_sync(m, v))
KERNEL(sync_arg, __syncwarp(m); r = 1)
KERNEL(zero_ballot, r = __ballot_sync(none, 1))
KERNEL(zero_shfl, r = __shfl_sync(none, v, 3))
KERNEL(zero_sync, __syncwarp(none); r = 1)
KERNEL(uniform_then, r = __shfl_sync(m, v, 20) + __ballot_sync(m, lane & 1))

// All that have not left, and all of a short warp.
KERNEL(exited, if (lane >= 16) return; r = __ballot_sync(m >> 8, 1))
KERNEL(exited_shfl, if (lane >= 16) return; r = __shfl_sync(m >> 8, v, (lane + 9) & 15))
KERNEL(exited_mixed, if (lane < 8 || lane >= 24) return; r = __ballot_sync(m, 1))
KERNEL(exited_none, if (lane >= 16) return; r = __ballot_sync(m << 16, 1))
KERNEL(short_ballot, r = __ballot_sync(m >> 8, 1))
KERNEL(short_shfl, r = __shfl_sync(m >> 8, v, (lane + 9) & 15))
KERNEL(short_beyond, r = __ballot_sync(m << 16, 1))

// Several masks, each of which names the lanes that have it.
KERNEL(le_ballot, r = __ballot_sync((2u << lane) - 1, lane & 1))
KERNEL(own_ballot, r = __ballot_sync(1u << lane, 1))
KERNEL(own_shfl, r = __shfl_xor_sync(1u << lane, v, 1))
KERNEL(tiles, r = __ballot_sync(lane < 16 ? m : m << 16, 1))
KERNEL(tiles_shfl, r = __shfl_sync(lane < 16 ? m : m << 16, v, lane ^ 16))
KERNEL(tiles_xor, r = __shfl_xor_sync(lane < 16 ? m : m << 16, v, 17))
KERNEL(tiles_up, r = __shfl_up_sync(lane < 16 ? m : m << 16, v, 1))
KERNEL(tiles_down, r = __shfl_down_sync(lane < 16 ? m : m << 16, v, 1))
KERNEL(tiles_any, r = __any_sync(lane < 16 ? m : m << 16, lane == 3))
KERNEL(tiles_match, r = __match_any_sync(lane < 16 ? m : m << 16, lane & 1))
KERNEL(tiles_reduce, r = __reduce_add_sync(lane < 16 ? m : m << 16, v))
KERNEL(branch_half, if (lane < 24) r = __shfl_sync(lane < 16 ? m : 0xff0000u, v, (lane + 16) % 24))
KERNEL(odd_shfl, r = __shfl_sync(lane & 1 ? 0xaaaaaaaau : 0x55555555u, v, (lane + 1) & 31))
KERNEL(odd_branch, if (lane & 1) r = __shfl_sync(0xaaaaaaaau, v, (lane + 1) & 31);
       else r = __shfl_sync(0x55555555u, v, (lane + 1) & 31))

typedef void (*kernel)(unsigned, unsigned, unsigned *);

static void show(const char *name, kernel k, int threads) {
  unsigned *out, host[32];
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0xee, sizeof host);
  k<<<1, threads>>>(0x0000ffffu, 0, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int i = 0; i < threads; i++) printf(" %x", host[i]);
  printf("\n");
  cudaFree(out);
}

#define SHOW(name) show(#name, name, 32)
#define SHORT(name) show(#name, name, 16)

int main() {
  SHOW(up_const), SHOW(up_arg), SHOW(xor_arg), SHOW(idx_arg), SHOW(down_arg);
  SHOW(ballot_arg), SHOW(ballot_const), SHOW(ballot_odd), SHOW(any_arg), SHOW(all_arg);
  SHOW(match_any_arg), SHOW(reduce_arg), SHOW(reduce_max), SHOW(sync_arg);
  SHOW(zero_ballot), SHOW(zero_shfl), SHOW(zero_sync), SHOW(uniform_then);
  SHOW(exited), SHOW(exited_shfl), SHOW(exited_mixed), SHOW(exited_none);
  SHORT(short_ballot), SHORT(short_shfl), SHORT(short_beyond);
  SHOW(le_ballot), SHOW(own_ballot), SHOW(own_shfl);
  SHOW(tiles), SHOW(tiles_shfl), SHOW(tiles_xor), SHOW(tiles_up), SHOW(tiles_down);
  SHOW(tiles_any), SHOW(tiles_match), SHOW(tiles_reduce);
  SHOW(branch_half), SHOW(odd_shfl), SHOW(odd_branch);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
