// SPDX-License-Identifier: Apache-2.0
#include "library/processors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "backends/registry.hpp"
#include "base/code_cache.hpp"
#include "base/hash.hpp"
#include "db/statistics.hpp"
#include "graph/generate.hpp"
#include "library/transfer_cost.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::detail {
namespace {

/// Small enough to be quick and large enough to time, with few and with many edges per vertex.
constexpr const char* calibration_graphs[] = {"road12", "rmat12"};

/// Returns the median time of several searches; 0 if they fail. The first search does not count, as in recorded
/// measurements. The minimum of many runs would be half as long, with warmer caches than a single search has.
double measure_ms(backends::backend& device, const problems::search& search, const tuner::configuration& configuration,
                  const graph::generated_graph& generated) {
  constexpr int attempts = 4;
  constexpr double time_limit_ms = 10'000;
  constexpr auto nothing_more = tuner::instrumentation::none;
  const auto instance = search.load_graph(device, generated.graph, generated.name);
  instance->prepare(configuration, device.compile(instance->variant(configuration, nothing_more)), nothing_more);
  std::vector<double> milliseconds;
  for (int i = 0; i < attempts; ++i) {
    const tuner::run_report report = instance->run_from(static_cast<graph::vertex_id>(generated.source), time_limit_ms);
    if (i > 0 && report.result == db::outcome::ok) milliseconds.push_back(report.milliseconds);
  }
  return milliseconds.empty() ? 0 : db::median(milliseconds);
}

const code_cache& slowdowns() {
  static const code_cache cache("slowdowns", ".txt", {.most_bytes = 100'000, .is_synced = false});
  return cache;
}

}  // namespace

processors::processors()
    : backend_(backends::open_device(backends::processors_selector())), transfer_(measure_transfer(*backend_)) {}

double processors::slowdown(const problems::search& search, problems::recommender& recommends) {
  const auto [known, is_new] = slowdowns_.try_emplace(search.name(), 1.0);
  if (!is_new) return known->second;
  // Measuring takes longer than many searches of a small graph, so processes share the result, for a day: what else
  // runs on the machine changes it.
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const backends::device_info& device = backend_->info();
  content_hash key;
  key.add("mlmq slowdown 1").add(device.name).add(device.selector).add(search.name()).add(cpu::solver_source_hash());
  key.add(std::to_string(today.time_since_epoch().count()));
  const std::string written =
      slowdowns()
          .find_or_make(key.hex(), [&] { return fmt::format("{}", measure_slowdown(search, recommends)); })
          .bytes;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), known->second);
  if (error != std::errc() || !(known->second > 0)) known->second = 1;
  return known->second;
}

double processors::measure_slowdown(const problems::search& search, problems::recommender& recommends) {
  double logarithms = 0;
  int count = 0;
  for (const char* const name : calibration_graphs) {
    const graph::generated_graph generated = graph::generate_named(name);
    problems::graph_workload workload;
    workload.graph = generated.graph;
    for (const auto& candidate : recommends.recommend({.name = name, .loaded = &workload})) {
      const bool is_parallel = problems::takes_all_threads(problems::solver_of(candidate.configuration));
      if (is_parallel || !candidate.expected_ms) continue;
      const double measured_ms = measure_ms(*backend_, search, candidate.configuration, generated);
      if (measured_ms > 0) {
        logarithms += std::log(measured_ms / *candidate.expected_ms);
        ++count;
      }
      break;
    }
  }
  return count > 0 ? std::exp(logarithms / count) : 1.0;
}

}  // namespace mlmq::detail
