// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/delta_stepping.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <type_traits>

#include "backends/cpu/searches/bucket_phases.hpp"
#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"

namespace mlmq::cpu {
namespace {

/// Maximum number of entries whose rows are looked up together.
constexpr std::size_t most_together = 32;
/// Number of improvements that are collected before they are applied.
constexpr std::size_t most_offers = 256;

/// Prefetches a cache line for writing. The compiler's builtin would only prefetch it for reading when targeting old
/// processors.
void prefetch_for_writing(const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Edges of one vertex that are to be relaxed.
template <class Bits>
struct row {
  Bits distance = 0;  ///< distance of the vertex
  const void* begin = nullptr;
  const void* end = nullptr;
};

/// Returns the entry of an offer for the bins. Only the vertex of an entry in the bins is read, since the current
/// distance is looked up. Wide distances therefore need not fit into an entry.
constexpr entry binned(entry e) noexcept { return e; }
constexpr entry binned(const wide_entry& e) noexcept { return e.vertex; }

/// Converts distances to bucket numbers, by a multiplication, which is faster than a division and still monotone.
template <class Traits>
class bucket_scale {
 public:
  explicit bucket_scale(double delta) noexcept : per_distance_(static_cast<scalar>(1.0 / delta)) {}

  [[nodiscard]] std::uint64_t operator()(typename Traits::bits distance) const noexcept {
    const scalar bucket = number(distance) * per_distance_;
    // Infinity is assigned to the last bucket.
    return bucket < scalar{1e18F} ? static_cast<std::uint64_t>(bucket) : last;
  }

 private:
  static constexpr bool whole = Traits::type == graph::weight_type::uint32;
  using scalar = std::conditional_t<whole, double, typename Traits::weight>;
  static constexpr std::uint64_t last = std::uint64_t{1} << 62;

  static scalar number(typename Traits::bits distance) noexcept {
    if constexpr (whole) {
      return static_cast<double>(distance);
    } else {
      return std::bit_cast<scalar>(distance);
    }
  }

  scalar per_distance_;
};

}  // namespace

template <class Bits>
struct alignas(separation) delta_stepping::member : bucket_member {
  std::array<row<Bits>, most_together + 1> rows;
  std::array<entry_of<Bits>, most_offers + 1> offers;
};

delta_stepping::delta_stepping() = default;
delta_stepping::~delta_stepping() = default;

template <class Layout, bool Counting>
class delta_stepping::search {
 public:
  using bits = typename Layout::bits;
  using thread_state = member<bits>;

  search(thread_team& team, const search_request& request, std::span<const std::unique_ptr<thread_state>> members)
      : team_(team),
        request_(request),
        graph_(request.graph),
        bucket_of_(request.delta),
        members_(members),
        together_(std::clamp<std::size_t>(request.lookahead, 1, most_together)),
        stop_(request) {}

  run_status run() {
    bucket_phases<search, thread_state, Counting> phases(team_, request_, members_, sizeof(bits), *this, stop_);
    phases.run([this](thread_state& first) {
      begin_search<bits>(request_, [&](graph::vertex_id vertex, bits distance) {
        distances()[vertex] = distance;
        first.queue.push(bucket_of_(distance), binned(make_entry(distance, vertex)));
        if constexpr (Counting) ++first.counts.updates;
      });
    });
    return stop_.status();
  }

 private:
  friend bucket_phases<search, thread_state, Counting>;

  void fill(std::size_t first, std::size_t last) {
    std::fill(distances() + first, distances() + last, Layout::traits::none);
  }

  void relax(std::span<const entry> entries, std::uint64_t bucket, thread_state& me, bool is_alone) {
    if (++me.relaxed_chunks % 16 == 0) stop_.poll();
    for (const entry e : entries.first(std::min(together_, entries.size()))) prefetch(e);
    while (!entries.empty()) {
      const auto batch = entries.first(std::min(together_, entries.size()));
      entries = entries.subspan(batch.size());
      // Prefetch the next entries while these are relaxed.
      for (const entry e : entries.first(std::min(together_, entries.size()))) prefetch(e);
      relax_rows(find_rows(batch, bucket, me), me, is_alone);
    }
  }

