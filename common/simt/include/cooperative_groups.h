// SPDX-License-Identifier: MIT
// cooperative_groups.h - groups of threads that synchronise and exchange values together: block,
// tiles of a warp, the lanes that happen to be active, the grid. Names and meaning as in CUDA.
//
// Tiles of more than 32 threads are in cooperative_groups/large_tile.inc. Not here: groups over
// several devices.
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

// Provided by the software GPU: returns when every block of a cooperative launch has called it.
extern "C" __device__ void __simt_grid_sync(void);

namespace cooperative_groups {

#define SIMT_GROUP __device__ __inline__ __attribute__((always_inline, nodebug))

namespace details {

SIMT_GROUP unsigned lane() { return __simt_laneid(); }
SIMT_GROUP unsigned block_rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
SIMT_GROUP unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
SIMT_GROUP unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// Values of any trivially copyable type travel as 32-bit words.
template <typename T> union words {
  T value;
  unsigned word[(sizeof(T) + 3) / 4];
  __device__ words() {}
};

enum shuffle_kind { from_lane, from_below, from_above, across };
template <shuffle_kind kind>
SIMT_GROUP unsigned shuffle_word(unsigned mask, unsigned word, unsigned arg, int width) {
  if (kind == from_lane) return __shfl_sync(mask, word, (int)arg, width);
  if (kind == from_below) return __shfl_up_sync(mask, word, arg, width);
  if (kind == from_above) return __shfl_down_sync(mask, word, arg, width);
  return __shfl_xor_sync(mask, word, (int)arg, width);
}
template <shuffle_kind kind, typename T>
SIMT_GROUP T shuffle(unsigned mask, const T &value, unsigned arg, int width) {
  static_assert(__is_trivially_copyable(T), "only trivially copyable values can be shuffled");
  words<T> w;
  w.word[sizeof(w.word) / sizeof(unsigned) - 1] = 0; // the tail of a small type
  w.value = value;
  for (unsigned i = 0; i < sizeof(w.word) / sizeof(unsigned); i++)
    w.word[i] = shuffle_word<kind>(mask, w.word[i], arg, width);
  return w.value;
}

} // namespace details

// ---- One thread.
class this_thread_group {
public:
  SIMT_GROUP void sync() const {}
  SIMT_GROUP unsigned size() const { return 1; }
  SIMT_GROUP unsigned num_threads() const { return 1; }
  SIMT_GROUP unsigned thread_rank() const { return 0; }
};
SIMT_GROUP this_thread_group this_thread() { return this_thread_group(); }

// Scratch memory for tiles of more than 32 threads, which here need none of the program's.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
  unsigned char bytes[8 * ((MaxBlockSize + 31) / 32)];
};

// ---- The block. Arriving alone does nothing: all threads wait, so the barrier is where they do.
class thread_block {
public:
  struct arrival_token {};
  static SIMT_GROUP arrival_token barrier_arrive() { return arrival_token(); }
  static SIMT_GROUP void barrier_wait(arrival_token &&) { __syncthreads(); }
  static SIMT_GROUP void sync() { __syncthreads(); }
  static SIMT_GROUP unsigned size() { return details::block_threads(); }
  static SIMT_GROUP unsigned num_threads() { return details::block_threads(); }
  static SIMT_GROUP unsigned thread_rank() { return details::block_rank_of_thread(); }
  static SIMT_GROUP dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static SIMT_GROUP dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static SIMT_GROUP dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static SIMT_GROUP dim3 group_dim() { return dim_threads(); }
};
SIMT_GROUP thread_block this_thread_block() { return thread_block(); }
template <unsigned MaxBlockSize>
SIMT_GROUP thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return thread_block();
}

#include "cooperative_groups/cluster.inc"

