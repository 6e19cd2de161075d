// SPDX-License-Identifier: Apache-2.0
// Runs launches one after the other: schedules the lanes by their modelled clocks, performs their memory accesses and
// collectives, and checks them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/simt/clock_tree.hpp"
#include "backends/simt/contention.hpp"
#include "backends/simt/device_heap.hpp"
#include "backends/simt/lane.hpp"
#include "backends/simt/lane_stacks.hpp"
#include "backends/simt/line_cache.hpp"
#include "backends/simt/plain_launch.hpp"
#include "backends/simt/race_detector.hpp"
#include "backends/simt/settings.hpp"
#include "backends/simt/weak_memory.hpp"
#include "backends/simt/written_map.hpp"
#include "base/random.hpp"

namespace mlmq::backends::simulator {

/// Parameters of one launch for the engine.
struct engine_launch {
  std::string name;  ///< name of the kernel, for reports
  void (*entry)(const void*) = nullptr;
  const void* arguments = nullptr;
  std::uint32_t blocks = 0;
  std::uint32_t cluster_blocks = 1;  ///< divides `blocks`
  std::uint32_t block_threads = 0;
  std::size_t shared_bytes = 0;
  std::uint64_t seed = 0;
  std::uint64_t start_ns = 0;  ///< initial value of clock_ns(); an integer, so that differences do not depend on it
  std::string identity = {};   ///< "seed 1, launch 3", for reports
  /// Not null: plain CUDA C++, of which `block_threads` need not be whole warps. `blocks` is then the number of blocks
  /// that run side by side, and shared_bytes the size of the window.
  const plain_launch* plain = nullptr;
};

class engine {
 public:
  /// @throws input_error for settings that exclude each other
  engine(const simulator_settings& settings, unsigned multiprocessors);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Runs a launch. @throws kernel_fault with the first finding; the engine can be used again
  void run(const engine_launch& launch);

  [[nodiscard]] const launch_statistics& statistics() const { return statistics_; }
  /// Returns a number that changes whenever a lane has performed an operation that takes modelled time. Any thread may
  /// call this, even during run().
  [[nodiscard]] std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }
  /// Makes the current launch and every later one throw interrupted. Any thread may call this.
  void interrupt() noexcept { interrupted_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] device_heap& memory() { return heap_; }
  /// Notes that the host has written `bytes` bytes at `offset`.
  void note_written(memory_offset offset, std::size_t bytes);
  /// Notes that an allocation has been freed.
  void forget(memory_offset offset, std::size_t bytes) noexcept;

 private:
  friend struct engine_calls;
  struct launch_stopped {};  // ends a lane; never propagates out of it
  struct candidate {         // the lane of a warp that runs next
    ticks first;             // clock of this lane
    ticks second;            // clock of the lane after it
    std::uint32_t lane;
  };
  struct place {  // a checked address
    memory_offset offset;
    memory_offset modelled;  // offset for the cost model
    bool shared;
    bool of_other_block = false;  ///< shared memory of another block of the cluster
  };

  // lanes and their order (engine.cpp)
  void prepare(const engine_launch& launch);
  void prepare_lanes();
  void run_lanes();
  void make_lanes(std::size_t count);
  boost::context::fiber run_lane(lane_state& lane, boost::context::fiber&& previous);
  void lane_ended(lane_state& lane);
  [[nodiscard]] lane_state* choose();
  [[nodiscard]] lane_state* let_run(const candidate& best);
  void switch_from(lane_state& lane, lane_state* next);
  /// Switches to other lanes and returns at this lane's turn.
  void yield_lane(lane_state& lane);
  void stop_all() noexcept;
  [[nodiscard]] candidate earliest(const warp_state& warp);
  void set_horizon(ticks next);

  // collectives (collectives.cpp)
  [[nodiscard]] std::uint64_t collect(lane_state& lane, simt::simulator::collective kind, std::uint64_t value,
                                      std::uint32_t from_lane, call_site site);
  /// Completes the collective after a lane has arrived or ended, or records a finding if it can never complete.
  void settle(warp_state& warp);
  void settle_block(std::uint32_t block);
  void complete(warp_state& warp);
  void complete_block(std::uint32_t block);
  // the cluster's barrier (cluster_barrier.cpp)
  void arrive_at_cluster(warp_state& warp);
  void wait_for_cluster(warp_state& warp);
  void come_out_of_cluster(warp_state& warp);
  [[nodiscard]] std::uint32_t cluster_of(std::uint32_t block) const { return block / launch_.cluster_blocks; }
  [[nodiscard]] std::uint32_t warps_per_cluster() const { return warps_per_block_ * launch_.cluster_blocks; }

