// SPDX-License-Identifier: Apache-2.0
// Every solver against Boost's Dijkstra, bit for bit.
#include <atomic>
#include <bit>
#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "graph/weight_traits.hpp"
#include "tests/support/speed.hpp"

namespace {

using namespace mlmq;
using graph::csr_graph;
using graph::vertex_id;
using graph::weight_type;

/// Distances of 4 or 8 bytes.
using distances_of_type = std::variant<std::vector<graph::distance_bits>, std::vector<graph::wide_distance_bits>>;

/// A graph in the layout of search_graph, with memory for distances.
class laid_out {
 public:
  explicit laid_out(csr_graph graph, bool wide_offsets = false, bool unit_weights = false)
      : graph_(std::move(graph)), wide_(graph_.offsets().begin(), graph_.offsets().end()) {
    reverse_starts_.assign(graph_.vertex_count() + std::size_t{1}, 0);
    for (const vertex_id target : graph_.targets()) ++reverse_starts_[target + std::size_t{1}];
    std::partial_sum(reverse_starts_.begin(), reverse_starts_.end(), reverse_starts_.begin());
    sources_.resize(graph_.edge_count());
    std::vector<std::uint64_t> next = reverse_starts_;
    for (vertex_id v = 0; v < graph_.vertex_count(); ++v) {
      for (auto i = wide_[v]; i < wide_[v + std::size_t{1}]; ++i) sources_[next[graph_.targets()[i]]++] = v;
    }
    for (const std::uint64_t start : reverse_starts_) narrow_starts_.push_back(static_cast<std::uint32_t>(start));
    for (const graph::edge_offset offset : wide_) narrow_.push_back(static_cast<std::uint32_t>(offset));
    const bool is_wide = graph_.weights() == weight_type::float64;
    for (std::size_t i = 0; i < graph_.edge_count(); ++i) {
      if (is_wide) {
        wide_words_.push_back({.target = graph_.targets()[i], .weight_bits = graph_.wide_weight_bits()[i]});
      } else {
        words_.push_back(graph_.targets()[i] | std::uint64_t{graph_.weight_bits()[i]} << 32);
      }
    }
    if (is_wide) {
      wide_distances_.assign(graph_.vertex_count(), 12345);
    } else {
      distances.assign(graph_.vertex_count(), 12345);
    }
    const void* const weighted = is_wide ? static_cast<const void*>(wide_words_.data()) : words_.data();
    request.graph = {
        .vertices = graph_.vertex_count(),
        .weights = graph_.weights(),
        .unit_weights = unit_weights,
        .wide_offsets = wide_offsets,
        .offsets = wide_offsets ? static_cast<const void*>(wide_.data()) : narrow_.data(),
        .edges = unit_weights ? static_cast<const void*>(graph_.targets().data()) : weighted,
        .reverse_offsets = wide_offsets ? static_cast<const void*>(reverse_starts_.data()) : narrow_starts_.data(),
        .reverse_edges = sources_.data(),
        .csr = &graph_};
    request.distances = distances.data();
    request.wide_distances = wide_distances_.data();
  }
  laid_out(const laid_out&) = delete;
  laid_out& operator=(const laid_out&) = delete;

  /// Returns the distances in an array of their type.
  [[nodiscard]] distances_of_type answer() const {
    if (graph_.weights() == weight_type::float64) return wide_distances_;
    return distances;
  }

  cpu::search_request request;
  std::vector<graph::distance_bits> distances;

