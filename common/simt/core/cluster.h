// SPDX-License-Identifier: MIT
// core/cluster.h - private to the core: the blocks of one cluster, and the barrier at which their
// threads wait for each other.
#ifndef SIMT_CLUSTER_H
#define SIMT_CLUSTER_H

#include "core/state.h"

// Gives the contexts at blocks[0 … cluster_blocks) a cluster in common, ranked in this order;
// false: out of memory.
bool simt_cluster_make(simt_core *core, simt_block **blocks);
// Where the block of that rank lies in cluster `number` of the grid.
void simt_cluster_place(const simt_core *core, simt_block *block, uint64_t number);

// barrier.cluster.arrive and .wait; *at is the index of the running split, which may wait
// afterwards. False after a fault.
bool simt_arrive_at_cluster(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                            uint32_t lanes);
bool simt_wait_for_cluster(simt_core *core, simt_warp *w, uint32_t *at, const simt_instr *in,
                           uint32_t lanes);
// Lanes leave the kernel: the barrier no longer waits for them.
void simt_exit_from_cluster(simt_core *core, simt_warp *w, uint32_t lanes);
// Threads of the cluster that have not left the kernel.
uint32_t simt_cluster_living(const simt_core *core, const simt_cluster *cluster);

#endif
