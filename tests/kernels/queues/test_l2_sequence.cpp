// SPDX-License-Identifier: Apache-2.0
// The L2 queues, one operation at a time, where every order is defined, against models on the host.
#include <catch2/catch.hpp>
#include <utility>

#include "deque_model.hpp"
#include "l2_test.hpp"

using namespace mlmq::tests;
using mlmq::counter;
using mlmq::run_status;

namespace {

/// The only right outcome of a recorded step.
struct expectation {
  event kind;
  u32 subqueue = 0;
  u32 position = 0;
  elements taken = {};
  u32 open = 0;  ///< lanes with open elements
  u32 window = 0;
};

/// Model of rings, of which the first few in order of priority are open. A vector is one ring that is always open.
class rings_model {
 public:
  /// @param late number of buckets below the window that stay open; the window begins at this bucket
  rings_model(const l2_setting& setting, u32 late, u32 first_position)
      : setting_(setting),
        late_(late),
        rings_(setting.subqueues),
        taken_(setting.subqueues, first_position),
        known_window_(late),
        window_(late) {}

  void write(const elements& written) {
    for (const u64 e : written) rings_[ring_of(e)].push_back(e);
  }

  [[nodiscard]] expectation take(u32 most) {
    u32 rank = 0;
    const u32 open_subqueues = setting_.is_bucket() ? late_ + setting_.bnum : 1;
    while (rank < open_subqueues && rings_[subqueue(rank)].empty()) ++rank;
    if (rank == open_subqueues) return {.kind = event::nothing};
    const u32 source = subqueue(rank);
    expectation expected{.kind = event::taken,
                         .subqueue = source,
                         .position = taken_[source],
                         .taken = take_front(rings_[source], most)};
    taken_[source] += static_cast<u32>(expected.taken.size());
    elements closed;
    for (std::size_t lane = 0; lane < expected.taken.size(); ++lane) {
      if (is_open(expected.taken[lane])) {
        expected.open |= 1u << lane;
      } else {
        closed.push_back(expected.taken[lane]);
      }
    }
    closed_ += closed.size();
    if (!closed.empty()) {
      const u32 lowest = bucket_of(*std::min_element(closed.begin(), closed.end()));
      if (lowest - known_window_ >= setting_.subqueues) beyond_ = std::min(beyond_, lowest);
    }
    write(closed);
    return expected;
  }

  [[nodiscard]] expectation advance() {
    u32 rank = 0;
    while (rank < setting_.subqueues && rings_[subqueue(rank)].empty()) ++rank;
    if (rank < setting_.subqueues && rank > late_) {
      const u32 ring = subqueue(rank);
      window_ += rank - late_;
      if (setting_.is_bucket() && rank == setting_.subqueues - 1) {
        // Only the last ring holds work: advance to the buckets beyond the window; this ring is read first.
        const u32 jump = std::exchange(beyond_, none);
        if (jump != none && jump >= window_ + setting_.subqueues) {
          window_ = jump;
          while (subqueue(0) != ring) --window_;
          ++jumps_;
        }
      }
    }
    return {.kind = event::advanced, .window = window_};
  }
  void learn() { known_window_ = window_; }

  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const deque_model& ring : rings_) sum += ring.size();
    return sum;
  }
  [[nodiscard]] elements content(u32 ring) const { return {rings_[ring].begin(), rings_[ring].end()}; }
  [[nodiscard]] u32 taken(u32 ring) const { return taken_[ring]; }
  [[nodiscard]] u32 window() const { return window_; }
  /// Returns the number of elements so far that were claimed before their bucket had opened.
  [[nodiscard]] std::size_t closed() const { return closed_; }
  /// Returns the number of moves of the window so far over empty windows.
  [[nodiscard]] std::size_t jumps() const { return jumps_; }

 private:
  static constexpr u32 none = ~0u;

  [[nodiscard]] u32 bucket_of(u64 e) const { return late_ + distance_of(e) / setting_.delta; }
  [[nodiscard]] u32 ring_of(u64 e) const {
    if (!setting_.is_bucket()) return 0;
    const u32 lowest = known_window_ - late_;
    return std::clamp(bucket_of(e), lowest, lowest + setting_.subqueues - 1) % setting_.subqueues;
  }
  [[nodiscard]] bool is_open(u64 e) const {
    return !setting_.is_bucket() || bucket_of(e) < known_window_ + setting_.bnum;
  }
  [[nodiscard]] u32 subqueue(u32 rank) const { return (window_ - late_ + rank) % setting_.subqueues; }

  l2_setting setting_;
  u32 late_;
  std::vector<deque_model> rings_;
  std::vector<u32> taken_;
  u32 known_window_;
  u32 window_;
  u32 beyond_ = none;
  std::size_t closed_ = 0;
  std::size_t jumps_ = 0;
};

