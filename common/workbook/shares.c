// SPDX-License-Identifier: MIT
// shares.c - memory and input of a lesson that uses several GPUs; see session.h, wb_shares.
//
// The input is made on GPU 0, as ever, and spread from there before anything is timed or counted.
// Not here: what links can do on a GPU; there the L2 of GPU 0 alone is emptied between graphs.
#include "session.h"

#include <string.h>

static bool current(unsigned device) { return WB_OK(cudaSetDevice((int)device)); }

// Peer access between all, as far as it goes. Enabled once, it stays.
static bool open_peers(wb_shares *shares) {
  shares->peers = true;
  for (unsigned d = 0; d < shares->devices; d++) {
    if (!current(d)) return false;
    for (unsigned other = 0; other < shares->devices; other++) {
      int can = 0;
      if (other == d) continue;
      if (!WB_OK(cudaDeviceCanAccessPeer(&can, (int)d, (int)other))) return false;
      const cudaError_t error =
          can ? cudaDeviceEnablePeerAccess((int)other, 0) : cudaErrorPeerAccessUnsupported;
      if (error != cudaSuccess && error != cudaErrorPeerAccessAlreadyEnabled) shares->peers = false;
      cudaGetLastError(); // that it was enabled before is no error
    }
  }
  return current(0);
}

bool wb_shares_open(wb_session *s) {
  wb_shares *shares = &s->shares;
  memset(shares, 0, sizeof *shares);
  if (s->lesson->devices == 0) return true;
  shares->devices = s->device.count;
  shares->width = s->args.n / shares->devices + (s->args.n % shares->devices != 0);
  const size_t bytes = ((size_t)shares->width + s->args.offset) * WB_ELEMENT_BYTES;
  s->share_bytes = (bytes + 511) / 512 * 512 + 512; // never empty
  const size_t all_bytes = (size_t)shares->devices * shares->width * WB_ELEMENT_BYTES;
  if (s->lesson->from_host && !WB_OK(cudaMallocHost((void **)&s->host_input, all_bytes + 1)))
    return false;
  shares->in_host = (const float *)(const void *)s->host_input;
  if (!open_peers(shares) ||
      !WB_OK(cudaMallocHost((void **)&shares->host, WB_SHARE_ROOM * WB_ELEMENT_BYTES)))
    return false;
  for (unsigned d = 0; d < shares->devices; d++) {
    const bool ok =
        current(d) &&
        WB_OK(cudaMalloc((void **)&s->share_inputs[d], s->share_bytes * s->n_copies)) &&
        WB_OK(cudaMalloc((void **)&shares->room[d], WB_SHARE_ROOM * WB_ELEMENT_BYTES)) &&
        (d == 0 || WB_OK(cudaMalloc((void **)&shares->out[d], s->share_bytes)));
    if (!ok) return false;
  }
  shares->out[0] = (float *)s->out;
  return current(0);
}

void wb_shares_close(wb_session *s) {
  for (unsigned d = 0; d < s->shares.devices; d++) {
    if (!current(d)) continue;
    cudaFree(s->share_inputs[d]);
    cudaFree(s->shares.room[d]);
    if (d > 0) cudaFree(s->shares.out[d]);
    s->share_inputs[d] = NULL;
  }
  if (s->shares.devices > 0) current(0);
  if (s->shares.host != NULL) cudaFreeHost(s->shares.host);
  if (s->host_input != NULL) cudaFreeHost(s->host_input);
  s->host_input = NULL;
  memset(&s->shares, 0, sizeof s->shares);
}

static unsigned char *share_at(const wb_session *s, unsigned device, unsigned copy) {
  return s->share_inputs[device] + s->share_bytes * copy +
         (size_t)s->args.offset * WB_ELEMENT_BYTES;
}

// The shares, one after the other: with the zeros at the end.
static bool fill_host(wb_session *s, size_t width_bytes) {
  for (unsigned d = 0; d < s->shares.devices && s->host_input != NULL && width_bytes > 0; d++)
    if (!WB_OK(cudaMemcpy(s->host_input + d * width_bytes, share_at(s, d, 0), width_bytes,
                          cudaMemcpyDeviceToHost)))
      return false;
  return true;
}

bool wb_shares_fill(wb_session *s) {
  const size_t width_bytes = (size_t)s->shares.width * WB_ELEMENT_BYTES;
  const size_t all_bytes = (size_t)s->args.n * WB_ELEMENT_BYTES;
  for (unsigned d = 0; d < s->shares.devices; d++) {
    const size_t first = d * width_bytes, left = first < all_bytes ? all_bytes - first : 0;
    const size_t bytes = left < width_bytes ? left : width_bytes;
    if (!current(d)) return false;
    for (unsigned copy = 0; copy < s->n_copies; copy++) {
      unsigned char *to = share_at(s, d, copy);
      const unsigned char *from = (const unsigned char *)wb_session_input(s, copy) + first;
      if ((bytes > 0 && !WB_OK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice))) ||
          (bytes < width_bytes && !WB_OK(cudaMemset(to + bytes, 0, width_bytes - bytes))))
        return false;
    }
    if (!WB_OK(cudaDeviceSynchronize())) return false; // before other GPUs look at it
  }
  return s->shares.devices == 0 || (current(0) && fill_host(s, width_bytes));
}

bool wb_shares_poison(wb_session *s) {
  for (unsigned d = 0; d < s->shares.devices; d++) {
    const bool ok =
        current(d) &&
        WB_OK(cudaMemset(s->shares.room[d], WB_POISON_BYTE, WB_SHARE_ROOM * WB_ELEMENT_BYTES)) &&
        (d == 0 || WB_OK(cudaMemset(s->shares.out[d], WB_POISON_BYTE, s->share_bytes))) &&
        WB_OK(cudaDeviceSynchronize());
    if (!ok) return false;
  }
  return s->shares.devices == 0 || current(0);
}

wb_shares wb_shares_of(const wb_session *s, unsigned copy) {
  wb_shares shares = s->shares;
  for (unsigned d = 0; d < shares.devices; d++)
    shares.in[d] = (const float *)(const void *)share_at(s, d, copy);
  return shares;
}
