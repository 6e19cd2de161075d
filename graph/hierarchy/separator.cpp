// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/separator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <queue>
#include <utility>

#include "base/random.hpp"
#include "base/stop.hpp"

namespace mlmq::graph {
namespace {

constexpr double largest_side = 0.6;
constexpr std::uint32_t coarsest_vertices = 100;
/// A matching that leaves more of the vertices ends coarsening.
constexpr double least_shrinkage = 0.95;
constexpr unsigned first_splits = 10;
constexpr unsigned most_passes = 8;
/// Number of moves without a smaller separator after which a pass ends.
constexpr std::size_t most_futile_moves = 100;

constexpr std::uint32_t no_vertex = ~std::uint32_t{0};

constexpr split_place other_side(split_place side) {
  return side == split_place::first_side ? split_place::second_side : split_place::first_side;
}

/// Improves the separator of one graph.
class separator_refiner {
 public:
  separator_refiner(const weighted_rows& graph, std::vector<split_place>& places)
      : graph_(graph), places_(places), pass_of_(graph.vertices(), 0), beside_(graph.vertices()) {
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      weight(places[v]) += graph.vertex_weights[v];
      if (places[v] == split_place::separator) separator_.push_back(v);
    }
    const std::uint64_t total = std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0});
    limit_ = static_cast<std::uint64_t>(largest_side * static_cast<double>(total)) + 1;
  }

  void refine() {
    for (pass_ = 1; pass_ <= most_passes; ++pass_) {
      if (!improve()) return;
    }
  }

  /// Returns a number that is smaller for a better split.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> cost() const {
    const std::uint64_t larger = std::max(weights_[0], weights_[1]);
    const std::uint64_t excess = larger > limit_ ? larger - limit_ : 0;
    return {weights_[2] + excess, larger};
  }

 private:
  struct candidate {
    std::int64_t gain;
    std::uint32_t vertex;
    bool operator<(const candidate& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };
  struct change {
    std::uint32_t vertex;
    split_place before;
  };

  [[nodiscard]] std::uint64_t& weight(split_place place) { return weights_[static_cast<std::size_t>(place)]; }

  /// Returns by how much the separator becomes lighter when a vertex of it moves to a side.
  [[nodiscard]] std::int64_t gain_of(std::uint32_t v, split_place side) const {
    return static_cast<std::int64_t>(graph_.vertex_weights[v]) - beside_[v][static_cast<std::size_t>(other_side(side))];
  }

  void push(std::uint32_t v, split_place side) {
    if (pass_of_[v] != pass_) queue(side).push({gain_of(v, side), v});
  }

  /// Queues a vertex that has just joined the separator.
  void push_new(std::uint32_t v) {
    beside_[v] = {0, 0};
    for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const split_place place = places_[graph_.targets[e]];
      if (place == split_place::separator) continue;
      beside_[v][static_cast<std::size_t>(place)] +=
          static_cast<std::int64_t>(graph_.vertex_weights[graph_.targets[e]]);
    }
    push(v, split_place::first_side);
    push(v, split_place::second_side);
  }

  /// Takes into account that a neighbour of separator vertices has joined a side (or left it, if `weight` is negative).
  void change_gains(std::uint32_t v, split_place side, std::int64_t weight) {
    for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const std::uint32_t neighbour = graph_.targets[e];
      if (places_[neighbour] != split_place::separator) continue;
      beside_[neighbour][static_cast<std::size_t>(side)] += weight;
      push(neighbour, other_side(side));
    }
  }
  [[nodiscard]] std::priority_queue<candidate>& queue(split_place side) {
    return queues_[static_cast<std::size_t>(side)];
  }

  /// Returns the best valid candidate of a side; its vertex is `no_vertex` if there is no_vertex.
  [[nodiscard]] candidate best_of(split_place side) {
    std::priority_queue<candidate>& waiting = queue(side);
    for (; !waiting.empty(); waiting.pop()) {
      const candidate best = waiting.top();
      const bool is_movable = places_[best.vertex] == split_place::separator && pass_of_[best.vertex] != pass_;
      if (is_movable && gain_of(best.vertex, side) == best.gain &&
          weight(side) + graph_.vertex_weights[best.vertex] <= std::max(limit_, weight(other_side(side)))) {
        return best;
      }
    }
    return {0, no_vertex};
  }

  void place(std::uint32_t v, split_place new_place) {
    weight(places_[v]) -= graph_.vertex_weights[v];
    weight(new_place) += graph_.vertex_weights[v];
    places_[v] = new_place;
  }

  void move(std::uint32_t v, split_place side) {
    changes_.push_back({v, split_place::separator});
    pass_of_[v] = pass_;
    place(v, side);
    change_gains(v, side, static_cast<std::int64_t>(graph_.vertex_weights[v]));
    for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const std::uint32_t neighbour = graph_.targets[e];
      if (places_[neighbour] != other_side(side)) continue;
      changes_.push_back({neighbour, places_[neighbour]});
      change_gains(neighbour, other_side(side), -static_cast<std::int64_t>(graph_.vertex_weights[neighbour]));
      place(neighbour, split_place::separator);
      separator_.push_back(neighbour);
      push_new(neighbour);
    }
  }

  /// Moves each vertex at most once and keeps the best state. @return whether the separator became better
  bool improve() {
    queues_ = {};
    changes_.clear();
    std::erase_if(separator_, [this](std::uint32_t v) { return places_[v] != split_place::separator; });
    std::ranges::sort(separator_);
    separator_.erase(std::ranges::unique(separator_).begin(), separator_.end());
    for (const std::uint32_t v : separator_) push_new(v);
    const auto before = cost();
    auto best = before;
    std::size_t best_length = 0;
    for (std::size_t futile = 0; futile < most_futile_moves; ++futile) {
      const candidate to_first = best_of(split_place::first_side);
      const candidate to_second = best_of(split_place::second_side);
      if (to_first.vertex == no_vertex && to_second.vertex == no_vertex) break;
      const bool is_first_lighter = weights_[0] <= weights_[1];
      const bool moves_to_first =
          to_second.vertex == no_vertex ||
          (to_first.vertex != no_vertex &&
           (to_first.gain != to_second.gain ? to_first.gain > to_second.gain : is_first_lighter));
      move(moves_to_first ? to_first.vertex : to_second.vertex,
           moves_to_first ? split_place::first_side : split_place::second_side);
      if (cost() < best) {
        best = cost();
        best_length = changes_.size();
        futile = 0;
      }
    }
    while (changes_.size() > best_length) {
      place(changes_.back().vertex, changes_.back().before);
      if (changes_.back().before == split_place::separator) separator_.push_back(changes_.back().vertex);
      changes_.pop_back();
    }
    return best < before;
  }

  const weighted_rows& graph_;
  std::vector<split_place>& places_;
  std::array<std::uint64_t, 3> weights_{};
  std::uint64_t limit_ = 0;
  std::vector<std::uint32_t> separator_;  ///< contains all vertices of the separator, and others
  std::vector<unsigned> pass_of_;         ///< last pass in which each vertex moved
  unsigned pass_ = 0;
  /// Weights of the neighbours on both sides, for vertices of the separator.
  std::vector<std::array<std::int64_t, 2>> beside_;
  std::array<std::priority_queue<candidate>, 2> queues_;
  std::vector<change> changes_;
};

