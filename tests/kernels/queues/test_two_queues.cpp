// SPDX-License-Identifier: Apache-2.0
// Several queues in one kernel: different ones, and the same one once per block.
#include <catch2/catch.hpp>
#include <vector>

#include "queue_test.hpp"
#include "two_queues.cuh"

namespace mlmq::tests {
namespace {

constexpr u32 capacity = 1024;

template <class Element>
void place(queue_storage<Element>& view, queue_control* control, Element* slots) {
  view = {};
  view.control = control;
  view.slots = slots;
  view.capacity_mask = capacity - 1;
  view.buckets_per_key = 0.1F;
  view.full_wait_ns = 200'000;
}

}  // namespace

TEST_CASE("two queues in one kernel, and one of each for every block, do not meet") {
  constexpr u32 rounds = 20;
  constexpr u32 rings = 8;
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"two_queues.cu", "two_queues", simt::warp_size, {}});
  const auto controls = device.make(std::vector<queue_control>(2 * two_queues_blocks), "controls");
  const auto keyed_slots = device.make(std::vector<u64>(two_queues_blocks * rings * capacity, ~u64{0}), "keyed slots");
  const auto plain_slots = device.make(std::vector<u32>(two_queues_blocks * capacity, ~0u), "plain slots");
  const auto keyed_returned = device.make(std::vector<returned>(two_queues_blocks), "keyed");
  const auto plain_returned = device.make(std::vector<returned>(two_queues_blocks), "plain");
  two_queues_arguments arguments{};
  for (u32 b = 0; b < two_queues_blocks; ++b) {
    place(arguments.keyed[b], controls.as<queue_control>() + 2 * b, keyed_slots.as<u64>() + b * rings * capacity);
    place(arguments.plain[b], controls.as<queue_control>() + 2 * b + 1, plain_slots.as<u32>() + b * capacity);
  }
  arguments.keyed_returned = keyed_returned.as<returned>();
  arguments.plain_returned = plain_returned.as<returned>();
  arguments.rounds = rounds;
  device.run(*kernel, arguments, two_queues_blocks, sizeof(block_words) + 64 * sizeof(u64) + 32 * sizeof(u32));

  const auto keyed = device.read<returned>(keyed_returned);
  const auto plain = device.read<returned>(plain_returned);
  for (u32 b = 0; b < two_queues_blocks; ++b) {
    CAPTURE(b);
    u64 keyed_sum = 0;
    u64 plain_sum = 0;
    for (u32 i = 0; i < rounds * simt::warp_size; ++i) {
      const u32 item = b * rounds * simt::warp_size + i;
      keyed_sum += element_of(item, item % 50);
      plain_sum += item;
    }
    CHECK(keyed[b].count == rounds * simt::warp_size);
    CHECK(keyed[b].sum == keyed_sum);
    CHECK(plain[b].count == rounds * simt::warp_size);
    CHECK(plain[b].sum == plain_sum);
  }
  // Both levels were used.
  const auto used = device.read<queue_control>(controls);
  CHECK(used[0].subqueues[2].words.y != 0);
  CHECK(used[1].subqueues[0].words.y != 0);
}

}  // namespace mlmq::tests
