// SPDX-License-Identifier: Apache-2.0
#include "sssp_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "problems/search/parameters.hpp"
#include "search_abi.cuh"
#include "tuner/parameter.hpp"

namespace mlmq::problems::tests {
namespace {

using graph::csr_graph;
using graph::vertex_id;
using graph::weight_type;

std::uint32_t bits_of(weight_type type, double weight) {
  return type == weight_type::uint32 ? static_cast<std::uint32_t>(weight)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(weight));
}

/// Collects edges with weights of one type.
class edge_writer {
 public:
  explicit edge_writer(weight_type type) { edges_.type = type; }

  void add(vertex_id from, vertex_id to, double weight) { edges_.add(from, to, bits_of(edges_.type, weight)); }
  [[nodiscard]] csr_graph graph(vertex_id vertices) const { return graph::build_csr(vertices, edges_); }

 private:
  graph::edge_list edges_;
};

/// The same edges with weights drawn from 0 … 100 in steps of 1 or, for floats, of 1/7, which sums round.
csr_graph with_random_weights(const csr_graph& shape, weight_type type, std::uint64_t seed) {
  tuner::random_bits random(seed);
  edge_writer edges(type);
  for (vertex_id v = 0; v < shape.vertex_count(); ++v) {
    for (auto i = shape.offsets()[v]; i < shape.offsets()[v + 1]; ++i) {
      const double scale = type == weight_type::uint32 ? 1.0 : 1.0 / 7;
      edges.add(v, shape.targets()[i], static_cast<double>(random.below(101)) * scale);
    }
  }
  return edges.graph(shape.vertex_count());
}

/// Both components are searched from, and each has an edge that would be found only by reading past a row.
csr_graph two_components(weight_type type) {
  edge_writer edges(type);
  for (vertex_id v = 0; v < 20; ++v) edges.add(v, (v + 1) % 20, 3);
  for (vertex_id v = 20; v < 50; ++v) edges.add(v, v == 49 ? 20 : v + 1, 5);
  return edges.graph(50);
}

/// Cycles of zero weight, where a distance never says who came first, joined by edges of weight 1.
csr_graph zero_cycles(weight_type type) {
  edge_writer edges(type);
  constexpr vertex_id size = 8;
  for (vertex_id cycle = 0; cycle < 6; ++cycle) {
    for (vertex_id i = 0; i < size; ++i) edges.add(cycle * size + i, cycle * size + (i + 1) % size, 0);
    if (cycle > 0) {
      edges.add(cycle * size - 3, cycle * size + 2, 1);
      edges.add(cycle * size + 5, cycle * size - 1, 0);
    }
  }
  return edges.graph(6 * size);
}

/// Self-loops, also of zero weight, and parallel edges with the shortest first, last and in the middle.
csr_graph loops_and_parallels(weight_type type) {
  edge_writer edges(type);
  for (vertex_id v = 0; v < 40; ++v) {
    edges.add(v, v, v % 2);
    for (vertex_id copy = 0; copy < 40; ++copy) edges.add(v, (v + 1) % 41, 7 + (copy + v * 13) % 40);
    edges.add(v, v, 9);
  }
  return edges.graph(41);
}

/// Every vertex leads to every later one, by an edge of the squared distance: long jumps are seen first and each
/// shorter one improves on them, so that a vertex is relaxed as often as possible.
csr_graph shortcuts(weight_type type) {
  constexpr vertex_id vertices = 48;
  edge_writer edges(type);
  for (vertex_id from = 0; from < vertices; ++from) {
    for (vertex_id to = vertices - 1; to > from; --to) {
      edges.add(from, to, static_cast<double>((to - from) * (to - from)));
    }
  }
  return edges.graph(vertices);
}

/// Integers: sums that pass 2^32 - 2, where they saturate, beside sums just below. Floats: sums that lose all small
/// weights to rounding.
csr_graph huge_weights(weight_type type) {
  edge_writer edges(type);
  const double third = type == weight_type::uint32 ? 1431655764.0 : 1.1e38;
  for (vertex_id v = 0; v < 3; ++v) edges.add(v, v + 1, third);
  edges.add(3, 4, 1);
  edges.add(4, 5, 1);
  edges.add(0, 6, type == weight_type::uint32 ? 4294967294.0 : 3e38);
  edges.add(6, 4, 0);
  if (type == weight_type::uint32) {
    edges.add(5, 7, 4294967295.0);
    edges.add(0, 8, 4294967293.0);
    edges.add(8, 9, 1);
    edges.add(9, 10, 1);
  }
  return edges.graph(11);
}

}  // namespace

