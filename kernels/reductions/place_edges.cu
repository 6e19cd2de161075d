// SPDX-License-Identifier: Apache-2.0
// Prepares the edges into the vertices for a layout of distances whose rows are not the vertices: a thread per vertex.
#include "reductions/path_sums_abi.cuh"
#include "simt/simt.cuh"

SIMT_KERNEL(place_edges, mlmq::edge_place_arguments) {
  const u32 threads = simt::grid_blocks() * simt::block_threads();
  u32 vertex = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  for (; vertex < arguments.vertices; vertex += threads) {
    mlmq::edge_range* const range = arguments.row_ranges + simt::load_readonly(arguments.vertex_rows + vertex);
    const u64 first = simt::load_readonly(&arguments.vertex_ranges[vertex].first);
    const u64 last = simt::load_readonly(&arguments.vertex_ranges[vertex].last);
    simt::store(&range->first, first);
    simt::store(&range->last, last);
    for (u64 i = first; i < last; ++i) {
      const u64 source_and_quantity = simt::load_readonly(&arguments.vertex_edges[i].source_and_quantity);
      const u64 row = simt::load_readonly(arguments.vertex_rows + static_cast<u32>(source_and_quantity));
      simt::store(&arguments.row_edges[i].source_and_quantity, source_and_quantity >> 32 << 32 | row);
      simt::store(&arguments.row_edges[i].weight, simt::load_readonly(&arguments.vertex_edges[i].weight));
    }
  }
}
