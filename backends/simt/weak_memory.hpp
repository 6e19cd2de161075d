// SPDX-License-Identifier: Apache-2.0
// Decides which store an atomic load returns if memory is weaker than the order in which the simulator executes.
//
// A store to a slow word does not become visible to all threads at once: the word keeps a history, and a load may
// return any store in it that coherence allows, in the sense of the C++ and PTX memory models. A load never returns a
// store that is older than another store which
//   - happens before the load, by the vector clocks of the race detector (the lane's own stores do);
//   - was read by an operation that happens before the load (the lane's own loads do): reads of one word never go
//     backwards;
//   - has become visible to all threads: each store draws a delay, after which every load sees it.
// Read-modify-writes read the newest store. Each word is slow or fast for a whole launch, independently of other words,
// so that a launch sees some words long after others, whatever the order in which they were written. All choices are
// drawn from the seed. Loads that see a store before it is executed, and different orders of the stores to one word,
// are not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/simt/cost_model.hpp"
#include "backends/simt/race_detector.hpp"
#include "base/random.hpp"

namespace mlmq::backends::simulator {

class weak_memory {
 public:
  /// An address of an atomic access that has been checked.
  struct word {
    std::uint64_t offset = 0;
    std::uint64_t modelled = 0;  ///< the same in every run with this seed
    std::uint32_t bytes = 0;
  };
  /// The lane that accesses a word, with its time.
  struct actor {
    lane_number lane = 0;
    ticks now = 0;
  };
  /// The store that a load sees.
  struct load_result {
    std::uint64_t value = 0;
    const race_detector::published* publication = nullptr;  ///< clocks published by this store; valid until the next
                                                            ///< call
  };

  /// @param clocks         must outlive this object
  /// @param longest_delay  time after which a store is visible to all threads; not 0
  weak_memory(race_detector& clocks, ticks longest_delay) : clocks_(clocks), longest_delay_(longest_delay) {}

  /// Forgets all histories and draws the settings of this launch: some launches have no weak memory, others have it to
  /// different degrees.
  void begin_launch(std::uint64_t seed);

  /// Returns whether stores to the word are delayed in this launch. Costs one comparison if there are no slow words.
  [[nodiscard]] bool is_slow(const word& key) const {
    return slow_words_ != 0 && (mix64((key_ ^ key.modelled >> 2) + golden_step) >> 32) < slow_words_;
  }

  /// Performs a load of a word that holds `newest`. A store reaches all lanes of a warp at the same time: with a
  /// separate time per lane, one of 32 lanes would nearly always see the newest store and pass it on to the others.
  /// @return false if the load sees `newest`; otherwise `seen` is filled
  [[nodiscard]] bool load(const actor& me, const word& key, std::uint64_t newest, load_result& seen) {
    if (buckets_[bucket_of(key.offset)] == none) [[likely]]
      return false;
    return choose(me, key, newest, seen);
  }

  /// Notes a read-modify-write that has read the newest store without replacing it.
  void note_newest(const actor& me, const word& key, std::uint64_t newest) {
    if (buckets_[bucket_of(key.offset)] == none) [[likely]]
      return;
    if (history* const h = find(key, newest, me.now)) note_reader(h->stores.back(), me.lane);
  }

  /// Notes a store, already recorded by the race detector, to a slow word that held `before`, published by `before_by`.
  void store(const word& key, std::uint64_t before, const race_detector::published& before_by, std::uint64_t value,
             ticks now);

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::size_t longest_history = 32;
  static constexpr std::size_t most_readers = 64;

  struct past_store {
    std::uint64_t value = 0;
    race_detector::stamp writer{};
    std::uint64_t number = 0;  // number of the store within the launch
    ticks written_at = 0;
    ticks visible_from = 0;  // when it becomes visible to all lanes
    race_detector::published publication{};
    std::vector<race_detector::stamp> readers{};
  };
  struct history {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t next = none;       // in its bucket, or in the list of unused histories
    std::vector<past_store> stores;  // oldest first; at least two, otherwise the history is dropped
  };

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t offset) {
    const std::uint64_t granule = offset >> 3;
    return (granule ^ granule >> 12 ^ granule >> 20) % bucket_count;
  }
  [[nodiscard]] bool choose(const actor& me, const word& key, std::uint64_t newest, load_result& seen);
  /// Returns the history of exactly this word, without the stores that have been replaced for all threads. Drops
  /// histories that are no longer needed or overlap the word.
  [[nodiscard]] history* find(const word& key, std::uint64_t newest, ticks now);
  [[nodiscard]] history& add(const word& key);
  [[nodiscard]] bool happened_before(const past_store& past, lane_number me) const;
  /// Returns whether the store has reached the warp although nothing orders the two.
  [[nodiscard]] bool reached(const past_store& past, const actor& me) const;
  /// Notes a read of the store, so that later reads that happen after this read see no older store.
  void note_reader(past_store& past, lane_number me);

  static constexpr std::size_t bucket_count = 4096;

  race_detector& clocks_;
  ticks longest_delay_;
  std::uint64_t key_ = 0;
  std::uint64_t slow_words_ = 0;  // number of slow words, of 2^32
  std::uint32_t late_warps_ = 0;  // number of warps, of 256, that a store does not reach immediately
  ticks delay_ = 0;               // maximum delay in this launch
  std::uint64_t stores_ = 0;      // number of stores to slow words in this launch
  fast_stream random_{0};
  std::vector<history> histories_;
  std::uint32_t unused_ = none;
  std::array<std::uint32_t, bucket_count> buckets_ = [] {
    std::array<std::uint32_t, bucket_count> empty{};
    empty.fill(none);
    return empty;
  }();
};

}  // namespace mlmq::backends::simulator
