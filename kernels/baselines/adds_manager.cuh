// SPDX-License-Identifier: Apache-2.0
// The manager of ADDS, one warp: it alone reads the buckets, hands their elements to worker blocks, provides storage,
// retires drained buckets, adjusts Δ and finds the end (sections 5.1 to 5.5 of the paper).
//
// Lane s keeps the state of bucket s, and of the workers w with w % 32 = s.
//
// Written elements. The paper counts the written elements of a segment (WCC); here a segment has one bit per element. A
// bucket can be read up to the first missing element, whatever else is reserved. The loads of a poll therefore do not
// depend on each other, and no element waits for elements that are reserved behind it.
//
// Order of work. The manager's iteration is part of the latency from one vertex to the next, so it writes the flags
// first and does its bookkeeping and storage management afterwards.
//
// Completion. A worker flips its completion bit after it has reserved and written everything that follows from its
// assignment. The manager loads the bit before the reservations. So a bucket without assignments whose elements have
// all been read is empty, and the search has finished when all buckets are empty.
#pragma once

#include "baselines/adds_abi.cuh"
#include "simt/simt.cuh"
#include "vertex_element.cuh"

namespace mlmq {

template <u32 bucket_count, bool dynamic, bool dynamic_open, class Counters>
class adds_manager {
  using order = simt::order;
  using scope = simt::scope;
  static_assert(bucket_count >= 2 && bucket_count <= adds_max_buckets);

 public:
  SIMT_DEVICE adds_manager(const adds_arguments& arguments, adds_manager_words* words, Counters& counters)
      : arguments_(arguments), control_(arguments.control), words_(words), counters_(counters) {}

  /// Runs the manager; called by one warp.
  SIMT_DEVICE void run() {
    const u64 deadline = simt::clock_ns() + arguments_.time_limit_ns;
    begin();
    for (u32 turn = 1; end_ == static_cast<u32>(run_status::running); ++turn) {
      find_available();
      if (simt::all(drained_)) end_ = static_cast<u32>(run_status::finished);
      const u32 done = collect_completed();
      const u32 turns_of_done = turns_;
      move_window();
      const bool any_assigned = assign(simt::any(done != 0));
      retire_completed(done, turns_of_done);
      counters_.set_parallelism_by_lane(outstanding_);
      provide_storage();
      if (turn % 64 == 0) watch(deadline);
      if constexpr (dynamic_open) adjust_open();
      if (!any_assigned) simt::backoff(0);
    }
    if constexpr (dynamic_open) report_open();
    if (simt::lane() == 0) simt::store_atomic<order::relaxed, scope::device>(&control_->status, end_);
    for (u32 w = simt::lane(); w < workers(); w += simt::warp_size) {
      simt::store_atomic<order::relaxed, scope::device>(&control_->assignments[w].flag, adds_assignment::stop);
    }
  }

 private:
  SIMT_DEVICE static bool is_bucket() { return simt::lane() < bucket_count; }
  SIMT_DEVICE u32 workers() const { return simt::grid_blocks() - 1; }
  SIMT_DEVICE u32 block_elements() const { return 1u << arguments_.block_shift; }
  /// Returns how many places this lane's bucket is behind the head.
  SIMT_DEVICE u32 place() const {
    return simt::lane() >= head_ ? simt::lane() - head_ : simt::lane() + bucket_count - head_;
  }

  SIMT_DEVICE bool is_open() const { return is_bucket() && place() < open_buckets(); }

  SIMT_DEVICE u32 open_buckets() const {
    if constexpr (dynamic_open) return open_;
    return arguments_.open_buckets;
  }

  /// Returns the difference of two numbers of storage blocks, which are counted modulo 2^(32 - block_shift).
  SIMT_DEVICE int blocks_between(u32 begin, u32 end) const {
    return static_cast<int>((end - begin) << arguments_.block_shift) >> arguments_.block_shift;
  }

  SIMT_DEVICE void begin() {
    if constexpr (dynamic_open) {
      open_ = arguments_.open_buckets < bucket_count ? arguments_.open_buckets : bucket_count;
    }
    for (u32 i = simt::lane(); i < arguments_.blocks; i += simt::warp_size) {
      simt::store(&words_->free_blocks[i], arguments_.blocks - 1 - i);
    }
    free_count_ = arguments_.blocks;
    for (u32 w = simt::lane(); w < workers(); w += simt::warp_size) idle_ |= 1u << w / simt::warp_size;
    simt::sync_warp();
    provide_storage();
    publish_window();
    if (simt::lane() == 0) {
      simt::store_atomic<order::relaxed, scope::device>(arguments_.distances + arguments_.source, 0u);
      const u32 position = read_block_ << arguments_.block_shift;
      simt::store(arguments_.pool + position, make_element(arguments_.source, 0));
      simt::store_atomic<order::relaxed, scope::device>(arguments_.written + position / adds_segment, u64{1});
      simt::store_atomic<order::relaxed, scope::device>(&control_->buckets[0].reserved, 1u);
      counters_.add(counter::l2_writes, 1);
    }
    simt::sync_warp();
  }

