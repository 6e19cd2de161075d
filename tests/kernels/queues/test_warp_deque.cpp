// SPDX-License-Identifier: Apache-2.0
// The deque of the L1 queues against std::deque: both ends, around the ring many times, and what a full one moves.
#include <catch2/catch.hpp>

#include "deque_model.hpp"

using namespace mlmq::tests;

namespace {

constexpr unsigned warps = 4;

/// A step that keeps the promises of the deque.
scripted_step random_step(random_numbers& random, std::size_t size, std::size_t capacity, u32& vertex) {
  scripted_step now{};
  for (u64& e : now.elements) e = element_of(vertex++, random.below(1000));
  const u32 kind = random.below(20);
  if (kind < 10) {
    now.what.what = kind < 5 ? action::push_back : action::push_front;
    now.what.lanes = random.lanes();
    if (size + chosen(now.elements, now.what.lanes).size() <= capacity) return now;
    // Exactly full now and then; otherwise something that makes room.
    now.what.lanes = first_lanes(capacity - size);
    if (random.chance(50)) return now;
    now.what.what = random.chance(50) ? action::room_worst : action::room_everything;
    now.what.amount = random.below(simt::warp_size) + 1;
    return now;
  }
  if (kind == 10) {
    now.what.what = action::replace;
    now.what.amount = random.below(simt::warp_size) + 1;
    now.what.lanes = random.lanes();
    const std::size_t left = size - std::min<std::size_t>(size, now.what.amount);
    if (left + chosen(now.elements, now.what.lanes).size() > capacity) now.what.lanes = first_lanes(capacity - left);
    return now;
  }
  now.what.what = kind < 16   ? action::pop_front
                  : kind < 17 ? action::room_everything
                  : kind < 18 ? action::room_worst
                  : kind < 19 ? action::spill_back
                              : action::spill_all;
  now.what.amount = now.what.what == action::spill_back ? random.below(static_cast<u32>(capacity) + 1)
                                                        : random.below(simt::warp_size) + 1;
  if (now.what.what == action::spill_all && random.chance(70)) now.what.what = action::pop_front;
  return now;
}

struct expectation {
  elements down;
  elements read;
  deque_model content;
};

expectation apply(const scripted_step& now, deque_model& model, std::size_t capacity) {
  expectation expected;
  const elements given = chosen(now.elements, now.what.lanes);
  switch (now.what.what) {
    case action::push_back:
      put_back(model, given);
      break;
    case action::push_front:
      put_front(model, given);
      break;
    case action::pop_front:
      expected.read = take_front(model, now.what.amount);
      break;
    case action::replace:
      expected.read = take_front(model, now.what.amount);
      put_back(model, given);
      break;
    case action::room_everything:
      expected.down = make_room(model, capacity, now.what.amount, spill_policy::everything);
      break;
    case action::room_worst:
      expected.down = make_room(model, capacity, now.what.amount, spill_policy::worst);
      break;
    case action::spill_back:
      expected.down = spill_back(model, now.what.amount);
      break;
    default:
      expected.down = take_front(model, model.size());
  }
  expected.content = model;
  return expected;
}

/// The records of step `i`, from `at` on.
void is_as_expected(const scripted_step& now, const expectation& expected, std::vector<record>::const_iterator& at,
                    u32 i, std::size_t capacity) {
  elements down;
  for (; at->what == event::spilled; ++at) {
    REQUIRE(at->step == i);
    append(down, elements_in(*at));
  }
  REQUIRE(down == expected.down);
  REQUIRE(at->step == i);
  const record& last = *at++;
  if (now.what.what == action::pop_front || now.what.what == action::replace) {
    REQUIRE(last.what == event::read);
    REQUIRE(elements_in(last) == expected.read);
    REQUIRE(last.lanes == first_lanes(expected.read.size()));
    return;
  }
  REQUIRE(last.what == event::state);
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
      auto at = outcome.logs[warp].cbegin();
      for (u32 i = 0; i < scripts[warp].size(); ++i) {
        CAPTURE(i);
        REQUIRE(at != outcome.logs[warp].cend());
        is_as_expected(scripts[warp][i], expected[warp][i], at, i, capacity);
      }
      REQUIRE(at == outcome.logs[warp].cend());
    }
  }
}
