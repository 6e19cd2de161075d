// SPDX-License-Identifier: Apache-2.0
// The warps of a part that do not search: the sender, the receiver and, in the first block, the manager.
//
// Termination. A block is idle when none of its workers has work, everything in its outbox is sent, and its inbox has
// been processed. The receiver detects this by questions: it increments part_words::question, and each worker answers
// after it has seen the number, swept over its slots and found nothing to do. The answer includes how often the worker
// has had work so far. If no worker had work between two answers, no message from the inbox arrived in between, and all
// workers had seen everything that led to the second question, then the block is idle until a message arrives in the
// inbox. The manager detects the end of the run in the same way: a block answers the manager's question when it is idle
// and has checked its inbox since it saw the question, and reports how often it was busy. If no block was busy between
// two questions, all were idle when the second question was asked, and every message sent before has been processed.
#pragma once

#include "partitioned/grouped_memory.cuh"
#include "work_counters.cuh"

namespace mlmq {

/// Sends the distances that have fallen in the outbox.
template <class Counters>
class part_sender {
 public:
  SIMT_DEVICE part_sender(const partitioned_arguments& arguments, const part_memory& memory, u32 warp,
                          Counters& counters)
      : inbox_(arguments.inbox), memory_(memory), counters_(counters), answering_(warp) {}

  /// Warp collective: checks the whole outbox once. @return false when the run is over
  SIMT_DEVICE bool poll() {
    if (!answering_.poll_question(memory_)) return false;
    bool has_sent = false;
    for (u32 first = 0; first < memory_.outbox_words(); first += words_at_once * simt::warp_size) {
      u32 current[words_at_once];
      u32 sent[words_at_once];
#pragma unroll
      for (u32 i = 0; i < words_at_once; ++i) {
        const u32 word = first + i * simt::warp_size + simt::lane();
        const bool exists = word < memory_.outbox_words();
        current[i] = exists ? simt::load_word(memory_.outbox(word)) : unreached;
        sent[i] = exists ? simt::load_word(memory_.sent(word)) : 0;
      }
#pragma unroll
      for (u32 i = 0; i < words_at_once; ++i) {
        if (current[i] < sent[i]) {
          const u32 word = first + i * simt::warp_size + simt::lane();
          simt::lower_of_device(inbox_ + simt::load_word(memory_.out_word(word)), current[i]);
          simt::store_word(memory_.sent(word), current[i]);
          counters_.add(counter::l2_writes, 1);
          has_sent = true;
        }
      }
    }
    if (simt::any(has_sent)) {
      answering_.note_work();
    } else {
      answering_.report_idle(memory_);
    }
    return true;
  }

 private:
  static constexpr u32 words_at_once = 4;

  u32* inbox_;
  const part_memory& memory_;
  Counters& counters_;
  answering_warp answering_;
};

/// Sender for outboxes in groups: checks flags.
template <class Counters>
class group_sender {
 public:
  SIMT_DEVICE group_sender(const partitioned_arguments& arguments, const grouped_memory& memory, u32 warp,
                           Counters& counters)
      : inbox_(arguments.inbox), memory_(memory), counters_(counters), answering_(warp) {}

  /// Warp collective: checks all flags once. @return false when the run is over
  SIMT_DEVICE bool poll() {
    if (!answering_.poll_question(memory_)) return false;
    const u32 groups = memory_.outbox_groups();
    bool has_sent = false;
    for (u32 first = 0; first < groups; first += simt::warp_size) {
      const u32 group = memory_.place_groups() + first + simt::lane();
      const u32 flag = first + simt::lane() < groups ? simt::load_word(memory_.flag(group)) : 0;
      for (u32 ready = simt::ballot(flag != 0); ready != 0; ready &= ready - 1) {
        const u32 k = simt::first_set(ready);
        if (simt::lane() == k) simt::store_word(memory_.flag(group), 0);
        has_sent = send(first + k) || has_sent;
      }
    }
    if (!has_sent && !answering_.has_answered()) {
      // A flag may be missed, but a marked word may not: check all words.
      for (u32 group = 0; group < groups; ++group) has_sent = send(group) || has_sent;
    }
    if (simt::any(has_sent)) {
      answering_.note_work();
    } else {
      answering_.report_idle(memory_);
    }
    return true;
  }