// ---- The grid: needs cudaLaunchCooperativeKernel.
class grid_group {
public:
  static SIMT_GROUP bool is_valid() {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (high | low) != 0;
  }
  static SIMT_GROUP void sync() { __simt_grid_sync(); }
  struct arrival_token {};
  static SIMT_GROUP arrival_token barrier_arrive() { return arrival_token(); }
  static SIMT_GROUP void barrier_wait(arrival_token &&) { __simt_grid_sync(); }
  static SIMT_GROUP unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static SIMT_GROUP unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static SIMT_GROUP unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static SIMT_GROUP unsigned long long size() { return num_threads(); }
  static SIMT_GROUP unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static SIMT_GROUP dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static SIMT_GROUP dim3 group_dim() { return dim_blocks(); }
  static SIMT_GROUP dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static SIMT_GROUP dim3 dim_clusters() { return __clusterGridDimInClusters(); }
  static SIMT_GROUP unsigned long long num_clusters() {
    const dim3 clusters = dim_clusters();
    return (unsigned long long)clusters.x * clusters.y * clusters.z;
  }
  static SIMT_GROUP dim3 cluster_index() { return __clusterIdx(); }
  static SIMT_GROUP unsigned long long cluster_rank() {
    const dim3 at = cluster_index(), clusters = dim_clusters();
    return at.x + (unsigned long long)clusters.x * (at.y + (unsigned long long)clusters.y * at.z);
  }
};
SIMT_GROUP grid_group this_grid() { return grid_group(); }

// ---- Lanes of one warp: what tiles and coalesced groups share. `mask` names the members; `width`
// is the tile's size for shuffles.
namespace details {

class lanes_of_warp {
public:
  SIMT_GROUP void sync() const { __syncwarp(mask_); }
  SIMT_GROUP int any(int predicate) const { return __any_sync(mask_, predicate); }
  SIMT_GROUP int all(int predicate) const { return __all_sync(mask_, predicate); }
  SIMT_GROUP unsigned member_mask() const { return mask_; }

protected:
  SIMT_GROUP explicit lanes_of_warp(unsigned mask) : mask_(mask) {}
  unsigned mask_;
};

} // namespace details

class coalesced_group : public details::lanes_of_warp {
public:
  SIMT_GROUP explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
      : lanes_of_warp(mask), meta_rank_(rank), meta_size_(groups) {}
  SIMT_GROUP unsigned size() const { return __popc(mask_); }
  SIMT_GROUP unsigned num_threads() const { return size(); }
  SIMT_GROUP unsigned thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  SIMT_GROUP unsigned meta_group_rank() const { return meta_rank_; }
  SIMT_GROUP unsigned meta_group_size() const { return meta_size_; }

  template <typename T> SIMT_GROUP T shfl(T value, int rank) const {
    return details::shuffle<details::from_lane>(mask_, value, lane_of((unsigned)rank), 32);
  }
  template <typename T> SIMT_GROUP T shfl_up(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return details::shuffle<details::from_lane>(mask_, value,
                                                lane_of(rank < delta ? rank : rank - delta), 32);
  }
  template <typename T> SIMT_GROUP T shfl_down(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return details::shuffle<details::from_lane>(
        mask_, value, lane_of(rank + delta < size() ? rank + delta : rank), 32);
  }
  SIMT_GROUP unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
  template <typename T> SIMT_GROUP unsigned match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <typename T> SIMT_GROUP unsigned match_all(T value, int &same) const {
    return pack(__match_all_sync(mask_, value, &same));
  }

private:
  SIMT_GROUP unsigned lane_of(unsigned rank) const { // lane of the member with that rank
    unsigned left = mask_;
    for (unsigned i = 0; i < rank; i++) left &= left - 1;
    return (unsigned)__ffs((int)left) - 1u;
  }
  SIMT_GROUP unsigned pack(unsigned lanes) const { // bits by rank instead of by lane
    unsigned packed = 0, left = mask_;
    for (unsigned rank = 0; left; rank++, left &= left - 1)
      if (lanes & left & (0u - left)) packed |= 1u << rank;
    return packed;
  }
  unsigned meta_rank_, meta_size_;
};

