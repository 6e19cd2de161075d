// SPDX-License-Identifier: Apache-2.0
// Schedule of Δ-stepping, independent of the content of entries: which bucket is next, and which threads work on it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "backends/cpu/searches/bins.hpp"
#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"

namespace mlmq::cpu {

/// Entries that a thread shares with the others in a phase. Everything except the cursor is constant during the phase.
struct alignas(separation) shared_entries {
  std::uint64_t bucket = bins::none;  ///< bucket of the entries; the thread has none in lower buckets
  const entry* entries = nullptr;
  std::size_t count = 0;
  std::size_t expanded = 0;  ///< entries that the thread expanded in the previous phase
  bool stopping = false;
  alignas(separation) std::atomic<std::size_t> cursor = 0;  ///< entries before it are taken
};

/// State of one thread, kept between searches.
struct alignas(separation) bucket_member {
  bins queue;
  // Phases alternate between two copies, because a thread may still read those of the last phase while the next is
  // prepared.
  std::array<shared_entries, 2> shared;
  std::array<entry_buffer<entry>, 2> shared_buffers;
  entry_buffer<entry> alone;  ///< entries that are expanded without the other threads
  std::size_t expanded = 0;   ///< entries since the last phase began
  unsigned relaxed_chunks = 0;
  work_counts counts;
};

/// Runs one search of Δ-stepping.
///
/// The calling thread starts alone, because a phase of all threads costs microseconds. When buckets become large enough
/// for sharing, all threads work in phases on the lowest bucket of any thread: each thread shares its entries, takes
/// chunks of them, and then chunks of the others, with one barrier per phase. When buckets become small again, one
/// thread takes over. `fusion` 0 shares every bucket.
///
/// @tparam Relaxation  has `relax(entries, bucket, member, is_alone)`, which expands entries, pushes improved vertices
/// to member.queue, and may use plain stores if `is_alone`; and `fill(first, last)`, which writes "no path" as the
/// distances of these vertices
/// @tparam Member  derives from bucket_member
template <class Relaxation, class Member, bool Counting>
class bucket_phases {
 public:
  /// All arguments must outlive this object.
  bucket_phases(thread_team& team, const search_request& request, std::span<const std::unique_ptr<Member>> members,
                std::size_t distance_bytes, Relaxation& relaxation, stop_signal& stop)
      : team_(team),
        request_(request),
        members_(members),
        distance_bytes_(distance_bytes),
        relaxation_(relaxation),
        stop_(stop),
        worth_sharing_(entries_worth_sharing(team.size(), request.graph)) {}

  /// @param start  called when all distances are "no path"; writes the distances of the vertices where the search
  ///     begins and pushes their entries to the member's bins
  template <class Start>
  void run(Start&& start) {
    for (const auto& member : members_) {
      member->queue.clear();
      member->expanded = 0;
      member->counts = {};
    }
    fill();
    start(*members_.front());
    const bool shares_always = request_.fusion == 0 && team_.size() > 1;
    for (;;) {
      if (!shares_always && !run_alone(*members_.front())) return;
      are_small_ = false;
      team_.run([this](unsigned rank) {
        unsigned small_phases = 0;
        for (unsigned phase = 0; run_phase(rank, phase, small_phases); ++phase) {
        }
      });
      if (!are_small_) return;
      Member& first = *members_.front();
      for (const auto& member : members_.subspan(1)) {
        member->queue.take_all([&](std::uint64_t bucket, entry e) { first.queue.push(bucket, e); });
      }
    }
  }

 private:
  /// Number of successive phases not worth sharing before one thread takes over: about the cost of the switch.
  static constexpr unsigned most_small_phases = 4;
  /// Below this size, one thread fills the distances faster than all threads can synchronise.
  static constexpr std::size_t shared_fill_bytes = std::size_t{1} << 18;

  /// Returns the number of entries of a bucket above which sharing pays; the largest number if it never does.
  ///
  /// A phase costs about 1 µs plus 0.5 µs per thread; the estimate is doubled, because threads may synchronise more
  /// slowly on other machines. An entry of a graph in the caches costs 20 ns plus 2 ns per edge, and twice as much when
  /// shared, because cache lines move between processors. Larger graphs wait for memory in any case.
  static std::size_t entries_worth_sharing(unsigned threads, const search_graph& graph) {
    const double edges = static_cast<double>(graph.csr == nullptr ? 0 : graph.csr->edge_count());
    const double degree = edges / std::max<double>(1, graph.vertices);
    const bool is_cached = graph.vertices + edges < 1 << 20;
    const double entry_ns = is_cached ? 20 + 2 * degree : 50 + 4 * degree;
    const double sharing_factor = is_cached ? 2.0 : 1.4;
    const double saved_ns = entry_ns * (1 - sharing_factor / threads);
    if (saved_ns <= 0) return std::numeric_limits<std::size_t>::max() / 4;
    const double phase_ns = 2 * (1000.0 + 500.0 * threads);
    return static_cast<std::size_t>(std::max(4.0 * threads, phase_ns / saved_ns));
  }

  void fill() {
    const std::size_t vertices = request_.graph.vertices;
    if (team_.size() == 1 || vertices * distance_bytes_ < shared_fill_bytes) return relaxation_.fill(0, vertices);
    team_.run([&](unsigned rank) {
      const thread_team::slice part = team_.slice_of(rank, vertices, distance_bytes_);
      relaxation_.fill(part.first, part.last);
    });
  }

