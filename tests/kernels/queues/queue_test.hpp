// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the queues: random scripts, launches on the simulator, and invariants that hold for every
// queue.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "script.cuh"
#include "tests/backends/simt/simt_test.hpp"

namespace mlmq::tests {

using backends::simulator::tests::test_device;

/// Returns a device. With `stalls`, its warps stall occasionally; otherwise its schedules differ only by their jitter.
[[nodiscard]] test_device device_for_queues(bool stalls);

/// Random numbers that are the same on every machine.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] u32 below(u32 end) { return static_cast<u32>(engine_() % end); }
  [[nodiscard]] bool chance(u32 percent) { return below(100) < percent; }
  /// Returns a mask of lanes: none, one, all, every second, the first few, or arbitrary ones.
  [[nodiscard]] u32 lanes();

 private:
  std::mt19937_64 engine_;
};

[[nodiscard]] constexpr u64 element_of(u32 vertex, u32 distance) { return static_cast<u64>(distance) << 32 | vertex; }
[[nodiscard]] constexpr u32 distance_of(u64 element) { return static_cast<u32>(element >> 32); }

using lane_elements = std::array<u64, simt::warp_size>;
using elements = std::vector<u64>;

/// Returns the elements of `lanes`, lane 0 first.
[[nodiscard]] elements chosen(const lane_elements& lane_values, u32 lanes);
[[nodiscard]] inline elements elements_in(const record& entry) {
  elements values;
  for (u32 lane = 0; lane < simt::warp_size; ++lane) {
    if ((entry.lanes >> lane & 1) != 0) values.push_back(entry.elements[lane]);
  }
  return values;
}
/// The mask of the first `count` lanes.
[[nodiscard]] constexpr u32 first_lanes(std::size_t count) {
  return count >= simt::warp_size ? ~0u : (1u << count) - 1;
}
inline void append(elements& target, const elements& source) {
  target.insert(target.end(), source.begin(), source.end());
}
[[nodiscard]] elements sorted(elements values);

struct scripted_step {
  step operation;
  lane_elements elements;
};
/// The steps of one warp.
using script = std::vector<scripted_step>;

/// Returns the distance of an element that is written at a step.
using distances = std::function<u32(random_numbers&, u32 step)>;

/// Returns a script of writes and reads, of which `write_percent` percent are writes. Vertices are numbered from
/// `first_vertex`, so that every element is unique.
[[nodiscard]] script random_script(random_numbers& random, u32 steps, u32 write_percent, u32 first_vertex,
                                   const distances& distance);

/// Returns the elements of all writes.
[[nodiscard]] elements written_by(const script& steps);

/// Settings of a launch, except its scripts.
struct queue_launch {
  unsigned grid_blocks = 1;
  unsigned block_threads = simt::warp_size;
  std::size_t shared_bytes = 0;
  script_arguments arguments{};  ///< run() fills in the memory
  u32 subqueues = 0;             ///< number of subqueues of an L2 queue
  u32 capacity = 0;              ///< slots per subqueue; `headers`: including those of a heap's nodes
  bool headers = false;
};

struct queue_outcome {
  std::vector<std::vector<record>> logs;  ///< records of each warp of the grid
  std::array<u64, counter_count> counters;
  queue_control control;
  elements slots;
  [[nodiscard]] u64 count(counter kind) const { return counters[static_cast<u32>(kind)]; }
  [[nodiscard]] run_status status() const { return static_cast<run_status>(control.status); }
};

/// Runs one script on each of the first warps. Fails the test if the simulator finds a fault or a log is too short.
[[nodiscard]] queue_outcome run(test_device& device, const backends::kernel& kernel, const queue_launch& launch,
                                const std::vector<script>& scripts, std::uint64_t seed);

using macros = std::map<std::string, std::string>;

/// Fails the test unless both lists hold the same elements the same number of times.
void check_conserved(const elements& in, const elements& out);

/// Reference model of a queue that one warp uses.
class warp_model {
 public:
  virtual ~warp_model() = default;
  /// @return the elements that go to the level below, in order
  virtual elements write(const lane_elements& lane_values, u32 lanes) = 0;
  /// @return the elements read; none only if the queue is empty
  virtual elements read() = 0;
};

/// Fails the test if a warp's log differs from the model, if an element is lost or invented, or if more than `capacity`
/// elements are inside.
void check_follows(const script& steps, const std::vector<record>& log, warp_model& model, u32 capacity);

}  // namespace mlmq::tests
