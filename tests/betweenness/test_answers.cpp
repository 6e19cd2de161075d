// SPDX-License-Identifier: Apache-2.0
// Every solver against all shortest paths of tiny graphs, and against each other on larger ones.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "graph/generate.hpp"
#include "problems/betweenness/simple_graph.hpp"
#include "tests/betweenness/betweenness_test.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::betweenness;

namespace {

using graph::vertex_id;

/// Computes betweenness by its definition: visits every shortest path.
class all_paths {
 public:
  all_paths(const oracle::tiny_graph& tiny, bool unit, bool endpoints) : n_(tiny.vertices), endpoints_(endpoints) {
    for (vertex_id s = 0; s < n_; ++s) {
      const std::vector<graph::distance_bits> distances = oracle::brute_force(tiny, s, unit);
      const graph::distance_bits too_far = tiny.type == graph::weight_type::uint32 || unit ? 0xFFFFFFFE : 0x7F800000;
      for (const graph::distance_bits d : distances) countable_ &= d < too_far || d == graph::unreached;
      next_.assign(n_, std::vector<bool>(n_, false));
      for (const oracle::tiny_edge& edge : tiny.edges) {
        if (distances[edge.source] == graph::unreached || edge.source == edge.target) continue;
        const graph::weight_type type = unit ? graph::weight_type::uint32 : tiny.type;
        if (graph::extend(type, distances[edge.source], unit ? 1 : edge.weight_bits) == distances[edge.target]) {
          next_[edge.source][edge.target] = true;
        }
      }
      countable_ &= !has_cycle();
      if (!countable_) return;
      walk_from(s);
    }
  }

  [[nodiscard]] bool countable() const { return countable_; }
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }

 private:
  [[nodiscard]] bool has_cycle() const {
    std::vector<std::vector<bool>> leads = next_;
    for (vertex_id k = 0; k < n_; ++k) {
      for (vertex_id i = 0; i < n_; ++i) {
        for (vertex_id j = 0; j < n_; ++j) leads[i][j] = leads[i][j] || (leads[i][k] && leads[k][j]);
      }
    }
    for (vertex_id v = 0; v < n_; ++v) {
      if (leads[v][v]) return true;
    }
    return false;
  }

  void walk_from(vertex_id source) {
    paths_to_.assign(n_, 0);
    through_.assign(n_, std::vector<double>(n_, 0));
    path_ = {source};
    walk();
    for (vertex_id t = 0; t < n_; ++t) {
      for (vertex_id v = 0; v < n_ && paths_to_[t] > 0; ++v) scores_[v] += through_[t][v] / paths_to_[t];
    }
  }

  void walk() {
    const vertex_id last = path_.back();
    if (path_.size() > 1) {
      ++paths_to_[last];
      for (std::size_t i = 0; i < path_.size(); ++i) {
        if ((i > 0 && i + 1 < path_.size()) || endpoints_) ++through_[last][path_[i]];
      }
    }
    for (vertex_id target = 0; target < n_; ++target) {
      if (!next_[last][target]) continue;
      path_.push_back(target);
      walk();
      path_.pop_back();
    }
  }

  vertex_id n_;
  bool endpoints_;
  bool countable_ = true;
  std::vector<double> scores_ = std::vector<double>(n_);
  std::vector<std::vector<bool>> next_;
  std::vector<vertex_id> path_;
  std::vector<double> paths_to_;
  std::vector<std::vector<double>> through_;
};

std::vector<vertex_id> all_vertices(const graph::csr_graph& graph) {
  std::vector<vertex_id> vertices(graph.vertex_count());
  std::iota(vertices.begin(), vertices.end(), vertex_id{0});
  return vertices;
}

std::vector<double> values(betweenness_fixture& tested, const score_units& units) {
  std::vector<double> scores;
  for (const fixed_score& sum : tested.instance().scores()) scores.push_back(value_of(sum, units));
  return scores;
}

}  // namespace

TEST_CASE("scores of tiny graphs are those of all their shortest paths, by every solver") {
  std::size_t refused = 0;
  std::size_t several_paths = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const graph::csr_graph graph = tiny.csr();
    const bool unit = seed % 3 == 0;
    const bool endpoints = seed % 5 == 0;
    const all_paths right(tiny, unit, endpoints);
    const auto [device, label] = device_and_label()[seed % device_and_label().size()];
    CAPTURE(seed, device, label, unit, tiny.text());
    betweenness_fixture tested(device, graph, unit ? problems::search_kind::bfs : problems::search_kind::sssp);
    tested.prepare(label);
    const std::vector<vertex_id> sources = all_vertices(graph);
    const score_units units = units_for(graph.vertex_count(), sources.size());
    const betweenness_request request{.sources = sources, .units = units, .endpoints = endpoints};
    if (!right.countable()) {
      CHECK_THROWS_AS(tested.add_up(request, seed), input_error);
      ++refused;
      continue;
    }
    REQUIRE(tested.add_up(request, seed).result == db::outcome::ok);
    const std::vector<double> scores = values(tested, units);
    for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
      CAPTURE(v);
      CHECK(scores[v] == Approx(right.scores()[v]).epsilon(1e-12).margin(1e-12));
      if (scores[v] != std::floor(scores[v])) ++several_paths;
    }
  }
  CHECK(refused > 10);
  CHECK(refused < 60);
  CHECK(several_paths > 50);
}

