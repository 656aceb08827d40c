// SPDX-License-Identifier: MIT
// profile/links.h - what travels between devices: bytes per link and direction, and how long a link
// takes for them.
//
// A link goes from one device to another; each direction is a link of its own, and every pair of
// devices has one in each direction. They lead through a switch: what a device sends to all others
// goes through one port, what it receives from them through another, and these have the rate. Bytes
// of kernels are counted in sectors of 32 bytes, as requested: no cache keeps a peer's memory from
// one access to the next. Not modelled: ports shared by transfers of different launches or copies,
// the header of a packet, links of different speeds, multicast.
#ifndef SIMT_LINKS_H
#define SIMT_LINKS_H

#include "device/memory.h"
#include "device/observer.h"
#include "include/simt.h"

struct simt_model_device;

typedef struct simt_links {
  simt_device_link at[SIMT_MAX_DEVICES][SIMT_MAX_DEVICES]; // [from][to]
} simt_links;

void simt_links_add(simt_links *total, const simt_links *more);

// The observer that counts what kernels access of other devices' memory. `memory` must outlive it.
// NULL: out of memory.
simt_observer *simt_links_observer_create(const simt_memory *memory);
void simt_links_observer_destroy(simt_observer *observer); // NULL is allowed
// Of the latest launch that ended; owned by the observer. When the ranges of the peers' memory
// could not be kept, because memory ran out, nothing is counted.
const simt_links *simt_links_of(const simt_observer *observer);

// Bytes per second of one direction, 10^9: the sum of a device's links, as its vendor states it.
double simt_link_gb_per_s(const struct simt_model_device *device);
// Modelled: how long the busiest device takes to send its bytes, or to receive them, and how long a
// copy over one link takes.
double simt_links_busy_ms(const struct simt_model_device *device, const simt_links *links);
double simt_link_copy_ms(const struct simt_model_device *device, uint64_t size_bytes);

#endif
