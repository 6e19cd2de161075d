// SPDX-License-Identifier: Apache-2.0
// Reverses the edges of a graph on the device: counts them per target, then writes them to their rows.
#include "distance_width.cuh"
#include "reverse_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

SIMT_DEVICE void store_edge(u32* place, u32 /*edge*/, u32 source) { store(place, source); }
SIMT_DEVICE void store_edge(u64* place, u64 edge, u32 source) { store(place, (edge >> 32 << 32) | source); }
SIMT_DEVICE void store_edge(wide_pair* place, wide_pair edge, u32 source) {
  store(&place->x, static_cast<u64>(source));
  store(&place->y, edge.y);
}

template <class Offset, class Edges>
SIMT_DEVICE void count_edges(const reverse_rows_arguments& arguments) {
  const auto* const edges = static_cast<const typename Edges::word*>(arguments.edges);
  auto* const counts = static_cast<Offset*>(arguments.places);
  const u64 threads = static_cast<u64>(block_threads()) * grid_blocks();
  for (u64 i = static_cast<u64>(block_index()) * block_threads() + thread_in_block(); i < arguments.edge_count;
       i += threads) {
    reduce_add<order::relaxed, scope::device>(counts + Edges::target(load_readonly(edges + i)), Offset{1});
  }
}

/// One warp reads the rows of 32 vertices, one after the other with all lanes.
template <class Offset, class Edges>
SIMT_DEVICE void place_edges(const reverse_rows_arguments& arguments) {
  using word = typename Edges::word;
  const auto* const offsets = static_cast<const Offset*>(arguments.offsets);
  const auto* const edges = static_cast<const word*>(arguments.edges);
  auto* const reversed_edges = static_cast<word*>(arguments.reversed_edges);
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
        const word loaded = load_readonly(edges + edge);
        const Offset place = atomic_add<order::relaxed, scope::device>(places + Edges::target(loaded), Offset{1});
        store_edge(reversed_edges + place, loaded, group * warp_size + i);
      }
    }
  }
}

template <class Offset, class Edges>
SIMT_DEVICE void reverse(const reverse_rows_arguments& arguments) {
  if (arguments.reversed_edges == nullptr) {
    count_edges<Offset, Edges>(arguments);
  } else {
    place_edges<Offset, Edges>(arguments);
  }
}

template <class Offset>
SIMT_DEVICE void reverse(const reverse_rows_arguments& arguments) {
  if (arguments.edge_bytes == sizeof(unit_edges::word)) {
    reverse<Offset, unit_edges>(arguments);
  } else if (arguments.edge_bytes == sizeof(weighted_edges::word)) {
    reverse<Offset, weighted_edges>(arguments);
  } else {
    reverse<Offset, wide_edges>(arguments);
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
