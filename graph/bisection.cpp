// SPDX-License-Identifier: Apache-2.0
#include "graph/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

namespace mlmq::graph {
namespace {

/// Allowed deviation of a half from its share, in loads of a part. Later cuts can still compensate for it.
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

  /// Assigns the vertices at these positions to `parts` parts whose numbers start at `part`.
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
  /// Splits a piece into two halves.
  /// @return the begin of the second half, whose load should be the share (parts - below) / parts
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

  /// Sorts the vertices of a piece by the difference of their distances from one end and from the other end.
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

  /// Searches a piece breadth-first and sets order_ and distance_. Unreachable vertices follow with larger distances.
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

  /// Moves vertices at the border to the other side as long as this reduces the number of cut edges and the load
  /// remains near the goal.
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
        add_candidate(v);
        if (gain < 0) continue;
        const auto weight = static_cast<double>(graph_.vertex_weights[v]);
        const double moved = load + (is_above_[v] != 0 ? weight : -weight);
        const bool is_nearer = std::abs(moved - goal) < std::abs(load - goal);
        if (!is_nearer && (gain == 0 || std::abs(moved - goal) > tolerance)) continue;
        is_above_[v] = is_above_[v] == 0;
        load = moved;
        has_moved = true;
        // The neighbours are at the border now.
        for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
          if (piece_[graph_.targets[e]] == pieces_) add_candidate(graph_.targets[e]);
        }
      }
      if (!has_moved) return;
      candidates_.swap(next_candidates_);
    }
  }

  /// Makes the vertex a candidate of the next pass, at most once.
  void add_candidate(std::uint32_t v) {
    if (noted_[v] == passes_) return;
    noted_[v] = passes_;
    next_candidates_.push_back(v);
  }

  const weighted_rows& graph_;
  std::vector<std::uint32_t>& part_of_;
  std::vector<std::uint32_t> vertices_;  ///< the vertices of each piece are contiguous
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> piece_;  ///< last piece of each vertex
  std::uint32_t pieces_ = 0;
  std::vector<std::uint32_t> seen_;  ///< last search that reached each vertex
  std::uint32_t searches_ = 0;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> from_one_end_;
  std::vector<std::uint8_t> is_above_;
  std::vector<std::uint32_t> candidates_;  ///< vertices that may change sides
  std::vector<std::uint32_t> next_candidates_;
  std::vector<std::uint32_t> noted_;  ///< last pass in which each vertex became a candidate
  std::uint32_t passes_ = 0;
};

}  // namespace

std::vector<std::uint32_t> bisect(const weighted_rows& graph, unsigned parts) {
  std::vector<std::uint32_t> part_of(graph.vertices(), 0);
  if (parts > 1 && !part_of.empty()) bisector(graph, part_of).split(0, part_of.size(), parts, 0);
  return part_of;
}

}  // namespace mlmq::graph
