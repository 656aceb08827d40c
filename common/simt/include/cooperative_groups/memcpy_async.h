// SPDX-License-Identifier: MIT
// cooperative_groups/memcpy_async.h - copies that a group makes together and waits for.
#ifndef SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../simt_cuda/async_copy.h"
#include "../simt_cuda/libcu.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace cooperative_groups {

template <class Group, class T>
SIMT_GROUP void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
  simt_async::copy_shared_out(to, from, bytes, (unsigned)group.thread_rank(),
                              (unsigned)group.size());
  simt_async::commit();
}
template <class Group, class T, size_t Alignment>
SIMT_GROUP void memcpy_async(const Group &group, T *to, const T *from,
                             const cuda::aligned_size_t<Alignment> &bytes) {
  memcpy_async(group, to, from, (size_t)bytes);
}
// Elements: as many as both have room for.
template <class Group, class T>
SIMT_GROUP void memcpy_async(const Group &group, T *to, size_t room, const T *from, size_t n) {
  memcpy_async(group, to, from, (room < n ? room : n) * sizeof(T));
}
template <unsigned Stages, class Group> SIMT_GROUP void wait_prior(const Group &group) {
  simt_async::wait_for<Stages>();
  group.sync();
}
template <class Group> SIMT_GROUP void wait(const Group &group) { wait_prior<0>(group); }

} // namespace cooperative_groups
#endif
#endif
