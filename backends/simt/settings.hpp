// SPDX-License-Identifier: Apache-2.0
// Settings of the simulator and statistics of a launch.
#pragma once

#include <cstdint>
#include <string>

namespace mlmq::backends::simulator {

struct simulator_settings {
  /// Whether to report plain accesses that are not ordered with a conflicting access of another lane. The simulator is
  /// about twice as fast without.
  bool detect_races = true;
  /// Whether to report reads of memory that has not been written: shared memory since the start of the launch, device
  /// memory since its allocation.
  bool detect_unwritten = true;
  /// Maximum random variation of every cost, drawn from the seed, so that different seeds give different interleavings.
  unsigned jitter_percent = 10;
  /// For fuzzing: one in this many visible operations (0: none) is delayed by up to `stall_cycles`, as if the warp had
  /// been descheduled at the worst time.
  unsigned stall_every = 0;
  unsigned stall_cycles = 5000;
  /// Number of cycles that a lane may be ahead of the others when it accesses memory that is visible to them. 0 gives
  /// the strictest interleaving; a larger number causes fewer switches and makes modelled times less exact by this
  /// amount.
  unsigned run_ahead_cycles = 0;
  /// Duration after which a launch is reported as a livelock: no word has changed, no lane has ended and no read-only
  /// data has been read, while all warps back off or wait. Ten times as long if no warp backs off.
  std::uint64_t livelock_cycles = 2'000'000;
  /// Weak memory: maximum delay, in modelled cycles, until a store reaches a lane that is not synchronised with it.
  /// Stores to different words may become visible in another order than they were executed; see weak_memory.hpp. 0:
  /// every atomic access sees the newest store. Requires detect_races, whose vector clocks determine what is
  /// synchronised, and must be at most a tenth of livelock_cycles.
  unsigned weak_memory_cycles = 0;
  /// Modelled time after which a launch is stopped.
  double time_limit_ms = 2000;
  /// Device memory of the simulated GPU.
  std::uint64_t memory_bytes = 4ull << 30;
  std::uint64_t seed = 1;
  /// Folder of the kernel files; empty: kernel_folder().
  std::string kernels;
  /// Folder that is searched for included files after `kernels`; empty: kernel_folder().
  std::string includes;
};

/// Exact statistics of the last launch.
struct launch_statistics {
  std::uint64_t loads = 0;        ///< plain loads, including read-only ones
  std::uint64_t stores = 0;       ///< plain stores
  std::uint64_t atomics = 0;      ///< atomic operations, including atomic loads and stores
  std::uint64_t collectives = 0;  ///< counted once per lane
  std::uint64_t fences = 0;
  std::uint64_t backoffs = 0;
  std::uint64_t switches = 0;    ///< switches from one lane to another
  std::uint64_t trace_hash = 0;  ///< hash of all visible operations in order, with lanes and values
  double modelled_ns = 0;        ///< excludes the launch overhead

  [[nodiscard]] std::uint64_t operations() const { return loads + stores + atomics + collectives + fences + backoffs; }
};

}  // namespace mlmq::backends::simulator
