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
/// A pass that reduces the cut by a smaller share is the last. On power laws each pass reads nearly all edges.
constexpr double least_reduction = 0.005;
constexpr unsigned searches_per_piece = 3;

/// Vertices of consecutive parts.
struct piece {
  std::size_t begin;  ///< position of its first vertex
  std::size_t end;
  unsigned parts;
  unsigned first_part;
  std::uint32_t number;  ///< larger than those of the pieces that contain it
};

/// Properties of vertices. While pieces are split in parallel, only the thread of a piece uses the elements of its
/// vertices, except in `piece`, which is constant then.
struct vertex_arrays {
  explicit vertex_arrays(std::size_t count)
      : vertices(count),
        order(count),
        piece(count, 0),
        next_piece(count, 0),
        seen(count, 0),
        distance(count),
        from_one_end(count),
        is_above(count),
        noted(count, 0) {
    std::iota(vertices.begin(), vertices.end(), 0U);
  }

  std::vector<std::uint32_t> vertices;  ///< the vertices of each piece are contiguous
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> piece;       ///< number of the last piece of each vertex
  std::vector<std::uint32_t> next_piece;  ///< the same, after all pieces are split
  std::vector<std::uint32_t> seen;        ///< last search that reached each vertex
  std::vector<std::uint32_t> distance;
  std::vector<std::uint32_t> from_one_end;
  std::vector<std::uint8_t> is_above;
  std::vector<std::uint32_t> noted;  ///< last pass in which each vertex became a candidate
};

/// Splits a piece into two halves.
class bisector {
 public:
  bisector(const weighted_rows& graph, const piece& whole, vertex_arrays& arrays)
      : graph_(graph),
        begin_(whole.begin),
        end_(whole.end),
        number_(whole.number),
        vertices_(arrays.vertices),
        order_(arrays.order),
        piece_(arrays.piece),
        seen_(arrays.seen),
        searches_(whole.number * searches_per_piece),
        distance_(arrays.distance),
        from_one_end_(arrays.from_one_end),
        is_above_(arrays.is_above),
        noted_(arrays.noted),
        passes_(whole.number * most_passes) {}

