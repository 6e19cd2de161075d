// SPDX-License-Identifier: Apache-2.0
// The shared memory of a part in groups: places and outbox words in groups of 32, one flag per group, the inbox, arcs.
//
// A word holds a doubled distance, and one more while its place has yet to be relaxed, or its message to be sent
// (partitioned_abi.cuh). The thread that lowers a word raises the flag of its group. Flags are hints: nothing orders
// them after the words, so one may be missed; a warp checks all its words before it reports that it is idle.
#pragma once

#include "partitioned/part_memory.cuh"

namespace mlmq {

/// Returns whether the place of the word waits to be relaxed, or the message to be sent.
SIMT_DEVICE bool is_marked(u32 word) { return (word & 1) != 0; }

class grouped_memory : public part_board {
 public:
  SIMT_DEVICE explicit grouped_memory(const graph_part& part)
      : words_(end_of_board()),
        places_(part.vertices),
        outbox_(part.outbox),
        inbox_(part.inbox),
        flags_(words_ + 4 * (places_ + outbox_ + group_places)),
        out_words_(flags_ + 4 * (places_ + outbox_ + group_places) / group_places),
        in_places_(out_words_ + 4 * outbox_) {}

  /// Called by all threads of the block, before anything else. A barrier of the block must follow.
  SIMT_DEVICE void initialise(const partitioned_arguments& arguments, const graph_part& part, u32 slot_arcs) const {
    const u32 thread = simt::thread_in_block();
    const u32 threads = simt::block_threads();
    const u32 words = places_ + outbox_;
    for (u32 i = thread; i < words; i += threads) simt::store_word(words_ + 4 * i, unreached_mark);
    for (u32 i = thread; i < group_places; i += threads) simt::store_word(words_ + 4 * (words + i), 0);
    for (u32 i = thread; i < (words + group_places) / group_places; i += threads) simt::store_word(flag(i), 0);
    for (u32 i = thread; i < outbox_; i += threads) {
      simt::store_word(out_word(i), simt::load_readonly(arguments.out_words + part.first_out + i));
    }
    for (u32 i = thread; i < inbox_; i += threads) {
      simt::store_word(in_vertex(i), simt::load_readonly(arguments.in_vertices + part.first_in + i));
    }
    const u64 first = u64{part.first_slot} * slot_arcs;
    for (u32 i = thread; i < part.slots * slot_arcs; i += threads) {
      simt::store_word(slot(0, slot_arcs) + 4 * i, simt::load_readonly(arguments.packed_arcs + first + i));
    }
    initialise_board();
  }

  SIMT_DEVICE void start(u32 place, u32 of_source) const {
    simt::store_word(distance(place), 2 * of_source + 1);
    wake(distance(place));
  }
  SIMT_DEVICE u32 result(u32 place) const {
    const u32 word = simt::load_word(distance(place));
    return word == unreached_mark ? unreached : word / 2;
  }

  SIMT_DEVICE simt::word_name distance(u32 place) const { return words_ + 4 * place; }
  /// Returns the word of an arc's target: a place, then outbox words, then a word that is never lowered.
  SIMT_DEVICE simt::word_name target(u32 number) const { return words_ + 4 * number; }
  SIMT_DEVICE simt::word_name outbox(u32 i) const { return words_ + 4 * (places_ + i); }
  SIMT_DEVICE simt::word_name flag(u32 group) const { return flags_ + 4 * group; }
  /// Raises the flag of the group of a place or an outbox word, given its number.
  SIMT_DEVICE void wake_target(u32 number) const { simt::store_word(flag(number / group_places), 1); }
  /// Raises the flag of the group of a place, given its word.
  SIMT_DEVICE void wake(simt::word_name word) const { wake_target((word - words_) / 4); }
  /// Returns the number, among all inbox words, of the inbox word that an outbox word is sent to.
  SIMT_DEVICE simt::word_name out_word(u32 i) const { return out_words_ + 4 * i; }
  /// Returns the place of an inbox word.
  SIMT_DEVICE simt::word_name in_vertex(u32 i) const { return in_places_ + 4 * i; }
  /// Returns the first arc of a slot.
  SIMT_DEVICE simt::word_name slot(u32 place, u32 slot_arcs) const {
    // Aligned for load_words().
    return (in_places_ + 4 * inbox_ + 15) / 16 * 16 + 4 * place * slot_arcs;
  }

  /// Returns the first target behind places and outbox.
  SIMT_DEVICE u32 idle_target() const { return places_ + outbox_; }
  SIMT_DEVICE u32 place_groups() const { return places_ / group_places; }
  SIMT_DEVICE u32 outbox_groups() const { return outbox_ / group_places; }
  SIMT_DEVICE u32 inbox_words() const { return inbox_; }

 private:
  simt::word_name words_;
  u32 places_;
  u32 outbox_;
  u32 inbox_;
  simt::word_name flags_;
  simt::word_name out_words_;
  simt::word_name in_places_;
};

}  // namespace mlmq
