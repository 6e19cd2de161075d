// SPDX-License-Identifier: Apache-2.0
// The L2 queues under many warps at a time, in many schedules: nothing is lost or invented, and the orders that hold
// among concurrent writers and takers.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "l2_test.hpp"

using namespace mlmq::tests;
using mlmq::run_status;

namespace {

/// Where an element was taken.
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
  unsigned warps = 3;  ///< of a block: one is the dispatcher where there are readers
  u32 steps = 30;
  u32 first_position = 0;
  u32 start_reading_at = 0;
  bool reads_half = false;
};

struct traffic_outcome {
  queue_launch launch;
  std::vector<script> scripts;  ///< of the writers
  queue_outcome end;
};

/// Calls `check` for four schedules without and four with stalls.
template <class Check>
void run_traffic(const traffic& what, const Check& check) {
  for (const bool stalls : {false, true}) {
    test_device device = device_for_queues(stalls);
    const unsigned threads = what.warps * simt::warp_size;
    const auto kernel = device->compile({"l2_traffic.cu", "l2_traffic", threads, macros_of(what.setting)});
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(what.setting.queue, what.setting.subqueues, what.capacity, what.reads_half, stalls, seed);
      random_numbers random(seed);
      traffic_outcome found;
      elements written;
      for (u32 warp = 0; warp < what.writer_blocks * what.warps; ++warp) {
        found.scripts.push_back(random_script(random, what.steps, 100, warp << 20, what.distance));
        append(written, written_by(found.scripts.back()));
      }
      found.launch = launch_of(what.setting, what.capacity, what.writer_blocks + what.reader_blocks + 1, threads);
      found.launch.arguments.writer_blocks = what.writer_blocks;
      found.launch.arguments.enough = static_cast<u32>(written.size()) / (what.reads_half ? 2 : 1);
      found.launch.arguments.start_reading_at = what.start_reading_at;
      found.launch.arguments.first_position = what.first_position;
      found.end = run(device, *kernel, found.launch, found.scripts, seed);
      REQUIRE(found.end.status() == run_status::running);
      check(found);
    }
  }
}

/// Everything that was taken to be processed, in any order.
elements processed(const queue_outcome& end) {
  elements all;
  for (const auto& log : end.logs) {
    for (const record& one : log) {
      if (one.what != event::taken) continue;
      for (u32 lane = 0; lane < simt::warp_size; ++lane) {
        if ((one.lanes & one.answer) >> lane & 1) all.push_back(one.elements[lane]);
      }
    }
  }
  return all;
}

elements written_by(const std::vector<script>& scripts) {
  elements all;
  for (const script& one : scripts) append(all, mlmq::tests::written_by(one));
  return all;
}

/// What is inside at the end, which also must be as the queue keeps it.
elements content(const l2_setting& setting, const traffic_outcome& found) {
  elements all;
  for (u32 subqueue = 0; subqueue < setting.subqueues; ++subqueue) {
    const elements inside = setting.is_heap() ? heap_content(found.end, found.launch, subqueue)
                                              : ring_content(found.end, found.launch, subqueue);
    const simt::quad counts = counts_of(found.end, subqueue);
    CHECK(counts.y - counts.x == inside.size());
    // What was asked for in vain has been given back.
    if (!setting.is_heap()) CHECK(counts.z == counts.x);
    append(all, inside);
  }
  return all;
}

/// Each element is processed once or still inside.
void nothing_is_lost(const traffic& what, const traffic_outcome& found) {
  elements out = processed(found.end);
  const elements inside = content(what.setting, found);
  if (what.reads_half) {
    CHECK(!inside.empty());
  } else {
    CHECK(inside == elements());
  }
  append(out, inside);
  is_conserved(written_by(found.scripts), out);
}

/// All takes of each element, in no order.
std::map<u64, std::vector<place>> places_of(const queue_outcome& end) {
  std::map<u64, std::vector<place>> all;
  for (const auto& log : end.logs) {
    for (const record& one : log) {
      if (one.what != event::taken) continue;
      for (u32 lane = 0; lane < simt::warp_size; ++lane) {
        if ((one.lanes >> lane & 1) != 0) {
          all[one.elements[lane]].push_back({one.subqueue, one.position + lane});
        }
      }
    }
  }
  return all;
}

