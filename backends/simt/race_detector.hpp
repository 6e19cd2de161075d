// SPDX-License-Identifier: Apache-2.0
// Finds accesses that are not ordered by happens-before, independent of the simulated interleaving: FastTrack (Flanagan
// and Freund, PLDI 2009) with lanes as threads, with sync_warp, sync_block and the cluster's barrier as barriers, and
// with release, acquire and fences with scopes as in C++ and PTX. The other collectives order no memory accesses, as in
// CUDA.
//
// For each 4-byte word it keeps the last plain write, the plain reads since then, and the last atomic write and read.
// Of several unordered atomic accesses only the last is kept, so one schedule may miss a race. It never reports an
// ordered pair, with one exception: lanes of a warp that read the same word between two barriers are kept as one group,
// which is ordered only by operations that order the whole warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simt/call_site.hpp"
#include "backends/simt/paged_table.hpp"
#include "backends/simt/vector_clock.hpp"
#include "kernels/simt/types.cuh"

namespace mlmq::backends::simulator {

class race_detector {
 public:
  enum class access { plain_load, readonly_load, plain_store, atomic_load, atomic_update };
  /// The earlier access of a conflicting pair.
  struct conflict {
    access kind = access::plain_load;
    lane_number lane = 0;        ///< unknown for a readonly_load
    bool several_lanes = false;  ///< whether other lanes of the same warp have also accessed the word
    call_site site;
    std::uint64_t first_block = 0;  ///< number of the first of the blocks that ran with this access
  };
  /// Ordering properties of an atomic operation.
  struct atomic_access {
    bool reads = false;
    bool writes = false;
    bool acquires = false;
    bool releases = false;
    bool shared = false;  ///< whether the word is in shared memory
  };
  /// A lane, and a time on the clock of its warp.
  struct stamp {
    lane_number lane = 0;
    epoch time = 0;
  };
  /// Vector clocks that an acquiring reader of a word receives.
  struct published {
    vector_clock_ref everyone;
    std::uint32_t everyone_block = 0;  ///< the only block that has released here, or mixed_blocks
    vector_clock_ref block_only;       ///< released at block scope, for readers in the same block
    std::uint32_t block = 0;
  };

  explicit race_detector(std::size_t address_bytes);

  /// @param warps_per_cluster a multiple of warps_per_block
  void begin_launch(std::uint32_t warps, std::uint32_t warps_per_block, std::uint32_t warps_per_cluster);
  /// The blocks of the launch run one after the other with the same lane numbers, and the next one begins. Accesses of
  /// different blocks are ordered only by a release and a later atomic operation.
  void begin_block();
  /// Forgets all accesses of this launch to a range.
  void forget_accesses(std::uint64_t offset, std::size_t bytes) noexcept;
  /// Forgets all accesses to freed memory. Must not be called during a launch.
  void forget(std::uint64_t offset, std::size_t bytes) noexcept;

  // Each of these functions records the access and returns the earlier conflicting one, or nullptr. The access must not
  // cross a word boundary unless it consists of whole words.
  [[nodiscard]] const conflict* load(lane_number me, std::uint64_t offset, std::uint32_t bytes, call_site site);
  [[nodiscard]] const conflict* load_readonly(std::uint64_t offset, std::uint32_t bytes, call_site site);
  [[nodiscard]] const conflict* store(lane_number me, std::uint64_t offset, std::uint32_t bytes, call_site site);
  /// @param source  clocks published by the store that is read; nullptr: those of the last store to the word
  [[nodiscard]] const conflict* atomic(lane_number me, std::uint64_t offset, std::uint32_t bytes, atomic_access access,
                                       call_site site, const published* source = nullptr);

  void fence(lane_number me, simt::order order, simt::scope scope);
  void warp_barrier(std::uint32_t warp);
  void block_barrier(std::uint32_t block);
  /// A warp has arrived at its cluster's barrier; all warps of a cluster have arrived; a warp leaves the barrier.
  void cluster_arrival(std::uint32_t warp);
  void cluster_meeting(std::uint32_t cluster);
  void cluster_wait(std::uint32_t warp);

  // Interface for weak_memory.
  [[nodiscard]] stamp now(lane_number me) const { return {me, warps_[me / simt::warp_size].now}; }
  /// Returns whether the accesses of the stamp's lane up to its time happen before the next operation of `me`.
  [[nodiscard]] bool happened_before(const stamp& earlier, lane_number me) const {
    if (earlier.lane == me || warps_[me / simt::warp_size].common.knows(earlier.lane, earlier.time)) return true;
    return lanes_[me].learned && lanes_[me].learned->knows(earlier.lane, earlier.time);
  }
  /// Returns the clocks that the last atomic store to the word published.
  [[nodiscard]] const published& published_at(std::uint64_t offset);
  /// Returns the stamp of the last atomic store to the word.
  [[nodiscard]] stamp last_update(std::uint64_t offset);

