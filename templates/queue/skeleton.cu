// SPDX-License-Identifier: Apache-2.0
// Each warp writes its vertices into a queue of its own, and takes some out after every second write and all at the
// end.
#include "skeleton.cuh"

#include "queues/order.cuh"
#include "skeleton_abi.cuh"

namespace {

struct traits {
  using order = mlmq::key_above_item<mlmq::integer_key>;
  using storage = skeleton_arguments;
  using spill = mlmq::spill_worst;
  static constexpr u32 l1_capacity = QUEUE_CAPACITY;
  static constexpr u32 l1_batch = QUEUE_BATCH;
};
using element = traits::order::element;

/// Takes elements: those that are read, and, as the lower level, those for which the queue has no room.
struct taker {
  u32* taken;

  SIMT_DEVICE void write(element e, bool valid) {
    if (valid) simt::reduce_add<simt::order::relaxed, simt::scope::device>(taken + traits::order::item_of(e), 1u);
  }
};

}  // namespace

SIMT_KERNEL(skeleton, skeleton_arguments) {
  using queue = mlmq::skeleton<traits, mlmq::no_counters>;
  mlmq::no_counters counters;
  queue queue_of_warp(reinterpret_cast<element*>(simt::shared_memory()) + simt::warp_in_block() * queue::storage,
                      arguments, nullptr, counters);
  taker take{arguments.taken};
  const u32 threads = simt::grid_blocks() * simt::block_threads();
  const u32 first = simt::block_index() * simt::block_threads() + simt::warp_in_block() * simt::warp_size;
  bool reads = false;
  element e = 0;
  bool valid = false;
  for (u32 v = first; v < arguments.vertices; v += threads, reads = !reads) {
    const u32 vertex = v + simt::lane();
    queue_of_warp.write(traits::order::make(vertex, vertex), vertex < arguments.vertices, take);
    if (reads && queue_of_warp.read(e, valid)) take.write(e, valid);
  }
  while (queue_of_warp.read(e, valid)) take.write(e, valid);
}
