// SPDX-License-Identifier: Apache-2.0
// The checker against every kind of wrong answer: the right distances of random graphs, changed. Comparison with the
// right distances, which come from brute force, decides whether a change makes the answer wrong.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "graph/check.hpp"
#include "graph/reference.hpp"
#include "tests/oracle/tiny_graph.hpp"

using namespace mlmq;
using namespace mlmq::graph;
using oracle::tiny_edge;
using oracle::tiny_graph;
using distances = std::vector<distance_bits>;

namespace {

constexpr std::uint64_t graph_count = 3000;

/// An answer and what a mutation needs to change it.
struct answer {
  const tiny_graph& graph;
  vertex_id source;
  distances values;
  random_stream& random;

  /// Returns a vertex whose distance `condition` accepts, or nothing.
  [[nodiscard]] std::optional<vertex_id> some(const std::function<bool(vertex_id)>& condition) {
    std::vector<vertex_id> matches;
    for (vertex_id v = 0; v < values.size(); ++v) {
      if (condition(v)) matches.push_back(v);
    }
    if (matches.empty()) return std::nullopt;
    return matches[random.below(matches.size())];
  }
  [[nodiscard]] bool reached(vertex_id v) const { return values[v] != unreached; }
  /// Shifts the distances of the vertex and of all vertices connected to it by edges of length 0, in both directions.
  void shift_together(vertex_id v, std::int64_t difference) {
    std::vector<bool> together(values.size(), false);
    together[v] = true;
    for (std::size_t round = 0; round < values.size(); ++round) {
      for (const tiny_edge& edge : graph.edges) {
        if (edge.weight_bits != 0 || edge.source == source || edge.target == source) continue;
        if (together[edge.source] || together[edge.target]) together[edge.source] = together[edge.target] = true;
      }
    }
    for (vertex_id u = 0; u < values.size(); ++u) {
      if (together[u] && reached(u)) values[u] = static_cast<distance_bits>(values[u] + difference);
    }
  }
};

/// A way to change the answer; does nothing where it does not apply.
struct mutation {
  std::string name;
  std::function<void(answer&)> change;
};

distance_bits bits(float value) { return std::bit_cast<distance_bits>(value); }

void set_some(answer& a, const std::function<bool(vertex_id)>& condition,
              const std::function<distance_bits(vertex_id)>& new_value) {
  if (const auto v = a.some(condition)) a.values[*v] = new_value(*v);
}

std::vector<mutation> mutations() {
  const auto is_reached = [](answer& a) { return [&a](vertex_id v) { return v != a.source && a.reached(v); }; };
  const auto is_not_reached = [](answer& a) { return [&a](vertex_id v) { return !a.reached(v); }; };
  const auto always = [](distance_bits value) { return [value](vertex_id) { return value; }; };
  return {
      {"one too small", [=](answer& a) { set_some(a, is_reached(a), [&](vertex_id v) { return a.values[v] - 1; }); }},
      {"one too large", [=](answer& a) { set_some(a, is_reached(a), [&](vertex_id v) { return a.values[v] + 1; }); }},
      {"half", [=](answer& a) { set_some(a, is_reached(a), [&](vertex_id v) { return a.values[v] / 2; }); }},
      {"0 instead of the distance", [=](answer& a) { set_some(a, is_reached(a), always(0)); }},
      {"reached made unreached", [=](answer& a) { set_some(a, is_reached(a), always(unreached)); }},
      {"unreached made reached", [=](answer& a) { set_some(a, is_not_reached(a), always(7)); }},
      {"unreached made 0", [=](answer& a) { set_some(a, is_not_reached(a), always(0)); }},
      {"unreached made saturated", [=](answer& a) { set_some(a, is_not_reached(a), always(saturated_distance)); }},
      {"a whole unreached part made reached",
       [](answer& a) {
         for (distance_bits& value : a.values) value = value == unreached ? saturated_distance : value;
       }},
      {"an unreached part made infinite",
       [](answer& a) {
         for (distance_bits& value : a.values)
           value = value == unreached ? bits(std::numeric_limits<float>::infinity()) : value;
       }},
      {"saturated", [=](answer& a) { set_some(a, is_reached(a), always(saturated_distance)); }},
      {"source is not 0", [](answer& a) { a.values[a.source] = 1; }},
      {"source is unreached", [](answer& a) { a.values[a.source] = unreached; }},
      {"source is -0", [](answer& a) { a.values[a.source] = bits(-0.0F); }},
      {"all but the source unreached",
       [](answer& a) {
         std::fill(a.values.begin(), a.values.end(), unreached);
         a.values[a.source] = 0;
       }},
      {"all 0", [](answer& a) { std::fill(a.values.begin(), a.values.end(), 0); }},
      {"all shifted up",
       [](answer& a) {
         for (distance_bits& value : a.values) value += value == unreached ? 0 : 1;
       }},
      {"all but the source shifted up",
       [](answer& a) {
         for (vertex_id v = 0; v < a.values.size(); ++v) a.values[v] += v == a.source || !a.reached(v) ? 0 : 1;
       }},
      {"all but the source shifted down",
       [](answer& a) {
         for (vertex_id v = 0; v < a.values.size(); ++v)
           a.values[v] -= v == a.source || !a.reached(v) || a.values[v] == 0 ? 0 : 1;
       }},
      {"two swapped",
       [](answer& a) {
         const auto any = [](vertex_id) { return true; };
         std::swap(a.values[*a.some(any)], a.values[*a.some(any)]);
       }},
      {"of another source",
       [](answer& a) {
         a.values = oracle::brute_force(a.graph, static_cast<vertex_id>((a.source + 1) % a.graph.vertices));
       }},
      {"smaller together along edges without length",
       [=](answer& a) {
         const auto v = a.some([&](vertex_id u) { return is_reached(a)(u) && a.values[u] > 0; });
         if (v) a.shift_together(*v, -1);
       }},
      {"larger together along edges without length",
       [=](answer& a) {
         if (const auto v = a.some(is_reached(a))) a.shift_together(*v, 1);
       }},
      {"NaN", [=](answer& a) { set_some(a, is_reached(a), always(0x7FC00000)); }},
      {"NaN with a sign", [=](answer& a) { set_some(a, is_reached(a), always(0xFFC00000)); }},
      {"negative",
       [=](answer& a) { set_some(a, is_reached(a), [&](vertex_id v) { return a.values[v] | 0x80000000; }); }},
      {"NaN where nothing leads", [=](answer& a) { set_some(a, is_not_reached(a), always(0x7FC00000)); }},
      {"one distance missing", [](answer& a) { a.values.pop_back(); }},
      {"one distance more", [](answer& a) { a.values.push_back(unreached); }},
      {"no distances", [](answer& a) { a.values.clear(); }},
      {"any bits",
       [](answer& a) { a.values[a.random.below(a.values.size())] = static_cast<distance_bits>(a.random.next()); }},
  };
}

}  // namespace

TEST_CASE("the checker finds every kind of wrong answer and refuses no right one") {
  const std::vector<mutation> kinds = mutations();
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t seed = 0; seed < graph_count; ++seed) {
    const tiny_graph tiny = oracle::random_tiny_graph(seed);
    const csr_graph graph = tiny.csr();
    random_stream random({seed, 2});
    const auto source = static_cast<vertex_id>(random.below(tiny.vertices));
    CAPTURE(seed, source, tiny.text());
    const distances right = oracle::brute_force(tiny, source);
    REQUIRE(dijkstra(graph, source) == right);
    REQUIRE(check_distances(graph, source, right).message.empty());
    for (const mutation& kind : kinds) {
      answer changed{tiny, source, right, random};
      kind.change(changed);
      if (changed.values == right) continue;
      INFO(kind.name);
      const check_result result = check_distances(graph, source, changed.values);
      REQUIRE_FALSE(result.ok);
      REQUIRE_FALSE(result.message.empty());
      ++counts[kind.name];
    }
  }
  // Each mutation must change the answer often enough: otherwise it would test nothing.
  for (const mutation& kind : kinds) {
    INFO(kind.name);
    CHECK(counts[kind.name] >= graph_count / 10);
  }
}