struct planned {
  script steps;
  std::vector<expectation> expected;
};

/// Returns random steps with at most `most` elements inside at any time, and their expected results.
planned random_plan(random_numbers& random, rings_model& model, u32 steps, std::size_t most,
                    const distances& distance) {
  planned plan;
  u32 vertex = 0;
  for (u32 i = 0; i < steps; ++i) {
    scripted_step now{};
    for (u64& e : now.elements) e = element_of(vertex++, distance(random, i));
    now.operation.amount = random.chance(50) ? simt::warp_size : random.below(simt::warp_size) + 1;
    const u32 lanes = random.lanes();
    const u32 kind = random.below(100);
    if (kind < 40) {
      now.operation.kind = action::write;
      // Fills the queue to the last slot occasionally.
      const std::size_t room = most - model.size();
      now.operation.lanes = chosen(now.elements, lanes).size() <= room ? lanes : first_lanes(room);
      model.write(chosen(now.elements, now.operation.lanes));
    } else if (kind < 80) {
      now.operation.kind = action::read;
      plan.expected.push_back(model.take(now.operation.amount));
    } else if (kind < 90) {
      now.operation.kind = action::advance;
      plan.expected.push_back(model.advance());
    } else {
      now.operation.kind = action::learn;
      model.learn();
    }
    plan.steps.push_back(now);
  }
  return plan;
}

void is_as_expected(const record& entry, const expectation& expected) {
  REQUIRE(entry.kind == expected.kind);
  if (expected.kind == event::advanced) REQUIRE(entry.window_after == expected.window);
  if (expected.kind == event::taken) {
    REQUIRE(entry.subqueue == expected.subqueue);
    REQUIRE(entry.position == expected.position);
    REQUIRE(elements_in(entry) == expected.taken);
    REQUIRE(entry.lanes == first_lanes(expected.taken.size()));
    REQUIRE(entry.answer == expected.open);
  }
}

/// Two buckets below the window stay open for elements written before the window was known.
constexpr u32 late_buckets = 2;

struct rings_summary {
  std::size_t closed = 0;  ///< elements that were claimed before their bucket opened
  std::size_t jumps = 0;   ///< moves of the window over empty windows
  u32 highest_window = 0;
};

rings_summary follows_rings(const l2_setting& setting, u32 capacity, const distances& distance, u32 first_position) {
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"l2_sequence.cu", "l2_sequence", simt::warp_size, macros_of(setting)});
  queue_launch launch = launch_of(setting, capacity, 1, simt::warp_size);
  launch.arguments.first_position = first_position;
  rings_summary summary;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(setting.queue, setting.subqueues, setting.bnum, capacity, first_position, seed);
    random_numbers random(seed);
    rings_model model(setting, setting.is_bucket() ? late_buckets : 0, first_position);
    const planned plan = random_plan(random, model, 700, capacity, distance);
    const queue_outcome outcome = run(device, *kernel, launch, {plan.steps}, seed);
    REQUIRE(outcome.status() == run_status::running);
    const std::vector<record>& log = outcome.logs.front();
    REQUIRE(log.size() == plan.expected.size());
    for (std::size_t i = 0; i < log.size(); ++i) {
      CAPTURE(log[i].step);
      is_as_expected(log[i], plan.expected[i]);
    }
    for (u32 ring = 0; ring < setting.subqueues; ++ring) {
      CAPTURE(ring);
      REQUIRE(counts_of(outcome, ring).x == model.taken(ring));
      REQUIRE(ring_content(outcome, launch, ring) == model.content(ring));
    }
    CHECK(outcome.count(counter::l2_writes) - outcome.count(counter::l2_reads) == model.size());
    summary.closed += model.closed();
    summary.jumps += model.jumps();
    summary.highest_window = std::max(summary.highest_window, model.window());
  }
  return summary;
}

/// Model of heaps as sorted sets, to which the warp writes in turn.
class heaps_model {
 public:
  explicit heaps_model(u32 subqueues) : heaps_(subqueues) {}

  void write(const elements& written) {
    if (written.empty()) return;
    heaps_[next_].insert(written.begin(), written.end());
    next_ = (next_ + 1) % heaps_.size();
  }

