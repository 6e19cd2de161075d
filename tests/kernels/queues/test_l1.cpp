// SPDX-License-Identifier: Apache-2.0
// The queues of a warp against their models. Each script fills the queue beyond its capacity and empties it many times.
#include <bit>
#include <catch2/catch.hpp>
#include <memory>

#include "deque_model.hpp"

using namespace mlmq::tests;
using mlmq::counter;

namespace {

/// Parameters of the queue under test.
struct l1_setting {
  std::string queue;
  u32 capacity;
  spill_policy spill;
  u32 wb = 0;
  u32 batch = simt::warp_size;  ///< largest number of elements of a read
  bool is_float = false;
  u32 width = 0;           ///< Δ or F, as the bits of a distance
  u32 near_far_start = 0;  ///< initial NF, the border between near and far
};

u32 extend(const l1_setting& setting, u32 distance) {
  if (setting.is_float) {
    return std::bit_cast<u32>(std::bit_cast<float>(distance) + std::bit_cast<float>(setting.width));
  }
  const u64 sum = static_cast<u64>(distance) + setting.width;
  return sum > 0xFFFFFFFEu ? 0xFFFFFFFEu : static_cast<u32>(sum);
}

class l1_model : public warp_model {
 public:
  explicit l1_model(const l1_setting& setting) : setting_(setting) {}
  elements read() override { return take_front(queue_, setting_.batch); }

 protected:
  elements room(const elements& some) { return make_room(queue_, setting_.capacity, some.size(), setting_.spill); }

  l1_setting setting_;
  deque_model queue_;
};

class vector_model final : public l1_model {
 public:
  using l1_model::l1_model;
  elements write(const lane_elements& lane_values, u32 lanes) override {
    const elements written = chosen(lane_values, lanes);
    if (written.empty()) return {};
    elements down = room(written);
    put_back(queue_, written);
    if (setting_.wb != 0 && ++writes_ % setting_.wb == 0) {
      append(down, spill_back(queue_, setting_.spill == spill_policy::worst ? queue_.size() / 2 : 0));
    }
    return down;
  }

 private:
  u32 writes_ = 0;
};

class slf_model final : public l1_model {
 public:
  using l1_model::l1_model;
  elements write(const lane_elements& lane_values, u32 lanes) override {
    const elements written = chosen(lane_values, lanes);
    elements down = room(written);
    const u32 first = queue_.empty() ? 0 : distance_of(queue_.front());
    elements shorter;
    elements others;
    for (const u64 e : written) (distance_of(e) < first ? shorter : others).push_back(e);
    put_front(queue_, shorter);
    put_back(queue_, others);
    return down;
  }
};

class filter_model final : public l1_model {
 public:
  using l1_model::l1_model;
  elements write(const lane_elements& lane_values, u32 lanes) override {
    const elements written = chosen(lane_values, lanes);
    if (written.empty()) return {};
    if (queue_.empty()) limit_ = extend(setting_, distance_of(*std::min_element(written.begin(), written.end())));
    elements remaining;
    elements down;
    for (const u64 e : written) (distance_of(e) <= limit_ ? remaining : down).push_back(e);
    append(down, room(remaining));
    put_back(queue_, remaining);
    return down;
  }

 private:
  u32 limit_ = 0;
};

/// Model with one list: elements below NF are near.
class near_far_model final : public l1_model {
 public:
  explicit near_far_model(const l1_setting& setting) : l1_model(setting), limit_(setting.near_far_start) {}

  elements write(const lane_elements& lane_values, u32 lanes) override {
    elements near_given;
    elements far_given;
    for (const u64 e : chosen(lane_values, lanes)) (distance_of(e) < limit_ ? near_given : far_given).push_back(e);
    deque_model near = side(true);
    deque_model far = side(false);
    elements down = make_room(near, setting_.capacity / 2, near_given.size(), setting_.spill);
    append(down, make_room(far, setting_.capacity / 2, far_given.size(), setting_.spill));
    put_back(near, near_given);
    put_back(far, far_given);
    join(near, far);
    return down;
  }

  elements read() override {
    if (queue_.empty()) return {};
    if (side(true).empty()) {
      const u32 shortest = distance_of(*std::min_element(queue_.begin(), queue_.end()));
      limit_ = std::max(extend(setting_, shortest), shortest + 1);
    }
    deque_model near = side(true);
    const deque_model far = side(false);
    const elements up = take_front(near, setting_.batch);
    join(near, far);
    return up;
  }

 private:
  [[nodiscard]] deque_model side(bool is_near) const {
    deque_model some;
    std::copy_if(queue_.begin(), queue_.end(), std::back_inserter(some),
                 [&](u64 e) { return (distance_of(e) < limit_) == is_near; });
    return some;
  }
  void join(const deque_model& near, const deque_model& far) {
    queue_ = near;
    queue_.insert(queue_.end(), far.begin(), far.end());
  }

