// SPDX-License-Identifier: Apache-2.0
// The edges of a graph that is on the device turned round: first counted for each target, then put in place.
#include "reverse_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

template <class Offset>
SIMT_DEVICE void count(const reverse_rows_arguments& asked) {
  auto* const counts = static_cast<Offset*>(asked.places);
  const u64 threads = static_cast<u64>(block_threads()) * grid_blocks();
  for (u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block(); i < asked.edge_count;
       i += threads) {
    reduce_add<order::relaxed, scope::device>(counts + load_readonly(asked.edges + i), Offset{1});
  }
}

/// A warp takes the rows of 32 vertices, one after the other with all lanes.
template <class Offset>
SIMT_DEVICE void put(const reverse_rows_arguments& asked) {
  const auto* const offsets = static_cast<const Offset*>(asked.offsets);
  auto* const places = static_cast<Offset*>(asked.places);
  const u32 warps = block_threads() / warp_size * grid_blocks();
  const u32 groups = asked.vertices / warp_size + (asked.vertices % warp_size != 0 ? 1u : 0u);
  for (u32 group = block_index() * (block_threads() / warp_size) + warp_in_block(); group < groups; group += warps) {
    const u32 mine = group * warp_size + lane();
    const bool is_one = mine < asked.vertices;
    const u64 begin = is_one ? load_readonly(offsets + mine) : 0;
    const u64 end = is_one ? load_readonly(offsets + mine + 1) : 0;
    for (u32 i = 0; i < warp_size; ++i) {
      const u64 row_end = shuffle(end, i);
      for (u64 edge = shuffle(begin, i) + lane(); edge < row_end; edge += warp_size) {
        const Offset place =
            atomic_add<order::relaxed, scope::device>(places + load_readonly(asked.edges + edge), Offset{1});
        store(asked.sources + place, group * warp_size + i);
      }
    }
  }
}

template <class Offset>
SIMT_DEVICE void reverse(const reverse_rows_arguments& asked) {
  if (asked.sources == nullptr) {
    count<Offset>(asked);
  } else {
    put<Offset>(asked);
  }
}

}  // namespace

SIMT_KERNEL(reverse_rows, mlmq::reverse_rows_arguments) {
  if (arguments.wide_offsets != 0) {
    reverse<u64>(arguments);
  } else {
    reverse<u32>(arguments);
  }
}
