// SPDX-License-Identifier: Apache-2.0
// The workers of a part in groups: a warp checks flags, and works on all 32 places of a group at once.
//
// A warp owns every `workers`th group of its part. Its lane k holds the flag of its kth group, and the least distance
// that waits in the group, so one load shows which groups have work. With a window, distances far behind the front of
// the block wait.
//
// Arcs within a group are relaxed like all others (part_groups), or the warp computes the distances within the group in
// registers, and then lowers the distances that arcs to other groups lead to (part_pulled_groups).
#pragma once

#include "partitioned/grouped_memory.cuh"
#include "work_counters.cuh"

namespace mlmq {

/// @tparam Configuration with slot_arcs, has_window, pulls, is_exact
template <class Configuration, class Counters>
class group_worker {
  static constexpr u32 arcs = Configuration::slot_arcs;
  static constexpr bool has_window = Configuration::has_window;

 public:
  /// @param warp of the block's `workers` worker warps
  SIMT_DEVICE group_worker(const partitioned_arguments& arguments, const grouped_memory& memory, u32 warp, u32 workers,
                           Counters& counters)
      : memory_(memory),
        counters_(counters),
        window_(arguments.window < saturated_mark / 2 ? 2 * arguments.window : saturated_mark),
        target_bits_(arguments.target_bits),
        idle_(memory.idle_target()),
        first_(memory.distance(warp * group_places + simt::lane())),
        first_slot_(memory.slot(warp * group_places + simt::lane(), arcs)),
        stride_(4 * group_places * workers),
        groups_((memory.place_groups() + workers - 1 - warp) / workers),
        least_of_lane_(memory.least(simt::lane())),
        least_of_warp_(memory.least(warp)),
        flag_(simt::lane() < groups_ ? memory.flag(warp + simt::lane() * workers)
                                     : memory.absent_targets() + 4 * simt::lane()),
        answering_(warp) {}

  /// Warp collective: works until the run is over.
  SIMT_DEVICE void run() {
    for (u32 round = 0; round++ % rounds_per_question != 0 || answering_.poll_question(memory_);) {
      const u32 flag = simt::load_word(flag_);
      const u32 ready = simt::ballot(flag != 0 || (has_window && least_ <= end_));
      if (ready != 0) {
        process_groups(ready);
      } else if (!has_window || !waits_for_front()) {
        round = 0;
        if (!answering_.has_answered()) check_idle();
      }
    }
  }

 private:
  /// Rounds between two checks for a question while there is work.
  static constexpr u32 rounds_per_question = 4;

  /// The arcs of the lane's place in a group.
  struct place_arcs {
    u32 target[arcs];
    u32 weight[arcs];
  };

  SIMT_DEVICE place_arcs arcs_of(u32 k) const {
    u32 packed[arcs];
    simt::load_words(first_slot_ + k * stride_ * arcs, packed);
    place_arcs row;
#pragma unroll
    for (u32 j = 0; j < arcs; ++j) {
      row.target[j] = target_of_packed(packed[j], target_bits_);
      row.weight[j] = weight_of_packed(packed[j], target_bits_);
    }
    return row;
  }

  /// Warp collective: works on these groups.
  SIMT_DEVICE void process_groups(u32 ready) {
    answering_.note_work();
    do {
      const u32 k = simt::first_set(ready);
      ready &= ready - 1;
      // Clear the flag before reading the words: a later decrease raises it again.
      if (simt::lane() == k) simt::store_word(flag_, 0);
      const simt::word_name own_word = first_ + k * stride_;
      const u32 word = simt::load_word(own_word);
      u32 least;
      if constexpr (Configuration::pulls) {
        least = pull(own_word, word, arcs_of(k));
      } else {
        least = push(own_word, word, arcs_of(k));
      }
      if (has_window && simt::lane() == k) least_ = least;
    } while (ready != 0);
  }

  /// Warp collective: relaxes places of the group until none may be relaxed.
  /// @param own_word the word of the lane's place, which was `word`
  /// @return the least word that waits, if there is a window
  SIMT_DEVICE u32 push(simt::word_name own_word, u32 word, const place_arcs& row) {
    simt::word_name targets[arcs];
    simt::word_name flag[arcs];
#pragma unroll
    for (u32 j = 0; j < arcs; ++j) {
      targets[j] = memory_.target(row.target[j]);
      flag[j] = memory_.flag(row.target[j] / group_places);
    }
    for (;;) {
      const bool may_relax = is_marked(word) && is_admitted(word);
      u32 least = unreached;
      if constexpr (has_window) least = simt::warp_min(is_marked(word) ? word : unreached);
      if (!simt::any(may_relax)) return least;
      if (may_relax) {
        counters_.add(counter::pops, 1);
        counters_.add(counter::distance_atomics, arcs);
#pragma unroll
        for (u32 j = 0; j < arcs; ++j) simt::lower_word(targets[j], extend_word(word, row.weight[j]));
        mark_relaxed(own_word, word / 2);
#pragma unroll
        for (u32 j = 0; j < arcs; ++j) simt::store_word(flag[j], 1);
      }
      if constexpr (has_window) publish(least);
      word = simt::load_word(own_word);
    }
  }

