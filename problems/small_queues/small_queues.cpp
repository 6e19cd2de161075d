// SPDX-License-Identifier: Apache-2.0
#include "problems/small_queues/small_queues.hpp"

#include <algorithm>

namespace mlmq::problems {

small_queue_choice::small_queue_choice(const tuner::parameter_values& values)
    : queue(values.text("queue")),
      lanes(values.whole("lanes")),
      capacity(values.whole("queue_capacity")),
      arity_(values.whole("arity")),
      second_(values.text("second")),
      second_arity_(values.whole("second_arity")),
      buckets_(values.whole("buckets")) {
  if (values.text("run_memory") == "shared" && lanes == 1) shared_run_ = values.whole("run");
}

small_queue_shape small_queue_choice::shape(unsigned of_capacity, unsigned element_bytes) const {
  if (queue == "heap") return small_heap_shape(of_capacity, arity_);
  if (queue == "splay") return small_splay_shape(of_capacity, element_bytes);
  if (queue == "bucket") return small_bucket_shape(of_capacity, buckets_);
  if (queue == "two_level") {
    return small_two_level_shape(
        second_ == "heap" ? small_heap_shape(of_capacity, second_arity_) : small_pile_shape(of_capacity),
        shared_run_ * element_bytes);
  }
  return small_ring_shape(of_capacity);
}

unsigned small_queue_choice::shared_bytes(unsigned threads) const {
  const unsigned groups = std::max(1U, threads / lanes);
  const unsigned of_group = lanes > simt::warp_size ? block_group_bytes(lanes) : 0;
  return groups * shape(capacity, sizeof(u64)).scratch_bytes + of_group;
}

}  // namespace mlmq::problems
