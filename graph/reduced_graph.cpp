// SPDX-License-Identifier: Apache-2.0
#include "graph/reduced_graph.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

constexpr std::size_t core_rows_of_job = 16'384;
constexpr std::size_t fragments_of_job = 4'096;

/// Returns the length of a path that consists of two; none if one of them is missing.
template <class Traits>
[[nodiscard]] typename Traits::bits joined(typename Traits::bits first, typename Traits::bits second) {
  return first == Traits::none || second == Traits::none ? Traits::none : Traits::extend(first, second);
}

template <class Bits>
void lower(Bits& length, Bits other) {
  length = std::min(length, other);
}

/// Returns whether a length is a weight of a valid graph.
template <class Traits>
[[nodiscard]] bool is_weight(typename Traits::bits length) {
  if constexpr (Traits::type == weight_type::uint32) {
    return length <= largest_weight;
  } else {
    using weight = typename Traits::weight;
    return length < std::bit_cast<typename Traits::bits>(std::numeric_limits<weight>::infinity());
  }
}

/// A path between the ends of a fragment, which becomes an edge of the core.
template <class Bits>
struct core_edge {
  vertex_id source;
  vertex_id target;
  Bits length;
};

/// Makes the core. Of parallel edges, only the shortest stays.
/// @param added  by source
template <class Traits>
csr_graph core_of(const csr_graph& graph, const reduction& reduced,
                  const std::vector<core_edge<typename Traits::bits>>& added, thread_team& team) {
  using bits = typename Traits::bits;
  const std::span<const edge_offset> offsets = graph.offsets();
  const std::span<const vertex_id> targets = graph.targets();
  const std::span<const bits> weights = Traits::weights_of(graph);
  const std::vector<vertex_id>& core = reduced.core();
  std::vector<std::size_t> added_begin(core.size() + 1, 0);
  for (const core_edge<bits>& edge : added) ++added_begin[edge.source + std::size_t{1}];
  std::partial_sum(added_begin.begin(), added_begin.end(), added_begin.begin());

  struct block_rows {
    std::vector<vertex_id> targets;
    std::vector<typename Traits::weight> weights;
  };
  std::vector<block_rows> blocks((core.size() + core_rows_of_job - 1) / core_rows_of_job);
  std::vector<edge_offset> sizes(core.size() + 1, 0);
  team.run_blocks(core.size(), core_rows_of_job, [&](std::size_t index, std::size_t first, std::size_t last) {
    block_rows& block = blocks[index];
    std::vector<std::pair<vertex_id, bits>> row;
    for (std::size_t i = first; i < last; ++i) {
      row.clear();
      for (edge_offset e = offsets[core[i]]; e < offsets[core[i] + std::size_t{1}]; ++e) {
        const std::uint32_t place = reduced.place(targets[e]);
        if (reduction::is_in_core(place) && targets[e] != core[i]) {
          row.emplace_back(place & ~reduction::core_flag, weights[e]);
        }
      }
      for (std::size_t e = added_begin[i]; e < added_begin[i + 1]; ++e)
        row.emplace_back(added[e].target, added[e].length);
      std::ranges::sort(row);
      const auto duplicates = std::ranges::unique(row, {}, &std::pair<vertex_id, bits>::first);
      row.erase(duplicates.begin(), duplicates.end());
      for (const auto& [target, length] : row) {
        block.targets.push_back(target);
        block.weights.push_back(std::bit_cast<typename Traits::weight>(length));
      }
      sizes[i + 1] = row.size();
    }
  });
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  std::vector<vertex_id> core_targets(sizes.back());
  std::vector<typename Traits::weight> core_weights(sizes.back());
  team.run(blocks.size(), [&](std::size_t index) {
    const auto begin = static_cast<std::ptrdiff_t>(sizes[index * core_rows_of_job]);
    std::ranges::copy(blocks[index].targets, core_targets.begin() + begin);
    std::ranges::copy(blocks[index].weights, core_weights.begin() + begin);
  });
  return csr_graph(std::move(sizes), std::move(core_targets), std::move(core_weights))
      .with_decimal_places(graph.decimal_places());
}