  /// Warp collective: computes the distances within the group, as far as they follow from its words; then relaxes the
  /// arcs that lead out of it.
  SIMT_DEVICE u32 pull(simt::word_name own_word, u32 word, const place_arcs& row) {
    u32 lane[arcs];
    u32 weight[arcs];
#pragma unroll
    for (u32 j = 0; j < arcs; ++j) {
      const bool is_pulled = row.target[j] >= idle_;
      lane[j] = is_pulled ? row.target[j] - idle_ : simt::lane();
      weight[j] = is_pulled ? row.weight[j] : 0;
    }
    u32 distance = word / 2;
    bool falls;
    do {
      u32 lowest = distance;
#pragma unroll
      for (u32 j = 0; j < arcs; ++j) {
        const u32 candidate = extend(simt::shuffle(distance, lane[j]), weight[j]);
        lowest = candidate < lowest ? candidate : lowest;
      }
      falls = lowest < distance;
      distance = lowest;
    } while (simt::any(falls));

    const bool has_fallen = distance < word / 2;
    bool waits = is_marked(word) || has_fallen;
    if constexpr (has_window) publish(simt::warp_min(waits ? marked(distance) : unreached));
    if (waits && is_admitted(marked(distance))) {
      counters_.add(counter::pops, 1);
#pragma unroll
      for (u32 j = 0; j < arcs; ++j) {
        if (row.target[j] < idle_) {
          simt::lower_word(memory_.target(row.target[j]), marked(extend(distance, row.weight[j])));
          memory_.wake_target(row.target[j]);
          counters_.add(counter::distance_atomics, 1);
        }
      }
      mark_relaxed(own_word, distance);
      waits = false;
    }
    if constexpr (has_window) {
      if (!simt::any(waits)) return unreached;
      // The marked word stays, so that its origin is still known when the group is checked again.
      return simt::warp_min(waits ? marked(distance) : unreached);
    }
    return unreached;
  }

  /// Returns a distance extended by one arc. Packed weights are too small for this to wrap.
  SIMT_DEVICE static u32 extend(u32 distance, u32 weight) {
    const u32 sum = distance + weight;
    if constexpr (Configuration::is_exact) return sum;
    return sum < saturated_mark / 2 || distance == unreached_mark / 2 ? sum : saturated_mark / 2;
  }
  /// Like extend(), for a marked word.
  SIMT_DEVICE static u32 extend_word(u32 word, u32 weight) {
    const u32 sum = word + 2 * weight;
    if constexpr (Configuration::is_exact) return sum;
    return sum < word || sum > saturated_mark ? saturated_mark : sum;
  }
  /// Returns the word of a distance whose place has yet to be relaxed.
  SIMT_DEVICE static u32 marked(u32 distance) { return 2 * distance + 1; }
  /// Marks this distance as relaxed, unless the word has fallen again.
  SIMT_DEVICE static void mark_relaxed(simt::word_name own_word, u32 distance) {
    simt::lower_word(own_word, 2 * distance);
  }

  SIMT_DEVICE bool is_admitted(u32 word) const { return !has_window || word <= end_; }

  /// Warp collective: publishes the least word of this warp that has yet to be relaxed.
  SIMT_DEVICE void publish(u32 least) {
    if (least == published_) return;
    if (simt::lane() == 0) simt::store_word(least_of_warp_, least);
    published_ = least;
  }

  /// Warp collective, called if nothing may be relaxed: admits words that are not far behind the front of the block.
  /// @return whether any word waits for admission
  SIMT_DEVICE bool waits_for_front() {
    const u32 least = simt::warp_min(least_);
    publish(least);
    const u32 published = simt::load_word(least_of_lane_);
    const u32 front = simt::warp_min(published < least ? published : least);
    // If no word is known to wait, the previous end stays valid.
    if (front != unreached) end_ = front > saturated_mark - window_ ? saturated_mark : front + window_;
    return least != unreached;
  }

  /// Warp collective: answers the question if no place is marked; otherwise raises the flags of the marked groups.
  SIMT_DEVICE void check_idle() {
    u32 marked_groups = 0;
    for (u32 k = 0; k < groups_; ++k) {
      const u32 word = simt::load_word(first_ + k * stride_);
      if (simt::any(is_marked(word))) marked_groups |= 1u << k;
    }
    if ((marked_groups >> simt::lane() & 1) != 0) simt::store_word(flag_, 1);
    if (marked_groups != 0) {
      answering_.note_work();
    } else {
      answering_.report_idle(memory_);
    }
  }

  const grouped_memory& memory_;
  Counters& counters_;
  u32 window_;  ///< width of the window, in units of words
  u32 target_bits_;
  u32 idle_;                    ///< the first target that is not a place or outbox word: partitioned_abi.cuh
  simt::word_name first_;       ///< word of the lane's place in the first group
  simt::word_name first_slot_;  ///< arcs of that place
  u32 stride_;                  ///< bytes between the words of two groups of the warp
  u32 groups_;                  ///< number of groups of the warp
  simt::word_name least_of_lane_;
  simt::word_name least_of_warp_;
  simt::word_name flag_;   ///< flag of the group with the lane's number
  u32 least_ = unreached;  ///< least word that waits in this group
  u32 published_ = unreached;
  u32 end_ = 0;  ///< larger words wait
  answering_warp answering_;
};

}  // namespace mlmq