TEST_CASE("queries are answered under several schedules, by weights and by levels") {
  std::uint64_t number = 0;
  for (const auto& [name, graph] : {std::pair("road", graph::generate_road(8)),
                                    {"rmat", graph::generate_rmat(8)},
                                    {"mesh", graph::generate_delaunay(256)},
                                    {"grid", graph::generate_grid2d(14, 12)},
                                    {"path", graph::generate_path(150)},
                                    {"star", graph::generate_star(100)}}) {
    for (const auto& [device, label] : device_and_label()) {
      if (!tests::in_share(number++)) continue;
      for (const auto kind : {problems::search_kind::sssp, problems::search_kind::bfs}) {
        betweenness_fixture tested(device, graph, kind);
        tested.prepare(label);
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          CAPTURE(name, device, label, seed);
          CHECK(tested.run_and_check("sources=40:seed=3", seed).empty());
        }
      }
    }
  }
}

TEST_CASE("the scores are the same to the last bit, whatever number of sources is searched at a time") {
  // Most numbers of paths here are not powers of two, so that sums of doubles would depend on their order.
  const graph::csr_graph graph = graph::generate_grid2d(9, 8);
  const std::vector<vertex_id> sources = all_vertices(graph);
  const score_units units = units_for(graph.vertex_count(), sources.size());
  std::optional<std::vector<double>> before;
  for (const char* const label : {"threads=32,blocks=1,concurrent=1", "threads=32,blocks=3", "threads=128,blocks=1"}) {
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{5 * 72 * 4}}) {
      betweenness_fixture tested("simt", graph);
      tested.prepare(label);
      REQUIRE(tested.add_up({.sources = sources, .units = units, .memory_bytes = memory}, memory + 7).result ==
              db::outcome::ok);
      const std::vector<double> scores = values(tested, units);
      if (before) CHECK(scores == *before);
      before = scores;
    }
  }
}

TEST_CASE("sums of the parts of the sources are the sum of all") {
  const graph::csr_graph graph = graph::generate_rmat(7);
  const std::vector<vertex_id> sources = all_vertices(graph);
  const score_units units = units_for(graph.vertex_count(), sources.size());
  for (const auto& [device, label] : device_and_label()) {
    CAPTURE(device, label);
    betweenness_fixture tested(device, graph);
    tested.prepare(label);
    const auto sum_of = [&](std::size_t first, std::size_t count) {
      REQUIRE(tested.add_up({.sources = std::span(sources).subspan(first, count), .units = units}).result ==
              db::outcome::ok);
      return tested.instance().scores();
    };
    const auto total = sum_of(0, 128);
    const auto some = sum_of(0, 50);
    const auto others = sum_of(50, 78);
    for (std::size_t v = 0; v < total.size(); ++v) {
      CHECK(total[v].whole == some[v].whole + others[v].whole);
      CHECK(total[v].fine == some[v].fine + others[v].fine);
    }
  }
}

TEST_CASE("a score as integers is the score") {
  for (const std::uint64_t vertices : {std::uint64_t{1}, std::uint64_t{72}, std::uint64_t{1} << 31}) {
    for (const std::uint64_t searches : {std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{1} << 31}) {
      const score_units units = units_for(vertices, searches);
      for (const double score : {0.0, 1.0 / 3, 1e-6, 1.0, static_cast<double>(vertices)}) {
        CAPTURE(vertices, searches, score);
        if (score > static_cast<double>(vertices)) continue;
        const fixed_score fixed = fixed_score_of(score, units);
        CHECK(value_of(fixed, units) == Approx(score).epsilon(1e-15).margin(1e-9 / units.whole));
        // The sum over all searches still fits.
        const auto most = static_cast<double>(searches);
        CHECK(static_cast<double>(fixed.whole) * most < std::ldexp(1.0, 64));
        CHECK(static_cast<double>(fixed.fine) * most < std::ldexp(1.0, 64));
      }
    }
  }
}

TEST_CASE("simple graphs have neither self-loops nor parallel edges, and the lightest ones remain") {
  const graph::csr_graph graph(std::vector<graph::edge_offset>{0, 4, 5, 6}, std::vector<vertex_id>{1, 0, 1, 2, 0, 0},
                               std::vector<std::uint32_t>{7, 3, 2, 5, 2, 5});
  const graph::csr_graph simple = simple_graph(graph);
  CHECK(std::ranges::equal(simple.targets(), std::vector<vertex_id>{1, 2, 0, 0}));
  CHECK(std::ranges::equal(simple.weight_bits(), std::vector<std::uint32_t>{2, 5, 2, 5}));
  CHECK(is_undirected(simple));
  CHECK(simple_graph(simple).targets().data() == simple.targets().data());
  // First one weight differs, then one edge leads elsewhere.
  CHECK_FALSE(
      is_undirected({{0, 2, 3, 4}, std::vector<vertex_id>{1, 2, 0, 0}, std::vector<std::uint32_t>{2, 5, 3, 5}}));
  CHECK_FALSE(is_undirected({{0, 1, 2, 3}, std::vector<vertex_id>{1, 2, 0}, std::vector<std::uint32_t>{1, 1, 1}}));
  CHECK(is_undirected(graph::generate_road(7)));
}