/// Merges pairs of neighbours. Heavy edges first, so that few edges remain.
/// @param coarse_of set to the coarse vertex of each vertex
[[nodiscard]] weighted_rows coarsen(const weighted_rows& graph, std::uint64_t most_weight, std::uint64_t seed,
                                    std::vector<std::uint32_t>& coarse_of) {
  const std::uint32_t n = graph.vertices();
  coarse_of.assign(n, no_vertex);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
  members.reserve(n / 2 + 1);
  const auto match = [&](std::uint32_t v) {
    if (coarse_of[v] != no_vertex) return;
    std::uint32_t partner = v;
    std::uint32_t heaviest = 0;
    for (std::size_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const std::uint32_t other = graph.targets[e];
      if (coarse_of[other] != no_vertex || graph.vertex_weights[v] + graph.vertex_weights[other] > most_weight)
        continue;
      const bool is_better =
          graph.edge_weights[e] > heaviest ||
          (graph.edge_weights[e] == heaviest && graph.vertex_weights[other] < graph.vertex_weights[partner]);
      if (!is_better) continue;
      partner = other;
      heaviest = graph.edge_weights[e];
    }
    coarse_of[v] = coarse_of[partner] = static_cast<std::uint32_t>(members.size());
    members.emplace_back(v, partner);
  };
  std::vector<std::uint32_t> turns(n);
  std::iota(turns.begin(), turns.end(), 0U);
  random_stream random({seed, n});
  shuffle(turns, random);
  for (const std::uint32_t v : turns) match(v);

  weighted_rows coarse;
  coarse.offsets.reserve(members.size() + 1);
  coarse.offsets.push_back(0);
  coarse.targets.reserve(graph.targets.size());
  coarse.edge_weights.reserve(graph.targets.size());
  coarse.vertex_weights.reserve(members.size());
  std::vector<std::uint32_t> position_of(members.size(), no_vertex);  // of a target in the row that is built
  for (std::uint32_t c = 0; c < members.size(); ++c) {
    const std::size_t begin = coarse.targets.size();
    const auto add_row = [&](std::uint32_t v) {
      for (std::size_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
        const std::uint32_t target = coarse_of[graph.targets[e]];
        if (target == c) continue;
        if (position_of[target] == no_vertex) {
          position_of[target] = static_cast<std::uint32_t>(coarse.targets.size());
          coarse.targets.push_back(target);
          coarse.edge_weights.push_back(graph.edge_weights[e]);
        } else {
          coarse.edge_weights[position_of[target]] += graph.edge_weights[e];
        }
      }
    };
    const auto [one, other] = members[c];
    add_row(one);
    if (other != one) add_row(other);
    for (std::size_t e = begin; e < coarse.targets.size(); ++e) position_of[coarse.targets[e]] = no_vertex;
    coarse.offsets.push_back(coarse.targets.size());
    coarse.vertex_weights.push_back(graph.vertex_weights[one] + (other != one ? graph.vertex_weights[other] : 0));
  }
  return coarse;
}