 private:
  static constexpr std::size_t chunk_bytes = 1024;
  static constexpr std::uint32_t mixed_blocks = ~0u;
  static constexpr std::uint32_t lane_bits = (1u << 24) - 1;

  /// One remembered access.
  struct entry {
    std::uint32_t lane_and_bytes =
        0;           // lane number, bytes of the word (bits 24-27), several lanes of the warp (bit 28)
    epoch time = 0;  // 0: none
    std::uint32_t site = 0;
  };
  struct word {
    entry write;
    entry read;
    entry atomic_write;
    entry atomic_read;
    std::uint32_t launch = 0;
    std::uint32_t read_set = 0;  // index into read_sets_ if several warps have read the word, else 0
    std::uint32_t sync = 0;      // index into syncs_, or 0
    std::uint32_t readonly_site = 0;
  };
  static_assert(sizeof(word) == 64);
  struct chunk {
    std::array<word, chunk_bytes / 4> words;
  };
  struct warp_state {
    vector_clock common;  // known to all lanes of the warp
    epoch now = 1;
    std::uint32_t learned = 0;  // lanes that know more than `common`
  };
  struct cluster_state {
    vector_clock arriving;       // known to the warps that have arrived at the next barrier
    vector_clock after_barrier;  // known to all warps after the last barrier
  };
  struct lane_state {
    vector_clock_ref learned;  // learned since the last barrier
    vector_clock_ref
        pending_block;  // read by relaxed loads from the lane's own block; learned at the next acquire fence
    vector_clock_ref pending_other;  // read by relaxed loads from other blocks
    vector_clock_ref fence_device;   // known at the last release fence at device scope; published by relaxed stores
    vector_clock_ref fence_any;      // known at the last release fence of any scope; at least as new as fence_device
  };

  [[nodiscard]] static lane_number lane_of(std::uint32_t packed) { return packed & lane_bits; }
  [[nodiscard]] word& touch(std::uint64_t offset);
  [[nodiscard]] chunk* make_chunk();
  [[nodiscard]] std::uint64_t block_of_time(epoch time) const;
  [[nodiscard]] bool ordered(lane_number me, const entry& earlier) const;
  [[nodiscard]] bool collides(lane_number me, const entry& earlier, std::uint32_t bytes_mask) const;
  [[nodiscard]] const conflict* report(access kind, const entry& earlier);
  [[nodiscard]] const conflict* report_readonly(const word& w);
  [[nodiscard]] const conflict* check_readers(lane_number me, const word& w, std::uint32_t mask);
  [[nodiscard]] entry make_entry(lane_number me, std::uint32_t mask, std::uint32_t site) const;
  void remember_read(lane_number me, word& w, const entry& read);
  [[nodiscard]] std::uint32_t intern(call_site site);
  [[nodiscard]] vector_clock_ref snapshot(lane_number me);
  void learn(lane_number me, const vector_clock_ref& clock);
  void acquire(lane_number me, const published& source, bool at_once);
  void publish(lane_number me, word& w, const atomic_access& access);

  [[nodiscard]] std::uint32_t block_of(lane_number lane) const { return lane / simt::warp_size / warps_per_block_; }

  vector_clock_pool pool_;  // declared before the members that refer to it
  paged_table<chunk, chunk_bytes> table_;
  std::vector<std::unique_ptr<chunk>> chunks_;
  std::vector<chunk*> spare_chunks_;
  std::uint32_t launch_ = 0;
  // Blocks that run one after the other: times before block_begin_ are those of earlier blocks.
  epoch block_begin_ = 0;
  std::vector<epoch> block_begins_;
  vector_clock_ref earlier_blocks_;  // known about earlier blocks
  std::uint32_t warps_per_block_ = 1;
  std::uint32_t warps_per_cluster_ = 1;
  std::vector<warp_state> warps_;
  std::vector<cluster_state> clusters_;
  std::vector<lane_state> lanes_;
  std::vector<std::vector<entry>> read_sets_;
  std::size_t read_sets_used_ = 1;
  std::vector<published> syncs_;
  std::size_t syncs_used_ = 1;
  std::vector<call_site> sites_;
  struct site_slot {
    call_site site;
    std::uint32_t id = 0;
  };
  std::array<site_slot, 1024> site_slots_;
  conflict conflict_;
};

}  // namespace mlmq::backends::simulator
