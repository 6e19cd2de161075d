// SPDX-License-Identifier: Apache-2.0
// Runs the script of a warp and records the events.
#pragma once

#include "script.cuh"
#include "vertex_element.cuh"
#include "work_counters.cuh"

namespace mlmq::tests {

using counters = work_counters<true>;

/// Where a record's elements were in an L2 queue, and the window that the block knew.
struct place {
  u32 answer = 0;
  u32 subqueue = 0;
  u32 position = 0;
  u32 window_before = 0;
  u32 window_after = 0;
};

/// The records of one warp. Also serves as a lower level that stores the elements it gets.
class recorder {
 public:
  SIMT_DEVICE recorder(const script_arguments& arguments, u32 warp)
      : records_(arguments.records + static_cast<u64>(warp) * arguments.records_per_warp),
        count_to_(arguments.record_counts + warp),
        most_(arguments.records_per_warp) {}

  /// Warp collective: starts a step, to which the following records belong.
  SIMT_DEVICE void begin(u32 step) { step_ = step; }

  /// Warp collective.
  SIMT_DEVICE void add(event kind, element e, bool valid, const place& position = {}) {
    const u32 lanes = simt::ballot(valid);
    // Records that do not fit are only counted; from the count, the test sees that its log is too short.
    if (count_ < most_) {
      record* const target = records_ + count_;
      if (valid) simt::store(target->elements + simt::lane(), e);
      if (simt::lane() == 0) {
        simt::store(reinterpret_cast<simt::quad*>(&target->kind),
                    simt::quad{static_cast<u32>(kind), step_, lanes, position.answer});
        simt::store(reinterpret_cast<simt::quad*>(&target->subqueue),
                    simt::quad{position.subqueue, position.position, position.window_before, position.window_after});
      }
    }
    ++count_;
  }

  /// Warp collective: called by the queue above.
  SIMT_DEVICE void write(element e, bool valid) {
    if (simt::any(valid)) add(event::spilled, e, valid);
  }

  SIMT_DEVICE void finish() {
    if (simt::lane() == 0) simt::store(count_to_, count_);
  }

 private:
  record* records_;
  u32* count_to_;
  u32 most_;
  u32 count_ = 0;
  u32 step_ = 0;
};

SIMT_DEVICE u32 warp_of_grid() {
  return simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block();
}

SIMT_DEVICE step step_of(const script_arguments& arguments, u32 warp, u32 i) {
  return simt::load_readonly(arguments.steps + static_cast<u64>(warp) * arguments.steps_per_warp + i);
}

/// Returns this lane's element of a step.
SIMT_DEVICE element element_of(const script_arguments& arguments, u32 warp, u32 i) {
  const u64 first = (static_cast<u64>(warp) * arguments.steps_per_warp + i) * simt::warp_size;
  return simt::load_readonly(arguments.elements + first + simt::lane());
}

SIMT_DEVICE bool has_lane(u32 lanes) { return (lanes >> simt::lane() & 1) != 0; }

/// Reads from a queue. Queues that offer runs are also read by runs; both ways give the same elements.
template <class Queue>
SIMT_DEVICE bool read_one_way(Queue& queue, u32 way, element& e, bool& valid) {
  if constexpr (requires(element_run run) { queue.read_run(run, simt::warp_size); }) {
    if (way % 2 == 1) {
      element_run run = {0, 0};
      if (!queue.read_run(run, simt::warp_size)) return false;
      valid = simt::lane() < run.count;
      if (valid) e = simt::load(queue.ring() + (run.first + simt::lane()) % Queue::ring_size);
      simt::sync_warp();
      return true;
    }
  }
  return queue.read(e, valid);
}

/// Runs the script on a queue of one warp over a lower level that records, then reads everything that is still inside.
template <class Queue>
SIMT_DEVICE void run_script(const script_arguments& arguments, Queue& queue) {
  const u32 warp = warp_of_grid();
  recorder log(arguments, warp);
  for (u32 i = 0; i < arguments.steps_per_warp; ++i) {
    const step now = step_of(arguments, warp, i);
    log.begin(i);
    if (now.kind == action::write) {
      queue.write(element_of(arguments, warp, i), has_lane(now.lanes), log);
    } else {
      element e = 0;
      bool valid = false;
      const bool has_element = read_one_way(queue, i, e, valid);
      const u32 answer = simt::ballot(has_element);
      log.add(event::read, e, has_element && valid, {.answer = answer});
    }
  }
  log.begin(arguments.steps_per_warp);
  // The loop is bounded by the size of the log, in case a queue never becomes empty.
  for (u32 i = 0; i < arguments.records_per_warp; ++i) {
    element e = 0;
    bool valid = false;
    if (!simt::all(queue.read(e, valid))) break;
    log.add(event::remaining, e, valid);
  }
  log.finish();
}

}  // namespace mlmq::tests