 private:
  /// Warp collective. @return whether the lane's word was sent
  SIMT_DEVICE bool send(u32 group) {
    const u32 i = group * group_places + simt::lane();
    const u32 word = simt::load_word(memory_.outbox(i));
    if (!is_marked(word)) return false;
    simt::lower_of_device(inbox_ + simt::load_word(memory_.out_word(i)), word);
    simt::lower_word(memory_.outbox(i), word - 1);
    counters_.add(counter::l2_writes, 1);
    return true;
  }

  u32* inbox_;
  const grouped_memory& memory_;
  Counters& counters_;
  answering_warp answering_;
};

/// Processes messages of other parts, and detects when the block is idle.
/// @tparam Memory part_memory or grouped_memory
template <class Memory, class Counters>
class part_receiver {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param answering warps of the block that answer
  SIMT_DEVICE part_receiver(const partitioned_arguments& arguments, const graph_part& part, const Memory& memory,
                            u32 answering, Counters& counters)
      : inbox_(arguments.inbox + part.first_in),
        control_(arguments.control),
        answer_(arguments.answers + simt::block_index()),
        memory_(memory),
        answering_(answering),
        counters_(counters) {}

  /// Warp collective: checks the whole inbox once. @return false when the run is over
  SIMT_DEVICE bool poll() {
    u32 word = 0;
    if (simt::lane() == 0) word = simt::load_atomic<order::relaxed, scope::device>(&control_->status);
    if (simt::lane() == 1) word = simt::load_atomic<order::relaxed, scope::device>(&control_->question);
    receive();
    const u32 status = simt::shuffle(word, 0);
    const u32 question = simt::shuffle(word, 1);
    if (status != static_cast<u32>(run_status::running)) {
      // The answer must be zero at the start of the next run.
      if (simt::lane() == 0) {
        simt::store_atomic<order::relaxed, scope::device>(answer_, u64{0});
        memory_.ask(no_question);
      }
      return false;
    }
    if (question != grid_question_) {
      // Orders the check of the inbox after the question: everything sent before the manager asked is then in the
      // inbox.
      simt::fence<order::acq_rel, scope::device>();
      grid_question_ = question;
      has_answered_ = false;
    } else if (rounds_until_idle_ == 0 && !has_answered_) {
      answer_grid();
    }
    look_at_answers();
    return true;
  }

 private:
  static constexpr u32 words_at_once = 4;

  SIMT_DEVICE void receive() {
    bool has_taken = false;
    for (u32 first = 0; first < memory_.inbox_words(); first += words_at_once * simt::warp_size) {
      u32 sent[words_at_once];
      simt::word_name vertex[words_at_once];
#pragma unroll
      for (u32 i = 0; i < words_at_once; ++i) {
        const u32 word = first + i * simt::warp_size + simt::lane();
        sent[i] = unreached;
        if (word < memory_.inbox_words()) sent[i] = simt::load_atomic<order::relaxed, scope::device>(inbox_ + word);
      }
#pragma unroll
      for (u32 i = 0; i < words_at_once; ++i) {
        const u32 word = first + i * simt::warp_size + simt::lane();
        vertex[i] = memory_.absent_targets();
        if (word < memory_.inbox_words()) vertex[i] = memory_.distance(simt::load_word(memory_.in_vertex(word)));
      }
#pragma unroll
      for (u32 i = 0; i < words_at_once; ++i) {
        if (sent[i] < simt::load_word(vertex[i])) {
          simt::lower_word(vertex[i], sent[i]);
          memory_.wake(vertex[i]);
          counters_.add(counter::l2_reads, 1);
          has_taken = true;
        }
      }
    }
    counters_.add(queue_counter::polls, simt::lane() == 0 ? 1 : 0);
    if (simt::any(has_taken)) {
      has_taken_ = true;
      note_busy();
    }
  }

