// SPDX-License-Identifier: Apache-2.0
// Every warp collective on given values, each result stored for comparison.
#include "simt/simt.cuh"

constexpr u32 kinds = 11;

struct collectives_arguments {
  const u32* values;  // one per thread of the grid
  u32* results;       // one per kind of collective and thread
  u64* wide;          // one per thread
};

SIMT_KERNEL(collectives, collectives_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  const u32 value = simt::load_readonly(arguments.values + thread);
  const u32 results[kinds] = {
      simt::ballot(value % 3 == 0),
      simt::any(value % 29 == 0) ? 1u : 0u,
      simt::all(value % 29 != 0) ? 1u : 0u,
      simt::shuffle(value, value % 40),
      simt::match_any(value % 5),
      simt::warp_add(value),
      simt::warp_min(value),
      simt::warp_max(value),
      simt::warp_or(value),
      simt::inclusive_scan(value),
      simt::as_bits(simt::shuffle(simt::as_float(value), 31 - simt::lane())),
  };
  for (u32 k = 0; k < kinds; ++k) simt::store(arguments.results + thread * kinds + k, results[k]);
  const u64 wide = static_cast<u64>(value) << 32 | thread;
  simt::store(arguments.wide + thread, simt::shuffle(wide, simt::lane() ^ 1));
  simt::sync_warp();
}