/// A write reserves as many positions in a row as it has elements, lane 0 first; a warp's writes follow each other.
/// That is the order in which they are taken, unless more has been reserved than there are slots: of two that wait for
/// the same slot either may be the first, and what remains true is the slot.
void is_in_order_of_reservation(const traffic& what, const traffic_outcome& found) {
  const auto places = places_of(found.end);
  const bool never_full = places.size() <= what.capacity;
  std::set<u32> positions;
  for (const script& writer : found.scripts) {
    u32 next = 0;
    for (const scripted_step& now : writer) {
      const elements together = chosen(now.elements, now.what.lanes);
      for (std::size_t i = 0; i < together.size(); ++i) {
        const auto at = places.find(together[i]);
        REQUIRE(at != places.end());
        const u32 position = at->second.front().position - what.first_position;
        if (i != 0) REQUIRE(position % what.capacity == next % what.capacity);
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
/// Of a word of the window; the version of its mapping follows.
constexpr u32 bits_of_window = 28;
/// Around a bucket that moves up, now and then far beyond the window.
const distances search_like = [](random_numbers& random, u32 step) {
  return 8 * step + random.below(random.chance(10) ? 2000 : 100);
};

}  // namespace

TEST_CASE("L2 vector under many warps: around a small ring many times, in order in a large one, past 2^32") {
  const u32 capacity = GENERATE(32u, 64u, 8192u);
  const traffic what{.setting = vector, .capacity = capacity, .distance = any_distance, .first_position = 0xFFFFFE00u};
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    is_in_order_of_reservation(what, found);
    CHECK(counts_of(found.end, 0).x < 0x10000u);
  });
}

TEST_CASE("L2 vector: one taker gets the elements in the order of their reservation") {
  const u32 capacity = GENERATE(64u, 8192u);
  const traffic what{.setting = vector, .capacity = capacity, .distance = any_distance, .reader_blocks = 1, .warps = 2};
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    is_in_order_of_reservation(what, found);
    u32 next = 0;
    for (const auto& log : found.end.logs) {
      for (const record& one : log) {
        if (one.what != event::taken) continue;
        REQUIRE(one.position == next);
        next += static_cast<u32>(elements_in(one).size());
      }
    }
  });
}

TEST_CASE("writers wait for a full ring until somebody reads") {
  const u32 capacity = 64;
  // Nobody reads before more has been reserved than there are slots: some writer waits by then.
  const traffic what{
      .setting = vector, .capacity = capacity, .distance = any_distance, .start_reading_at = capacity + 1};
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    is_in_order_of_reservation(what, found);
  });
  const traffic buckets{
      .setting = one_bucket, .capacity = capacity, .distance = any_distance, .start_reading_at = capacity + 1};
  run_traffic(buckets, [&](const traffic_outcome& found) { nothing_is_lost(buckets, found); });
}

TEST_CASE("what nobody has read is still inside") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_vector"}, l2_setting{.queue = "l2_bucket", .subqueues = 8},
               l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2});
  const traffic what{.setting = setting, .capacity = 8192, .distance = search_like, .reads_half = true};
  run_traffic(what, [&](const traffic_outcome& found) { nothing_is_lost(what, found); });
}

TEST_CASE("L2 bucket under many warps: each element is in a ring that its bucket had while it was written") {
  const l2_setting setting = GENERATE(l2_setting{.queue = "l2_bucket", .subqueues = 8},
                                      l2_setting{.queue = "l2_bucket", .subqueues = 16, .bnum = 4});
  const traffic what{.setting = setting, .capacity = 4096, .distance = search_like};
  constexpr u32 late = 2;
  std::size_t moved = 0;
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    const auto places = places_of(found.end);
    for (const auto& log : found.end.logs) {
      for (const record& one : log) {
        for (u32 lane = 0; lane < simt::warp_size; ++lane) {
          if ((one.lanes >> lane & 1) == 0) continue;
          const u32 bucket = late + distance_of(one.elements[lane]) / setting.delta;
          if (one.what == event::taken) {
            // Processed if it is open by some window that the block knew, given back if it is closed by another.
            const bool is_open = (one.answer >> lane & 1) != 0;
            if (is_open) REQUIRE(bucket < one.window_after + setting.bnum);
            if (!is_open) REQUIRE(bucket >= one.window_before + setting.bnum);
            continue;
          }
          std::set<u32> rings;
          for (u32 window = one.window_before; window <= one.window_after; ++window) {
            rings.insert(std::clamp(bucket, window - late, window - late + setting.subqueues - 1) % setting.subqueues);
          }
          // Its first take is one of these.
          const std::vector<place>& taken = places.at(one.elements[lane]);
          REQUIRE(
              std::any_of(taken.begin(), taken.end(), [&](const place& at) { return rings.contains(at.subqueue); }));
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
  const traffic what{.setting = setting, .capacity = 4096, .distance = search_like};
  std::set<u32> versions;
  int closed = 0;
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    versions.insert(found.end.control.window >> bits_of_window);
    for (const auto& log : found.end.logs) {
      for (const record& one : log) {
        if (one.what == event::taken) closed += std::popcount(one.lanes & ~one.answer);
      }
    }
  });
  // Δ has changed, and elements that an older Δ had opened too soon went back.
  CHECK(versions.size() > 1);
  CHECK(closed != 0);
}

TEST_CASE("L2 heaps under many warps: batches are sorted, each warp writes to all heaps in turn") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2},
               l2_setting{.queue = "l2_multi_heap", .subqueues = 5});
  const traffic what{.setting = setting, .capacity = 8192, .distance = search_like, .steps = 20};
  run_traffic(what, [&](const traffic_outcome& found) {
    nothing_is_lost(what, found);
    for (const auto& log : found.end.logs) {
      for (const record& one : log) {
        if (one.what != event::taken) continue;
        const elements batch = elements_in(one);
        REQUIRE(std::is_sorted(batch.begin(), batch.end()));
      }
    }
    const auto places = places_of(found.end);
    for (u32 writer = 0; writer < found.scripts.size(); ++writer) {
      u32 heap = writer / what.warps + writer % what.warps;
      for (const scripted_step& now : found.scripts[writer]) {
        const elements together = chosen(now.elements, now.what.lanes);
        for (const u64 e : together) REQUIRE(places.at(e).front().subqueue == heap % setting.subqueues);
        if (!together.empty()) ++heap;
      }
    }
  });
}