/// Grows the first side breadth-first from a vertex to half of the weight. Its border is the separator.
[[nodiscard]] std::vector<split_place> grow_side(const weighted_rows& graph, std::uint32_t source) {
  const std::uint32_t n = graph.vertices();
  const std::uint64_t total =
      std::accumulate(graph.vertex_weights.begin(), graph.vertex_weights.end(), std::uint64_t{0});
  std::vector<split_place> places(n, split_place::second_side);
  std::vector<std::uint32_t> reached;
  std::vector<bool> is_reached(n, false);
  std::uint64_t grown = 0;
  std::uint32_t next_source = source;
  std::size_t next = 0;
  while (2 * grown < total) {
    if (next == reached.size()) {
      while (is_reached[next_source]) next_source = (next_source + 1) % n;
      is_reached[next_source] = true;
      reached.push_back(next_source);
    }
    const std::uint32_t v = reached[next++];
    places[v] = split_place::first_side;
    grown += graph.vertex_weights[v];
    for (std::size_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const std::uint32_t other = graph.targets[e];
      if (is_reached[other]) continue;
      is_reached[other] = true;
      reached.push_back(other);
    }
  }
  for (std::size_t i = 0; i < next; ++i) {
    const std::uint32_t v = reached[i];
    for (std::size_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (places[graph.targets[e]] == split_place::second_side) {
        places[v] = split_place::separator;
        break;
      }
    }
  }
  return places;
}

[[nodiscard]] std::vector<split_place> split_coarsest(const weighted_rows& graph, std::uint64_t seed) {
  std::vector<split_place> best;
  std::pair<std::uint64_t, std::uint64_t> best_cost;
  for (unsigned i = 0; i < first_splits; ++i) {
    std::vector<split_place> places = grow_side(graph, static_cast<std::uint32_t>(mix64(seed + i) % graph.vertices()));
    separator_refiner refiner(graph, places);
    refiner.refine();
    if (best.empty() || refiner.cost() < best_cost) {
      best = std::move(places);
      best_cost = refiner.cost();
    }
  }
  return best;
}

}  // namespace

std::vector<split_place> find_separator(const weighted_rows& graph, std::uint64_t seed) {
  if (graph.vertices() == 0) return {};
  std::vector<weighted_rows> coarser;  // each is a coarsened version of the one before
  std::vector<std::vector<std::uint32_t>> coarse_of;
  const std::uint64_t total =
      std::accumulate(graph.vertex_weights.begin(), graph.vertex_weights.end(), std::uint64_t{0});
  const std::uint64_t most_weight = std::max<std::uint64_t>(1, 3 * total / (2 * coarsest_vertices));
  for (const weighted_rows* current = &graph; current->vertices() > coarsest_vertices; current = &coarser.back()) {
    throw_if_stopped();
    std::vector<std::uint32_t> map;
    weighted_rows next = coarsen(*current, most_weight, seed, map);
    if (static_cast<double>(next.vertices()) > least_shrinkage * current->vertices()) break;
    coarser.push_back(std::move(next));
    coarse_of.push_back(std::move(map));
  }
  std::vector<split_place> places = split_coarsest(coarser.empty() ? graph : coarser.back(), seed);
  for (std::size_t level = coarse_of.size(); level-- > 0;) {
    throw_if_stopped();
    const weighted_rows& finer = level == 0 ? graph : coarser[level - 1];
    std::vector<split_place> finer_places(finer.vertices());
    for (std::uint32_t v = 0; v < finer.vertices(); ++v) finer_places[v] = places[coarse_of[level][v]];
    places = std::move(finer_places);
    separator_refiner(finer, places).refine();
  }
  return places;
}

std::uint64_t separator_weight(const weighted_rows& graph, const std::vector<split_place>& places) {
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    if (places[v] == split_place::separator) sum += graph.vertex_weights[v];
  }
  return sum;
}

}  // namespace mlmq::graph