 private:
  csr_graph graph_;
  std::vector<std::uint64_t> wide_;
  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> words_;
  std::vector<graph::wide_edge> wide_words_;
  std::vector<graph::wide_distance_bits> wide_distances_;
  std::vector<std::uint64_t> reverse_starts_;
  std::vector<std::uint32_t> narrow_starts_;
  std::vector<vertex_id> sources_;
};

/// Returns a graph of `vertices` vertices and up to four times as many edges between random vertices, some of length 0.
csr_graph random_graph(vertex_id vertices, weight_type type, std::uint32_t largest, unsigned seed) {
  std::mt19937 random(seed);
  graph::edge_list edges;
  edges.type = type;
  for (vertex_id i = 0; i < 4 * vertices; ++i) {
    const std::uint32_t weight = static_cast<std::uint32_t>(random() % (std::uint64_t{largest} + 1));
    const std::uint32_t bits =
        type == weight_type::uint32 ? weight : std::bit_cast<std::uint32_t>(static_cast<float>(weight) / 7.0F);
    edges.add(static_cast<vertex_id>(random() % vertices), static_cast<vertex_id>(random() % vertices), bits);
    edges.wide_weight_bits.push_back(std::bit_cast<std::uint64_t>(weight / 7.0));
  }
  if (type == weight_type::float64) {
    edges.weight_bits.clear();
  } else {
    edges.wide_weight_bits.clear();
  }
  return graph::build_csr(vertices, edges);
}

distances_of_type right_answer(const csr_graph& graph, vertex_id source) {
  if (graph.weights() == weight_type::float64) return graph::wide_dijkstra(graph, source);
  return graph::dijkstra(graph, source);
}

struct named_graph {
  std::string name;
  csr_graph graph;
};

std::vector<named_graph> all_graphs(weight_type type) {
  std::vector<named_graph> graphs;
  for (const std::string_view name : graph::adversarial_names()) {
    graphs.push_back({std::string(name), graph::adversarial_graph(name, type)});
  }
  graphs.push_back({"hub100000", graph::adversarial_graph("hub100000", type)});
  graphs.push_back({"random, short", random_graph(3000, type, 5, 1)});
  graphs.push_back({"random, long", random_graph(3000, type, 100'000, 2)});
  graphs.push_back({"random, saturating", random_graph(500, type, graph::largest_weight, 3)});
  return graphs;
}

std::vector<std::string_view> solvers_with_weights() {
  std::vector<std::string_view> names;
  for (const std::string_view name : cpu::solver_names()) {
    if (!cpu::needs_unit_weights(name)) names.push_back(name);
  }
  return names;
}

const std::vector<double>& deltas_of(std::string_view solver) {
  static const std::vector<double> none = {1};
  static const std::vector<double> some = {0.01, 1, 30, 1e12};
  return solver == "delta_stepping" ? some : none;
}

cpu::search_result finish(cpu::solver& solver, cpu::thread_team& team, const cpu::search_request& request) {
  const cpu::search_result result = solver.run(team, request);
  CHECK(result.status == cpu::run_status::finished);
  return result;
}

/// Returns a graph whose search takes seconds: a path, whose vertices are found one by one, each in a bucket of its
/// own.
csr_graph endless() { return graph::with_unit_weights(graph::generate_path(3'000'000)); }

}  // namespace

TEST_CASE("every solver finds Dijkstra's distances, with every number of threads, again and again") {
  for (const weight_type type : {weight_type::uint32, weight_type::float32, weight_type::float64}) {
    const std::vector<named_graph> graphs = all_graphs(type);
    for (const unsigned threads : {1U, 2U, 4U}) {
      cpu::thread_team team(threads);
      for (const std::string_view name : solvers_with_weights()) {
        const auto solver = cpu::make_solver(name);  // one for all searches: no state may carry over
        for (const named_graph& tried : graphs) {
          const vertex_id last = tried.graph.vertex_count() - 1;
          for (const vertex_id source : {vertex_id{0}, last}) {
            const distances_of_type expected = right_answer(tried.graph, source);
            laid_out ready(tried.graph, source == last);
            ready.request.source = source;
            for (const double delta : deltas_of(name)) {
              if (delta < 1 && tried.name == "random, long") continue;  // ten million buckets
              CAPTURE(name, tried.name, threads, source, delta, static_cast<int>(type));
              ready.request.delta = delta;
              ready.request.count = delta == 1;
              ready.request.fusion = delta == 30 ? 0 : 1024;
              ready.request.lookahead = delta == 30 ? 1 : 32;
              ready.request.chunk = delta == 30 ? 1 : 64;
              finish(*solver, team, ready.request);
              REQUIRE((ready.answer() == expected));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("searches begin at several vertices, each with a distance of its own") {
  const auto bits_of = [](weight_type type, unsigned distance) {
    if (type == weight_type::uint32) return std::uint64_t{distance};
    return type == weight_type::float32 ? std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(distance))}
                                        : std::bit_cast<std::uint64_t>(static_cast<double>(distance));
  };
  for (const weight_type type : {weight_type::uint32, weight_type::float32, weight_type::float64}) {
    for (const unsigned second : {0U, 3U, 500'000U}) {
      const csr_graph tried = random_graph(3000, type, 1000, 7);
      const std::vector<graph::seed_vertex> seeds{{.vertex = 5, .distance = bits_of(type, 100)},
                                                  {.vertex = 1700, .distance = bits_of(type, second)}};
      // One more vertex leads to those where the search begins.
      graph::edge_list edges;
      edges.type = type;
      const auto add = [&](vertex_id source, vertex_id target, std::uint64_t bits) {
        edges.add(source, target, static_cast<std::uint32_t>(bits));
        if (type == weight_type::float64) edges.wide_weight_bits.push_back(bits);
      };
      for (vertex_id v = 0; v < 3000; ++v) {
        for (graph::edge_offset e = tried.offsets()[v]; e < tried.offsets()[v + 1]; ++e) {
          const bool is_wide = type == weight_type::float64;
          add(v, tried.targets()[e], is_wide ? tried.wide_weight_bits()[e] : tried.weight_bits()[e]);
        }
      }
      for (const graph::seed_vertex& each : seeds) add(3000, each.vertex, each.distance);
      if (type == weight_type::float64) edges.weight_bits.clear();
      distances_of_type expected = right_answer(graph::build_csr(3001, edges), 3000);
      std::visit([](auto& distances) { distances.pop_back(); }, expected);
      laid_out ready(tried);
      ready.request.seeds = seeds;
      for (const std::string_view name : {"dijkstra", "delta_stepping"}) {
        for (const unsigned threads : {1U, 3U}) {
          CAPTURE(name, threads, second, static_cast<int>(type));
          cpu::thread_team team(threads);
          ready.request.delta = 60;
          finish(*cpu::make_solver(name), team, ready.request);
          CHECK((ready.answer() == expected));
        }
      }
    }
  }
}

TEST_CASE("threads that race find the same distances every time") {
  const csr_graph tried = random_graph(20'000, weight_type::uint32, 1000, 5);
  const std::vector<graph::distance_bits> expected = graph::dijkstra(tried, 3);
  laid_out ready(tried);
  ready.request.source = 3;
  for (const unsigned threads : {2U, 4U}) {
    cpu::thread_team team(threads);
    const auto solver = cpu::make_solver("delta_stepping");
    for (int run = 0; run < 60; ++run) {
      ready.request.delta = 1 << run % 12;
      ready.request.lookahead = 1 + run * 7 % 32;
      ready.request.fusion = run % 2 == 0 ? 0 : run % 3 == 0 ? 1'000'000 : 300;
      ready.distances.assign(ready.distances.size(), 0);  // a value that is too small: must not be taken for an answer
      finish(*solver, team, ready.request);
      REQUIRE(ready.distances == expected);
    }
  }
}

TEST_CASE("one thread searches a small graph, and all threads share the large buckets of another") {
  const auto counts_of = [](const csr_graph& searched, double delta, unsigned threads) {
    laid_out ready(searched);
    ready.request.delta = delta;
    ready.request.count = true;
    cpu::thread_team team(threads);
    const auto solver = cpu::make_solver("delta_stepping");
    const cpu::work_counts counts = finish(*solver, team, ready.request).counts;
    REQUIRE(ready.distances == graph::dijkstra(searched, 0));
    return counts;
  };
  for (const unsigned threads : {4U, 6U}) {
    CAPTURE(threads);
    // The thread meets no other thread: neither distances nor entries are claimed.
    const cpu::work_counts small = counts_of(graph::generate_named("road8").graph, 100, threads);
    CHECK(small.queue_atomics + small.distance_atomics == 0);
    CHECK(counts_of(random_graph(30'000, weight_type::uint32, 1000, 5), 100, threads).queue_atomics > 0);
  }
}

TEST_CASE("threads take over from one, and one from them, as often as buckets grow and shrink") {
  // Wide random parts, joined by paths whose vertices are found one by one.
  constexpr vertex_id parts = 6;
  constexpr vertex_id wide = 6000;
  constexpr vertex_id path = 50;
  graph::edge_list edges;
  std::mt19937 random(11);
  for (vertex_id part = 0; part < parts; ++part) {
    const vertex_id first = part * (wide + path);
    for (vertex_id i = 1; i < wide; ++i) {
      edges.add(first, first + i, 1 + static_cast<std::uint32_t>(random() % 1000));
      for (int k = 0; k < 3; ++k)
        edges.add(first + i, first + static_cast<vertex_id>(random() % wide),
                  static_cast<std::uint32_t>(random() % 1000));
    }
    const vertex_id last = part + 1 < parts ? wide + path : wide + path - 1;
    for (vertex_id i = wide - 1; i < last; ++i) edges.add(first + i, first + i + 1, 2000);
  }
  const csr_graph tried = graph::build_csr(parts * (wide + path), edges);
  const std::vector<graph::distance_bits> expected = graph::dijkstra(tried, 0);
  laid_out ready(tried);
  for (const unsigned threads : {4U, 6U}) {
    cpu::thread_team team(threads);
    const auto solver = cpu::make_solver("delta_stepping");
    for (const double delta : {20.0, 100.0, 1000.0}) {
      CAPTURE(threads, delta);
      ready.request.delta = delta;
      ready.request.count = delta == 100;
      const cpu::work_counts counts = finish(*solver, team, ready.request).counts;
      REQUIRE(ready.distances == expected);
      // One thread expands the vertices of the paths, so that they are never claimed.
      if (ready.request.count) {
        CHECK(counts.queue_atomics > 0);
        CHECK(counts.distance_atomics < counts.updates);
      }
    }
  }
}

TEST_CASE("with unit weights every solver finds levels, whichever way bfs goes") {
  std::vector<named_graph> graphs = all_graphs(weight_type::float32);
  graphs.push_back({"rmat14", graph::generate_rmat(14, 8, 1)});  // pulls levels, then pushes again
  for (const unsigned threads : {1U, 2U, 4U}) {
    cpu::thread_team team(threads);
    for (const std::string_view name : cpu::solver_names()) {
      const auto solver = cpu::make_solver(name);
      for (const named_graph& tried : graphs) {
        const csr_graph ones = graph::with_unit_weights(tried.graph);
        for (const vertex_id source : {vertex_id{0}, ones.vertex_count() - 1}) {
          const std::vector<graph::distance_bits> expected = graph::dijkstra(ones, source);
          laid_out ready(ones, source != 0, true);
          ready.request.source = source;
          for (const unsigned pull : {0U, 1U, 15U, 1'000'000U}) {
            if (name != "bfs" && pull > 0) continue;
            CAPTURE(name, tried.name, threads, source, pull);
            ready.request.pull = pull;
            ready.request.count = pull == 1;
            finish(*solver, team, ready.request);
            REQUIRE(ready.distances == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("pulling saves looking at edges, and needs reverse edges") {
  laid_out ready(graph::with_unit_weights(graph::generate_rmat(14, 8, 1)), false, true);
  ready.request.count = true;
  cpu::thread_team team(2);
  const auto solver = cpu::make_solver("bfs");
  const cpu::work_counts pulled = finish(*solver, team, ready.request).counts;
  ready.request.pull = 0;
  const cpu::work_counts pushed = finish(*solver, team, ready.request).counts;
  CHECK(pulled.updates == pushed.updates);
  CHECK(pulled.relaxations < pushed.relaxations / 2);
  CHECK(pulled.pops < pushed.pops);
  ready.request.pull = 15;
  ready.request.graph.reverse_edges = nullptr;
  CHECK(finish(*solver, team, ready.request).counts.relaxations == pushed.relaxations);
  ready.request.graph.unit_weights = false;
  CHECK_THROWS_AS(solver->run(team, ready.request), std::invalid_argument);
}

TEST_CASE("work is counted on request") {
  const csr_graph tried = random_graph(4000, weight_type::uint32, 50, 8);
  const std::vector<graph::distance_bits> expected = graph::dijkstra(tried, 0);
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;
  for (vertex_id v = 0; v < tried.vertex_count(); ++v) {
    if (expected[v] == graph::unreached) continue;
    ++reached;
    edges += tried.offsets()[v + 1] - tried.offsets()[v];
  }
  laid_out ready(tried);
  ready.request.delta = 20;
  ready.request.fusion = 0;  // otherwise one thread would search so small a graph
  for (const unsigned threads : {1U, 3U}) {
    cpu::thread_team team(threads);
    for (const std::string_view name : solvers_with_weights()) {
      CAPTURE(name, threads);
      const auto solver = cpu::make_solver(name);
      ready.request.count = true;
      const cpu::work_counts counts = finish(*solver, team, ready.request).counts;
      CHECK(counts.updates >= reached);
      if (name == "boost_dijkstra") {
        CHECK(counts.pops == reached);  // its heap moves entries instead of adding them again
      } else {
        CHECK(counts.pops == counts.updates);
      }
      CHECK(counts.pops - counts.stale_pops >= reached);
      if (name == "delta_stepping") {
        CHECK(counts.relaxations >= edges);
        CHECK((counts.queue_atomics == 0) == (threads == 1));
        CHECK((counts.distance_atomics == 0) == (threads == 1));
      } else {
        CHECK(counts.pops - counts.stale_pops == reached);
        CHECK(counts.relaxations == edges);
      }
      ready.request.count = false;
      const cpu::work_counts none = finish(*solver, team, ready.request).counts;
      CHECK(none.pops + none.stale_pops + none.relaxations + none.updates + none.distance_atomics +
                none.queue_atomics ==
            0);
    }
  }
}

TEST_CASE("a search ends soon after its time is up, and the next one is whole") {
  const csr_graph tried = endless();
  laid_out ready(tried, false, true);
  ready.request.delta = 1;
  ready.request.fusion = 0;
  const csr_graph small = graph::with_unit_weights(graph::generate_path(2000));
  const std::vector<graph::distance_bits> expected = graph::dijkstra(small, 0);
  laid_out after(small, false, true);
  for (const unsigned threads : {1U, 2U}) {
    cpu::thread_team team(threads);
    for (const std::string_view name : cpu::solver_names()) {
      CAPTURE(name, threads);
      const auto solver = cpu::make_solver(name);
      ready.request.time_limit_ns = 1'000'000;
      const double start = tests::processor_seconds();
      CHECK(solver->run(team, ready.request).status == cpu::run_status::timed_out);
      CHECK(tests::processor_seconds() - start < tests::processor_seconds_per_second());
      finish(*solver, team, after.request);
      CHECK(after.distances == expected);
    }
  }
}

TEST_CASE("a search ends soon after its abort word is set") {
  const csr_graph tried = endless();
  laid_out ready(tried, false, true);
  ready.request.delta = 1;
  for (const std::string_view name : cpu::solver_names()) {
    CAPTURE(name);
    std::uint32_t word = 0;
    ready.request.abort_word = &word;
    cpu::thread_team team(2);
    const auto solver = cpu::make_solver(name);
    {
      const std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        std::atomic_ref(word).store(1);
      });
      CHECK(solver->run(team, ready.request).status == cpu::run_status::aborted);
    }
    CHECK(solver->run(team, ready.request).status == cpu::run_status::aborted);
  }
}

TEST_CASE("solvers are found by name") {
  for (const std::string_view name : cpu::solver_names()) CHECK(cpu::make_solver(name) != nullptr);
  CHECK(cpu::make_solver("astar") == nullptr);
  CHECK(cpu::solver_source_hash().size() == 32);
}
