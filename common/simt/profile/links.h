// SPDX-License-Identifier: MIT
// profile/links.h - what travels between devices: bytes per link and direction, and how long a link
// takes for them.
//
// A link goes from one device to another; each direction is a link of its own, and every pair of
// devices has one in each direction. They lead through a switch: what a device sends to all others
// goes through one port, what it receives from them through another, and these have the rate. Bytes
// of kernels are counted in sectors of 32 bytes, as requested: no cache keeps a peer's memory from
// one access to the next. Rates count the bytes that a program asks for; what the headers of
// packets take is part of them. Not modelled: ports shared by transfers of different launches or
// copies, links of different speeds, multicast.
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

// Modelled: how long the busiest device takes to send, or to receive, what the accesses of one
// launch move; how long a copy over one link takes; and a collective of so many steps, in which the
// busiest port carries so many bytes.
double simt_links_busy_ms(const struct simt_model_device *device, const simt_links *links);
double simt_link_copy_ms(const struct simt_model_device *device, uint64_t size_bytes);
double simt_link_steps_ms(const struct simt_model_device *device, uint64_t n_steps,
                          uint64_t busiest_bytes);

// Modelled: what a stream waits for a host function that does nothing. The host's affair, and the
// driver's, whatever the device: links/host_function of figures/data/h200-many-gpus.csv.
double simt_host_function_ms(void);

#endif