  // kernels in plain CUDA C++ (plain_blocks.cpp, plain_collectives.cpp, plain_accesses.cpp)
  void run_blocks();
  void begin_block(std::uint64_t block);
  void place_lane(lane_state& lane) const;
  /// Copies the shared variables of the block that has run out of the window, and those of `lane` into it.
  void exchange_window(const lane_state& lane);
  void throw_if_stopped_here(lane_state& lane, call_site site);
  [[nodiscard]] std::uint64_t collect_plain(lane_state& lane, simt::simulator::collective kind, std::uint32_t mask,
                                            std::uint64_t value, std::uint32_t from_lane, call_site site);
  /// Completes a collective of a warp if all of its lanes have arrived.
  [[nodiscard]] bool complete_group(warp_state& warp, std::uint32_t lane);
  void settle_plain(warp_state& warp);
  void settle_plain_block(std::uint32_t block);
  void settle_grid();
  void release_from_barrier(warp_state& warp, ticks now);
  void access(lane_state& lane, const void* address, std::uint64_t bytes, std::uint32_t alignment, bool write,
              call_site site);
  void access_volatile(lane_state& lane, const void* address, std::uint32_t bytes, bool write, call_site site);
  void take_steps(lane_state& lane);
  [[nodiscard]] place locate_plain(lane_state& lane, const void* address, std::uint64_t bytes, std::uint32_t alignment,
                                   const char* description, call_site site);
  [[nodiscard]] place locate_shared(lane_state& lane, std::size_t in_window, std::uint64_t bytes,
                                    const char* description, call_site site);
  [[nodiscard]] std::string name_window(std::size_t in_window) const;
  void charge_access(lane_state& lane, place word_place, std::uint64_t bytes, bool write, call_site site);

  // memory (accesses.cpp)
  /// Returns whether the address is shared memory of another block that the lane may access now.
  [[nodiscard]] bool in_cluster(lane_state& lane, memory_offset offset, std::uint32_t bytes, call_site site);
  [[nodiscard]] place locate(lane_state& lane, const void* address, std::uint32_t bytes, std::uint32_t alignment,
                             const char* description, call_site site);
  void load(lane_state& lane, const void* address, std::uint32_t bytes, std::uint32_t alignment, bool readonly,
            call_site site);
  void store(lane_state& lane, void* address, const void* value, std::uint32_t bytes, std::uint32_t alignment,
             call_site site);
  [[nodiscard]] std::uint64_t atomic(lane_state& lane, simt::simulator::atomic_code code, void* address,
                                     std::uint64_t value, std::uint64_t expected, call_site site);
  template <class T>
  [[nodiscard]] std::uint64_t atomic_on(lane_state& lane, simt::simulator::atomic_code code, T* address, T value,
                                        T expected, call_site site);
  void load_quad(lane_state& lane, const simt::quad* address, simt::quad* value, call_site site);
  void fence(lane_state& lane, simt::order order, simt::scope scope, call_site site);
  [[nodiscard]] std::uint64_t clock_ns(lane_state& lane);
  void backoff(lane_state& lane, std::uint32_t nanoseconds, call_site site);
  void check_written(lane_state& lane, place word_place, std::uint32_t bytes, call_site site);
  void charge_atomic(lane_state& lane, simt::simulator::atomic_code code, place word_place, call_site site);
  void check_progress(lane_state& lane);

  // findings (findings.cpp)
  /// Records the first finding and stops all lanes.
  void record(const std::string& kind, const std::string& details);
  [[noreturn]] void fail(lane_state& lane, const std::string& kind, call_site site, const std::string& details);
  /// Reports a failed assertion of the kernel.
  [[noreturn]] void violated(lane_state& lane, const char* condition, call_site site);
  [[noreturn]] void fail_address(lane_state& lane, const void* address, std::uint32_t bytes, const char* description,
                                 call_site site);
  [[noreturn]] void fail_race(lane_state& lane, place word_place, std::uint32_t bytes, const char* description,
                              call_site site, const race_detector::conflict& earlier);
  [[nodiscard]] std::string name_place(place word_place, const lane_state& lane) const;
  [[nodiscard]] std::string name_lane(const lane_state& lane) const;
  [[nodiscard]] std::string name_lane(const race_detector::conflict& access) const;
  /// Returns the locations of the lanes of a warp, one group per location.
  [[nodiscard]] std::string name_groups(const warp_state& warp) const;
  [[nodiscard]] std::string name_waiting() const;
  [[nodiscard]] std::string name_site(const call_site& site) const;