/// Computes the lengths between eliminated vertices and their neighbours, and from these the rows of all vertices.
template <class Traits>
class length_computation {
 public:
  using bits = typename Traits::bits;

  length_computation(const csr_graph& graph, const reduction& reduced, uninitialized_vector<fill_row<bits>>& rows)
      : graph_(graph), reduction_(reduced), width_(reduced.width()), rows_(rows) {}

  /// @return the edges that the core has in place of fragments, by source
  [[nodiscard]] std::vector<core_edge<bits>> run(thread_team& team) {
    const std::size_t count = reduction_.eliminated_count();
    to_neighbours_.resize(count * width_);
    from_neighbours_.resize(count * width_);
    rows_.resize(reduction_.vertex_count() * width_ / 2);
    team.run_blocks(count * width_, core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) to_neighbours_[i] = from_neighbours_[i] = Traits::none;
    });
    // A row writes the lengths of its own edges only, in each of the two arrays.
    team.run_blocks(graph_.vertex_count(), core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t v = first; v < last; ++v) take_edges(static_cast<vertex_id>(v));
    });
    team.run_blocks(reduction_.core_size(), core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const vertex_id none = reduction_.core_size();
        const auto rows = rows_of(reduction_.core()[i]);
        std::ranges::fill(rows, fill_row<bits>{.ends = {none, none}, .lengths = {0, 0}});
        rows.front().ends[0] = static_cast<vertex_id>(i);
      }
    });
    const std::size_t fragments = reduction_.fragment_count();
    std::vector<std::vector<core_edge<bits>>> across((fragments + fragments_of_job - 1) / fragments_of_job);
    team.run_blocks(fragments, fragments_of_job, [&](std::size_t index, std::size_t first, std::size_t last) {
      std::vector<bits> from_ends(width_);
      for (std::size_t i = first; i < last; ++i) {
        eliminate(i, across[index]);
        make_rows(i, from_ends);
      }
    });
    return by_source(across);
  }

 private:
  /// Returns the index of the lengths between an eliminated vertex and one of its neighbours.
  [[nodiscard]] std::size_t index_of(std::uint32_t position, std::uint32_t neighbour) const {
    const std::span<const std::uint32_t> neighbours = reduction_.neighbours_of(position);
    std::size_t index = 0;
    while (neighbours[index] != neighbour) ++index;
    return position * width_ + index;
  }
  [[nodiscard]] std::span<fill_row<bits>> rows_of(vertex_id v) {
    return std::span(rows_.data() + v * width_ / 2, width_ / 2);
  }

  void take_edges(vertex_id v) {
    const std::span<const bits> weights = Traits::weights_of(graph_);
    const std::uint32_t source = reduction_.place(v);
    for (edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + std::size_t{1}]; ++e) {
      const std::uint32_t target = reduction_.place(graph_.targets()[e]);
      if (source == target || (reduction::is_in_core(source) && reduction::is_in_core(target))) continue;
      if (source < target) {
        lower(to_neighbours_[index_of(source, target)], weights[e]);
      } else {
        lower(from_neighbours_[index_of(target, source)], weights[e]);
      }
    }
  }

  /// Adds the paths through each vertex of a fragment to the lengths between its neighbours.
  /// @param across  receives the paths between vertices of the core
  void eliminate(std::size_t fragment, std::vector<core_edge<bits>>& across) {
    for (std::uint32_t i = reduction_.first_of(fragment); i < reduction_.first_of(fragment + 1); ++i) {
      const std::span<const std::uint32_t> neighbours = reduction_.neighbours_of(i);
      const bits* const away = to_neighbours_.data() + i * width_;
      const bits* const towards = from_neighbours_.data() + i * width_;
      for (std::size_t b = 1; b < width_ && neighbours[b] != reduction::no_neighbour; ++b) {
        for (std::size_t a = 0; a < b; ++a) {
          const bits forward = joined<Traits>(towards[a], away[b]);
          const bits back = joined<Traits>(towards[b], away[a]);
          if (reduction::is_in_core(neighbours[a])) {
            const vertex_id first = neighbours[a] & ~reduction::core_flag;
            const vertex_id second = neighbours[b] & ~reduction::core_flag;
            if (forward != Traits::none) across.push_back({first, second, forward});
            if (back != Traits::none) across.push_back({second, first, back});
          } else {
            const std::size_t index = index_of(neighbours[a], neighbours[b]);
            lower(to_neighbours_[index], forward);
            lower(from_neighbours_[index], back);
          }
        }
      }
    }
  }

  /// Makes the rows of the vertices of a fragment. @param from_ends  memory for width_ lengths
  void make_rows(std::size_t fragment, std::span<bits> from_ends) {
    const std::span<const std::uint32_t> ends = reduction_.ends_of(fragment);
    for (std::uint32_t i = reduction_.first_of(fragment + 1); i-- > reduction_.first_of(fragment);) {
      std::ranges::fill(from_ends, Traits::none);
      for (std::size_t j = 0; j < width_; ++j) {
        const std::uint32_t neighbour = reduction_.neighbours_of(i)[j];
        const bits step = from_neighbours_[i * width_ + j];
        if (neighbour == reduction::no_neighbour) break;
        if (reduction::is_in_core(neighbour)) {
          lower(from_ends[static_cast<std::size_t>(std::ranges::find(ends, neighbour) - ends.begin())], step);
          continue;
        }
        const std::span<const fill_row<bits>> rows = rows_of(reduction_.eliminated()[neighbour]);
        for (std::size_t k = 0; k < width_; ++k) {
          const fill_row<bits>& row = rows[k / 2];
          if (row.ends[k % 2] != reduction_.core_size()) {
            lower(from_ends[k], joined<Traits>(row.lengths[k % 2], step));
          }
        }
      }
      const std::span<fill_row<bits>> rows = rows_of(reduction_.eliminated()[i]);
      for (std::size_t k = 0; k < width_; ++k) {
        const bool is_reached = from_ends[k] != Traits::none;
        rows[k / 2].ends[k % 2] = is_reached ? ends[k] & ~reduction::core_flag : reduction_.core_size();
        rows[k / 2].lengths[k % 2] = is_reached ? from_ends[k] : 0;
      }
    }
  }

  /// Joins lists of edges. @throws input_error if one is too long for a weight
  [[nodiscard]] std::vector<core_edge<bits>> by_source(const std::vector<std::vector<core_edge<bits>>>& lists) const {
    std::vector<std::size_t> next(reduction_.core_size() + std::size_t{1}, 0);
    for (const core_edge<bits>& edge : std::views::join(lists)) {
      if (!is_weight<Traits>(edge.length)) {
        throw input_error("the graph cannot be reduced: the length of a chain is too long for a weight");
      }
      ++next[edge.source + std::size_t{1}];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<core_edge<bits>> edges(next.back());
    for (const core_edge<bits>& edge : std::views::join(lists)) edges[next[edge.source]++] = edge;
    return edges;
  }

  const csr_graph& graph_;
  const reduction& reduction_;
  const std::size_t width_;
  uninitialized_vector<fill_row<bits>>& rows_;
  // By position of an eliminated vertex, width_ lengths to or from its neighbours when it is eliminated.
  uninitialized_vector<bits> to_neighbours_;
  uninitialized_vector<bits> from_neighbours_;
};