  /// Returns the number of bits below the lowest unset bit.
  SIMT_DEVICE static u32 trailing_ones(u64 bits) {
    const u32 low = ~static_cast<u32>(bits);
    const u32 high = ~static_cast<u32>(bits >> 32);
    if (low != 0) return simt::first_set(low);
    return high != 0 ? 32 + simt::first_set(high) : 64;
  }

  /// Finds elements that can be assigned, and drained buckets.
  SIMT_DEVICE void find_available() {
    // Lane i looks at the current segment of bucket i or, if elements wait, at the i-th segment of one bucket.
    const bool is_deep = deep_ < bucket_count;
    const u32 read = is_deep ? simt::shuffle(read_, deep_) : read_;
    const u32 block = is_deep ? simt::shuffle(read_block_, deep_) : read_block_;
    const u32 in_block = (read & (block_elements() - 1)) / adds_segment + (is_deep ? simt::lane() : 0);
    const bool has_segment = (is_deep || is_open()) && block != no_block && in_block < block_elements() / adds_segment;
    // The acquiring load is the last, so that all three are in flight together.
    if (is_bucket()) {
      reserved_ = simt::load_atomic<order::relaxed, scope::device>(&control_->buckets[simt::lane()].reserved);
    }
    completed_ = simt::load_atomic<order::relaxed, scope::device>(&control_->completed[simt::lane()]);
    u64 written = 0;
    if (has_segment) {
      written = simt::load_atomic<order::acquire, scope::device>(
          arguments_.written + (block << arguments_.block_shift) / adds_segment + in_block);
    }

    u32 end = (read & ~(adds_segment - 1)) + (is_deep ? simt::lane() * adds_segment : 0) + trailing_ones(written);
    if (is_deep) {
      // The available elements end with the written elements of the first segment that is not full.
      const u32 incomplete = ~simt::ballot(written == ~u64{0});
      end = simt::shuffle(end, incomplete == 0 ? simt::warp_size - 1 : simt::first_set(incomplete));
    }
    // Without storage, the end is the beginning of a segment.
    const bool is_ahead = static_cast<int>(end - read_) > 0;
    available_ = is_ahead && is_bucket() && (!is_deep || simt::lane() == deep_) ? end - read_ : 0;
    // Every written element was reserved, whichever of the two words was loaded first.
    if (static_cast<int>(read_ + available_ - reserved_) > 0) reserved_ = read_ + available_;
    drained_ = !is_bucket() || (outstanding_ == 0 && read_ == reserved_);
    all_outstanding_ = simt::warp_add(outstanding_);
    use_sum_ += static_cast<float>(all_outstanding_);
    use_samples_ += 1;
  }

  /// Finds the workers that have completed their assignments. @return one bit per worker of this lane
  SIMT_DEVICE u32 collect_completed() {
    const u32 done = (completed_ ^ seen_) & busy_;
    seen_ = completed_;
    busy_ &= ~done;
    idle_ |= done;
    return done;
  }

  /// Retires the elements of these workers' completed assignments; the workers may have newer assignments.
  /// @param turns turns_ when the workers were found
  SIMT_DEVICE void retire_completed(u32 done, u32 turns) {
    while (simt::any(done != 0)) {
      u32 block_and_bucket = 0;
      u32 count = 0;
      // Workers that end together mostly had parts of the same block.
      while (done != 0) {
        const u32 bit = simt::first_set(done);
        const u32 entry =
            simt::load(&words_->recent_assignments[turns >> bit & 1][bit * simt::warp_size + simt::lane()]);
        if (count != 0 && adds_recent_assignment::origin(entry) != block_and_bucket) break;
        block_and_bucket = adds_recent_assignment::origin(entry);
        count += adds_recent_assignment::count(entry);
        done &= done - 1;
      }
      for (u32 pending_lanes = simt::ballot(count != 0); pending_lanes != 0;) {
        const u32 common = simt::shuffle(block_and_bucket, simt::first_set(pending_lanes));
        const bool is_same = count != 0 && block_and_bucket == common;
        retire(common, simt::warp_add(is_same ? count : 0));
        pending_lanes &= ~simt::ballot(is_same);
      }
    }
  }

