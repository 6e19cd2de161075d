// SPDX-License-Identifier: Apache-2.0
// Δ-stepping like delta_stepping.hpp. Bins hold only vertices, whose distances are looked up when they are expanded.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "backends/cpu/searches/bucket_phases.hpp"
#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"
#include "backends/cpu/searches/wide/wide_search.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::cpu {
namespace {

using traits = graph::weight_traits<graph::weight_type::float64>;
using bits = traits::bits;

/// Maximum number of entries whose rows are looked up together.
constexpr std::size_t most_together = 32;

template <class Rows, bool Counting>
class search {
 public:
  search(thread_team& team, const wide_request& request, std::span<const std::unique_ptr<bucket_member>> members)
      : team_(team),
        search_(request.search),
        distances_(request.distances),
        rows_(search_.graph),
        per_distance_(1.0 / search_.delta),
        members_(members),
        together_(std::clamp<std::size_t>(search_.lookahead, 1, most_together)),
        stop_(search_) {}

  run_status run() {
    bucket_phases<search, bucket_member, Counting> phases(team_, search_, members_, sizeof(bits), *this, stop_);
    phases.run([this](bucket_member& first) {
      distances_[search_.source] = 0;
      first.queue.push(0, search_.source);
      if constexpr (Counting) ++first.counts.updates;
    });
    return stop_.status();
  }

 private:
  friend bucket_phases<search, bucket_member, Counting>;

  void fill(std::size_t first, std::size_t last) { std::fill(distances_ + first, distances_ + last, traits::none); }

  /// Multiplies, which is faster than a division and still monotone. Infinity belongs to the last bucket too.
  [[nodiscard]] std::uint64_t bucket_of(bits distance) const noexcept {
    const double bucket = traits::number(distance) * per_distance_;
    return bucket < 1e18 ? static_cast<std::uint64_t>(bucket) : std::uint64_t{1} << 62;
  }

  [[nodiscard]] std::atomic_ref<bits> distance_of(graph::vertex_id v) const noexcept {
    return std::atomic_ref(distances_[v]);
  }

  void relax(std::span<const entry> entries, std::uint64_t bucket, bucket_member& me, bool is_alone) {
    if (++me.relaxed_chunks % 16 == 0) stop_.poll();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Prefetch the row offsets early, and the edges once the offsets have had time to arrive.
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
      // Vertices that moved to an earlier bucket were expanded with that bucket.
      if (bucket_of(distance) < bucket) {
        if constexpr (Counting) ++me.counts.stale_pops;
        continue;
      }
      for (const wide_edge& edge : rows_.row(v)) {
        if constexpr (Counting) ++me.counts.relaxations;
        const auto target = static_cast<graph::vertex_id>(edge.target);
        const bits offer = traits::extend(distance, edge.weight_bits);
        if (shorten(target, offer, me, is_alone)) me.queue.push(bucket_of(offer), target);
      }
    }
  }

  bool shorten(graph::vertex_id target, bits offer, bucket_member& me, bool is_alone) {
    const std::atomic_ref<bits> distance = distance_of(target);
    bits current = distance.load(std::memory_order_relaxed);
    if (offer >= current) return false;
    if (is_alone) {
      distance.store(offer, std::memory_order_relaxed);
    } else {
      for (;;) {
        if constexpr (Counting) ++me.counts.distance_atomics;
        if (distance.compare_exchange_weak(current, offer, std::memory_order_relaxed)) break;
        if (offer >= current) return false;
      }
    }
    if constexpr (Counting) ++me.counts.updates;
    return true;
  }

  thread_team& team_;
  const search_request& search_;
  bits* distances_;
  Rows rows_;
  double per_distance_;
  std::span<const std::unique_ptr<bucket_member>> members_;
  std::size_t together_;
  alignas(separation) stop_signal stop_;
};

class wide_delta_stepping final : public wide_solver {
 public:
  [[nodiscard]] search_result run(thread_team& team, const wide_request& request) override {
    while (members_.size() < team.size()) members_.push_back(std::make_unique<bucket_member>());
    const auto members = std::span<const std::unique_ptr<bucket_member>>(members_).first(team.size());
    search_result result;
    result.status = with_offsets(request.search.graph, [&]<class Offset>(Offset) {
      if (request.search.count) return search<wide_rows<Offset>, true>(team, request, members).run();
      return search<wide_rows<Offset>, false>(team, request, members).run();
    });
    for (const auto& thread_member : members) result.counts += thread_member->counts;
    return result;
  }

 private:
  std::vector<std::unique_ptr<bucket_member>> members_;
};

}  // namespace

std::unique_ptr<wide_solver> make_wide_delta_stepping() { return std::make_unique<wide_delta_stepping>(); }

}  // namespace mlmq::cpu