/// Calls `visit` with the traits of a weight type whose distances have these bits.
template <class Bits, class Visit>
decltype(auto) with_traits_of(weight_type type, const Visit& visit) {
  if constexpr (std::is_same_v<Bits, wide_distance_bits>) {
    return visit(weight_traits<weight_type::float64>());
  } else if (type == weight_type::uint32) {
    return visit(weight_traits<weight_type::uint32>());
  } else {
    return visit(weight_traits<weight_type::float32>());
  }
}

/// Vertices that have become nearer: a queue, which suits trees and chains, or, once more vertices are taken than these
/// explain, a heap.
template <class Bits>
class pending_lengths {
 public:
  void push(Bits length, vertex_id v) {
    entries_.emplace_back(length, v);
    if (is_heap_) std::ranges::push_heap(entries_, std::greater());
  }
  /// Returns nothing if there are none.
  [[nodiscard]] std::optional<std::pair<Bits, vertex_id>> pop() {
    if (!is_heap_ && next_ == most_in_queue) {
      is_heap_ = true;
      entries_.erase(entries_.begin(), entries_.begin() + most_in_queue);
      std::ranges::make_heap(entries_, std::greater());
    }
    if (!is_heap_) return next_ < entries_.size() ? std::optional(entries_[next_++]) : std::nullopt;
    if (entries_.empty()) return std::nullopt;
    std::ranges::pop_heap(entries_, std::greater());
    const std::pair<Bits, vertex_id> least = entries_.back();
    entries_.pop_back();
    return least;
  }

