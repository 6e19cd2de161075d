// SPDX-License-Identifier: Apache-2.0
// Shortest paths from many sources by an elimination hierarchy: upwards from each source to its ancestors, then
// downwards over all vertices, like PHAST (Delling, Goldberg, Nowatzyk and Werneck 2011).
//
// All arcs into a vertex come from its ancestors in the elimination tree. The tree is cut into pieces. A warp sweeps a
// piece for a group of 32 to 256 searches. The distances of the ancestors within the piece, and of those above it that
// are used most, are in shared memory. Warps are independent of each other: each takes the next task from a counter and
// waits until the piece above its own is swept. Tasks are taken in an order in which the task that is waited for comes
// first, so some warp always makes progress.
#include "hierarchy/ascent.cuh"
#include "hierarchy/gather.cuh"
#include "hierarchy/sweep.cuh"

namespace mlmq::hierarchy {

class worker {
 public:
  SIMT_DEVICE worker(const hierarchy_arguments& arguments, u32* words, u64 deadline, counters& counts)
      : arguments_(arguments),
        watch_(watch_of(arguments.control, deadline)),
        ascent_(arguments, words + hierarchy_item_words, arguments.warp_words - hierarchy_item_words, counts),
        sweep_(arguments, reinterpret_cast<hierarchy_item*>(words), words + hierarchy_item_words, counts),
        gather_(arguments, words + hierarchy_item_words, arguments.warp_words - hierarchy_item_words) {}

  /// Runs tasks until none is left, or the run is over.
  SIMT_DEVICE void run() {
    const u32 rounds = (arguments_.groups + arguments_.round_groups - 1) / arguments_.round_groups;
    const u32 round_tasks = arguments_.order_length * arguments_.round_groups;
    const u32 sweeps = (rounds + 1) * round_tasks;
    const u32 stored = arguments_.stored_distances == nullptr
                           ? 0
                           : arguments_.groups * gather::tasks_of_group(arguments_.graph_vertices);
    const u32 targets = arguments_.groups * gather::tasks_of_group(arguments_.target_count);
    for (;;) {
      u32 task = 0;
      u32 is_over = 0;
      if (simt::lane() == 0) {
        is_over = watch_.end_if_due() ? 1 : 0;
        task = simt::atomic_add<simt::order::relaxed, simt::scope::device>(&arguments_.control->next, 1u);
      }
      task = simt::shuffle(task, 0);
      if (simt::shuffle(is_over, 0) != 0) return;
      simt::sync_warp();
      if (task < arguments_.searches) {
        ascent_.run(task);
        continue;
      }
      task -= arguments_.searches;
      if (task < sweeps) {
        if (!sweep_next(task, round_tasks)) return;
        continue;
      }
      task -= sweeps;
      if (task < stored) {
        if (!gather_.run(task, arguments_.graph_vertices, arguments_.vertex_rows, arguments_.stored_distances, watch_))
          return;
        continue;
      }
      task -= stored;
      if (task >= targets) return;
      if (!gather_.run(task, arguments_.target_count, arguments_.target_rows, arguments_.target_distances, watch_))
        return;
    }
  }

 private:
  /// Warp collective: sweeps the piece of a task, if the task has one. The first round of tasks only has pieces of the
  /// next one. @return false if the run is over
  SIMT_DEVICE bool sweep_next(u32 task, u32 round_tasks) {
    const u32 in_round = task % round_tasks;
    const u32 entry = simt::load(arguments_.order + in_round / arguments_.round_groups);
    const u32 rounds_done = task / round_tasks;
    if ((entry & is_next_round) == 0 && rounds_done == 0) return true;
    const u32 round = (entry & is_next_round) != 0 ? rounds_done : rounds_done - 1;
    const u32 group = round * arguments_.round_groups + in_round % arguments_.round_groups;
    if (group >= arguments_.groups) return true;
    return sweep_.run(entry & ~is_next_round, group, watch_);
  }

  const hierarchy_arguments& arguments_;
  run_watch<run_status> watch_;
  ascent ascent_;
  sweep sweep_;
  gather gather_;
};

}  // namespace mlmq::hierarchy

SIMT_KERNEL_OF_BLOCKS(hierarchy_search, mlmq::hierarchy_arguments, mlmq::hierarchy::blocks) {
  using namespace mlmq;
  u32* const words = reinterpret_cast<u32*>(simt::shared_memory()) + simt::warp_in_block() * arguments.warp_words;
  hierarchy::counters counts(arguments.counters);
  hierarchy::worker(arguments, words, simt::clock_ns() + arguments.time_limit_ns, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
