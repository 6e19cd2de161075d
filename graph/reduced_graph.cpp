// SPDX-License-Identifier: Apache-2.0
#include "graph/reduced_graph.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
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

/// Computes the lengths between eliminated vertices and their neighbours.
template <class Traits>
class length_computation {
 public:
  using bits = typename Traits::bits;

  length_computation(const csr_graph& graph, const reduction& reduced, reduced_lengths<bits>& lengths)
      : graph_(graph), reduction_(reduced), lengths_(lengths) {}

  /// @return the edges that the core has in place of fragments, by source
  [[nodiscard]] std::vector<core_edge<bits>> run(thread_team& team) {
    const std::size_t count = reduction_.eliminated_count();
    lengths_.to_neighbours.resize(count);
    lengths_.from_neighbours.resize(count);
    lengths_.rows.resize(reduction_.vertex_count());
    team.run_blocks(count, core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        lengths_.to_neighbours[i] = lengths_.from_neighbours[i] = {Traits::none, Traits::none};
      }
    });
    // A row writes the lengths of its own edges only, in each of the two arrays.
    team.run_blocks(graph_.vertex_count(), core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t v = first; v < last; ++v) take_edges(static_cast<vertex_id>(v));
    });
    team.run_blocks(reduction_.core_size(), core_rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        lengths_.rows[reduction_.core()[i]] = {.ends = {static_cast<vertex_id>(i), reduction_.core_size()},
                                               .lengths = {0, 0}};
      }
    });
    const std::size_t fragments = reduction_.fragment_count();
    std::vector<std::array<bits, 2>> across(fragments);
    team.run_blocks(fragments, fragments_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        across[i] = eliminate(i);
        make_rows(i);
      }
    });
    return added_edges(across);
  }

 private:
  [[nodiscard]] std::size_t index_of(std::uint32_t position, std::uint32_t neighbour) const {
    return reduction_.neighbours_of(position)[0] == neighbour ? 0 : 1;
  }

  void take_edges(vertex_id v) {
    const std::span<const bits> weights = Traits::weights_of(graph_);
    const std::uint32_t source = reduction_.place(v);
    for (edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + std::size_t{1}]; ++e) {
      const std::uint32_t target = reduction_.place(graph_.targets()[e]);
      if (source == target || (reduction::is_in_core(source) && reduction::is_in_core(target))) continue;
      if (source < target) {
        lower(lengths_.to_neighbours[source][index_of(source, target)], weights[e]);
      } else {
        lower(lengths_.from_neighbours[target][index_of(target, source)], weights[e]);
      }
    }
  }

  /// Adds the paths through each vertex of a fragment to the lengths between its neighbours.
  /// @return the lengths from the first end to the second, and back
  std::array<bits, 2> eliminate(std::size_t fragment) {
    const std::uint32_t last = reduction_.fragment_at(fragment + 1).first;
    for (std::uint32_t i = reduction_.fragment_at(fragment).first; i < last; ++i) {
      const reduction::neighbours& neighbours = reduction_.neighbours_of(i);
      if (neighbours[1] == reduction::no_neighbour) continue;
      const std::array<bits, 2>& away = lengths_.to_neighbours[i];
      const std::array<bits, 2>& towards = lengths_.from_neighbours[i];
      const bits forward = joined<Traits>(towards[0], away[1]);
      const bits back = joined<Traits>(towards[1], away[0]);
      if (reduction::is_in_core(neighbours[0])) return {forward, back};  // the last vertex of the fragment
      const std::size_t index = index_of(neighbours[0], neighbours[1]);
      lower(lengths_.to_neighbours[neighbours[0]][index], forward);
      lower(lengths_.from_neighbours[neighbours[0]][index], back);
    }
    return {Traits::none, Traits::none};
  }

  /// Makes the rows of the vertices of a fragment.
  void make_rows(std::size_t fragment) {
    const auto& [first, ends] = reduction_.fragment_at(fragment);
    for (std::uint32_t i = reduction_.fragment_at(fragment + 1).first; i-- > first;) {
      std::array<bits, 2> from_ends{Traits::none, Traits::none};
      for (std::size_t j = 0; j < 2; ++j) {
        const std::uint32_t neighbour = reduction_.neighbours_of(i)[j];
        const bits step = lengths_.from_neighbours[i][j];
        if (neighbour == reduction::no_neighbour) continue;
        if (reduction::is_in_core(neighbour)) {
          lower(from_ends[(neighbour & ~reduction::core_flag) == ends[0] ? 0 : 1], step);
          continue;
        }
        const fill_row<bits>& row = lengths_.rows[reduction_.eliminated()[neighbour]];
        for (std::size_t k = 0; k < 2; ++k) {
          if (row.ends[k] != reduction_.core_size()) lower(from_ends[k], joined<Traits>(row.lengths[k], step));
        }
      }
      fill_row<bits>& row = lengths_.rows[reduction_.eliminated()[i]];
      for (std::size_t k = 0; k < 2; ++k) {
        const bool is_reached = from_ends[k] != Traits::none;
        row.ends[k] = is_reached ? ends[k] : reduction_.core_size();
        row.lengths[k] = is_reached ? from_ends[k] : 0;
      }
    }
  }

  [[nodiscard]] std::vector<core_edge<bits>> added_edges(const std::vector<std::array<bits, 2>>& across) const {
    std::vector<std::size_t> next(reduction_.core_size() + std::size_t{1}, 0);
    const auto each = [&](const auto& use) {
      for (std::size_t i = 0; i < across.size(); ++i) {
        const std::array<vertex_id, 2>& ends = reduction_.fragment_at(i).ends;
        if (across[i][0] != Traits::none) use(core_edge<bits>{ends[0], ends[1], across[i][0]});
        if (across[i][1] != Traits::none) use(core_edge<bits>{ends[1], ends[0], across[i][1]});
      }
    };
    each([&](const core_edge<bits>& edge) {
      if (!is_weight<Traits>(edge.length)) {
        throw input_error("the graph cannot be reduced: the length of a chain is too long for a weight");
      }
      ++next[edge.source + std::size_t{1}];
    });
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<core_edge<bits>> edges(next.back());
    each([&](const core_edge<bits>& edge) { edges[next[edge.source]++] = edge; });
    return edges;
  }

  const csr_graph& graph_;
  const reduction& reduction_;
  reduced_lengths<bits>& lengths_;
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

}  // namespace