  /// Retires completed elements of a storage block and a bucket, given equally on all lanes.
  SIMT_DEVICE void retire(u32 block_and_bucket, u32 count) {
    const u32 block = adds_recent_assignment::block(block_and_bucket);
    if (simt::lane() == adds_recent_assignment::bucket(block_and_bucket)) outstanding_ -= count;
    const u32 before = simt::load(&words_->completed_in[block]);
    simt::sync_warp();
    const bool is_complete = before + count == block_elements();
    if (simt::lane() == 0) {
      simt::store(&words_->completed_in[block], before + count);
      if (is_complete) simt::store(&words_->free_blocks[free_count_], block);
    }
    if (is_complete) ++free_count_;
    simt::sync_warp();
  }

  /// Keeps one storage block ahead of the writers of every bucket that is in use.
  SIMT_DEVICE void provide_storage() {
    if (reserved_ != 0) is_used_ = true;
    const u32 writing = reserved_ >> arguments_.block_shift;
    const bool needs = is_bucket() && (is_used_ ? blocks_between(writing, allocated_) < 2 : allocated_ == 0);
    const u32 needing = simt::ballot(needs);
    if (needing == 0) return;
    const u32 rank = simt::popcount(needing & simt::lanes_below());
    const bool gets = needs && rank < free_count_;
    u32 block = no_block;
    if (gets) block = simt::load(&words_->free_blocks[free_count_ - 1 - rank]);
    const u32 getting = simt::ballot(gets);
    // A writer already waits for storage that does not exist.
    const bool is_stuck = needs && !gets && static_cast<int>(reserved_ - (allocated_ << arguments_.block_shift)) > 0;
    if (simt::any(is_stuck)) end_ = static_cast<u32>(run_status::queue_full);
    const u32 segments = block_elements() / adds_segment;
    for (u32 pending_lanes = getting; pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
      const u32 first = simt::shuffle(block, simt::first_set(pending_lanes)) * segments;
      for (u32 i = simt::lane(); i < segments; i += simt::warp_size) {
        simt::store_atomic<order::relaxed, scope::device>(arguments_.written + first + i, u64{0});
      }
    }
    if (gets) {
      simt::store(&words_->completed_in[block], 0u);
      // If the reader has come to the end, the block that it left may belong to another bucket by now.
      if (read_block_ == no_block) {
        read_block_ = block;
      } else {
        simt::store(&words_->next_block[last_block_], block);
      }
      last_block_ = block;
    }
    free_count_ -= simt::popcount(getting);
    simt::sync_warp();
    if (gets) {
      // Writers that find the entry must find cleared counters, and no reader of the block's previous elements.
      const u32 number = allocated_ & (0xFFFFFFFFu >> arguments_.block_shift);
      simt::store_atomic<order::release, scope::device>(&control_->table[simt::lane()][number % adds_max_blocks],
                                                        static_cast<u64>(number) << 32 | (block + 1));
      ++allocated_;
    }
  }

  /// Assigns the available elements, the highest priority first. @return whether any was assigned
  SIMT_DEVICE bool assign(bool any_completed) {
    bool any_assigned = false;
    const bool was_deep = deep_ < bucket_count;
    const bool any_candidate = simt::any(is_open() && available_ != 0);
    // One fence publishes every lane's view of written elements together with the flags, and acquires the completions.
    if (any_completed || any_candidate) {
      simt::sync_warp();
      simt::fence<order::acq_rel, scope::device>();
    }
    if (any_candidate) {
      u32 idle_before = simt::inclusive_scan(simt::popcount(idle_));
      u32 idle = simt::shuffle(idle_before, simt::warp_size - 1);
      idle_before -= simt::popcount(idle_);
      while (idle != 0) {
        const u32 best = simt::warp_min(is_open() && available_ != 0 ? place() << 8 | simt::lane() : ~0u);
        if (best == ~0u) break;
        // Elements of lower lanes are taken first.
        const u32 taken = assign_bucket(best & 0xFF, idle, idle_before);
        idle -= taken;
        idle_before = idle_before > taken ? idle_before - taken : 0;
        any_assigned = true;
      }
    }
    // If elements wait, the next poll covers many segments of one bucket at once.
    const bool is_long = is_open() && reserved_ != read_;
    const u32 longest = simt::warp_min(is_long ? place() << 8 | simt::lane() : ~0u);
    deep_ = longest == ~0u || (was_deep && !any_assigned) ? bucket_count : longest & 0xFF;
    return any_assigned;
  }

