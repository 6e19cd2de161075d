// SPDX-License-Identifier: Apache-2.0
// Δ-stepping as delta_stepping.hpp has it. Bins hold vertices alone: their distances are looked up when they are expanded.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "cpu_solvers/bins.hpp"
#include "cpu_solvers/layout.hpp"
#include "cpu_solvers/stop_signal.hpp"
#include "cpu_solvers/wide/wide_search.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::cpu {
namespace {

using traits = graph::weight_traits<graph::weight_type::float64>;
using bits = traits::bits;

/// Most entries whose rows are looked for together.
constexpr std::size_t most_together = 32;

/// What a thread shows the others in a phase. Everything but the cursor stays as it is until the phase is over.
struct alignas(separation) shown_work {
  std::uint64_t bucket = bins::none;  ///< of the entries; the thread has none in lower buckets
  const entry* entries = nullptr;
  std::size_t count = 0;
  bool stopping = false;
  alignas(separation) std::atomic<std::size_t> cursor = 0;  ///< entries before it are taken
};

/// What belongs to one thread, kept between searches.
struct alignas(separation) member {
  bins own;
  // Phases alternate between two of each: a thread may still read the last phase's when the next one's are prepared.
  std::array<shown_work, 2> shown;
  std::array<entry_buffer, 2> shown_entries;
  entry_buffer alone;  // being worked on without the others
  unsigned relaxed_chunks = 0;
  work_counts counts;
};

template <class Rows, bool Counting>
class search {
 public:
  search(thread_team& team, const wide_request& request, std::span<const std::unique_ptr<member>> members)
      : team_(team),
        asked_(request.search),
        distances_(request.distances),
        rows_(asked_.graph),
        per_distance_(1.0 / asked_.delta),
        members_(members),
        together_(std::clamp<std::size_t>(asked_.lookahead, 1, most_together)),
        alone_(team.size() == 1),
        stop_(asked_) {}

  run_status run() {
    team_.run([this](unsigned rank) { work(rank); });
    return stop_.status();
  }

 private:
  /// A product, since divisions are slow, and monotone all the same. Infinity belongs into the last one too.
  [[nodiscard]] std::uint64_t bucket_of(bits distance) const noexcept {
    const double bucket = traits::number(distance) * per_distance_;
    return bucket < 1e18 ? static_cast<std::uint64_t>(bucket) : std::uint64_t{1} << 62;
  }

  [[nodiscard]] std::atomic_ref<bits> distance_of(graph::vertex_id v) const noexcept {
    return std::atomic_ref(distances_[v]);
  }

  void work(unsigned rank) {
    member& me = *members_[rank];
    me.own.clear();
    for (entry_buffer& entries : me.shown_entries) entries.clear();
    me.alone.clear();
    me.counts = {};
    const thread_team::slice part = team_.slice_of(rank, asked_.graph.vertices, sizeof(bits));
    std::fill(distances_ + part.first, distances_ + part.last, traits::none);
    // Nobody reads a distance before the first phase's barrier.
    if (part.first <= asked_.source && asked_.source < part.last) {
      distances_[asked_.source] = 0;
      me.own.push(0, asked_.source);
      if constexpr (Counting) ++me.counts.updates;
    }
    for (unsigned phase = 0; run_phase(rank, phase % 2); ++phase) {
    }
  }

  /// False when the search is over.
  bool run_phase(unsigned rank, unsigned side) {
    member& me = *members_[rank];
    stop_.poll();
    show(me, side);
    team_.barrier();
    std::uint64_t bucket = bins::none;
    bool stopping = false;
    for (const auto& other : members_) {
      bucket = std::min(bucket, other->shown[side].bucket);
      stopping = stopping || other->shown[side].stopping;
    }
    if (stopping || bucket == bins::none) return false;
    std::size_t total = 0;
    for (const auto& other : members_) {
      if (other->shown[side].bucket == bucket) total += other->shown[side].count;
    }
    if (me.shown[side].bucket != bucket) me.own.exchange(me.shown[side].bucket, me.shown_entries[side]);
    me.own.advance(bucket);
    // Small enough that the last chunks end at about the same time, and large enough to be worth a claim.
    const std::size_t fair = std::max<std::size_t>(total / (4 * members_.size()), 8);
    const std::size_t chunk = std::min<std::size_t>(fair, asked_.chunk);
    for (unsigned i = 0; i < team_.size(); ++i) {
      take_from(members_[(rank + i) % team_.size()]->shown[side], bucket, chunk, me);
    }
    go_on_alone(bucket, me);
    return true;
  }

