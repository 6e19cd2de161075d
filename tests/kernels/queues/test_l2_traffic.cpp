// SPDX-License-Identifier: Apache-2.0
// The L2 queues under many warps at a time, in many schedules: nothing is lost or invented, and the orders that hold
// among concurrent writers and takers are kept.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "l2_test.hpp"

using namespace mlmq::tests;
using mlmq::run_status;

namespace {

/// The place where an element was taken.
struct place {
  u32 subqueue;
  u32 position;
};

struct traffic {
  l2_setting setting;
  u32 capacity;
  distances distance;
  unsigned writer_blocks = 2;
  unsigned reader_blocks = 2;
  unsigned warps = 3;  ///< number of warps per block; one is the dispatcher if there are readers
  u32 steps = 30;
  u32 first_position = 0;
  u32 start_reading_at = 0;
  bool reads_half = false;
};

struct traffic_outcome {
  queue_launch launch;
  std::vector<script> scripts;  ///< scripts of the writers
  queue_outcome end;
};

/// Calls `check` for four schedules without stalls and four with stalls.
template <class Check>
void run_traffic(const traffic& shape, const Check& check) {
  for (const bool stalls : {false, true}) {
    test_device device = device_for_queues(stalls);
    const unsigned threads = shape.warps * simt::warp_size;
    const auto kernel = device->compile({"l2_traffic.cu", "l2_traffic", threads, macros_of(shape.setting)});
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(shape.setting.queue, shape.setting.subqueues, shape.capacity, shape.reads_half, stalls, seed);
      random_numbers random(seed);
      traffic_outcome outcome;
      elements written;
      for (u32 warp = 0; warp < shape.writer_blocks * shape.warps; ++warp) {
        outcome.scripts.push_back(random_script(random, shape.steps, 100, warp << 20, shape.distance));
        append(written, written_by(outcome.scripts.back()));
      }
      outcome.launch = launch_of(shape.setting, shape.capacity, shape.writer_blocks + shape.reader_blocks + 1, threads);
      outcome.launch.arguments.writer_blocks = shape.writer_blocks;
      outcome.launch.arguments.enough = static_cast<u32>(written.size()) / (shape.reads_half ? 2 : 1);
      outcome.launch.arguments.start_reading_at = shape.start_reading_at;
      outcome.launch.arguments.first_position = shape.first_position;
      outcome.end = run(device, *kernel, outcome.launch, outcome.scripts, seed);
      REQUIRE(outcome.end.status() == run_status::running);
      check(outcome);
    }
  }
}

/// Returns all elements that were taken to be processed, in any order.
elements processed(const queue_outcome& end) {
  elements taken;
  for (const auto& log : end.logs) {
    for (const record& entry : log) {
      if (entry.kind != event::taken) continue;
      for (u32 lane = 0; lane < simt::warp_size; ++lane) {
        if ((entry.lanes & entry.answer) >> lane & 1) taken.push_back(entry.elements[lane]);
      }
    }
  }
  return taken;
}

elements written_by(const std::vector<script>& scripts) {
  elements written;
  for (const script& writer : scripts) append(written, mlmq::tests::written_by(writer));
  return written;
}

/// Returns the elements inside at the end; checks the invariants of the queue.
elements content(const l2_setting& setting, const traffic_outcome& outcome) {
  elements contents;
  for (u32 subqueue = 0; subqueue < setting.subqueues; ++subqueue) {
    const elements inside = setting.is_heap() ? heap_content(outcome.end, outcome.launch, subqueue)
                                              : ring_content(outcome.end, outcome.launch, subqueue);
    const simt::quad counts = counts_of(outcome.end, subqueue);
    CHECK(counts.y - counts.x == inside.size());
    // Claims that found no element have been returned.
    if (!setting.is_heap()) CHECK(counts.z == counts.x);
    append(contents, inside);
  }
  return contents;
}

/// Checks that each element was processed once or is still inside.
void nothing_is_lost(const traffic& shape, const traffic_outcome& outcome) {
  elements out = processed(outcome.end);
  const elements inside = content(shape.setting, outcome);
  if (shape.reads_half) {
    CHECK(!inside.empty());
  } else {
    CHECK(inside == elements());
  }
  append(out, inside);
  check_conserved(written_by(outcome.scripts), out);
}