  [[nodiscard]] static ticks& clock_of(lane_state& lane) { return lane.in->clock[lane.lane]; }
  [[nodiscard]] weak_memory::actor actor_of(lane_state& lane) const { return {number_of(lane), clock_of(lane)}; }
  [[nodiscard]] lane_number number_of(const lane_state& lane) const {
    return lane.in->index * simt::warp_size + lane.lane;
  }
  [[nodiscard]] ticks jittered(ticks cost) {
    return (cost * (jitter_base_ + ((random_.next() >> 24) * jitter_range_ >> 8))) >> 8;
  }
  void charge(lane_state& lane, ticks cost, call_site site) {
    ticks& clock = clock_of(lane);
    clock += jittered(cost);
    // Only this thread writes the counter.
    progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (clock > time_limit_) [[unlikely]]
      over_time(lane, site);
  }
  void over_time(lane_state& lane, call_site site);
  /// Called before an operation that is visible to other warps: lets lanes with an earlier clock run first.
  void visible(lane_state& lane, call_site site) {
    lane.in->site[lane.lane] = site;
    if (settings_.stall_every != 0) [[unlikely]]
      stall(lane);
    if (clock_of(lane) > horizon_) yield_lane(lane);
    if (clock_of(lane) > next_progress_check_) [[unlikely]]
      check_progress(lane);
  }
  void stall(lane_state& lane);
  void note_change(lane_state& lane) {
    if (const ticks now = clock_of(lane); now > last_change_) last_change_ = now;
  }
  void trace(const lane_state& lane, std::uint64_t event, std::uint64_t value) {
    std::uint64_t h = statistics_.trace_hash ^ (event + (std::uint64_t{number_of(lane)} << 40));
    h = (h ^ value) * 0x9E3779B97F4A7C15ull;
    statistics_.trace_hash = h ^ h >> 29;
  }

  simulator_settings settings_;
  unsigned multiprocessors_;
  device_heap heap_;
  written_map written_;
  std::unique_ptr<race_detector> races_;
  std::unique_ptr<weak_memory> weak_;  // declared after races_, to which it refers
  contention_table contention_;
  std::vector<line_cache> caches_;  // one per multiprocessor
  fast_stream random_;
  ticks jitter_base_ = 256;
  ticks jitter_range_ = 0;

  lane_stacks stacks_;
  std::vector<lane_state*> lanes_;
  std::vector<warp_state> warps_;
  std::vector<block_state> blocks_;
  std::vector<cluster_state> clusters_;
  clock_tree order_;

  engine_launch launch_;
  launch_statistics statistics_;
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> is_launch_stopped_ = false;  // set by the stop token of the thread
  std::uint64_t first_block_ = 0;                // number of the first of the blocks that run side by side
  bool exchanges_windows_ = false;               // whether several blocks use the window of a plain launch in turn
  std::uint32_t resident_window_ = 0;            // block whose shared variables are in the window
  std::uint32_t warps_at_grid_ = 0;              // warps that wait at the barrier of the grid
  std::uint64_t accesses_until_check_ = 0;       // of plain CUDA, until the next look at the stop flags
  std::vector<ticks> transfer_time_;             // per multiprocessor: that its transfers of the block took
  std::vector<std::uint64_t> transfers_;         // the last transfers of sectors, which serve later lanes of the warp
  std::uint32_t warp_count_ = 0;
  std::uint32_t warps_per_block_ = 1;
  std::size_t shared_distance_ = 0;
  warp_state* current_ = nullptr;             // the running warp, which is not in order_
  boost::context::fiber* leaving_ = nullptr;  // where to store the lane that has switched away
  boost::context::fiber host_;
  [[no_unique_address]] annotated_stack host_stack_;
  ticks horizon_ = 0;  // clock up to which the running lane may access visible memory
  ticks run_ahead_ = 0;
  ticks time_limit_ = 0;
  ticks livelock_ = 0;
  ticks last_change_ = 0;
  ticks next_progress_check_ = 0;
  std::uint32_t live_lanes_ = 0;
  bool stopping_ = false;
  std::optional<std::string> finding_;
  bool is_out_of_time_ = false;  ///< whether the finding is that the launch has taken too long
  std::exception_ptr failure_;
};

}  // namespace mlmq::backends::simulator