  void show(member& me, unsigned side) {
    shown_work& shown = me.shown[side];
    entry_buffer& entries = me.shown_entries[side];
    entries.clear();
    shown.bucket = me.own.lowest();
    if (shown.bucket != bins::none) me.own.exchange(shown.bucket, entries);
    shown.entries = entries.data();
    shown.count = entries.size();
    shown.stopping = stop_.is_set();
    shown.cursor.store(0, std::memory_order_relaxed);
  }

  void take_from(shown_work& shown, std::uint64_t bucket, std::size_t chunk, member& me) {
    if (shown.bucket != bucket) return;
    // Looking first: a cursor that has passed the end is not written again.
    while (shown.cursor.load(std::memory_order_relaxed) < shown.count && !stop_.is_set()) {
      const std::size_t first = shown.cursor.fetch_add(chunk, std::memory_order_relaxed);
      if constexpr (Counting) ++me.counts.queue_atomics;
      if (first >= shown.count) return;
      expand({shown.entries + first, std::min(chunk, shown.count - first)}, bucket, me);
    }
  }

  /// Empties the present bucket while that is too little work to meet the others for.
  void go_on_alone(std::uint64_t bucket, member& me) {
    for (;;) {
      const std::size_t count = me.own.size(bucket);
      if (count == 0 || count >= asked_.fusion || stop_.is_set()) return;
      me.alone.clear();
      me.own.exchange(bucket, me.alone);
      expand({me.alone.data(), count}, bucket, me);
    }
  }

  void expand(std::span<const entry> entries, std::uint64_t bucket, member& me) {
    if (++me.relaxed_chunks % 16 == 0) stop_.poll();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Rows are asked for early, edges when the row's place has had time to arrive.
      if (i % together_ == 0) {
        for (const entry e : entries.subspan(i, std::min(together_, entries.size() - i))) {
          rows_.prefetch_row(vertex_of(e));
          __builtin_prefetch(distances_ + vertex_of(e));
        }
      }
      if (i + 1 < entries.size()) rows_.prefetch_edges(vertex_of(entries[i + 1]));
      const graph::vertex_id v = vertex_of(entries[i]);
      const bits distance = distance_of(v).load(std::memory_order_relaxed);
      if constexpr (Counting) ++me.counts.pops;
      // What has come to belong to an earlier bucket was expanded with it.
      if (bucket_of(distance) < bucket) {
        if constexpr (Counting) ++me.counts.stale_pops;
        continue;
      }
      for (const wide_edge& edge : rows_.row(v)) {
        if constexpr (Counting) ++me.counts.relaxations;
        const auto target = static_cast<graph::vertex_id>(edge.target);
        const bits offer = traits::extend(distance, edge.weight_bits);
        if (shorten(target, offer, me)) me.own.push(bucket_of(offer), target);
      }
    }
  }

  bool shorten(graph::vertex_id target, bits offer, member& me) {
    const std::atomic_ref<bits> distance = distance_of(target);
    bits known = distance.load(std::memory_order_relaxed);
    if (offer >= known) return false;
    if (alone_) {
      distance.store(offer, std::memory_order_relaxed);
    } else {
      for (;;) {
        if constexpr (Counting) ++me.counts.distance_atomics;
        if (distance.compare_exchange_weak(known, offer, std::memory_order_relaxed)) break;
        if (offer >= known) return false;
      }
    }
    if constexpr (Counting) ++me.counts.updates;
    return true;
  }

  thread_team& team_;
  const search_request& asked_;
  bits* distances_;
  Rows rows_;
  double per_distance_;
  std::span<const std::unique_ptr<member>> members_;
  std::size_t together_;
  bool alone_;
  alignas(separation) stop_signal stop_;
};

class wide_delta_stepping final : public wide_solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const wide_request& request) override {
    while (members_.size() < team.size()) members_.push_back(std::make_unique<member>());
    const auto members = std::span<const std::unique_ptr<member>>(members_).first(team.size());
    search_result result;
    result.status = with_offsets(request.search.graph, [&]<class Offset>(Offset) {
      if (request.search.count) return search<wide_rows<Offset>, true>(team, request, members).run();
      return search<wide_rows<Offset>, false>(team, request, members).run();
    });
    for (const auto& one : members) result.counts += one->counts;
    return result;
  }

 private:
  std::vector<std::unique_ptr<member>> members_;
};

}  // namespace

std::unique_ptr<wide_solver> make_wide_delta_stepping() { return std::make_unique<wide_delta_stepping>(); }

}  // namespace mlmq::cpu