  /// Warp collective: asks the next question if all warps have answered.
  SIMT_DEVICE void look_at_answers() {
    const bool is_answering = simt::lane() < answering_;
    const u64 answer = is_answering ? memory_.answer_of(simt::lane()) : 0;
    if (!simt::all(!is_answering || static_cast<u32>(answer >> 32) == question_)) return;
    // Orders the work before the answers before the next question.
    simt::fence<order::acq_rel, scope::block>();
    const u32 worked = static_cast<u32>(answer);
    const bool is_idle = simt::all(worked == worked_) && !has_taken_;
    worked_ = worked;
    has_taken_ = false;
    ++question_;
    simt::sync_warp();
    if (simt::lane() == 0) memory_.ask(question_);
    if (!is_idle) {
      note_busy();
    } else if (rounds_until_idle_ > 0) {
      --rounds_until_idle_;
    }
  }

  SIMT_DEVICE void note_busy() {
    ++busy_rounds_;
    rounds_until_idle_ = 2;
  }

  SIMT_DEVICE void answer_grid() {
    // A thread that sees the answer also sees every message that this block has sent.
    simt::fence<order::acq_rel, scope::device>();
    if (simt::lane() == 0) {
      simt::store_atomic<order::release, scope::device>(answer_, static_cast<u64>(grid_question_) << 32 | busy_rounds_);
    }
    has_answered_ = true;
  }

  const u32* inbox_;
  partitioned_control* control_;
  u64* answer_;
  const Memory& memory_;
  u32 answering_;
  Counters& counters_;
  u32 question_ = 1;
  u32 worked_ = 0;  ///< number of times that each lane's warp had work, from its last answer
  bool has_taken_ = true;
  u32 busy_rounds_ = 0;  ///< rounds in which the block was busy
  u32 grid_question_ = 0;
  u32 rounds_until_idle_ = 2;
  bool has_answered_ = true;
};

/// Ends the run.
class partitioned_manager {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE explicit partitioned_manager(const partitioned_arguments& arguments)
      : control_(arguments.control),
        answers_(arguments.answers),
        deadline_(simt::clock_ns() + arguments.time_limit_ns) {
    ask();
  }

  /// Warp collective: checks the answers of all blocks once. @return false when the run is over
  SIMT_DEVICE bool poll() {
    u32 end = static_cast<u32>(run_status::running);
    bool have_answered = true;
    u32 busy_rounds = 0;
    for (u32 block = simt::lane(); block < simt::grid_blocks(); block += simt::warp_size) {
      const u64 answer = simt::load_atomic<order::relaxed, scope::device>(answers_ + block);
      have_answered = have_answered && static_cast<u32>(answer >> 32) == question_;
      busy_rounds += static_cast<u32>(answer);
    }
    if (simt::all(have_answered)) {
      simt::fence<order::acq_rel, scope::device>();
      // A sum of counts that never fall: it is unchanged only if all are.
      busy_rounds = simt::warp_add(busy_rounds);
      if (question_ > 1 && busy_rounds == busy_rounds_) end = static_cast<u32>(run_status::finished);
      busy_rounds_ = busy_rounds;
      if (end == static_cast<u32>(run_status::running)) ask();
    }
    if (++polls_ % polls_per_clock == 0 && end == static_cast<u32>(run_status::running)) {
      u32 aborted = 0;
      if (simt::lane() == 0) aborted = simt::load_atomic<order::relaxed, scope::system>(&control_->host_abort);
      if (simt::any(aborted != 0)) {
        end = static_cast<u32>(run_status::aborted);
      } else if (simt::any(simt::clock_ns() > deadline_)) {
        end = static_cast<u32>(run_status::timed_out);
      }
    }
    if (end == static_cast<u32>(run_status::running)) return true;
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::device>(&control_->status, end);
    return false;
  }

 private:
  /// Polls between two reads of the clock, which take longer than a poll.
  static constexpr u32 polls_per_clock = 16;

  SIMT_DEVICE void ask() {
    ++question_;
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::device>(&control_->question, question_);
  }

  partitioned_control* control_;
  const u64* answers_;
  u64 deadline_;
  u32 question_ = 0;
  u32 busy_rounds_ = 0;
  u32 polls_ = 0;
};

}  // namespace mlmq
