// SPDX-License-Identifier: Apache-2.0
// The shared memory of a part: the words through which its warps communicate, distances, outbox and inbox.
#pragma once

#include "partitioned/partitioned_abi.cuh"
#include "search_abi.cuh"
#include "simt/shared_words.cuh"

namespace mlmq {

/// The words through which the warps of a block communicate: words of its shared memory, accessed by their names.
class part_board {
 public:
  SIMT_DEVICE part_board()
      : words_(reinterpret_cast<part_words*>(simt::shared_memory())),
        question_word_(simt::name_of(&words_->question)) {}

  /// Called by all threads of the block, before anything else. A barrier of the block must follow.
  SIMT_DEVICE void initialise_board() const {
    const u32 thread = simt::thread_in_block();
    if (thread < simt::warp_size) {
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_->answers[thread], u64{0});
      simt::store_word(absent_targets() + 4 * thread, 0);
      simt::store_word(least(thread), unreached);
    }
    // Questions start at 1, so that an initial answer of 0 answers none.
    if (thread == 0) simt::store_word(question_word_, 1);
  }

  SIMT_DEVICE simt::word_name absent_targets() const { return simt::name_of(words_->absent_targets); }
  /// Returns the word with the least distance that waits in a worker warp.
  SIMT_DEVICE simt::word_name least(u32 warp) const { return simt::name_of(words_->least) + 4 * warp; }

  SIMT_DEVICE u32 current_question() const { return simt::load_word(question_word_); }
  /// Called by one lane: publishes a question.
  SIMT_DEVICE void ask(u32 question) const {
    simt::store_atomic<simt::order::release, simt::scope::block>(&words_->question, question);
  }
  /// Warp collective: answers a question. A thread that sees the answer also sees the earlier work of this warp.
  SIMT_DEVICE void answer(u32 warp, u32 question, u32 worked) const {
    simt::sync_warp();
    if (simt::lane() == 0) {
      simt::store_atomic<simt::order::release, simt::scope::block>(&words_->answers[warp],
                                                                   static_cast<u64>(question) << 32 | worked);
    }
  }
  SIMT_DEVICE u64 answer_of(u32 warp) const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&words_->answers[warp]);
  }

 protected:
  /// Returns the first word behind the board.
  SIMT_DEVICE simt::word_name end_of_board() const { return simt::name_of(reinterpret_cast<u32*>(words_ + 1)); }

 private:
  part_words* words_;
  simt::word_name question_word_;
};

/// A warp's handling of the questions of the receiver (control.cuh).
class answering_warp {
 public:
  /// @param warp its index among the answering warps
  SIMT_DEVICE explicit answering_warp(u32 warp) : warp_(warp) {}

  /// Warp collective. @return false when the run is over
  SIMT_DEVICE bool poll_question(const part_board& board) {
    const u32 question = simt::shuffle(board.current_question(), 0);
    if (question == no_question) return false;
    if (question != question_) {
      // Orders later accesses after everything that led to the question.
      simt::fence<simt::order::acq_rel, simt::scope::block>();
      question_ = question;
      has_answered_ = false;
    }
    return true;
  }
  SIMT_DEVICE void note_work() { ++worked_; }
  SIMT_DEVICE bool has_answered() const { return has_answered_; }
  /// Warp collective, called when the warp has checked everything since it saw the question and found nothing to do.
  SIMT_DEVICE void report_idle(const part_board& board) {
    if (has_answered_) return;
    board.answer(warp_, question_, worked_);
    has_answered_ = true;
  }

 private:
  u32 warp_;
  u32 question_ = 0;
  u32 worked_ = 0;
  bool has_answered_ = false;
};

/// Memory layout for workers that sweep over their slots (worker.cuh).
class part_memory : public part_board {
 public:
  SIMT_DEVICE explicit part_memory(const graph_part& part)
      : distances_(end_of_board()), vertices_(part.vertices), outbox_(part.outbox), inbox_(part.inbox) {}

  /// Called by all threads of the block, before anything else. A barrier of the block must follow.
  /// @param packed_slot_arcs 0 if arcs are in registers
  SIMT_DEVICE void initialise(const partitioned_arguments& arguments, const graph_part& part,
                              u32 packed_slot_arcs) const {
    const u32 thread = simt::thread_in_block();
    const u32 threads = simt::block_threads();
    for (u32 i = thread; i < vertices_ + 2 * outbox_; i += threads) simt::store_word(distances_ + 4 * i, unreached);
    for (u32 i = thread; i < outbox_; i += threads) {
      simt::store_word(out_word(i), simt::load_readonly(arguments.out_words + part.first_out + i));
    }
    for (u32 i = thread; i < inbox_; i += threads) {
      simt::store_word(in_vertex(i), simt::load_readonly(arguments.in_vertices + part.first_in + i));
    }
    if (packed_slot_arcs != 0) {
      const u64 first = u64{part.first_slot} * packed_slot_arcs;
      for (u32 i = thread; i < part.slots * packed_slot_arcs; i += threads) {
        simt::store_word(packed_slot(0, packed_slot_arcs) + 4 * i,
                         simt::load_readonly(arguments.packed_arcs + first + i));
      }
    }
    initialise_board();
  }

  /// Sets the distance of the source.
  SIMT_DEVICE void start(u32 vertex, u32 of_source) const { simt::store_word(distance(vertex), of_source); }
  SIMT_DEVICE u32 result(u32 vertex) const { return simt::load_word(distance(vertex)); }
  /// Does nothing: a worker checks every word anyway.
  SIMT_DEVICE void wake(simt::word_name) const {}

  SIMT_DEVICE simt::word_name distance(u32 vertex) const { return distances_ + 4 * vertex; }
  /// Returns the word of an arc's target: a vertex, or behind the vertices a word of the outbox.
  SIMT_DEVICE simt::word_name target(u32 number) const { return distances_ + 4 * number; }
  SIMT_DEVICE simt::word_name outbox(u32 i) const { return distances_ + 4 * (vertices_ + i); }
  /// Returns the name of the word with the last distance that was sent for outbox word i.
  SIMT_DEVICE simt::word_name sent(u32 i) const { return distances_ + 4 * (vertices_ + outbox_ + i); }
  /// Returns the number, among all inbox words, of the inbox word that an outbox word is sent to.
  SIMT_DEVICE simt::word_name out_word(u32 i) const { return distances_ + 4 * (vertices_ + 2 * outbox_ + i); }
  /// Returns the vertex of an inbox word.
  SIMT_DEVICE simt::word_name in_vertex(u32 i) const { return distances_ + 4 * (vertices_ + 3 * outbox_ + i); }
  /// Returns the first packed arc of a slot.
  SIMT_DEVICE simt::word_name packed_slot(u32 slot, u32 slot_arcs) const {
    // Aligned for load_words(): the block's shared memory begins at a multiple of 16 bytes.
    const u32 words_before = vertices_ + 3 * outbox_ + inbox_;
    return distances_ + 4 * ((words_before + 3) / 4 * 4 + slot * slot_arcs);
  }
  SIMT_DEVICE u32 outbox_words() const { return outbox_; }
  SIMT_DEVICE u32 inbox_words() const { return inbox_; }

 private:
  simt::word_name distances_;
  u32 vertices_;
  u32 outbox_;
  u32 inbox_;
};

}  // namespace mlmq