/// Returns all places where each element was taken, in no order.
std::map<u64, std::vector<place>> places_of(const queue_outcome& end) {
  std::map<u64, std::vector<place>> places;
  for (const auto& log : end.logs) {
    for (const record& entry : log) {
      if (entry.kind != event::taken) continue;
      for (u32 lane = 0; lane < simt::warp_size; ++lane) {
        if ((entry.lanes >> lane & 1) != 0) {
          places[entry.elements[lane]].push_back({entry.subqueue, entry.position + lane});
        }
      }
    }
  }
  return places;
}

/// A write reserves as many consecutive positions as it has elements, lane 0 first, and a warp's writes follow each
/// other. Elements are taken in this order, unless more positions are reserved than there are slots: of two writers
/// that wait for the same slot, either may be first; only the slot is certain.
void is_in_order_of_reservation(const traffic& shape, const traffic_outcome& outcome) {
  const auto places = places_of(outcome.end);
  const bool never_full = places.size() <= shape.capacity;
  std::set<u32> positions;
  for (const script& writer : outcome.scripts) {
    u32 next = 0;
    for (const scripted_step& now : writer) {
      const elements together = chosen(now.elements, now.operation.lanes);
      for (std::size_t i = 0; i < together.size(); ++i) {
        const auto match = places.find(together[i]);
        REQUIRE(match != places.end());
        const u32 position = match->second.front().position - shape.first_position;
        if (i != 0) REQUIRE(position % shape.capacity == next % shape.capacity);
        if (i != 0 && never_full) REQUIRE(position == next);
        if (i == 0 && never_full) REQUIRE(position >= next);
        next = position + 1;
        positions.insert(position);
      }
    }
  }
  REQUIRE(positions.size() == places.size());
  REQUIRE(*positions.rbegin() == places.size() - 1);
}

const l2_setting vector{.queue = "l2_vector"};
/// All distances of `any_distance` are in one bucket.
const l2_setting one_bucket{.queue = "l2_bucket", .subqueues = 8, .delta = 1024};

const distances any_distance = [](random_numbers& random, u32) { return random.below(1000); };
/// Number of bits of the window in its word; the version of its mapping follows.
constexpr u32 bits_of_window = 28;
/// Distances around a bucket that moves up, occasionally far beyond the window.
const distances search_like = [](random_numbers& random, u32 step) {
  return 8 * step + random.below(random.chance(10) ? 2000 : 100);
};

}  // namespace

TEST_CASE("L2 vector under many warps: around a small ring many times, in order in a large one, past 2^32") {
  const u32 capacity = GENERATE(32u, 64u, 8192u);
  const traffic shape{.setting = vector, .capacity = capacity, .distance = any_distance, .first_position = 0xFFFFFE00u};
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    is_in_order_of_reservation(shape, outcome);
    CHECK(counts_of(outcome.end, 0).x < 0x10000u);
  });
}

TEST_CASE("L2 vector: one taker gets the elements in the order of their reservation") {
  const u32 capacity = GENERATE(64u, 8192u);
  const traffic shape{
      .setting = vector, .capacity = capacity, .distance = any_distance, .reader_blocks = 1, .warps = 2};
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    is_in_order_of_reservation(shape, outcome);
    u32 next = 0;
    for (const auto& log : outcome.end.logs) {
      for (const record& entry : log) {
        if (entry.kind != event::taken) continue;
        REQUIRE(entry.position == next);
        next += static_cast<u32>(elements_in(entry).size());
      }
    }
  });
}

TEST_CASE("writers wait for a full ring until elements are read") {
  const u32 capacity = 64;
  // Reading starts only after more slots are reserved than exist: by then, some writer is waiting.
  const traffic shape{
      .setting = vector, .capacity = capacity, .distance = any_distance, .start_reading_at = capacity + 1};
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    is_in_order_of_reservation(shape, outcome);
  });
  const traffic buckets{
      .setting = one_bucket, .capacity = capacity, .distance = any_distance, .start_reading_at = capacity + 1};
  run_traffic(buckets, [&](const traffic_outcome& outcome) { nothing_is_lost(buckets, outcome); });
}

