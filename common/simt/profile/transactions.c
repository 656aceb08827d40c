// SPDX-License-Identifier: MIT
// profile/transactions.c - see profile/transactions.h. A pass that suffices for ascending addresses
// comes first; only what is left is sorted out by search.
#include "profile/transactions.h"

#include <string.h>

enum { WORD_SHIFT = 2, SEARCH_SLOTS = 128 };

// ---- sectors -----------------------------------------------------------------------------------

// Set of up to 64 distinct sector numbers.
typedef struct sector_set {
  uint64_t key[SEARCH_SLOTS];
  uint64_t is_used[SEARCH_SLOTS / 64];
  unsigned n;
} sector_set;

static void sector_insert(sector_set *set, uint64_t sector) {
  unsigned at = (unsigned)(sector * UINT64_C(0x9e3779b97f4a7c15) >> 57);
  while (set->is_used[at / 64] >> at % 64 & 1) {
    if (set->key[at] == sector) return;
    at = (at + 1) % SEARCH_SLOTS;
  }
  set->is_used[at / 64] |= UINT64_C(1) << at % 64;
  set->key[at] = sector;
  set->n++;
}

static unsigned search_sectors(const uint64_t *address, uint32_t mask, uint32_t width_bytes) {
  sector_set set;
  memset(set.is_used, 0, sizeof set.is_used);
  set.n = 0;
  for (; mask != 0; mask &= mask - 1) {
    uint64_t at = address[simt_first_lane(mask)];
    sector_insert(&set, at >> SIMT_SECTOR_SHIFT);
    sector_insert(&set, (at + width_bytes - 1) >> SIMT_SECTOR_SHIFT);
  }
  return set.n;
}

// Full warp, all accesses aligned to `width_bytes` and ascending: the number of steps from one
// sector to another, plus one. Returns 0 when the addresses are not like that. Written with
// arithmetic instead of branches so that a compiler vectorises it.
static unsigned ascending_sectors(const uint64_t address[SIMT_LANES], uint32_t width_bytes) {
  uint64_t misaligned = address[SIMT_LANES - 1], descends = 0, steps = 0;
  for (int l = 0; l < SIMT_LANES - 1; l++) {
    uint64_t step = (address[l + 1] >> SIMT_SECTOR_SHIFT) - (address[l] >> SIMT_SECTOR_SHIFT);
    misaligned |= address[l];
    descends |= step;
    steps += (step | (0 - step)) >> 63;
  }
  if (descends >> 63 || (misaligned & (width_bytes - 1)) != 0) return 0;
  return (unsigned)steps + 1;
}

unsigned simt_count_sectors(const uint64_t address[SIMT_LANES], uint32_t mask,
                            uint32_t width_bytes) {
  if (mask == 0 || width_bytes == 0) return 0;
  if (mask == SIMT_FULL_MASK && (width_bytes & (width_bytes - 1)) == 0) {
    unsigned n = ascending_sectors(address, width_bytes);
    if (n != 0) return n;
  }
  uint64_t next = 0; // first sector not yet counted
  unsigned n = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t at = address[simt_first_lane(left)];
    uint64_t first = at >> SIMT_SECTOR_SHIFT, last = (at + width_bytes - 1) >> SIMT_SECTOR_SHIFT;
    if (first + 1 < next) return search_sectors(address, mask, width_bytes);
    if (first < next) first = next;
    if (last >= first) n += (unsigned)(last - first + 1);
    if (last >= next) next = last + 1;
  }
  return n;
}

// ---- wavefronts --------------------------------------------------------------------------------

unsigned simt_ideal_wavefronts(uint32_t mask, uint32_t width_bytes) {
  if (mask == 0) return 0;
  return width_bytes <= SIMT_BANK_BYTES ? 1 : width_bytes / SIMT_BANK_BYTES;
}

// Distinct words of the busiest bank when addresses do not ascend: per bank a chain of its words.
static unsigned search_bank_passes(const uint64_t *address, uint32_t mask, uint32_t n_words) {
  uint64_t words[4 * SIMT_LANES];
  uint8_t next[4 * SIMT_LANES], head[SIMT_BANKS], degree[SIMT_BANKS] = {0};
  unsigned n = 0, most = 0;
  memset(head, 0xff, sizeof head);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t word = address[simt_first_lane(left)] >> WORD_SHIFT;
    for (uint64_t w = word; w < word + n_words; w++) {
      unsigned bank = (unsigned)(w % SIMT_BANKS), i = head[bank];
      while (i != 0xff && words[i] != w) i = next[i];
      if (i != 0xff) continue;
      words[n] = w;
      next[n] = head[bank];
      head[bank] = (uint8_t)n++;
      if (++degree[bank] > most) most = degree[bank];
    }
  }
  return most;
}

// Passes that one group of lanes needs: the most distinct words of one bank. At least 1.
static unsigned bank_passes(const uint64_t *address, uint32_t mask, uint32_t n_words) {
  uint32_t busy = 0, again = 0;
  uint32_t lane_banks = n_words == 1 ? 1u : (1u << n_words) - 1u;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned bank = (unsigned)(address[simt_first_lane(left)] >> WORD_SHIFT) % SIMT_BANKS;
    uint32_t banks = lane_banks << bank | (uint32_t)((uint64_t)lane_banks << bank >> 32);
    again |= busy & banks;
    busy |= banks;
  }
  if (again == 0) return 1;
  uint8_t degree[SIMT_BANKS] = {0};
  uint64_t next = 0; // first word not yet counted
  unsigned most = 1;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    uint64_t word = address[simt_first_lane(left)] >> WORD_SHIFT;
    if (word + n_words == next) continue; // the same words as the lane before
    if (word < next) return search_bank_passes(address, mask, n_words);
    for (uint64_t w = word; w < word + n_words; w++) {
      unsigned now = ++degree[w % SIMT_BANKS];
      if (now > most) most = now;
    }
    next = word + n_words;
  }
  return most;
}