reduced_graph::reduced_graph(std::shared_ptr<const reduction> reduced, const csr_graph& graph, thread_team& team)
    : reduction_(std::move(reduced)) {
  with_weight_traits(graph.weights(), [&]<class Traits>(Traits) { compute_lengths<Traits>(graph, team); });
}

template <class Traits>
void reduced_graph::compute_lengths(const csr_graph& graph, thread_team& team) {
  auto& lengths = lengths_.emplace<reduced_lengths<typename Traits::bits>>();
  const auto added = length_computation<Traits>(graph, *reduction_, lengths).run(team);
  core_ = core_of<Traits>(graph, *reduction_, added, team);
}

template <class Bits>
core_start<Bits> reduced_graph::start_from(vertex_id source) const {
  const std::uint32_t place = reduction_->place(source);
  if (reduction::is_in_core(place)) return {.seeds = {{place & ~reduction::core_flag, 0}}};
  return with_traits_of<Bits>(core_.weights(), [&]<class Traits>(Traits) {
    const std::size_t index = reduction_->fragment_of(place);
    const auto& [first, ends] = reduction_->fragment_at(index);
    const std::uint32_t last = reduction_->fragment_at(index + 1).first;
    const reduced_lengths<Bits>& lengths = this->lengths<Bits>();
    core_start<Bits> start{.seeds = {}, .first_position = first, .inside = {}};
    std::vector<Bits>& inside = start.inside;
    inside.assign(last - first, Traits::none);
    inside[place - first] = 0;
    std::array<Bits, 2> to_ends{Traits::none, Traits::none};
    // A shortest path inside a fragment leads to vertices that are eliminated later and later, and then back.
    for (std::uint32_t i = place; i < last; ++i) {
      if (inside[i - first] == Traits::none) continue;
      for (std::size_t j = 0; j < 2; ++j) {
        const std::uint32_t neighbour = reduction_->neighbours_of(i)[j];
        if (neighbour == reduction::no_neighbour) continue;
        const Bits length = joined<Traits>(inside[i - first], lengths.to_neighbours[i][j]);
        if (!reduction::is_in_core(neighbour)) {
          lower(inside[neighbour - first], length);
        } else {
          lower(to_ends[(neighbour & ~reduction::core_flag) == ends[0] ? 0 : 1], length);
        }
      }
    }
    for (std::uint32_t i = last; i-- > first;) {
      for (std::size_t j = 0; j < 2; ++j) {
        const std::uint32_t neighbour = reduction_->neighbours_of(i)[j];
        if (reduction::is_in_core(neighbour)) continue;  // or there is none
        lower(inside[i - first], joined<Traits>(inside[neighbour - first], lengths.from_neighbours[i][j]));
      }
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if (to_ends[k] != Traits::none) start.seeds.push_back({ends[k], to_ends[k]});
    }
    std::ranges::sort(start.seeds, {}, &seed_vertex::distance);
    // Floats would be rounded.
    if constexpr (Traits::type == weight_type::uint32) {
      if (!start.seeds.empty()) start.offset = static_cast<Bits>(start.seeds.front().distance);
      for (seed_vertex& each : start.seeds) {
        if (each.distance != saturated_distance) each.distance -= start.offset;
      }
    }
    return start;
  });
}