  /// Returns the rows of the entries whose vertices still belong to this bucket, each with the current distance of its
  /// vertex. Here and below, results of unpredictable comparisons are always stored but only conditionally counted,
  /// which is cheaper than a mispredicted branch.
  std::size_t find_rows(std::span<const entry> entries, std::uint64_t bucket, thread_state& me) {
    std::size_t count = 0;
    for (const entry e : entries) {
      const graph::vertex_id v = vertex_of(e);
      const auto* const begin = graph_.row_begin(v);
      __builtin_prefetch(begin);
      // Use the current distance immediately, even if a later entry of the same vertex has it.
      const bits distance = word(v).load(std::memory_order_relaxed);
      me.rows[count] = {.distance = distance, .begin = begin, .end = graph_.row_end(v)};
      // Vertices that moved to an earlier bucket were expanded with that bucket.
      count += bucket_of_(distance) >= bucket ? 1 : 0;
    }
    if constexpr (Counting) {
      me.counts.pops += entries.size();
      me.counts.stale_pops += entries.size() - count;
    }
    return count;
  }

  void relax_rows(std::size_t rows, thread_state& me, bool is_alone) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const bits distance = me.rows[i].distance;
      const auto* edge = static_cast<const typename Layout::edge_word*>(me.rows[i].begin);
      const auto* const end = static_cast<const typename Layout::edge_word*>(me.rows[i].end);
      if constexpr (Counting) me.counts.relaxations += static_cast<std::uint64_t>(end - edge);
      while (edge != end) {
        const auto* const until =
            edge + std::min<std::ptrdiff_t>(end - edge, static_cast<std::ptrdiff_t>(most_offers - count));
        for (; edge != until; ++edge) {
          const graph::vertex_id target = Layout::target(*edge);
          const bits offer = Layout::extend(distance, *edge);
          me.offers[count] = make_entry(offer, target);
          count += offer < word(target).load(std::memory_order_relaxed) ? 1 : 0;
        }
        if (count == most_offers) {
          accept({me.offers.data(), count}, me, is_alone);
          count = 0;
        }
      }
    }
    accept({me.offers.data(), count}, me, is_alone);
  }

  void accept(std::span<const entry_of<bits>> better, thread_state& me, bool is_alone) {
    // A compare-and-swap waits for its cache line and blocks later instructions, so all lines are prefetched first.
    if (!is_alone) {
      for (const auto e : better) prefetch_for_writing(distances() + vertex_of(e));
    }
    for (const auto e : better) {
      if (shorten(vertex_of(e), distance_of(e), me, is_alone)) me.queue.push(bucket_of_(distance_of(e)), binned(e));
    }
  }

  bool shorten(graph::vertex_id target, bits offer, thread_state& me, bool is_alone) {
    const std::atomic_ref<bits> distance = word(target);
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

  [[nodiscard]] bits* distances() const noexcept { return Layout::distances_of(request_); }
  [[nodiscard]] std::atomic_ref<bits> word(graph::vertex_id v) const noexcept {
    return std::atomic_ref(distances()[v]);
  }
  void prefetch(entry e) const noexcept {
    graph_.prefetch_row(vertex_of(e));
    __builtin_prefetch(distances() + vertex_of(e));
  }

  thread_team& team_;
  const search_request& request_;
  Layout graph_;
  bucket_scale<typename Layout::traits> bucket_of_;
  std::span<const std::unique_ptr<thread_state>> members_;
  std::size_t together_;
  alignas(separation) stop_signal stop_;
};

template <class Bits>
search_result delta_stepping::run_for(thread_team& team, const search_request& request) {
  using thread_state = member<Bits>;
  auto& states = std::get<member_list<Bits>>(members_);
  while (states.size() < team.size()) states.push_back(std::make_unique<thread_state>());
  const auto members = std::span<const std::unique_ptr<thread_state>>(states).first(team.size());
  search_result result;
  result.status = with_layout_of<Bits>(request.graph, [&]<class Layout>(const Layout&) {
    if (request.count) return search<Layout, true>(team, request, members).run();
    return search<Layout, false>(team, request, members).run();
  });
  for (const auto& thread_member : members) result.counts += thread_member->counts;
  return result;
}

search_result delta_stepping::run(thread_team& team, const search_request& request) {
  return has_wide_distances(request.graph) ? run_for<graph::wide_distance_bits>(team, request)
                                           : run_for<graph::distance_bits>(team, request);
}

}  // namespace mlmq::cpu