  /// The heap decides how many elements it hands over: they are its smallest, sorted.
  void take(const record& entry) {
    const std::size_t first = first_with_work();
    REQUIRE(entry.kind == (first == heaps_.size() ? event::nothing : event::taken));
    if (entry.kind == event::nothing) return;
    REQUIRE(entry.subqueue == first);
    std::set<u64>& heap = heaps_[first];
    const elements taken = elements_in(entry);
    REQUIRE(!taken.empty());
    REQUIRE(taken.size() <= heap.size());
    REQUIRE(entry.lanes == first_lanes(taken.size()));
    REQUIRE(entry.answer == entry.lanes);
    const auto last = std::next(heap.begin(), static_cast<std::ptrdiff_t>(taken.size()));
    REQUIRE(taken == elements(heap.begin(), last));
    heap.erase(heap.begin(), last);
  }

  [[nodiscard]] elements content(u32 heap) const { return {heaps_[heap].begin(), heaps_[heap].end()}; }

 private:
  [[nodiscard]] std::size_t first_with_work() const {
    std::size_t heap = 0;
    while (heap < heaps_.size() && heaps_[heap].empty()) ++heap;
    return heap;
  }

  std::vector<std::set<u64>> heaps_;
  std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("L2 vector: first in, first out, around the ring and past 2^32") {
  const distances any = [](random_numbers& random, u32) { return random.below(1000); };
  follows_rings({.queue = "l2_vector"}, 32, any, 0);
  follows_rings({.queue = "l2_vector"}, 64, any, 0xFFFFF800u);
  follows_rings({.queue = "l2_vector"}, 1024, any, 0);
}

TEST_CASE("L2 bucket: each element in its ring, the lowest open ring first") {
  const distances near = [](random_numbers& random, u32) { return random.below(80); };
  const distances rising = [](random_numbers& random, u32 step) { return step + random.below(200); };
  const distances far = [](random_numbers& random, u32) { return random.below(random.chance(20) ? 1'000'000 : 300); };
  follows_rings({.queue = "l2_bucket", .subqueues = 8}, 64, near, 0);
  const rings_summary turned = follows_rings({.queue = "l2_bucket", .subqueues = 8}, 64, rising, 0xFFFFFC00u);
  // The window has gone around several times, and distances beyond the window have passed it.
  CHECK(turned.closed != 0);
  CHECK(turned.highest_window > 3 * 8);
  follows_rings({.queue = "l2_bucket", .subqueues = 8, .bnum = 4}, 256, rising, 0);
  follows_rings({.queue = "l2_bucket", .subqueues = 32, .bnum = 16, .delta = 4}, 128, far, 0);
  // The gaps are long, so that the window jumps over empty windows.
  const distances sparse = [](random_numbers& random, u32 step) { return 100'000 * (step / 40) + random.below(50); };
  CHECK(follows_rings({.queue = "l2_bucket", .subqueues = 8}, 64, sparse, 0).jumps != 0);
  // The gaps are slightly larger than a window.
  const distances gaps = [](random_numbers& random, u32 step) { return 16 * (9 * (step / 20) + random.below(2)); };
  CHECK(follows_rings({.queue = "l2_bucket", .subqueues = 8}, 64, gaps, 0).jumps != 0);
}

TEST_CASE("L2 heaps: the smallest of a heap first, written to in turn") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 3});
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"l2_sequence.cu", "l2_sequence", simt::warp_size, macros_of(setting)});
  const queue_launch launch = launch_of(setting, 16384, 1, simt::warp_size);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(setting.queue, seed);
    random_numbers random(seed);
    // Few different distances give batches that end among equal ones; rising distances are like a search.
    const distances distance = [seed](random_numbers& numbers, u32 step) {
      return seed % 2 == 0 ? numbers.below(5) : step + numbers.below(300);
    };
    const script steps = random_script(random, 250, seed <= 2 ? 50 : 30, 0, distance);
    const queue_outcome outcome = run(device, *kernel, launch, {steps}, seed);
    REQUIRE(outcome.status() == run_status::running);
    heaps_model model(setting.subqueues);
    auto next = outcome.logs.front().begin();
    for (u32 i = 0; i < steps.size(); ++i) {
      CAPTURE(i);
      if (steps[i].operation.kind == action::write) {
        model.write(chosen(steps[i].elements, steps[i].operation.lanes));
      } else {
        REQUIRE(next != outcome.logs.front().end());
        REQUIRE(next->step == i);
        model.take(*next++);
      }
    }
    REQUIRE(next == outcome.logs.front().end());
    for (u32 heap = 0; heap < setting.subqueues; ++heap) {
      REQUIRE(heap_content(outcome, launch, heap) == model.content(heap));
      const simt::quad counts = counts_of(outcome, heap);
      REQUIRE(counts.y - counts.x == model.content(heap).size());
    }
  }
}