  u32 limit_;
};

class none_model final : public l1_model {
 public:
  using l1_model::l1_model;
  elements write(const lane_elements& lane_values, u32 lanes) override { return chosen(lane_values, lanes); }
};

std::unique_ptr<warp_model> model_of(const l1_setting& setting) {
  if (setting.queue == "l1_vector") return std::make_unique<vector_model>(setting);
  if (setting.queue == "l1_slf") return std::make_unique<slf_model>(setting);
  if (setting.queue == "l1_filter") return std::make_unique<filter_model>(setting);
  if (setting.queue == "l1_near_far") return std::make_unique<near_far_model>(setting);
  return std::make_unique<none_model>(setting);
}

distances random_distances(const l1_setting& setting, u32 kind) {
  if (setting.is_float) {
    return [kind](random_numbers& random, u32) {
      const float value = static_cast<float>(random.below(64)) * 0.25f;
      return std::bit_cast<u32>(kind % 2 == 0 ? value : 3e30f + value * 1e24f);
    };
  }
  switch (kind) {
    case 0:
      return [](random_numbers& random, u32) { return random.below(4); };
    case 1:
      return [](random_numbers& random, u32) { return random.below(400); };
    case 2:
      // Distances grow, as in a search.
      return [](random_numbers& random, u32 step) { return 5 * step + random.below(150); };
    default:
      // Distances up to the largest possible one.
      return [](random_numbers& random, u32) { return 0xFFFFFFFEu - random.below(60); };
  }
}

constexpr unsigned warps = 4;

void check(const l1_setting& setting) {
  test_device device = device_for_queues(false);
  const auto kernel = device->compile(
      {"l1_operations.cu",
       "l1_operations",
       warps * simt::warp_size,
       {{"MLMQ_TEST_QUEUE", setting.queue},
        {"MLMQ_TEST_CAPACITY", std::to_string(setting.capacity)},
        {"MLMQ_TEST_L1_BATCH", std::to_string(setting.batch)},
        {"MLMQ_TEST_WB", std::to_string(setting.wb)},
        {"MLMQ_TEST_DISTANCE", setting.is_float ? "float_distance" : "integer_distance"},
        {"MLMQ_TEST_SPILL", setting.spill == spill_policy::worst ? "spill_worst" : "spill_everything"}}});
  queue_launch launch;
  launch.block_threads = warps * simt::warp_size;
  launch.shared_bytes = warps * setting.capacity * sizeof(u64);
  launch.arguments.storage.l1_width = setting.width;
  launch.arguments.storage.near_far_start = setting.near_far_start;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(setting.queue, setting.capacity, static_cast<int>(setting.spill), setting.wb, setting.batch,
            setting.is_float, setting.width, seed);
    random_numbers random(seed);
    std::vector<script> scripts;
    for (u32 warp = 0; warp < warps; ++warp) {
      scripts.push_back(random_script(random, 250, 40 + 10 * ((warp + static_cast<u32>(seed)) % 4), warp << 20,
                                      random_distances(setting, warp)));
    }
    const queue_outcome outcome = run(device, *kernel, launch, scripts, seed);
    u64 read = 0;
    for (u32 warp = 0; warp < warps; ++warp) {
      CAPTURE(warp);
      const std::unique_ptr<warp_model> model = model_of(setting);
      check_follows(scripts[warp], outcome.logs[warp], *model, setting.capacity);
      for (const record& entry : outcome.logs[warp])
        read += entry.kind == event::spilled ? 0 : elements_in(entry).size();
    }
    CHECK(outcome.count(counter::l1_reads) == read);
    CHECK(outcome.count(counter::l1_writes) == read + outcome.count(counter::l1_spills));
  }
}

}  // namespace

TEST_CASE("L1 vector: first in, first out; flushed after every wb writes") {
  for (const spill_policy spill : {spill_policy::everything, spill_policy::worst}) {
    check({.queue = "l1_vector", .capacity = 32, .spill = spill});
    check({.queue = "l1_vector", .capacity = 64, .spill = spill});
  }
  check({.queue = "l1_vector", .capacity = 128, .spill = spill_policy::everything, .wb = 1});
  check({.queue = "l1_vector", .capacity = 128, .spill = spill_policy::worst, .wb = 3, .batch = 8});
  check({.queue = "l1_vector", .capacity = 32, .spill = spill_policy::everything, .wb = 5});
  check({.queue = "l1_vector", .capacity = 64, .spill = spill_policy::worst, .wb = 2});
}

TEST_CASE("L1 shortest-length-first: an element shorter than the first goes before it") {
  check({.queue = "l1_slf", .capacity = 32, .spill = spill_policy::worst});
  check({.queue = "l1_slf", .capacity = 64, .spill = spill_policy::worst});
  check({.queue = "l1_slf", .capacity = 64, .spill = spill_policy::everything});
}

TEST_CASE("L1 filter: nothing more than F above the shortest of its first batch stays") {
  check({.queue = "l1_filter", .capacity = 32, .spill = spill_policy::everything, .width = 0});
  check({.queue = "l1_filter", .capacity = 64, .spill = spill_policy::worst, .width = 40});
  check({.queue = "l1_filter", .capacity = 64, .spill = spill_policy::everything, .width = 200});
  const u32 width = std::bit_cast<u32>(3.5f);
  check({.queue = "l1_filter", .capacity = 64, .spill = spill_policy::worst, .is_float = true, .width = width});
}

TEST_CASE("L1 near-far: near before far, NF follows the shortest") {
  check({.queue = "l1_near_far", .capacity = 64, .spill = spill_policy::everything, .width = 0});
  check({.queue = "l1_near_far", .capacity = 64, .spill = spill_policy::worst, .width = 40, .near_far_start = 50});
  check({.queue = "l1_near_far",
         .capacity = 256,
         .spill = spill_policy::worst,
         .batch = 12,
         .width = 100,
         .near_far_start = 1});
  check({.queue = "l1_near_far", .capacity = 256, .spill = spill_policy::everything, .width = ~0u});
  // The width is so small that adding it to a large distance changes nothing.
  const u32 width = std::bit_cast<u32>(2.5f);
  check({.queue = "l1_near_far", .capacity = 128, .spill = spill_policy::worst, .is_float = true, .width = width});
}

TEST_CASE("an absent L1 queue passes everything on") {
  check({.queue = "l1_none", .capacity = 0, .spill = spill_policy::everything});
}
