// SPDX-License-Identifier: Apache-2.0
#include "l2_test.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace mlmq::tests {

elements ring_content(const queue_outcome& outcome, const queue_launch& launch, u32 subqueue) {
  const simt::quad counts = counts_of(outcome, subqueue);
  const u32 size = counts.y - counts.x;
  CAPTURE(subqueue, counts.x, counts.y);
  REQUIRE(size <= launch.capacity);
  elements content;
  for (u32 i = 0; i < launch.capacity; ++i) {
    const u64 word = outcome.slots[subqueue * launch.capacity + (counts.x + i) % launch.capacity];
    CAPTURE(i);
    REQUIRE((word != empty_slot) == (i < size));
    if (word != empty_slot) content.push_back(word);
  }
  return content;
}

elements heap_content(const queue_outcome& outcome, const queue_launch& launch, u32 heap) {
  const u32 nodes = launch.capacity / simt::warp_size;
  std::vector<elements> held(nodes);
  for (u32 node = 1; node < nodes; ++node) {
    CAPTURE(heap, node);
    // The header holds the lock and the count, both inverted.
    const u64 header = outcome.slots[launch.subqueues * launch.capacity + heap * nodes + node];
    REQUIRE(static_cast<u32>(header) == ~0u);
    const u32 count = ~static_cast<u32>(header >> 32);
    REQUIRE(count <= simt::warp_size);
    const auto first = outcome.slots.begin() + heap * launch.capacity + node * simt::warp_size;
    held[node] = elements(first, first + count);
    REQUIRE(std::is_sorted(held[node].begin(), held[node].end()));
    const elements& above = held[node / 2];
    if (node > 1 && !held[node].empty()) {
      REQUIRE_FALSE(above.empty());
      REQUIRE(above.back() <= held[node].front());
    }
  }
  elements content;
  for (const elements& node : held) append(content, node);
  return sorted(content);
}

}  // namespace mlmq::tests
