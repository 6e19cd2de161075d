// SPDX-License-Identifier: Apache-2.0
// What a user of the simulator can choose, and what it tells about a launch.
#pragma once

#include <cstdint>
#include <string>

namespace mlmq::backends::simulator {

struct simulator_settings {
  /// Report plain accesses that are not ordered with a conflicting access of another lane. Off: about twice as fast.
  bool detect_races = true;
  /// Report reads of unwritten memory: shared memory in this launch, device memory since its allocation.
  bool detect_unwritten = true;
  /// Every cost varies by up to this much, drawn from the seed, so that seeds differ in their interleavings.
  unsigned jitter_percent = 10;
  /// For fuzzing: one of this many visible operations (0: none) is delayed by up to `stall_cycles`, as if the warp had
  /// lost the multiprocessor at the worst time.
  unsigned stall_every = 0;
  unsigned stall_cycles = 5000;
  /// A lane may be this far ahead of the others when it accesses memory that they see. 0 gives the strictest
  /// interleaving; more means fewer switches and blurs the modelled time by as much.
  unsigned run_ahead_cycles = 0;
  /// A launch is a livelock when for this long no word has changed, no lane has ended and no read-only data has been
  /// read, while all warps back off or wait; without back-off, ten times as long.
  std::uint64_t livelock_cycles = 2'000'000;
  /// Weak memory: a store that another lane is not synchronised with may reach it up to this many modelled cycles late,
  /// and stores to different words in another order than they were made; see weak_memory.hpp. 0: every atomic access
  /// sees the newest store. Needs detect_races, whose clocks say what is synchronised; at most a tenth of
  /// livelock_cycles.
  unsigned weak_memory_cycles = 0;
  /// Modelled time of one launch after which it is stopped.
  double time_limit_ms = 2000;
  /// Device memory of the simulated GPU.
  std::uint64_t memory_bytes = 4ull << 30;
  std::uint64_t seed = 1;
  /// Where kernel files are found; empty: kernel_folder().
  std::string kernels;
  /// Searched for what they include, after `kernels`; empty: kernel_folder().
  std::string includes;
};

/// Exact numbers of the last launch.
struct launch_statistics {
  std::uint64_t loads = 0;        ///< plain, read-only ones included
  std::uint64_t stores = 0;       ///< plain
  std::uint64_t atomics = 0;      ///< atomic loads and stores included
  std::uint64_t collectives = 0;  ///< counted once per lane
  std::uint64_t fences = 0;
  std::uint64_t backoffs = 0;
  std::uint64_t switches = 0;    ///< from one lane to another
  std::uint64_t trace_hash = 0;  ///< of all visible operations with their lanes and values, in their order
  double modelled_ns = 0;        ///< without the overhead of the launch

  [[nodiscard]] std::uint64_t operations() const { return loads + stores + atomics + collectives + fences + backoffs; }
};

}  // namespace mlmq::backends::simulator
