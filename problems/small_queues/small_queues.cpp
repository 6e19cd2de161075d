// SPDX-License-Identifier: Apache-2.0
#include "problems/small_queues/small_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace mlmq::problems {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw backends::launch_error(message);
}

unsigned power_of_two(const tuner::parameter_values& values, const char* name) {
  const unsigned number = values.whole(name);
  require(std::has_single_bit(number), fmt::format("{} is {}; it must be a power of two", name, number));
  return number;
}

unsigned most_lanes(const std::string& queue) {
  if (queue == "ring" || queue == "ring_cached" || queue == "splay") return 1;
  return queue == "ring_parallel" ? 256 : simt::warp_size;
}

}  // namespace

small_queue_choice::small_queue_choice(const tuner::parameter_values& values)
    : queue(values.text("queue")),
      lanes(power_of_two(values, "lanes")),
      capacity(power_of_two(values, "queue_capacity")),
      arity_(power_of_two(values, "arity")),
      second_(values.text("second")),
      second_arity_(power_of_two(values, "second_arity")),
      buckets_(power_of_two(values, "buckets")) {
  const unsigned run = power_of_two(values, "run");
  if (values.text("run_memory") == "shared" && lanes == 1) shared_run_ = run;
  require(queue != "bucket" || lanes == simt::warp_size,
          fmt::format("queue bucket: lanes is {}; a warp of 32 owns such a queue", lanes));
  const unsigned most = most_lanes(queue);
  require(lanes <= most, fmt::format("queue {}: lanes is {}; at most {} own such a queue", queue, lanes, most));
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