  /// Assigns elements of one bucket to idle workers; `idle_before` of `idle` belong to lower lanes.
  /// @return the number of workers
  SIMT_DEVICE u32 assign_bucket(u32 bucket, u32 idle, u32 idle_before) {
    const u32 available = simt::shuffle(available_, bucket);
    const u32 read = simt::shuffle(read_, bucket);
    const u32 block = simt::shuffle(read_block_, bucket);
    // A small amount of work goes to few workers, a large amount in full chunks to all workers.
    u32 share = (available + idle - 1) / idle;
    if (share < arguments_.least) share = arguments_.least;
    if (share > arguments_.chunk) share = arguments_.chunk;
    const u32 position = (block << arguments_.block_shift) + (read & (block_elements() - 1));
    u32 first = idle_before * share;
    for (; idle_ != 0 && first < available; first += share) {
      const u32 bit = simt::first_set(idle_);
      const u32 worker = bit * simt::warp_size + simt::lane();
      const u32 count = available - first < share ? available - first : share;
      turns_ ^= 1u << bit;
      const u32 turn = turns_ >> bit & 1;
      simt::store_atomic<order::relaxed, scope::device>(&control_->assignments[worker].flag,
                                                        adds_assignment::make(position + first, count, turn != 0));
      simt::store(&words_->recent_assignments[turn][worker], adds_recent_assignment::make(block, bucket, count));
      idle_ &= idle_ - 1;
      busy_ |= 1u << bit;
      counters_.add(counter::l2_claims, 1);
    }
    const u32 assigned = idle * share < available ? idle * share : available;
    if (simt::lane() == bucket) {
      outstanding_ += assigned;
      available_ -= assigned;
      read_ += assigned;
      if ((read_ & (block_elements() - 1)) == 0) {
        const u32 number = read_ >> arguments_.block_shift;
        read_block_ = blocks_between(number, allocated_) > 0 ? simt::load(&words_->next_block[block]) : no_block;
      }
    }
    const u32 needed = (available + share - 1) / share;
    return needed < idle ? needed : idle;
  }

  /// Retires the drained buckets at the head. Unless the search has finished, at least one bucket is not drained.
  SIMT_DEVICE void move_window() {
    const u32 drained = simt::ballot(drained_) & (bucket_count == 32 ? ~0u : (1u << bucket_count % 32) - 1);
    const u64 doubled = static_cast<u64>(drained) << bucket_count | drained;
    const u32 from_head = ~static_cast<u32>(doubled >> head_);
    const u32 passed = from_head == 0 ? bucket_count : simt::first_set(from_head);
    if (passed == 0 || passed >= bucket_count) return;
    const bool clips = dynamic && tail_overflows();
    base_ += static_cast<float>(passed) * width();
    head_ = head_ + passed < bucket_count ? head_ + passed : head_ + passed - bucket_count;
    if (simt::lane() == 0) counters_.add(counter::bucket_switches, 1);
    if constexpr (dynamic) adjust(clips);
    publish_window();
  }

  /// Returns whether Δ is too small for the number of buckets: most elements are in the last bucket, which has no
  /// order.
  SIMT_DEVICE bool tail_overflows() const {
    const u32 waiting = is_bucket() ? reserved_ - read_ : 0;
    const u32 unfinished = simt::warp_add(waiting) + all_outstanding_;
    const u32 in_tail = simt::warp_add(place() == bucket_count - 1 ? waiting : 0);
    return in_tail != 0 && static_cast<float>(in_tail) >= 0.65f * static_cast<float>(unfinished);
  }

  /// Adjusts Δ after a switch of the head (section 5.5): more parallelism if little is assigned, better order if much
  /// is. A Δ that clips is never used again.
  SIMT_DEVICE void adjust(bool clips) {
    if (clips && lowest_exponent_ < exponent_ + 1) lowest_exponent_ = exponent_ + 1;
    // Utilisation needs time to settle after a change. This takes longer with a large Δ, and so do the switches. The
    // last bucket is another one after every switch, so whether it overflows needs none.
    if (++switches_ < settling_switches && exponent_ >= lowest_exponent_) return;
    const float use = use_sum_ / use_samples_;
    int exponent = exponent_;
    if (use < arguments_.low_use) ++exponent;
    if (use > arguments_.high_use) --exponent;
    if (exponent < lowest_exponent_) exponent = lowest_exponent_;
    if (exponent > largest_exponent) exponent = largest_exponent;
    if (exponent < -largest_exponent) exponent = -largest_exponent;
    if (exponent != exponent_ && simt::lane() == 0) counters_.add(counter::delta_changes, 1);
    exponent_ = exponent;
    switches_ = 0;
    use_sum_ = 0;
    use_samples_ = 0;
  }