 private:
  static constexpr std::ptrdiff_t most_in_queue = 4096;

  std::vector<std::pair<Bits, vertex_id>> entries_;
  std::size_t next_ = 0;
  bool is_heap_ = false;
};

}  // namespace

reduced_graph::reduced_graph(std::shared_ptr<const reduction> reduced, const csr_graph& graph, thread_team& team)
    : reduction_(std::move(reduced)) {
  with_weight_traits(graph.weights(), [&]<class Traits>(Traits) { compute_rows<Traits>(graph, team); });
}

template <class Traits>
void reduced_graph::compute_rows(const csr_graph& graph, thread_team& team) {
  auto& rows = rows_.emplace<uninitialized_vector<fill_row<typename Traits::bits>>>();
  const auto added = length_computation<Traits>(graph, *reduction_, rows).run(team);
  core_ = core_of<Traits>(graph, *reduction_, added, team);
}

template <class Bits>
start_finder<Bits>::start_finder(const csr_graph& graph, std::span<const std::uint32_t> places)
    : graph_(graph), places_(places), lengths_(graph.vertex_count(), static_cast<Bits>(-1)) {}

template <class Bits>
const core_start<Bits>& start_finder<Bits>::find(std::span<const seed_vertex> seeds) {
  for (const auto& [v, length] : start_.inside) lengths_[v] = static_cast<Bits>(-1);
  start_.seeds.clear();
  start_.inside.clear();
  start_.offset = 0;
  search_fragments(seeds);
  std::ranges::sort(start_.seeds, {}, &seed_vertex::distance);
  // Floats would be rounded.
  if (graph_.weights() == weight_type::uint32 && !start_.seeds.empty()) {
    start_.offset = static_cast<Bits>(start_.seeds.front().distance);
    for (seed_vertex& each : start_.seeds) {
      if (each.distance != saturated_distance) each.distance -= start_.offset;
    }
  }
  return start_;
}

template <class Bits>
void start_finder<Bits>::add_seed(std::uint32_t number, wide_distance_bits distance) {
  // There are only a few.
  const auto end = std::ranges::find(start_.seeds, number, &seed_vertex::vertex);
  if (end == start_.seeds.end()) {
    start_.seeds.push_back({number, distance});
  } else {
    end->distance = std::min<decltype(end->distance)>(end->distance, distance);
  }
}

