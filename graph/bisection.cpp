// SPDX-License-Identifier: Apache-2.0
#include "graph/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

namespace mlmq::graph {
namespace {

/// How far one half may be from its share, in loads of a part: what later cuts can still even out.
constexpr double slack = 0.04;
constexpr unsigned most_passes = 6;

class bisector {
 public:
  bisector(const weighted_rows& graph, std::vector<std::uint32_t>& part_of)
      : graph_(graph),
        part_of_(part_of),
        vertices_(graph.vertices()),
        order_(graph.vertices()),
        piece_(graph.vertices(), 0),
        seen_(graph.vertices(), 0),
        distance_(graph.vertices()),
        from_one_end_(graph.vertices()),
        is_above_(graph.vertices()),
        noted_(graph.vertices(), 0) {
    std::iota(vertices_.begin(), vertices_.end(), 0U);
  }

  /// The vertices at these places become parts `part` …
  void split(std::size_t begin, std::size_t end, unsigned parts, unsigned part) {
    if (parts == 1 || end - begin <= 1) {
      for (std::size_t i = begin; i < end; ++i) part_of_[vertices_[i]] = part;
      return;
    }
    const unsigned below = parts / 2;
    const std::size_t middle = halve(begin, end, below, parts);
    split(begin, middle, below, part);
    split(middle, end, parts - below, part + below);
  }

 private:
  /// @return where the second half begins, which is to have the load of parts - below of `parts`
  std::size_t halve(std::size_t begin, std::size_t end, unsigned below, unsigned parts) {
    ++pieces_;
    std::uint64_t total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      piece_[vertices_[i]] = pieces_;
      total += graph_.vertex_weights[vertices_[i]];
    }
    order_from_end_to_end(begin, end);
    const double goal = static_cast<double>(total) * below / parts;
    double load = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto weight = static_cast<double>(graph_.vertex_weights[vertices_[i]]);
      is_above_[vertices_[i]] = load + weight / 2 >= goal;
      if (!is_above_[vertices_[i]]) load += weight;
    }
    improve(begin, end, load, goal, slack * static_cast<double>(total) / parts);
    const auto position = [this](std::size_t i) { return vertices_.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto middle =
        std::stable_partition(position(begin), position(end), [this](std::uint32_t v) { return is_above_[v] == 0; });
    return static_cast<std::size_t>(middle - vertices_.begin());
  }

  /// Sorts the vertices of a piece by how much nearer they are to one end than to the other.
  void order_from_end_to_end(std::size_t begin, std::size_t end) {
    search(begin, end, vertices_[begin]);
    search(begin, end, order_[end - 1]);
    for (std::size_t i = begin; i < end; ++i) from_one_end_[order_[i]] = distance_[order_[i]];
    search(begin, end, order_[end - 1]);
    const auto key = [this](std::uint32_t v) {
      return static_cast<std::int64_t>(from_one_end_[v]) - static_cast<std::int64_t>(distance_[v]);
    };
    std::int64_t least = key(order_[begin]);
    std::int64_t most = least;
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, key(order_[i]));
      most = std::max(most, key(order_[i]));
    }
    std::vector<std::size_t> next(static_cast<std::size_t>(most - least) + 2, 0);
    for (std::size_t i = begin; i < end; ++i) ++next[static_cast<std::size_t>(key(order_[i]) - least) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = begin; i < end; ++i) {
      vertices_[begin + next[static_cast<std::size_t>(key(order_[i]) - least)]++] = order_[i];
    }
  }

  /// Breadth-first search of a piece: order_ and distance_. What cannot be reached follows, as if it were further away.
  void search(std::size_t begin, std::size_t end, std::uint32_t source) {
    ++searches_;
    std::size_t count = begin;
    const auto find = [&](std::uint32_t v, std::uint32_t distance) {
      seen_[v] = searches_;
      distance_[v] = distance;
      order_[count++] = v;
    };
    find(source, 0);
    std::size_t unreached = begin;
    for (std::size_t next = begin; next < end; ++next) {
      if (next == count) {
        while (seen_[vertices_[unreached]] == searches_) ++unreached;
        find(vertices_[unreached], distance_[order_[next - 1]] + 1);
      }
      const std::uint32_t v = order_[next];
      for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
        const std::uint32_t other = graph_.targets[e];
        if (piece_[other] == pieces_ && seen_[other] != searches_) find(other, distance_[v] + 1);
      }
    }
  }

  /// Vertices at the border change sides, while that cuts fewer edges and the load stays near the goal.
  void improve(std::size_t begin, std::size_t end, double load, double goal, double tolerance) {
    const auto range = std::span(vertices_).subspan(begin, end - begin);
    candidates_.assign(range.begin(), range.end());
    for (unsigned pass = 0; pass < most_passes && !candidates_.empty(); ++pass) {
      next_candidates_.clear();
      ++passes_;
      bool has_moved = false;
      for (const std::uint32_t v : candidates_) {
        std::int64_t gain = 0;
        bool is_at_border = false;
        for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
          const std::uint32_t other = graph_.targets[e];
          if (piece_[other] != pieces_) continue;
          const bool is_across = is_above_[other] != is_above_[v];
          is_at_border = is_at_border || is_across;
          gain += is_across ? std::int64_t{graph_.edge_weights[e]} : -std::int64_t{graph_.edge_weights[e]};
        }
        if (!is_at_border) continue;
        look_again_at(v);
        if (gain < 0) continue;
        const auto weight = static_cast<double>(graph_.vertex_weights[v]);
        const double moved = load + (is_above_[v] != 0 ? weight : -weight);
        const bool is_nearer = std::abs(moved - goal) < std::abs(load - goal);
        if (!is_nearer && (gain == 0 || std::abs(moved - goal) > tolerance)) continue;
        is_above_[v] = is_above_[v] == 0;
        load = moved;
        has_moved = true;
        // The border has come to its neighbours.
        for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
          if (piece_[graph_.targets[e]] == pieces_) look_again_at(graph_.targets[e]);
        }
      }
      if (!has_moved) return;
      candidates_.swap(next_candidates_);
    }
  }

  /// In the next pass, once.
  void look_again_at(std::uint32_t v) {
    if (noted_[v] == passes_) return;
    noted_[v] = passes_;
    next_candidates_.push_back(v);
  }

  const weighted_rows& graph_;
  std::vector<std::uint32_t>& part_of_;
  std::vector<std::uint32_t> vertices_;  ///< those of a piece are next to each other
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> piece_;  ///< that a vertex was in last
  std::uint32_t pieces_ = 0;
  std::vector<std::uint32_t> seen_;  ///< by which search last
  std::uint32_t searches_ = 0;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> from_one_end_;
  std::vector<std::uint8_t> is_above_;
  std::vector<std::uint32_t> candidates_;  ///< may change sides
  std::vector<std::uint32_t> next_candidates_;
  std::vector<std::uint32_t> noted_;  ///< in which pass last
  std::uint32_t passes_ = 0;
};

}  // namespace

std::vector<std::uint32_t> bisect(const weighted_rows& graph, unsigned parts) {
  std::vector<std::uint32_t> part_of(graph.vertices(), 0);
  if (parts > 1 && !part_of.empty()) bisector(graph, part_of).split(0, part_of.size(), parts, 0);
  return part_of;
}

}  // namespace mlmq::graph
