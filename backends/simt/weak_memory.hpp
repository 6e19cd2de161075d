// SPDX-License-Identifier: Apache-2.0
// Which store an atomic load returns, when memory is weaker than the order in which the simulator executes.
//
// A store to a slow word does not replace the value for all threads at once: the word keeps a history, and a load may
// return any store of it that coherence allows, in the sense of the C++ and PTX memory models. Not allowed is a
// store that is older than one which
//   - happens before the load, by the vector clocks of the race detector (own stores do);
//   - was read by something that happens before the load (own loads do): reads of one word never go backwards;
//   - has become visible to all threads: each store draws a delay, after which every load sees it.
// Read-modify-writes read the newest store. Words are slow or fast for a whole launch, each by itself, so that a launch
// sees some words long after others whatever the order in which they were written. Every choice follows from the seed.
// Not modelled are a store that is seen before it is executed, and another order of the stores to one word.
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
  /// A checked address of an atomic access.
  struct word {
    std::uint64_t offset = 0;
    std::uint64_t modelled = 0;  ///< the same in every run with this seed
    std::uint32_t bytes = 0;
  };
  /// The lane that accesses a word, and the time.
  struct actor {
    lane_number lane = 0;
    ticks now = 0;
  };
  /// What a load sees.
  struct sight {
    std::uint64_t value = 0;
    const race_detector::published* publication = nullptr;  ///< what its store published; valid until the next call
  };

  /// @param clocks outlives this
  /// @param longest_delay time after which a store is visible to all threads; not 0
  weak_memory(race_detector& clocks, ticks longest_delay) : clocks_(clocks), longest_delay_(longest_delay) {}

  /// Forgets all histories. One launch in a few is not weak at all; the others differ in how weak.
  void begin_launch(std::uint64_t seed);

  /// Whether stores to the word are delayed in this launch. One compare when none is.
  [[nodiscard]] bool is_slow(const word& key) const {
    return slow_words_ != 0 && (mix64((key_ ^ key.modelled >> 2) + golden_step) >> 32) < slow_words_;
  }

  /// A load of a word that holds `newest`. A store reaches all lanes of a warp at the same time: one of 32 that had a
  /// time of their own would nearly always see the newest, and tell the others.
  /// @return false: it sees `newest`; else `seen` is filled
  [[nodiscard]] bool load(const actor& me, const word& key, std::uint64_t newest, sight& seen) {
    if (buckets_[bucket_of(key.offset)] == none) [[likely]]
      return false;
    return choose(me, key, newest, seen);
  }

  /// A read-modify-write that has read the newest store without replacing it.
  void note_newest(const actor& me, const word& key, std::uint64_t newest) {
    if (buckets_[bucket_of(key.offset)] == none) [[likely]]
      return;
    if (history* const h = find(key, newest, me.now)) note_reader(h->stores.back(), me.lane);
  }

  /// A store that the race detector has recorded, to a slow word that held `before`, published by `before_by`.
  void store(const word& key, std::uint64_t before, const race_detector::published& before_by, std::uint64_t value,
             ticks now);

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::size_t longest_history = 32;
  static constexpr std::size_t most_readers = 64;

  struct past_store {
    std::uint64_t value = 0;
    race_detector::stamp writer{};
    std::uint64_t number = 0;  // within the launch
    ticks written_at = 0;
    ticks visible_from = 0;  // to all lanes
    race_detector::published publication{};
    std::vector<race_detector::stamp> readers{};
  };
  struct history {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t next = none;       // in its bucket, or the next unused one
    std::vector<past_store> stores;  // oldest first; two or more, or the history is dropped
  };

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t offset) {
    const std::uint64_t granule = offset >> 3;
    return (granule ^ granule >> 12 ^ granule >> 20) % bucket_count;
  }
  [[nodiscard]] bool choose(const actor& me, const word& key, std::uint64_t newest, sight& seen);
  /// Returns the history of exactly this word, without the stores that all threads see; drops histories that are over
  /// or overlap it.
  [[nodiscard]] history* find(const word& key, std::uint64_t newest, ticks now);
  [[nodiscard]] history& add(const word& key);
  [[nodiscard]] bool happened_before(const past_store& past, lane_number me) const;
  /// Whether the warp sees the store although nothing orders the two.
  [[nodiscard]] bool reached(const past_store& past, const actor& me) const;
  /// Later reads that happen after this read see no older store.
  void note_reader(past_store& past, lane_number me);

  static constexpr std::size_t bucket_count = 4096;

  race_detector& clocks_;
  ticks longest_delay_;
  std::uint64_t key_ = 0;
  std::uint64_t slow_words_ = 0;  // of 2^32
  std::uint32_t late_warps_ = 0;  // of 256: those that a store does not reach at once
  ticks delay_ = 0;               // at most, in this launch
  std::uint64_t stores_ = 0;      // to slow words, in this launch
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