  /// Works on the calling thread. Returns true when all threads should take over, false at the end of the search.
  bool run_alone(Member& me) {
    const bool may_share = team_.size() > 1;
    bool was_large = false;
    for (unsigned buckets = 0;; ++buckets) {
      if (buckets % 16 == 0) stop_.poll();
      if (stop_.is_set()) return false;
      const std::uint64_t bucket = me.queue.lowest();
      if (bucket == bins::none) return false;
      me.queue.advance(bucket);
      std::size_t expanded = 0;
      while (const std::size_t count = me.queue.size(bucket)) {
        if (may_share && count >= worth_sharing_) return true;
        me.alone.clear();
        me.queue.exchange(bucket, me.alone);
        relaxation_.relax({me.alone.data(), count}, bucket, me, true);
        if (stop_.is_set()) return false;
        expanded += count;
      }
      // On graphs like road networks, whose entries come one after the other, many more such buckets follow.
      const bool is_large = may_share && expanded >= 2 * worth_sharing_;
      if (is_large && was_large) return true;
      was_large = is_large;
    }
  }

  /// Runs one phase of all threads. Returns false when all of them should leave: at the end of the search, or with
  /// are_small_ set.
  /// @param small_phases  number of successive phases that were not worth sharing
  bool run_phase(unsigned rank, unsigned phase, unsigned& small_phases) {
    Member& me = *members_[rank];
    const unsigned side = phase % 2;
    stop_.poll();
    share(me, side);
    team_.barrier();

    // All threads make the same decision from the same numbers.
    std::uint64_t bucket = bins::none;
    std::size_t expanded = 0;
    bool stopping = false;
    for (const auto& other : members_) {
      bucket = std::min(bucket, other->shared[side].bucket);
      expanded += other->shared[side].expanded;
      stopping = stopping || other->shared[side].stopping;
    }
    if (stopping || bucket == bins::none) return false;
    std::size_t total = 0;
    for (const auto& other : members_) {
      if (other->shared[side].bucket == bucket) total += other->shared[side].count;
    }
    const bool is_small = request_.fusion > 0 && phase > 0 && std::max(expanded, total) < worth_sharing_;
    small_phases = is_small ? small_phases + 1 : 0;
    const bool leaves = small_phases > most_small_phases;
    if (leaves || me.shared[side].bucket != bucket) me.queue.exchange(me.shared[side].bucket, me.shared_buffers[side]);
    if (leaves) {
      if (rank == 0) are_small_ = true;
      return false;
    }
    me.queue.advance(bucket);

    // Chunks are small enough that the last ones end at about the same time, and large enough to amortise a claim.
    const std::size_t fair = std::max<std::size_t>(total / (4 * members_.size()), 8);
    const std::size_t chunk = std::min<std::size_t>(fair, request_.chunk);
    for (unsigned i = 0; i < team_.size(); ++i) {
      take_from(members_[(rank + i) % team_.size()]->shared[side], bucket, chunk, me);
    }
    continue_alone(bucket, me);
    return true;
  }

  void share(Member& me, unsigned side) {
    shared_entries& shared = me.shared[side];
    entry_buffer<entry>& entries = me.shared_buffers[side];
    entries.clear();
    shared.bucket = me.queue.lowest();
    if (shared.bucket != bins::none) me.queue.exchange(shared.bucket, entries);
    shared.entries = entries.data();
    shared.count = entries.size();
    shared.expanded = std::exchange(me.expanded, 0);
    shared.stopping = stop_.is_set();
    shared.cursor.store(0, std::memory_order_relaxed);
  }

  void take_from(shared_entries& shared, std::uint64_t bucket, std::size_t chunk, Member& me) {
    if (shared.bucket != bucket) return;
    // Threads no longer write a cursor that has passed the end.
    while (shared.cursor.load(std::memory_order_relaxed) < shared.count && !stop_.is_set()) {
      const std::size_t first = shared.cursor.fetch_add(chunk, std::memory_order_relaxed);
      if constexpr (Counting) ++me.counts.queue_atomics;
      if (first >= shared.count) return;
      const std::size_t count = std::min(chunk, shared.count - first);
      relaxation_.relax({shared.entries + first, count}, bucket, me, false);
      me.expanded += count;
    }
  }

  /// Expands the current bucket alone while it has too little work for synchronising with the others.
  void continue_alone(std::uint64_t bucket, Member& me) {
    for (;;) {
      const std::size_t count = me.queue.size(bucket);
      if (count == 0 || count >= request_.fusion || stop_.is_set()) return;
      me.alone.clear();
      me.queue.exchange(bucket, me.alone);
      relaxation_.relax({me.alone.data(), count}, bucket, me, false);
      me.expanded += count;
    }
  }

  thread_team& team_;
  const search_request& request_;
  std::span<const std::unique_ptr<Member>> members_;
  std::size_t distance_bytes_;
  Relaxation& relaxation_;
  stop_signal& stop_;
  std::size_t worth_sharing_;
  bool are_small_ = false;  ///< whether the last phases were small; written by rank 0 before all threads leave
};

}  // namespace mlmq::cpu
