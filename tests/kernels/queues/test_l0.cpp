// SPDX-License-Identifier: Apache-2.0
// The queue of each thread: first in, first out; a full lane empties all lanes; a read distributes elements evenly.
#include <catch2/catch.hpp>

#include "deque_model.hpp"

using namespace mlmq::tests;
using mlmq::counter;

namespace {

class l0_model final : public warp_model {
 public:
  explicit l0_model(std::size_t depth) : depth_(depth) {}

  elements write(const lane_elements& lane_values, u32 lanes) override {
    bool is_full = false;
    for (u32 lane = 0; lane < simt::warp_size; ++lane) {
      is_full |= (lanes >> lane & 1) != 0 && lanes_[lane].size() == depth_;
    }
    elements down;
    if (is_full) {
      for (elements some = oldest(); !some.empty(); some = oldest()) append(down, some);
    }
    for (u32 lane = 0; lane < simt::warp_size; ++lane) {
      if ((lanes >> lane & 1) != 0) lanes_[lane].push_back(lane_values[lane]);
    }
    return down;
  }

  /// Reads whole rounds of one element from each lane that has any, as many rounds as fit.
  elements read() override {
    elements up = oldest();
    while (!up.empty()) {
      const std::size_t owners = owners_count();
      if (owners == 0 || up.size() + owners > simt::warp_size) break;
      append(up, oldest());
    }
    return up;
  }

 private:
  [[nodiscard]] std::size_t owners_count() const {
    return static_cast<std::size_t>(
        std::count_if(lanes_.begin(), lanes_.end(), [](const deque_model& lane) { return !lane.empty(); }));
  }
  elements oldest() {
    elements some;
    for (deque_model& lane : lanes_) append(some, take_front(lane, 1));
    return some;
  }

  std::size_t depth_;
  std::array<deque_model, simt::warp_size> lanes_;
};

class none_model final : public warp_model {
 public:
  elements write(const lane_elements& lane_values, u32 lanes) override { return chosen(lane_values, lanes); }
  elements read() override { return {}; }
};

constexpr unsigned warps = 4;

std::vector<queue_outcome> run_all(const std::string& queue, u32 depth,
                                   const std::function<void(const script&, const std::vector<record>&)>& check) {
  std::vector<queue_outcome> outcomes;
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"l0_operations.cu",
                                       "l0_operations",
                                       warps * simt::warp_size,
                                       {{"MLMQ_TEST_QUEUE", queue}, {"MLMQ_TEST_L0_DEPTH", std::to_string(depth)}}});
  queue_launch launch;
  launch.block_threads = warps * simt::warp_size;
  launch.shared_bytes = warps * simt::warp_size * sizeof(u64);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(queue, depth, seed);
    random_numbers random(seed);
    std::vector<script> scripts;
    for (u32 warp = 0; warp < warps; ++warp) {
      scripts.push_back(random_script(random, 200, 35 + 10 * warp, warp << 20,
                                      [](random_numbers& numbers, u32) { return numbers.below(1000); }));
    }
    outcomes.push_back(run(device, *kernel, launch, scripts, seed));
    for (u32 warp = 0; warp < warps; ++warp) {
      CAPTURE(warp);
      check(scripts[warp], outcomes.back().logs[warp]);
    }
  }
  return outcomes;
}

}  // namespace

TEST_CASE("L0 vector: first in, first out, per thread") {
  const u32 depth = GENERATE(1u, 2u, 5u);
  const auto outcomes = run_all("l0_vector", depth, [depth](const script& steps, const std::vector<record>& log) {
    l0_model model(depth);
    check_follows(steps, log, model, depth * simt::warp_size);
  });
  for (const queue_outcome& outcome : outcomes) {
    u64 read = 0;
    u64 spilled = 0;
    for (const auto& log : outcome.logs) {
      for (const record& entry : log) (entry.kind == event::spilled ? spilled : read) += elements_in(entry).size();
    }
    CHECK(spilled != 0);
    CHECK(outcome.count(counter::l0_reads) == read);
    CHECK(outcome.count(counter::l0_writes) == read + spilled);
  }
}

TEST_CASE("an absent level passes everything on") {
  run_all("l0_none", 1, [](const script& steps, const std::vector<record>& log) {
    none_model model;
    check_follows(steps, log, model, 0);
  });
}