  /// @return the begin of the second half, whose load should be the share (parts - below) / parts
  std::size_t halve(unsigned below, unsigned parts) {
    std::uint64_t total = 0;
    for (std::size_t i = begin_; i < end_; ++i) total += graph_.vertex_weights[vertices_[i]];
    order_from_end_to_end();
    const double goal = static_cast<double>(total) * below / parts;
    double load = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
      const auto weight = static_cast<double>(graph_.vertex_weights[vertices_[i]]);
      is_above_[vertices_[i]] = load + weight / 2 >= goal;
      if (!is_above_[vertices_[i]]) load += weight;
    }
    improve(load, goal, slack * static_cast<double>(total) / parts);
    const auto range = vertices_.subspan(begin_, end_ - begin_);
    const auto middle =
        std::stable_partition(range.begin(), range.end(), [this](std::uint32_t v) { return is_above_[v] == 0; });
    return begin_ + static_cast<std::size_t>(middle - range.begin());
  }

 private:
  /// Sorts the vertices of a piece by the difference of their distances from one end and from the other end.
  void order_from_end_to_end() {
    search(vertices_[begin_]);
    search(order_[end_ - 1]);
    for (std::size_t i = begin_; i < end_; ++i) from_one_end_[order_[i]] = distance_[order_[i]];
    search(order_[end_ - 1]);
    const auto key = [this](std::uint32_t v) {
      return static_cast<std::int64_t>(from_one_end_[v]) - static_cast<std::int64_t>(distance_[v]);
    };
    std::int64_t least = key(order_[begin_]);
    std::int64_t most = least;
    for (std::size_t i = begin_; i < end_; ++i) {
      least = std::min(least, key(order_[i]));
      most = std::max(most, key(order_[i]));
    }
    std::vector<std::size_t> next(static_cast<std::size_t>(most - least) + 2, 0);
    for (std::size_t i = begin_; i < end_; ++i) ++next[static_cast<std::size_t>(key(order_[i]) - least) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = begin_; i < end_; ++i) {
      vertices_[begin_ + next[static_cast<std::size_t>(key(order_[i]) - least)]++] = order_[i];
    }
  }

  /// Searches a piece breadth-first and sets order_ and distance_. Unreachable vertices follow with larger distances.
  void search(std::uint32_t source) {
    ++searches_;
    std::size_t count = begin_;
    const auto find = [&](std::uint32_t v, std::uint32_t distance) {
      seen_[v] = searches_;
      distance_[v] = distance;
      order_[count++] = v;
    };
    find(source, 0);
    std::size_t unreached = begin_;
    for (std::size_t next = begin_; next < end_; ++next) {
      if (next == count) {
        while (seen_[vertices_[unreached]] == searches_) ++unreached;
        find(vertices_[unreached], distance_[order_[next - 1]] + 1);
      }
      const std::uint32_t v = order_[next];
      for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
        const std::uint32_t other = graph_.targets[e];
        if (piece_[other] == number_ && seen_[other] != searches_) find(other, distance_[v] + 1);
      }
    }
  }

  /// Moves vertices at the border to the other side as long as this reduces the number of cut edges and the load
  /// remains near the goal.
  void improve(double load, double goal, double tolerance) {
    const auto range = vertices_.subspan(begin_, end_ - begin_);
    candidates_.assign(range.begin(), range.end());
    for (unsigned pass = 0; pass < most_passes && !candidates_.empty(); ++pass) {
      next_candidates_.clear();
      ++passes_;
      std::int64_t cut = 0;  // each edge twice
      std::int64_t reduction = 0;
      bool has_moved = false;
      for (const std::uint32_t v : candidates_) {
        std::int64_t gain = 0;
        bool is_at_border = false;
        for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
          const std::uint32_t other = graph_.targets[e];
          if (piece_[other] != number_) continue;
          const bool is_across = is_above_[other] != is_above_[v];
          is_at_border = is_at_border || is_across;
          if (is_across) cut += graph_.edge_weights[e];
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
        reduction += gain;
        // The neighbours are at the border now.
        for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
          if (piece_[graph_.targets[e]] == number_) add_candidate(graph_.targets[e]);
        }
      }
      if (!has_moved || static_cast<double>(2 * reduction) < least_reduction * static_cast<double>(cut)) return;
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
  std::size_t begin_;
  std::size_t end_;
  std::uint32_t number_;
  std::span<std::uint32_t> vertices_;
  std::span<std::uint32_t> order_;
  std::span<const std::uint32_t> piece_;
  std::span<std::uint32_t> seen_;
  std::uint32_t searches_;  ///< number of the last search
  std::span<std::uint32_t> distance_;
  std::span<std::uint32_t> from_one_end_;
  std::span<std::uint8_t> is_above_;
  std::vector<std::uint32_t> candidates_;  ///< vertices that may change sides
  std::vector<std::uint32_t> next_candidates_;
  std::span<std::uint32_t> noted_;
  std::uint32_t passes_;  ///< number of the last pass
};

}  // namespace

std::vector<std::uint32_t> bisect(const weighted_rows& graph, unsigned parts, thread_team& team) {
  std::vector<std::uint32_t> part_of(graph.vertices(), 0);
  vertex_arrays arrays(part_of.size());
  std::vector<piece> pieces = {{.begin = 0, .end = part_of.size(), .parts = parts, .first_part = 0, .number = 0}};
  std::vector<piece> halves;
  std::uint32_t next_number = 1;
  const auto remove_done = [&] {
    std::erase_if(pieces, [](const piece& last) { return last.parts <= 1 || last.end - last.begin <= 1; });
  };
  for (remove_done(); !pieces.empty(); remove_done()) {
    halves.resize(2 * pieces.size());
    team.run(pieces.size(), [&](std::size_t i) {
      const piece& whole = pieces[i];
      const unsigned below = whole.parts / 2;
      const std::size_t middle = bisector(graph, whole, arrays).halve(below, whole.parts);
      const auto number = static_cast<std::uint32_t>(next_number + 2 * i);
      halves[2 * i] = {whole.begin, middle, below, whole.first_part, number};
      halves[2 * i + 1] = {middle, whole.end, whole.parts - below, whole.first_part + below, number + 1};
      for (std::size_t k = whole.begin; k < whole.end; ++k) {
        const piece& half = halves[k < middle ? 2 * i : 2 * i + 1];
        arrays.next_piece[arrays.vertices[k]] = half.number;
        part_of[arrays.vertices[k]] = half.first_part;
      }
    });
    next_number += static_cast<std::uint32_t>(halves.size());
    arrays.piece.swap(arrays.next_piece);
    pieces.swap(halves);
  }
  return part_of;
}

}  // namespace mlmq::graph
