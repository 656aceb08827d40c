// SPDX-License-Identifier: MIT
// Lesson 13, beyond the ten: one sum over many GPUs.
//
// Question: the numbers lie in the memories of several GPUs. What has to travel to add them up, how
// often, and over which links?
//
// Idea: add up where the numbers are, send what is left. For one number that is next to nothing:
//   one_gpu      GPU 0 reads all shares through the links
//   host_adds    each GPU adds up its own, in a stream of its own; the host adds the results
//   peer_copies  partial sums are copied to GPU 0, which adds them
//   peer_reads   GPU 0's kernel reads them where they are: no copies
//   nccl_sum     NVIDIA's library, NCCL: every GPU gets the sum
// For a vector on each GPU, whose sum all shall have (--variant vectors), the way decides:
//   star, tree, ring, nccl
// Numbers in the host's memory (--variant from_host), as many as one likes: whole, chunks.
// And with lesson 11's whole numbers the number of GPUs does not show in the bits: exact.
//
// Predict before you run: what does the busiest GPU send or receive in a tree, and in a ring?
#include "chunks.cuh"
#include "exact.cuh"
#include "lesson.h"
#include "nccl.cuh"
#include "sums.cuh"
#include "vectors.cuh"

static const char *needs_peers(unsigned n, unsigned block) {
  (void)n, (void)block;
  for (int d = 0; d < (int)wb_devices_used(); d++)
    for (int other = 0; other < (int)wb_devices_used(); other++) {
      int can = 1;
      if (d != other && (!WB_OK(cudaDeviceCanAccessPeer(&can, d, other)) || !can))
        return "a GPU here cannot access another one's memory";
    }
  return nullptr;
}
static const char *peers_and_columns(unsigned n, unsigned block) {
  int most = 0;
  if (!WB_OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0)))
    return "the device does not say how much shared memory a block can have";
  if ((int)(block * GROUPS * sizeof(double)) > most)
    return "needs more shared memory than a block has";
  return needs_peers(n, block);
}

// clang-format off
#define SUM(name_, summary_, launch_, refuse_)                                                    \
  {.name = name_, .summary = summary_, .launch = launch_, .depth = depth_of_all, .refuse = refuse_}
#define HOST(name_, summary_, launch_, refuse_)                                                   \
  {.name = name_, .summary = summary_, .launch = launch_, .group = "from_host",                   \
   .refuse = refuse_}
#define ACROSS(name_, summary_, launch_, refuse_)                                                 \
  {.name = name_, .summary = summary_, .launch = launch_, .result = WB_RESULT_ACROSS,             \
   .group = "vectors", .refuse = refuse_}
static const wb_variant variants[] = {
    SUM("one_gpu", "GPU 0 reads all shares through the links", launch_one_gpu, needs_peers),
    SUM("host_adds", "each GPU adds up its own, the host adds the sums", launch_host_adds, nullptr),
    SUM("peer_copies", "partial sums are copied to GPU 0", launch_peer_copies, nullptr),
    SUM("peer_reads", "GPU 0 reads the partial sums in place", launch_peer_reads, needs_peers),
    NCCL_VARIANT(SUM("nccl_sum", "each GPU's sum, and ncclAllReduce of one float", launch_nccl_sum,
                     nullptr))
    ACROSS("star", "GPU 0 adds all vectors, the others copy the sum", launch_star, needs_peers),
    ACROSS("tree", "pairs, pairs of pairs; then back down", launch_tree, needs_peers),
    ACROSS("ring", "pieces go round, all links at once", launch_ring, needs_peers),
    NCCL_VARIANT(ACROSS("nccl", "NVIDIA's library: ncclAllReduce", launch_nccl, nullptr))
    HOST("whole", "each GPU's share is copied to it, then added up", launch_whole, needs_peers),
    HOST("chunks", "while one chunk is added up the next is copied", launch_chunks, needs_peers),
    {.name = "exact", .summary = "the correctly rounded sum, whatever the number of GPUs",
     .launch = launch_exact, .group = "exact", .refuse = peers_and_columns, .rounded = true},
};
static const wb_lesson lesson = {
    .name = "13_many_gpus", .title = "one sum over many GPUs",
    .taught = "Add up where the data lie.",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"busiest GPU", "busiest_gpu_bytes", nullptr},
                     {"all links B", "link_bytes", nullptr}},
    .devices = 4,
    .from_host = true,
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
