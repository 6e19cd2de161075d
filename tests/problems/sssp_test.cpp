// SPDX-License-Identifier: Apache-2.0
#include "sssp_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string_view>

#include "graph/adversarial.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "search_abi.cuh"
#include "tuner/parameter.hpp"

namespace mlmq::problems::tests {
namespace {

using graph::csr_graph;
using graph::vertex_id;
using graph::weight_type;

constexpr std::string_view power_law = "power_law";

/// The adversarial graphs that are searched with every queue, and their sources: vertex 0, and one far from it. The
/// other adversarial graphs are for queues of a certain size (mlmq check).
struct hard_search {
  std::string_view name;
  std::vector<vertex_id> sources;
};
const std::vector<hard_search>& hard_searches() {
  static const std::vector<hard_search> searches = {
      {"single", {0}},        {"path", {0, 30}},       {"star", {0, 299}},
      {"complete", {0, 39}},  {"components", {0, 30}}, {"zero_cycles", {0, 47}},
      {"parallels", {0, 20}}, {"shortcuts", {0}},      {"hub", {0}},
      {"huge", {0}},          {"grid", {0, 78}},       {power_law, {0, 1}},
  };
  return searches;
}

hard_graph make(const hard_search& hard, weight_type weights) {
  return {.name = std::string(hard.name),
          .graph = hard.name == power_law ? graph::with_adversarial_weights(graph::generate_power_law(400, 8), weights)
                                          : graph::adversarial_graph(hard.name, weights),
          .sources = hard.sources};
}

}  // namespace

std::vector<hard_graph> hard_graphs(weight_type weights) {
  std::vector<hard_graph> graphs;
  for (const hard_search& hard : hard_searches()) graphs.push_back(make(hard, weights));
  return graphs;
}

hard_graph hard_graph_named(const std::string& name, weight_type weights) {
  for (const hard_search& hard : hard_searches()) {
    if (hard.name == name) return make(hard, weights);
  }
  throw std::logic_error("no graph '" + name + "'");
}

csr_graph chain_to_infinity() {
  graph::edge_list edges;
  edges.type = weight_type::float32;
  for (vertex_id v = 0; v < 8; ++v) edges.add(v, v + 1, std::bit_cast<std::uint32_t>(3e38F));
  edges.add(0, 9, std::bit_cast<std::uint32_t>(1.0F));
  return graph::build_csr(10, edges);
}

std::vector<graph::distance_bits> levels_of(const csr_graph& graph, vertex_id source) {
  std::vector<graph::distance_bits> levels(graph.vertex_count(), graph::unreached);
  std::deque<vertex_id> open = {source};
  levels[source] = 0;
  while (!open.empty()) {
    const vertex_id v = open.front();
    open.pop_front();
    for (auto i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) {
      graph::distance_bits& level = levels[graph.targets()[i]];
      if (level != graph::unreached) continue;
      level = levels[v] + 1;
      open.push_back(graph.targets()[i]);
    }
  }
  return levels;
}

tuner::configuration configuration_of(const std::string& label) {
  return tuner::parameter_set::from_declarations(search_declarations()).parse_label(label);
}

std::uint64_t fuzz_factor() {
  const char* const factor = std::getenv("MLMQ_FUZZ");
  return factor == nullptr ? 1 : std::max(1ull, std::strtoull(factor, nullptr, 10));
}

std::unique_ptr<backends::backend> open_simulator(const std::string& selector) {
  return backends::open_device(selector);
}

void tampered_device::download(void* target, const backends::device_memory& source, std::size_t bytes) {
  real_.download(target, source, bytes);
  if (!damage_answer) return;
  std::uint32_t last = 0;
  char* const end = static_cast<char*>(target) + bytes;
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
    : device_(device), instance_(problems::search(kind, limits).load_graph(device, graph, "the test's graph")) {}

void search::prepare(const tuner::configuration& chosen, tuner::instrumentation instrumentation_kind) {
  instance_->prepare(chosen, device_.compile(instance_->variant(chosen, instrumentation_kind)), instrumentation_kind);
}

tuner::run_report search::run(vertex_id source, std::uint64_t seed, double time_limit_ms) {
  device_.set_seed(seed);
  return instance_->run_from(source, time_limit_ms);
}

template <class Bits>
static std::string first_difference(const std::vector<Bits>& actual, const std::vector<Bits>& expected) {
  if (actual.size() != expected.size()) return fmt::format("{} distances, not {}", actual.size(), expected.size());
  for (std::size_t v = 0; v < actual.size(); ++v) {
    if (actual[v] != expected[v]) return fmt::format("vertex {}: {:#x} instead of {:#x}", v, actual[v], expected[v]);
  }
  return "";
}

std::vector<graph::wide_distance_bits> wide_distances_of(search& tried) {
  const auto words = std::get<uninitialized_vector<graph::wide_distance_bits>>(tried.instance().all_distances());
  return {words.begin(), words.end()};
}

std::string disagreement(search& tried, const csr_graph& graph, vertex_id source) {
  const std::string difference = graph.weights() == weight_type::float64
                                     ? first_difference(wide_distances_of(tried), graph::wide_dijkstra(graph, source))
                                     : first_difference(tried.instance().distances(), graph::dijkstra(graph, source));
  if (!difference.empty()) return difference;
  const std::string complaint = tried.instance().check();
  return complaint.empty() ? "" : "check() refuses the right answer: " + complaint;
}

std::map<std::string, std::uint64_t> counters_of(const tuner::run_report& report) {
  std::map<std::string, std::uint64_t> counters;
  for (const auto& [name, value] : report.counters) counters.emplace(name, static_cast<std::uint64_t>(value));
  return counters;
}

}  // namespace mlmq::problems::tests
