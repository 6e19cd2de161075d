// SPDX-License-Identifier: Apache-2.0
// The deque of the L1 queues against std::deque: both ends, many wraps around the ring, and spilling when full.
#include <catch2/catch.hpp>

#include "deque_model.hpp"

using namespace mlmq::tests;

namespace {

constexpr unsigned warps = 4;

/// Returns a step that respects the preconditions of the deque.
scripted_step random_step(random_numbers& random, std::size_t size, std::size_t capacity, u32& vertex) {
  scripted_step now{};
  for (u64& e : now.elements) e = element_of(vertex++, random.below(1000));
  const u32 kind = random.below(20);
  if (kind < 10) {
    now.operation.kind = kind < 5 ? action::push_back : action::push_front;
    now.operation.lanes = random.lanes();
    if (size + chosen(now.elements, now.operation.lanes).size() <= capacity) return now;
    // Fills the deque exactly, occasionally; otherwise does something that makes room.
    now.operation.lanes = first_lanes(capacity - size);
    if (random.chance(50)) return now;
    now.operation.kind = random.chance(50) ? action::room_worst : action::room_everything;
    now.operation.amount = random.below(simt::warp_size) + 1;
    return now;
  }
  if (kind == 10) {
    now.operation.kind = action::replace;
    now.operation.amount = random.below(simt::warp_size) + 1;
    now.operation.lanes = random.lanes();
    const std::size_t remaining = size - std::min<std::size_t>(size, now.operation.amount);
    if (remaining + chosen(now.elements, now.operation.lanes).size() > capacity)
      now.operation.lanes = first_lanes(capacity - remaining);
    return now;
  }
  now.operation.kind = kind < 16   ? action::pop_front
                       : kind < 17 ? action::room_everything
                       : kind < 18 ? action::room_worst
                       : kind < 19 ? action::spill_back
                                   : action::spill_all;
  now.operation.amount = now.operation.kind == action::spill_back ? random.below(static_cast<u32>(capacity) + 1)
                                                                  : random.below(simt::warp_size) + 1;
  if (now.operation.kind == action::spill_all && random.chance(70)) now.operation.kind = action::pop_front;
  return now;
}

struct expectation {
  elements down;
  elements read;
  deque_model content;
};

expectation apply(const scripted_step& now, deque_model& model, std::size_t capacity) {
  expectation expected;
  const elements written = chosen(now.elements, now.operation.lanes);
  switch (now.operation.kind) {
    case action::push_back:
      put_back(model, written);
      break;
    case action::push_front:
      put_front(model, written);
      break;
    case action::pop_front:
      expected.read = take_front(model, now.operation.amount);
      break;
    case action::replace:
      expected.read = take_front(model, now.operation.amount);
      put_back(model, written);
      break;
    case action::room_everything:
      expected.down = make_room(model, capacity, now.operation.amount, spill_policy::everything);
      break;
    case action::room_worst:
      expected.down = make_room(model, capacity, now.operation.amount, spill_policy::worst);
      break;
    case action::spill_back:
      expected.down = spill_back(model, now.operation.amount);
      break;
    default:
      expected.down = take_front(model, model.size());
  }
  expected.content = model;
  return expected;
}

/// Checks the records of step `i`, from `next` on.
void is_as_expected(const scripted_step& now, const expectation& expected, std::vector<record>::const_iterator& next,
                    u32 i, std::size_t capacity) {
  elements down;
  for (; next->kind == event::spilled; ++next) {
    REQUIRE(next->step == i);
    append(down, elements_in(*next));
  }
  REQUIRE(down == expected.down);
  REQUIRE(next->step == i);
  const record& last = *next++;
  if (now.operation.kind == action::pop_front || now.operation.kind == action::replace) {
    REQUIRE(last.kind == event::read);
    REQUIRE(elements_in(last) == expected.read);
    REQUIRE(last.lanes == first_lanes(expected.read.size()));
    return;
  }
  REQUIRE(last.kind == event::state);
  REQUIRE(last.subqueue == down.size());
  REQUIRE(last.answer == expected.content.size());
  REQUIRE(last.position == capacity - expected.content.size());
  if (!expected.content.empty()) REQUIRE(last.elements[0] == expected.content.front());
}

}  // namespace

TEST_CASE("a warp's deque is a deque") {
  const u32 capacity = GENERATE(32u, 64u, 256u);
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"deque_operations.cu",
                                       "deque_operations",
                                       warps * simt::warp_size,
                                       {{"MLMQ_TEST_CAPACITY", std::to_string(capacity)}}});
  queue_launch launch;
  launch.block_threads = warps * simt::warp_size;
  launch.shared_bytes = warps * capacity * sizeof(u64);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(capacity, seed);
    random_numbers random(seed);
    std::vector<script> scripts(warps);
    std::vector<std::vector<expectation>> expected(warps);
    u32 vertex = 0;
    for (unsigned warp = 0; warp < warps; ++warp) {
      deque_model model;
      for (u32 i = 0; i < 400; ++i) {
        scripts[warp].push_back(random_step(random, model.size(), capacity, vertex));
        expected[warp].push_back(apply(scripts[warp].back(), model, capacity));
      }
    }
    const queue_outcome outcome = run(device, *kernel, launch, scripts, seed);
    for (unsigned warp = 0; warp < warps; ++warp) {
      CAPTURE(warp);
      auto next = outcome.logs[warp].cbegin();
      for (u32 i = 0; i < scripts[warp].size(); ++i) {
        CAPTURE(i);
        REQUIRE(next != outcome.logs[warp].cend());
        is_as_expected(scripts[warp][i], expected[warp][i], next, i, capacity);
      }
      REQUIRE(next == outcome.logs[warp].cend());
    }
  }
}