TEST_CASE("unread elements are still inside") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_vector"}, l2_setting{.queue = "l2_bucket", .subqueues = 8},
               l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2});
  const traffic shape{.setting = setting, .capacity = 8192, .distance = search_like, .reads_half = true};
  run_traffic(shape, [&](const traffic_outcome& outcome) { nothing_is_lost(shape, outcome); });
}

TEST_CASE("L2 bucket under many warps: each element is in a ring that its bucket had while it was written") {
  const l2_setting setting = GENERATE(l2_setting{.queue = "l2_bucket", .subqueues = 8},
                                      l2_setting{.queue = "l2_bucket", .subqueues = 16, .bnum = 4});
  const traffic shape{.setting = setting, .capacity = 4096, .distance = search_like};
  constexpr u32 late = 2;
  std::size_t moved = 0;
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    const auto places = places_of(outcome.end);
    for (const auto& log : outcome.end.logs) {
      for (const record& entry : log) {
        for (u32 lane = 0; lane < simt::warp_size; ++lane) {
          if ((entry.lanes >> lane & 1) == 0) continue;
          const u32 bucket = late + distance_of(entry.elements[lane]) / setting.delta;
          if (entry.kind == event::taken) {
            // An element is processed if a window that the block knew has it open, and written back if such a window
            // has it closed.
            const bool is_open = (entry.answer >> lane & 1) != 0;
            if (is_open) REQUIRE(bucket < entry.window_after + setting.bnum);
            if (!is_open) REQUIRE(bucket >= entry.window_before + setting.bnum);
            continue;
          }
          std::set<u32> rings;
          for (u32 window = entry.window_before; window <= entry.window_after; ++window) {
            rings.insert(std::clamp(bucket, window - late, window - late + setting.subqueues - 1) % setting.subqueues);
          }
          // The place where the element was first taken must be one of these.
          const std::vector<place>& taken = places.at(entry.elements[lane]);
          REQUIRE(std::any_of(taken.begin(), taken.end(),
                              [&](const place& take) { return rings.contains(take.subqueue); }));
          moved += taken.size() - 1;
        }
      }
    }
  });
  CHECK(moved != 0);
}

TEST_CASE("L2 bucket under many warps: nothing is lost while Δ changes at every look of the manager") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_bucket", .subqueues = 8, .adapts_delta = true},
               l2_setting{.queue = "l2_bucket", .subqueues = 16, .bnum = 4, .adapts_delta = true},
               l2_setting{.queue = "l2_bucket", .subqueues = 32, .delta = 1, .adapts_delta = true});
  const traffic shape{.setting = setting, .capacity = 4096, .distance = search_like};
  std::set<u32> versions;
  int closed = 0;
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    versions.insert(outcome.end.control.window >> bits_of_window);
    for (const auto& log : outcome.end.logs) {
      for (const record& entry : log) {
        if (entry.kind == event::taken) closed += std::popcount(entry.lanes & ~entry.answer);
      }
    }
  });
  // Δ has changed, and elements that an older Δ had opened too early were written back.
  CHECK(versions.size() > 1);
  CHECK(closed != 0);
}

TEST_CASE("L2 heaps under many warps: batches are sorted, each warp writes to all heaps in turn") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2},
               l2_setting{.queue = "l2_multi_heap", .subqueues = 5});
  const traffic shape{.setting = setting, .capacity = 8192, .distance = search_like, .steps = 20};
  run_traffic(shape, [&](const traffic_outcome& outcome) {
    nothing_is_lost(shape, outcome);
    for (const auto& log : outcome.end.logs) {
      for (const record& entry : log) {
        if (entry.kind != event::taken) continue;
        const elements batch = elements_in(entry);
        REQUIRE(std::is_sorted(batch.begin(), batch.end()));
      }
    }
    const auto places = places_of(outcome.end);
    for (u32 writer = 0; writer < outcome.scripts.size(); ++writer) {
      u32 heap = writer / shape.warps + writer % shape.warps;
      for (const scripted_step& now : outcome.scripts[writer]) {
        const elements together = chosen(now.elements, now.operation.lanes);
        for (const u64 e : together) REQUIRE(places.at(e).front().subqueue == heap % setting.subqueues);
        if (!together.empty()) ++heap;
      }
    }
  });
}