// Does every active lane's neighbour, lane ^ distance, sleep or read the same address?
static bool neighbours_agree(const uint64_t *address, uint32_t mask, unsigned distance) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned lane = simt_first_lane(left), other = lane ^ distance;
    if (mask >> other & 1 && address[other] != address[lane]) return false;
  }
  return true;
}

static unsigned count_wavefronts(const uint64_t *address, uint32_t mask, uint32_t width_bytes,
                                 bool may_merge) {
  if (mask == 0) return 0;
  if (width_bytes <= SIMT_BANK_BYTES) return bank_passes(address, mask, 1);
  uint32_t n_words = width_bytes / SIMT_BANK_BYTES;
  unsigned n_groups = n_words, n = 0;
  if (may_merge && (neighbours_agree(address, mask, 1) || neighbours_agree(address, mask, 2)))
    n_groups /= 2;
  unsigned group_lanes = SIMT_LANES / n_groups;
  uint32_t group = group_lanes == SIMT_LANES ? SIMT_FULL_MASK : (1u << group_lanes) - 1u;
  for (unsigned g = 0; g < n_groups; g++)
    n += bank_passes(address, mask & group << g * group_lanes, n_words);
  return n;
}

unsigned simt_count_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                               uint32_t width_bytes) {
  return count_wavefronts(address, mask, width_bytes, true);
}

unsigned simt_count_store_wavefronts(const uint64_t address[SIMT_LANES], uint32_t mask,
                                     uint32_t width_bytes) {
  return count_wavefronts(address, mask, width_bytes, false);
}

// The lanes of banks that more than `least` lanes use: no other address can be shared by as many.
static uint32_t crowded_lanes(const uint64_t *address, uint32_t mask, unsigned least) {
  uint8_t degree[SIMT_BANKS] = {0};
  uint32_t crowded = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    degree[(address[simt_first_lane(left)] >> WORD_SHIFT) % SIMT_BANKS]++;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned lane = simt_first_lane(left);
    crowded |= (uint32_t)(degree[(address[lane] >> WORD_SHIFT) % SIMT_BANKS] > least) << lane;
  }
  return crowded;
}

unsigned simt_count_same_address(const uint64_t address[SIMT_LANES], uint32_t mask,
                                 unsigned least) {
  unsigned most = 0;
  mask = crowded_lanes(address, mask, least);
  while (mask != 0) {
    uint64_t at = address[simt_first_lane(mask)];
    uint32_t same = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      unsigned lane = simt_first_lane(left);
      same |= (uint32_t)(address[lane] == at) << lane;
    }
    if (simt_count_lanes(same) > most) most = simt_count_lanes(same);
    mask &= ~same;
  }
  return most;
}

unsigned simt_count_atomic_passes(const uint64_t address[SIMT_LANES], uint32_t mask) {
  uint8_t degree[SIMT_BANKS] = {0};
  unsigned most = 0;
  for (; mask != 0; mask &= mask - 1) {
    unsigned now = ++degree[(address[simt_first_lane(mask)] >> WORD_SHIFT) % SIMT_BANKS];
    if (now > most) most = now;
  }
  return most;
}

// ---- packets to other blocks of a cluster ------------------------------------------------------

// The lanes that begin in the same sector as the first of `mask`.
static uint32_t lanes_of_sector(const uint64_t *address, uint32_t mask) {
  const uint64_t sector = address[simt_first_lane(mask)] >> SIMT_SECTOR_SHIFT;
  uint32_t same = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    unsigned lane = simt_first_lane(left);
    same |= (uint32_t)(address[lane] >> SIMT_SECTOR_SHIFT == sector) << lane;
  }
  return same;
}

unsigned simt_count_store_packets(const uint64_t address[SIMT_LANES], uint32_t mask,
                                  uint32_t width_bytes) {
  unsigned n = 0;
  while (mask != 0) {
    uint32_t same = lanes_of_sector(address, mask), written = 0; // a bit per byte
    for (uint32_t left = same; left != 0; left &= left - 1) {
      uint64_t bytes = (UINT64_C(1) << width_bytes) - 1;
      written |= (uint32_t)(bytes << address[simt_first_lane(left)] % SIMT_SECTOR_BYTES);
    }
    bool is_whole = written == UINT32_MAX;
    n += is_whole ? 1u : (unsigned)((written & 0xffffu) != 0) + (unsigned)(written >> 16 != 0);
    mask &= ~same;
  }
  return n;
}

unsigned simt_count_atomic_packets(const uint64_t address[SIMT_LANES], uint32_t mask) {
  unsigned n = 0;
  while (mask != 0) {
    uint32_t same = lanes_of_sector(address, mask);
    n += simt_count_same_address(address, same, 0);
    mask &= ~same;
  }
  return n;
}