template <class Bits>
Bits reduced_graph::distance_of(const core_start<Bits>& start, std::span<const Bits> of_core, vertex_id vertex) const {
  return with_traits_of<Bits>(core_.weights(), [&]<class Traits>(Traits) {
    const fill_row<Bits>& row = lengths<Bits>().rows[vertex];
    Bits distance = Traits::none;
    for (std::size_t k = 0; k < 2; ++k) {
      lower(distance, joined<Traits>(joined<Traits>(of_core[row.ends[k]], start.offset), row.lengths[k]));
    }
    // The difference is beyond the fragment for vertices before it and in the core, too.
    const std::size_t inside = reduction_->place(vertex) - std::size_t{start.first_position};
    if (inside < start.inside.size()) lower(distance, start.inside[inside]);
    return distance;
  });
}

template <class Bits>
void reduced_graph::fill_in(const core_start<Bits>& start, std::span<const Bits> of_core, std::span<Bits> distances,
                            std::size_t first, std::size_t last) const {
  with_traits_of<Bits>(core_.weights(), [&]<class Traits>(Traits) {
    const auto& rows = lengths<Bits>().rows;
    const auto over = [&](vertex_id end, Bits length) {
      return joined<Traits>(joined<Traits>(of_core[end], start.offset), length);
    };
    for (std::size_t v = first; v < last; ++v) {
      const fill_row<Bits>& row = rows[v];
      distances[v] = std::min(over(row.ends[0], row.lengths[0]), over(row.ends[1], row.lengths[1]));
    }
  });
}

template <class Bits>
void reduced_graph::fill_in_fragment(const core_start<Bits>& start, std::span<Bits> distances) const {
  for (std::size_t i = 0; i < start.inside.size(); ++i) {
    lower(distances[reduction_->eliminated()[start.first_position + i]], start.inside[i]);
  }
}

template core_start<distance_bits> reduced_graph::start_from(vertex_id source) const;
template core_start<wide_distance_bits> reduced_graph::start_from(vertex_id source) const;
template distance_bits reduced_graph::distance_of(const core_start<distance_bits>&, std::span<const distance_bits>,
                                                  vertex_id) const;
template wide_distance_bits reduced_graph::distance_of(const core_start<wide_distance_bits>&,
                                                       std::span<const wide_distance_bits>, vertex_id) const;
template void reduced_graph::fill_in(const core_start<distance_bits>&, std::span<const distance_bits>,
                                     std::span<distance_bits>, std::size_t, std::size_t) const;
template void reduced_graph::fill_in(const core_start<wide_distance_bits>&, std::span<const wide_distance_bits>,
                                     std::span<wide_distance_bits>, std::size_t, std::size_t) const;
template void reduced_graph::fill_in_fragment(const core_start<distance_bits>&, std::span<distance_bits>) const;
template void reduced_graph::fill_in_fragment(const core_start<wide_distance_bits>&,
                                              std::span<wide_distance_bits>) const;

}  // namespace mlmq::graph
