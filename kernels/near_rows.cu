// SPDX-License-Identifier: Apache-2.0
// Orders each row of a graph by a few limits on the weights, so that the edges below a limit are the first of the row.
// A warp orders a row: it counts the edges between limits, then writes them.
#include "distance_width.cuh"
#include "near_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

SIMT_DEVICE void copy_edge(u32* place, u32 edge) { store(place, edge); }
SIMT_DEVICE void copy_edge(u64* place, u64 edge) { store(place, edge); }
SIMT_DEVICE void copy_edge(wide_pair* place, wide_pair edge) {
  store(&place->x, edge.x);
  store(&place->y, edge.y);
}

/// Returns the number of limits that a weight reaches.
SIMT_DEVICE u32 class_of(u64 weight, const near_rows_arguments& arguments) {
  u32 reached = 0;
#pragma unroll
  for (u32 i = 0; i < near_limits; ++i) reached += weight >= arguments.limits[i] ? 1 : 0;
  return reached;
}

template <class Offset, class Edges>
SIMT_DEVICE void order_rows(const near_rows_arguments& arguments) {
  using word = typename Edges::word;
  const auto* const offsets = static_cast<const Offset*>(arguments.offsets);
  const auto* const edges = static_cast<const word*>(arguments.edges);
  auto* const near_edges = static_cast<word*>(arguments.near_edges);
  const u32 warps = block_threads() / warp_size * grid_blocks();
  for (u32 vertex = block_index() * (block_threads() / warp_size) + warp_in_block(); vertex < arguments.vertices;
       vertex += warps) {
    const u64 begin = load_readonly(offsets + vertex);
    const u64 end = load_readonly(offsets + vertex + 1);
    u32 counts[near_limits] = {};
    for (u64 edge = begin + lane(); edge < end; edge += warp_size) {
      const u32 reached = class_of(Edges::weight(load_readonly(edges + edge)), arguments);
#pragma unroll
      for (u32 i = 0; i < near_limits; ++i) counts[i] += reached <= i ? 1 : 0;
    }
    // The places of the next edge of each class; the classes follow each other.
    u64 places[near_limits + 1];
    places[0] = begin;
#pragma unroll
    for (u32 i = 0; i < near_limits; ++i) {
      const u32 count = warp_add(counts[i]);
      places[i + 1] = begin + count;
      if (lane() == i) store(arguments.near_counts + u64{vertex} * near_limits + i, count);
    }
    for (u64 first = begin; first < end; first += warp_size) {
      const bool valid = first + lane() < end;
      word edge = {};
      if (valid) edge = load_readonly(edges + first + lane());
      const u32 reached = valid ? class_of(Edges::weight(edge), arguments) : near_limits + 1;
#pragma unroll
      for (u32 i = 0; i <= near_limits; ++i) {
        const u32 writers = simt::ballot(reached == i);
        if (reached == i) copy_edge(near_edges + places[i] + popcount(writers & lanes_below()), edge);
        places[i] += popcount(writers);
      }
    }
  }
}

template <class Offset>
SIMT_DEVICE void order_rows(const near_rows_arguments& arguments) {
  if (arguments.edge_bytes == sizeof(unit_edges::word)) {
    order_rows<Offset, unit_edges>(arguments);
  } else if (arguments.edge_bytes == sizeof(weighted_edges::word)) {
    order_rows<Offset, weighted_edges>(arguments);
  } else {
    order_rows<Offset, wide_edges>(arguments);
  }
}

}  // namespace

SIMT_KERNEL(near_rows, mlmq::near_rows_arguments) {
  if (arguments.wide_offsets != 0) {
    order_rows<u64>(arguments);
  } else {
    order_rows<u32>(arguments);
  }
}
