// SPDX-License-Identifier: Apache-2.0
// A search with a multi-level queue (MLMQ, Listing 2), as one persistent kernel: workers read vertices, relax their
// edges and write back the vertices they improved.
//
// The result is the least solution of distance[v] = min over edges (u,v) of distance[u] + weight, whatever the order of
// the work: the queues only determine how much of the work is redundant.
#pragma once

#include "configuration.cuh"
#include "queues/multi_queue.cuh"
#include "relax_ell.cuh"

namespace mlmq {

using search_queue = multi_queue<configuration, l0_queue, l1_queue, l2_queue, counters>;

/// The problem of queues/multi_queue.cuh: elements are vertices with the distances they had when they were written.
struct path_problem : until_empty {
  using worker = search_queue::worker;
  using scratch = row_entry;
  static constexpr u32 scratch_count = simt::warp_size;

  SIMT_DEVICE static u64* recorded(const search_arguments& arguments) { return arguments.counters; }
  SIMT_DEVICE static void finish(const search_arguments& arguments, counters& counts) {
    if (arguments.counters != nullptr) counts.flush(arguments.counters);
  }

  /// Warp collective of the manager: writes the source, or the seeds.
  SIMT_DEVICE static void seed(const search_arguments& arguments, l2_queue& l2) {
    const u32 lane = simt::lane();
    if constexpr (configuration::has_several_seeds) {
      const bool is_writer = lane < arguments.seed_count;
      const search_seed seed = arguments.seeds[is_writer ? lane : 0];
      if (is_writer) {
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(arguments.distances + seed.vertex, seed.distance);
      }
      l2.write(make_element(seed.vertex, seed.distance), is_writer);
    } else {
      if (lane == 0) {
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(arguments.distances + arguments.source, 0u);
      }
      l2.write(make_element(arguments.source, 0), lane == 0);
    }
  }

  using relaxer = typename relaxer_of<configuration::ell_width != 0, configuration, worker, counters>::type;
  struct process : relaxer {
    SIMT_DEVICE process(const search_arguments& arguments, row_entry* rows, worker& queue, counters& counts)
        : relaxer(arguments, rows, queue, counts) {}
  };
};

SIMT_DEVICE void run_search(const search_arguments& arguments) { search_queue::run<path_problem>(arguments); }

}  // namespace mlmq
