// SPDX-License-Identifier: Apache-2.0
// Shortest paths on a graph in the shared memory and registers of the multiprocessors, one part in each.
//
// One block searches each part (worker.cuh). Distances of vertices of other parts are sent to their inboxes in global
// memory (control.cuh). The result is the least solution of distance[v] = min over arcs (u,v) of distance[u] + weight,
// whatever the order of the work.
#include "partitioned/configuration.cuh"
#include "partitioned/control.cuh"
#include "partitioned/group_worker.cuh"
#include "partitioned/worker.cuh"

namespace mlmq {

SIMT_DEVICE graph_part part_of(const partitioned_arguments& arguments, u32 block) {
  const graph_part* const part = arguments.parts + block;
  return {simt::load_readonly(&part->vertices),     simt::load_readonly(&part->slots),
          simt::load_readonly(&part->outbox),       simt::load_readonly(&part->inbox),
          simt::load_readonly(&part->first_vertex), simt::load_readonly(&part->first_slot),
          simt::load_readonly(&part->first_out),    simt::load_readonly(&part->first_in)};
}

/// The workers of a part and their memory.
template <bool has_groups>
struct work_of_parts {
  using memory = part_memory;
  using sender = part_sender<counters>;
  static constexpr u32 shared_slot_arcs = partitioned_configuration::packed ? partitioned_configuration::slot_arcs : 0;
  SIMT_DEVICE static void run(const partitioned_arguments& arguments, const graph_part& part, const memory& shared, u32,
                              u32 workers, counters& counts) {
    part_worker<partitioned_configuration, counters>(arguments, part, shared, simt::thread_in_block(),
                                                     workers * simt::warp_size, counts)
        .run();
  }
};
template <>
struct work_of_parts<true> {
  using memory = grouped_memory;
  using sender = group_sender<counters>;
  static constexpr u32 shared_slot_arcs = partitioned_configuration::slot_arcs;
  SIMT_DEVICE static void run(const partitioned_arguments& arguments, const graph_part&, const memory& shared, u32 warp,
                              u32 workers, counters& counts) {
    group_worker<partitioned_configuration, counters>(arguments, shared, warp, workers, counts).run();
  }
};

/// The roles of a control warp. In blocks with few warps one warp has all of them.
template <class Work>
SIMT_DEVICE void run_control(const partitioned_arguments& arguments, const graph_part& part,
                             const typename Work::memory& memory, u32 role, u32 workers, counters& counts) {
  using part_receiver = part_receiver<typename Work::memory, counters>;
  constexpr bool has_all = control_warps(simt::block_threads()) == 1;
  typename Work::sender sender(arguments, memory, workers, counts);
  if constexpr (has_all) {
    part_receiver receiver(arguments, part, memory, workers + 1, counts);
    if (simt::block_index() == 0) {
      partitioned_manager manager(arguments);
      while (manager.poll()) {
        sender.poll();
        receiver.poll();
      }
    }
    // The sender learns of the end from the receiver.
    do {
      sender.poll();
    } while (receiver.poll());
  } else if (role == 0) {
    while (sender.poll()) {
    }
  } else if (role == 1) {
    part_receiver receiver(arguments, part, memory, workers + 1, counts);
    while (receiver.poll()) {
    }
  } else if (simt::block_index() == 0) {
    partitioned_manager manager(arguments);
    while (manager.poll()) simt::backoff(100);
  }
}

}  // namespace mlmq

SIMT_KERNEL(partitioned, mlmq::partitioned_arguments) {
  using namespace mlmq;
  const graph_part part = part_of(arguments, simt::block_index());
  using configuration = partitioned_configuration;
  constexpr bool has_groups = configuration::work != part_sweeps;
  using work = work_of_parts<has_groups>;
  const typename work::memory memory(part);
  counters counts(arguments.counters);
  constexpr u32 workers = worker_warps(simt::block_threads());
  const u32 warp = simt::warp_in_block();

  memory.initialise(arguments, part, work::shared_slot_arcs);
  simt::sync_block();
  if constexpr (configuration::has_several_seeds) {
    if (simt::thread_in_block() == 0) {
      for (u32 i = 0; i < arguments.seed_count; ++i) {
        if (simt::block_index() != arguments.seed_parts[i]) continue;
        memory.start(arguments.seeds[i].vertex, arguments.seeds[i].distance);
      }
    }
  } else if (simt::block_index() == arguments.source_part && simt::thread_in_block() == 0) {
    memory.start(arguments.source_vertex, 0);
  }
  simt::sync_block();
  if (warp < workers) {
    work::run(arguments, part, memory, warp, workers, counts);
  } else {
    run_control<work>(arguments, part, memory, warp - workers, workers, counts);
  }
  simt::sync_block();
  for (u32 i = simt::thread_in_block(); i < part.vertices; i += simt::block_threads()) {
    const u32 vertex = simt::load_readonly(arguments.vertices + part.first_vertex + i);
    if (vertex == no_vertex) continue;
    const u32 distance = memory.result(i);
    simt::store(arguments.distances + vertex, distance);
    if constexpr (has_groups && !configuration::is_exact) {
      // Blocks may read this that have not seen yet that the run has finished.
      if (distance == saturated_mark / 2) {
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(&arguments.control->status,
                                                                      static_cast<u32>(run_status::queue_full));
      }
    }
  }
  // No block sends any more, so the inboxes can be reset.
  for (u32 i = simt::thread_in_block(); i < part.inbox; i += simt::block_threads()) {
    simt::store(arguments.inbox + part.first_in + i, unreached);
  }
  if (simt::block_index() == 0 && simt::thread_in_block() == 0) {
    simt::store(&arguments.next_control->status, 0u);
    simt::store(&arguments.next_control->question, 0u);
    simt::store(&arguments.next_control->host_abort, 0u);
  }
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