  /// Adjusts the number of open buckets (section 5.5) by the same limits as Δ, but after a few turns: one more if
  /// little is assigned, one fewer if much is assigned. Elements of a bucket that closes stay where they are.
  SIMT_DEVICE void adjust_open() {
    open_sum_ += open_;
    ++turns_open_;
    recent_use_ += static_cast<float>(all_outstanding_);
    if (turns_open_ % settling_turns != 0) return;
    const float use = recent_use_ / static_cast<float>(settling_turns);
    recent_use_ = 0;
    u32 next_open = open_;
    if (use < arguments_.low_use && open_ < bucket_count) ++next_open;
    if (use > arguments_.high_use && open_ > 1) --next_open;
    if (next_open != open_) ++open_changes_;
    open_ = next_open;
  }

  SIMT_DEVICE void report_open() const {
    if (simt::lane() != 0) return;
    simt::store(&control_->open.sum, open_sum_);
    simt::store(&control_->open.turns, turns_open_);
    simt::store(&control_->open.changes, open_changes_);
  }

  /// Returns Δ.
  SIMT_DEVICE float width() const {
    return simt::as_float(static_cast<u32>(127 + exponent_) << 23) / arguments_.buckets_per_distance;
  }

  SIMT_DEVICE void publish_window() const {
    if (simt::lane() != 0) return;
    simt::store_atomic<order::relaxed, scope::device>(&control_->window,
                                                      adds_window::make(head_, exponent_, simt::as_bits(base_)));
  }

  SIMT_DEVICE void watch(u64 deadline) {
    u32 stop = static_cast<u32>(run_status::running);
    if (simt::lane() == 0) {
      if (simt::clock_ns() > deadline) stop = static_cast<u32>(run_status::timed_out);
      if (simt::load_atomic<order::relaxed, scope::system>(&control_->host_abort) != 0) {
        stop = static_cast<u32>(run_status::aborted);
      }
    }
    stop = simt::shuffle(stop, 0);
    if (end_ == static_cast<u32>(run_status::running)) end_ = stop;
  }

  static constexpr u32 no_block = 0xFFFFFFFFu;
  static constexpr u32 settling_switches = 4;
  static constexpr u32 settling_turns = 8;
  static constexpr int largest_exponent = 24;

  const adds_arguments& arguments_;
  adds_control* control_;
  adds_manager_words* words_;
  Counters& counters_;
  u32 end_ = static_cast<u32>(run_status::running);

  // State of this lane's bucket.
  u32 reserved_ = 0;           // reserved elements at the last poll
  u32 read_ = 0;               // elements that were assigned
  u32 available_ = 0;          // elements after these that are known to be written
  u32 allocated_ = 0;          // storage blocks allocated so far
  u32 read_block_ = no_block;  // the storage block of element read_
  u32 last_block_ = no_block;  // the storage block allocated last
  bool is_used_ = false;
  bool drained_ = false;
  u32 outstanding_ = 0;  // elements that are assigned and not completed

  // State of this lane's workers, one bit per worker.
  u32 completed_ = 0;  // their completion bits at the last poll
  u32 seen_ = 0;       // the same at the poll before
  u32 idle_ = 0;
  u32 busy_ = 0;
  u32 turns_ = 0;  // adds_assignment's turn of the last assignment

  // Equal on all lanes.
  u32 head_ = 0;
  float base_ = 0;  // distance at which the head begins
  int exponent_ = 0;
  int lowest_exponent_ = -largest_exponent;
  u32 deep_ = bucket_count;  // bucket whose segments all lanes look at; bucket_count: each lane looks at its own bucket
  u32 free_count_ = 0;       // storage blocks that belong to no bucket
  u32 all_outstanding_ = 0;  // sum of outstanding_ over all buckets, at the last poll
  u32 switches_ = 0;
  float use_sum_ = 0;
  float use_samples_ = 0;

  // These are used with dynamic_open, and equal on all lanes.
  u32 open_ = 0;          // buckets that are assigned from
  float recent_use_ = 0;  // assigned elements, summed over the turns since the last decision
  u64 open_sum_ = 0;      // open buckets, summed over all turns
  u32 turns_open_ = 0;
  u32 open_changes_ = 0;
};

}  // namespace mlmq