template <class Bits>
void start_finder<Bits>::search_fragments(std::span<const seed_vertex> seeds) {
  with_traits_of<Bits>(graph_.weights(), [&]<class Traits>(Traits) {
    const std::span<const typename Traits::bits> weights = Traits::weights_of(graph_);
    pending_lengths<Bits> pending;
    const auto reach = [&](vertex_id v, Bits length) {
      if (reduction::is_in_core(places_[v])) return add_seed(places_[v] & ~reduction::core_flag, length);
      if (length >= lengths_[v]) return;
      if (lengths_[v] == Traits::none) start_.inside.emplace_back(v, length);
      pending.push(lengths_[v] = length, v);
    };
    for (const seed_vertex& seed : seeds) reach(seed.vertex, static_cast<Bits>(seed.distance));
    while (const auto next = pending.pop()) {
      const auto [length, v] = *next;
      if (length != lengths_[v]) continue;
      for (edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + std::size_t{1}]; ++e) {
        reach(graph_.targets()[e], Traits::extend(length, weights[e]));
      }
    }
    for (auto& [v, length] : start_.inside) length = lengths_[v];
  });
}

template <class Bits>
std::span<const seed_vertex> find_seeds(std::span<start_finder<Bits>> finders, vertex_id source) {
  const seed_vertex whole{.vertex = source, .distance = 0};
  std::span<const seed_vertex> seeds(&whole, 1);
  for (start_finder<Bits>& finder : finders) seeds = finder.find(seeds).seeds;
  return seeds;
}

template <class Traits>
typename Traits::bits reduced_graph::filled(const core_start<typename Traits::bits>& start,
                                            std::span<const typename Traits::bits> of_core, vertex_id vertex) const {
  using bits = typename Traits::bits;
  const std::size_t count = rows_per_vertex();
  bits distance = Traits::none;
  for (const fill_row<bits>& row : rows<bits>().subspan(vertex * count, count)) {
    for (std::size_t k = 0; k < 2; ++k) {
      lower(distance, joined<Traits>(joined<Traits>(of_core[row.ends[k]], start.offset), row.lengths[k]));
    }
  }
  return distance;
}

template <class Bits>
Bits reduced_graph::distance_of(const core_start<Bits>& start, std::span<const Bits> of_core, vertex_id vertex) const {
  return with_traits_of<Bits>(core_.weights(),
                              [&]<class Traits>(Traits) { return filled<Traits>(start, of_core, vertex); });
}

template <class Bits>
void reduced_graph::fill_in(const core_start<Bits>& start, std::span<const Bits> of_core, std::span<Bits> distances,
                            std::size_t first, std::size_t last) const {
  with_traits_of<Bits>(core_.weights(), [&]<class Traits>(Traits) {
    for (std::size_t v = first; v < last; ++v) {
      distances[v] = filled<Traits>(start, of_core, static_cast<vertex_id>(v));
    }
  });
}

template <class Bits>
void reduced_graph::fill_in_fragment(const core_start<Bits>& start, std::span<Bits> distances) {
  for (const auto& [v, length] : start.inside) lower(distances[v], length);
}

template class start_finder<distance_bits>;
template class start_finder<wide_distance_bits>;
template std::span<const seed_vertex> find_seeds(std::span<start_finder<distance_bits>>, vertex_id);
template std::span<const seed_vertex> find_seeds(std::span<start_finder<wide_distance_bits>>, vertex_id);
template distance_bits reduced_graph::distance_of(const core_start<distance_bits>&, std::span<const distance_bits>,
                                                  vertex_id) const;
template wide_distance_bits reduced_graph::distance_of(const core_start<wide_distance_bits>&,
                                                       std::span<const wide_distance_bits>, vertex_id) const;
template void reduced_graph::fill_in(const core_start<distance_bits>&, std::span<const distance_bits>,
                                     std::span<distance_bits>, std::size_t, std::size_t) const;
template void reduced_graph::fill_in(const core_start<wide_distance_bits>&, std::span<const wide_distance_bits>,
                                     std::span<wide_distance_bits>, std::size_t, std::size_t) const;
template void reduced_graph::fill_in_fragment(const core_start<distance_bits>&, std::span<distance_bits>);
template void reduced_graph::fill_in_fragment(const core_start<wide_distance_bits>&, std::span<wide_distance_bits>);

}  // namespace mlmq::graph
