// SPDX-License-Identifier: Apache-2.0
// Reverses the edges of a graph on the device: counts them per target, then writes them to their rows.
#include "reverse_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

template <class Offset>
SIMT_DEVICE void count_edges(const reverse_rows_arguments& arguments) {
  auto* const counts = static_cast<Offset*>(arguments.places);
  const u64 threads = static_cast<u64>(block_threads()) * grid_blocks();
  for (u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block(); i < arguments.edge_count;
       i += threads) {
    reduce_add<order::relaxed, scope::device>(counts + load_readonly(arguments.edges + i), Offset{1});
  }
}

/// One warp reads the rows of 32 vertices, one after the other with all lanes.
template <class Offset>
SIMT_DEVICE void place_edges(const reverse_rows_arguments& arguments) {
  const auto* const offsets = static_cast<const Offset*>(arguments.offsets);
  auto* const places = static_cast<Offset*>(arguments.places);
  const u32 warps = block_threads() / warp_size * grid_blocks();
  const u32 groups = arguments.vertices / warp_size + (arguments.vertices % warp_size != 0 ? 1u : 0u);
  for (u32 group = block_index() * (block_threads() / warp_size) + warp_in_block(); group < groups; group += warps) {
    const u32 vertex = group * warp_size + lane();
    const bool exists = vertex < arguments.vertices;
    const u64 begin = exists ? load_readonly(offsets + vertex) : 0;
    const u64 end = exists ? load_readonly(offsets + vertex + 1) : 0;
    for (u32 i = 0; i < warp_size; ++i) {
      const u64 row_end = shuffle(end, i);
      for (u64 edge = shuffle(begin, i) + lane(); edge < row_end; edge += warp_size) {
        const Offset place =
            atomic_add<order::relaxed, scope::device>(places + load_readonly(arguments.edges + edge), Offset{1});
        store(arguments.sources + place, group * warp_size + i);
      }
    }
  }
}

template <class Offset>
SIMT_DEVICE void reverse(const reverse_rows_arguments& arguments) {
  if (arguments.sources == nullptr) {
    count_edges<Offset>(arguments);
  } else {
    place_edges<Offset>(arguments);
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