SIMT_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, typename Parent = void>
class thread_block_tile : public details::lanes_of_warp {
  static_assert(Size <= 32 && Size > 0 && (Size & (Size - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

public:
  SIMT_GROUP thread_block_tile(unsigned rank, unsigned groups)
      : lanes_of_warp((Size == 32 ? ~0u : (1u << (Size & 31)) - 1u)
                      << (details::lane() & ~(Size - 1))),
        meta_rank_(rank), meta_size_(groups) {}
  // A tile forgets its parent.
  template <typename Other>
  SIMT_GROUP thread_block_tile(const thread_block_tile<Size, Other> &other)
      : lanes_of_warp(other.member_mask()), meta_rank_(other.meta_group_rank()),
        meta_size_(other.meta_group_size()) {}

  static SIMT_GROUP constexpr unsigned size() { return Size; }
  static SIMT_GROUP constexpr unsigned num_threads() { return Size; }
  static SIMT_GROUP unsigned thread_rank() { return details::lane() & (Size - 1); }
  SIMT_GROUP unsigned meta_group_rank() const { return meta_rank_; }
  SIMT_GROUP unsigned meta_group_size() const { return meta_size_; }

  template <typename T> SIMT_GROUP T shfl(T value, int rank) const {
    return details::shuffle<details::from_lane>(mask_, value, (unsigned)rank, Size);
  }
  template <typename T> SIMT_GROUP T shfl_up(T value, unsigned delta) const {
    return details::shuffle<details::from_below>(mask_, value, delta, Size);
  }
  template <typename T> SIMT_GROUP T shfl_down(T value, unsigned delta) const {
    return details::shuffle<details::from_above>(mask_, value, delta, Size);
  }
  template <typename T> SIMT_GROUP T shfl_xor(T value, unsigned bits) const {
    return details::shuffle<details::across>(mask_, value, bits, Size);
  }
  SIMT_GROUP unsigned ballot(int predicate) const { return shift(__ballot_sync(mask_, predicate)); }
  template <typename T> SIMT_GROUP unsigned match_any(T value) const {
    return shift(__match_any_sync(mask_, value));
  }
  template <typename T> SIMT_GROUP unsigned match_all(T value, int &same) const {
    return shift(__match_all_sync(mask_, value, &same));
  }

private:
  SIMT_GROUP unsigned shift(unsigned lanes) const {
    return lanes >> (details::lane() & ~(Size - 1) & 31);
  }
  unsigned meta_rank_, meta_size_;
};

#include "cooperative_groups/large_tile.inc"

// ---- Any of the groups, for functions that take whichever they are given.
class thread_group {
public:
  SIMT_GROUP thread_group(const this_thread_group &) : kind_(one) {}
  SIMT_GROUP thread_group(const thread_block &) : kind_(block) {}
  SIMT_GROUP thread_group(const grid_group &) : kind_(grid) {}
  SIMT_GROUP thread_group(const cluster_group &) : kind_(cluster) {}
  SIMT_GROUP thread_group(const coalesced_group &g) : kind_(lanes), mask_(g.member_mask()) {}
  template <unsigned Size, typename Parent>
  SIMT_GROUP thread_group(const thread_block_tile<Size, Parent> &g)
      : kind_(lanes), mask_(g.member_mask()) {
    static_assert(Size <= 32, "a thread_group is a block, a grid or lanes of one warp");
  }

  SIMT_GROUP void sync() const {
    if (kind_ == block) thread_block::sync();
    else if (kind_ == grid) grid_group::sync();
    else if (kind_ == cluster) cluster_group::sync();
    else if (kind_ == lanes) __syncwarp(mask_);
  }
  SIMT_GROUP unsigned long long size() const {
    if (kind_ == block) return thread_block::size();
    if (kind_ == grid) return grid_group::size();
    if (kind_ == cluster) return cluster_group::size();
    return kind_ == lanes ? __popc(mask_) : 1;
  }
  SIMT_GROUP unsigned long long num_threads() const { return size(); }
  SIMT_GROUP unsigned long long thread_rank() const {
    if (kind_ == block) return thread_block::thread_rank();
    if (kind_ == grid) return grid_group::thread_rank();
    if (kind_ == cluster) return cluster_group::thread_rank();
    return kind_ == lanes ? __popc(mask_ & details::lanes_below()) : 0;
  }

private:
  friend SIMT_GROUP thread_group tiled_partition(const thread_group &parent, unsigned size);
  enum kind { one, lanes, block, cluster, grid } kind_;
  unsigned mask_ = 0;
};

// ---- Partitions.
// Tiles of a block or of lanes, of a size that is known at run time: 1, 2, 4, 8, 16 or 32. Of lanes
// by their rank, as CUDA does.
SIMT_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
  const unsigned tile = parent.thread_rank() / size;
  unsigned members = 0, left = parent.member_mask();
  for (unsigned rank = 0; left; rank++, left &= left - 1)
    if (rank / size == tile) members |= left & (0u - left);
  return coalesced_group(members, tile, (parent.size() + size - 1) / size);
}
SIMT_GROUP thread_group tiled_partition(const thread_group &parent, unsigned size) {
  const unsigned warp = parent.kind_ == thread_group::lanes ? parent.mask_ : ~0u;
  const unsigned threads = details::block_threads(), rank = details::block_rank_of_thread();
  const unsigned first = rank - details::lane(); // of the warp, whose last lanes there may not be
  const unsigned there = threads - first >= 32 ? ~0u : (1u << (threads - first)) - 1u;
  return tiled_partition(coalesced_group(warp & there), size);
}
template <unsigned Size>
SIMT_GROUP thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
  return thread_block_tile<Size, thread_block>(details::block_rank_of_thread() / Size,
                                               (details::block_threads() + Size - 1) / Size);
}
template <unsigned Size, unsigned ParentSize, typename Grand>
SIMT_GROUP thread_block_tile<Size, thread_block_tile<ParentSize, Grand>>
tiled_partition(const thread_block_tile<ParentSize, Grand> &) {
  static_assert(Size <= ParentSize, "a tile cannot be larger than the one it is part of");
  return thread_block_tile<Size, thread_block_tile<ParentSize, Grand>>(
      thread_block_tile<ParentSize, Grand>::thread_rank() / Size, ParentSize / Size);
}

// The members of `parent` that give the same answer.
template <typename Parent, typename Label>
SIMT_GROUP coalesced_group labeled_partition(const Parent &parent, Label label) {
  unsigned mine = __match_any_sync(parent.member_mask(), label);
  unsigned left = parent.member_mask(), rank = 0, groups = 0;
  bool before = true; // numbers groups by their lowest lane
  while (left) {
    int lowest = __ffs((int)left) - 1;
    unsigned group = __shfl_sync(parent.member_mask(), mine, lowest);
    if (group == mine) before = false;
    rank += before;
    groups++;
    left &= ~group;
  }
  return coalesced_group(mine, rank, groups);
}
template <typename Parent>
SIMT_GROUP coalesced_group binary_partition(const Parent &parent, bool predicate) {
  unsigned yes = __ballot_sync(parent.member_mask(), predicate);
  unsigned no = parent.member_mask() & ~yes;
  return coalesced_group(predicate ? yes : no, predicate && no, yes && no ? 2 : 1);
}

// ---- Free functions.
template <typename Group> SIMT_GROUP void sync(const Group &group) { group.sync(); }
template <typename Group> SIMT_GROUP unsigned thread_rank(const Group &group) {
  return (unsigned)group.thread_rank();
}
template <typename Group> SIMT_GROUP unsigned group_size(const Group &group) {
  return (unsigned)group.size();
}
// One member calls `function`.
template <typename Group, typename Function, typename... Arguments>
SIMT_GROUP void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments &&>(arguments)...);
}
#if __cplusplus >= 201402L
// The same, and every member gets what it returned.
template <typename Group, typename Function, typename... Arguments>
SIMT_GROUP auto invoke_one_broadcast(const Group &group, Function &&function,
                                     Arguments &&...arguments) {
  decltype(function(static_cast<Arguments &&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments &&>(arguments)...);
  return group.shfl(result, 0);
}
#endif

} // namespace cooperative_groups
#endif
#endif
