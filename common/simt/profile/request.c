// SPDX-License-Identifier: MIT
// profile/request.c - see profile/request.h.
#include "profile/request.h"

#include "profile/cache.h"
#include "profile/touches.h"
#include "profile/transactions.h"

enum { FEW = 8 }; // sectors: fewer are told apart by comparing each with each

// Lanes that do not touch the very sector of the lane before.
static uint32_t first_lanes(const simt_access *a) {
  return a->mask & ~(a->same_sector & a->mask << 1);
}

static uint64_t last_byte(const simt_access *a, unsigned lane) {
  return a->address[lane] + a->width_bytes - 1;
}

// ---- sectors -----------------------------------------------------------------------------------

static unsigned add_sector(uint64_t *sectors, unsigned n, uint64_t sector) {
  for (unsigned i = n; i-- > 0;)
    if (sectors[i] == sector) return n;
  sectors[n] = sector;
  return n + 1;
}

unsigned simt_access_sectors(const simt_access *a) {
  const unsigned first_lane = simt_first_lane(a->mask);
  const uint64_t first = a->address[first_lane];
  if (a->pattern != SIMT_PATTERN_ANY) {
    const uint64_t lanes = a->pattern == SIMT_PATTERN_CONTIGUOUS ? SIMT_LANES : 1;
    const uint64_t last = first + lanes * a->width_bytes - 1;
    return (unsigned)((last >> SIMT_SECTOR_SHIFT) - (first >> SIMT_SECTOR_SHIFT) + 1);
  }
  uint32_t left = first_lanes(a);
  uint64_t sectors[2 * FEW]; // an unaligned access touches two
  unsigned n = 0;
  if (simt_count_lanes(left) > FEW) return simt_count_sectors(a->address, a->mask, a->width_bytes);
  for (; left; left &= left - 1) {
    const unsigned lane = simt_first_lane(left);
    n = add_sector(sectors, n, a->address[lane] >> SIMT_SECTOR_SHIFT);
    n = add_sector(sectors, n, last_byte(a, lane) >> SIMT_SECTOR_SHIFT);
  }
  return n;
}

// ---- wavefronts --------------------------------------------------------------------------------

// Whether all lanes read from as many neighbouring words as there are banks: each bank has one.
static bool fits_in_a_pass(const simt_access *a) {
  return a->width_bytes <= SIMT_BANK_BYTES && a->span_bytes != 0 &&
         a->span_bytes + SIMT_BANK_BYTES - a->width_bytes <= SIMT_BANKS * SIMT_BANK_BYTES;
}

unsigned simt_access_wavefronts(const simt_access *a) {
  if (a->pattern == SIMT_PATTERN_CONTIGUOUS && a->width_bytes >= SIMT_BANK_BYTES)
    return simt_ideal_wavefronts(a->mask, a->width_bytes);
  if (a->pattern == SIMT_PATTERN_UNIFORM && a->width_bytes <= SIMT_BANK_BYTES) return 1;
  if (fits_in_a_pass(a)) return 1;
  return a->kind == SIMT_LOAD ? simt_count_wavefronts(a->address, a->mask, a->width_bytes)
                              : simt_count_store_wavefronts(a->address, a->mask, a->width_bytes);
}

// ---- lines -------------------------------------------------------------------------------------

static unsigned add_to_lines(uint64_t *words, unsigned n, uint64_t sector) {
  const uint64_t line = sector / SIMT_LINE_SECTORS;
  const uint64_t bit = UINT64_C(1) << sector % SIMT_LINE_SECTORS;
  unsigned i = n;
  while (i > 0 && words[i - 1] >> 4 != line) i--;
  if (i > 0) words[i - 1] |= bit;
  else if (n < SIMT_MOST_LINES) words[n++] = line << 4 | bit;
  return n;
}

// Local memory lies interleaved: the same word of all lanes is one line.
static unsigned local_lines(const simt_access *a, uint64_t *words) {
  const uint64_t offset = a->address[simt_first_lane(a->mask)];
  const uint64_t base = UINT64_C(1) << 55 | (uint64_t)a->block << 30 | (uint64_t)a->warp << 24;
  const uint64_t first = (base + offset) * SIMT_LANES / SIMT_SECTOR_BYTES;
  return simt_run_of_sectors(words, first, first + a->width_bytes - 1);
}

unsigned simt_access_lines(const simt_access *a, uint64_t words[SIMT_MOST_LINES]) {
  unsigned n = 0;
  if (a->space == PTX_SPACE_LOCAL) return local_lines(a, words);
  if (a->pattern != SIMT_PATTERN_ANY) {
    const uint64_t first = a->address[simt_first_lane(a->mask)];
    const uint64_t lanes = a->pattern == SIMT_PATTERN_CONTIGUOUS ? SIMT_LANES : 1;
    return simt_run_of_sectors(words, first >> SIMT_SECTOR_SHIFT,
                               (first + lanes * a->width_bytes - 1) >> SIMT_SECTOR_SHIFT);
  }
  for (uint32_t left = first_lanes(a); left; left &= left - 1) {
    const unsigned lane = simt_first_lane(left);
    const uint64_t last = last_byte(a, lane) >> SIMT_SECTOR_SHIFT;
    for (uint64_t at = a->address[lane] >> SIMT_SECTOR_SHIFT; at <= last; at++)
      n = add_to_lines(words, n, at);
  }
  return n;
}