std::vector<hard_graph> hard_graphs(weight_type weights) {
  std::vector<hard_graph> all;
  all.push_back({"one vertex", edge_writer(weights).graph(1), {0}});
  all.push_back({"two isolated vertices", edge_writer(weights).graph(2), {0, 1}});
  all.push_back({"path", with_random_weights(graph::generate_path(60), weights, 2), {0, 30}});
  all.push_back({"star", with_random_weights(graph::generate_star(3001), weights, 3), {0, 2999}});
  all.push_back({"complete", with_random_weights(graph::generate_complete(40), weights, 4), {0, 39}});
  all.push_back({"two components", two_components(weights), {0, 30}});
  all.push_back({"zero cycles", zero_cycles(weights), {0, 47}});
  all.push_back({"loops and parallels", loops_and_parallels(weights), {0, 40}});
  all.push_back({"shortcuts", shortcuts(weights), {0}});
  all.push_back({"huge weights", huge_weights(weights), {0}});
  all.push_back({"grid", with_random_weights(graph::generate_grid2d(16, 16), weights, 5), {0, 136}});
  all.push_back({"power law", with_random_weights(graph::generate_power_law(400, 8), weights, 6), {0, 1}});
  return all;
}

hard_graph hard_graph_named(const std::string& name, weight_type weights) {
  for (hard_graph& candidate : hard_graphs(weights)) {
    if (candidate.name == name) return std::move(candidate);
  }
  throw std::logic_error("no graph '" + name + "'");
}

csr_graph chain_to_infinity() {
  edge_writer edges(weight_type::float32);
  for (vertex_id v = 0; v < 8; ++v) edges.add(v, v + 1, 3e38);
  edges.add(0, 9, 1);
  return edges.graph(10);
}

tuner::configuration configuration_of(const std::string& label) {
  return tuner::parameter_set::from_declarations(search_declarations()).parse_label(label);
}

std::uint64_t fuzz_factor() {
  const char* const factor = std::getenv("MLMQ_FUZZ");
  return factor == nullptr ? 1 : std::max(1ull, std::strtoull(factor, nullptr, 10));
}

std::unique_ptr<backends::backend> open_simulator(const std::string& selector) {
  // The user's own cache is left alone.
  ::setenv("MLMQ_CACHE", MLMQ_TEST_CACHE, 0);
  return backends::open_device(selector);
}

void tampered_device::download(void* to, const backends::device_memory& from, std::size_t bytes) {
  real_.download(to, from, bytes);
  if (!damage_answer) return;
  std::uint32_t last = 0;
  char* const end = static_cast<char*>(to) + bytes;
  std::memcpy(&last, end - sizeof last, sizeof last);
  ++last;
  std::memcpy(end - sizeof last, &last, sizeof last);
}

void tampered_device::launch(const backends::kernel& variant, const backends::launch_spec& spec) {
  ++launches;
  if (fire_watchdog) guard_.fire();
  if (fault_after_ms == 0) {
    real_.launch(variant, spec);
    return;
  }
  search_arguments arguments = *static_cast<const search_arguments*>(spec.arguments);
  arguments.time_limit_ns = static_cast<u64>(fault_after_ms * 1e6);
  backends::launch_spec cut_short = spec;
  cut_short.arguments = &arguments;
  real_.launch(variant, cut_short);
  throw backends::kernel_fault("a fault made by the test", false);
}

search::search(backends::backend& device, const csr_graph& graph, ring_limits limits, search_kind kind)
    : device_(device), instance_(problems::search(kind, limits).load(device, graph, "the test's graph")) {}

void search::prepare(const tuner::configuration& chosen, tuner::instrumentation what) {
  instance_->prepare(chosen, device_.compile(instance_->variant(chosen, what)), what);
}

tuner::run_report search::run(vertex_id source, std::uint64_t seed, double time_limit_ms) {
  device_.set_seed(seed);
  return instance_->run(source, time_limit_ms);
}

std::string disagreement(search& tried, const csr_graph& graph, vertex_id source) {
  const std::vector<graph::distance_bits> found = tried.instance().distances();
  const std::vector<graph::distance_bits> expected = graph::dijkstra(graph, source);
  if (found.size() != expected.size()) return fmt::format("{} distances, not {}", found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) {
    if (found[v] != expected[v]) {
      return fmt::format("vertex {}: {:#x} instead of {:#x}", v, found[v], expected[v]);
    }
  }
  const std::string complaint = tried.instance().check();
  return complaint.empty() ? "" : "check() refuses the right answer: " + complaint;
}

std::map<std::string, std::uint64_t> counters_of(const tuner::run_report& report) {
  std::map<std::string, std::uint64_t> counters;
  for (const auto& [name, value] : report.counters) counters.emplace(name, static_cast<std::uint64_t>(value));
  return counters;
}

}  // namespace mlmq::problems::tests
