// SPDX-License-Identifier: Apache-2.0
// Shortest paths on a graph that lies in the shared memory and registers of the multiprocessors, one part in each.
//
// One block searches each part (worker.cuh). What it finds for vertices of other parts goes by their inboxes in global
// memory (control.cuh). The result is the least solution of distance[v] = min over arcs (u,v) of distance[u] + weight,
// whatever the order of the work.
#include "partitioned/configuration.cuh"
#include "partitioned/control.cuh"
#include "partitioned/worker.cuh"

namespace mlmq {

SIMT_DEVICE graph_part part_of(const partitioned_arguments& arguments, u32 block) {
  const graph_part* const part = arguments.parts + block;
  return {simt::load_readonly(&part->vertices),     simt::load_readonly(&part->slots),
          simt::load_readonly(&part->outbox),       simt::load_readonly(&part->inbox),
          simt::load_readonly(&part->first_vertex), simt::load_readonly(&part->first_slot),
          simt::load_readonly(&part->first_out),    simt::load_readonly(&part->first_in)};
}

/// The roles of a control warp. In blocks of few warps one has all of them.
SIMT_DEVICE void run_control(const partitioned_arguments& arguments, const graph_part& part, const part_memory& memory,
                             u32 role, u32 workers, counters& counts) {
  constexpr bool has_all = control_warps(simt::block_threads()) == 1;
  part_sender<counters> sender(arguments, memory, workers, counts);
  if constexpr (has_all) {
    part_receiver<counters> receiver(arguments, part, memory, workers + 1, counts);
    if (simt::block_index() == 0) {
      partitioned_manager manager(arguments);
      while (manager.turn()) {
        sender.turn();
        receiver.turn();
      }
    }
    // The sender learns of the end from the receiver.
    do {
      sender.turn();
    } while (receiver.turn());
  } else if (role == 0) {
    while (sender.turn()) {
    }
  } else if (role == 1) {
    part_receiver<counters> receiver(arguments, part, memory, workers + 1, counts);
    while (receiver.turn()) {
    }
  } else if (simt::block_index() == 0) {
    partitioned_manager manager(arguments);
    while (manager.turn()) simt::backoff(100);
  }
}

}  // namespace mlmq

SIMT_KERNEL(partitioned, mlmq::partitioned_arguments) {
  using namespace mlmq;
  const graph_part part = part_of(arguments, simt::block_index());
  const part_memory memory(part);
  counters counts(arguments.counters);
  constexpr u32 workers = worker_warps(simt::block_threads());
  const u32 warp = simt::warp_in_block();

  using configuration = partitioned_configuration;
  memory.initialise(arguments, part, configuration::packed ? configuration::slot_arcs : 0);
  simt::sync_block();
  if (simt::block_index() == arguments.source_part && simt::thread_in_block() == 0) {
    simt::store_word(memory.distance(arguments.source_vertex), 0);
  }
  simt::sync_block();
  if (warp < workers) {
    part_worker<configuration, counters>(arguments, part, memory, simt::thread_in_block(), workers * simt::warp_size,
                                         counts)
        .run(warp);
  } else {
    run_control(arguments, part, memory, warp - workers, workers, counts);
  }
  simt::sync_block();
  for (u32 i = simt::thread_in_block(); i < part.vertices; i += simt::block_threads()) {
    simt::store(arguments.distances + simt::load_readonly(arguments.vertices + part.first_vertex + i),
                simt::load_word(memory.distance(i)));
  }
  // Nobody sends any more.
  for (u32 i = simt::thread_in_block(); i < part.inbox; i += simt::block_threads()) {
    simt::store(arguments.inbox + part.first_in + i, unreached);
  }
  if (simt::block_index() == 0 && simt::thread_in_block() == 0) {
    simt::store(&arguments.next_control->status, 0u);
    simt::store(&arguments.next_control->asked, 0u);
    simt::store(&arguments.next_control->host_abort, 0u);
  }
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
