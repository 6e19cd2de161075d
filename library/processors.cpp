// SPDX-License-Identifier: Apache-2.0
#include "library/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "db/statistics.hpp"
#include "graph/generate.hpp"
#include "library/transfer_cost.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::detail {
namespace {

std::string key_of(const problems::search& search, const labelled_configuration& configuration) {
  return search.name() + ' ' + configuration.label();
}

bool is_parallel(const tuner::configuration& configuration) {
  return problems::takes_all_threads(problems::solver_of(configuration));
}

/// Parses a query "source=5". @throws input_error for any other query
std::uint64_t source_of(std::string_view query) {
  constexpr std::string_view key = "source=";
  std::uint64_t source = 0;
  const char* const end = query.data() + query.size();
  if (!query.starts_with(key) || std::from_chars(query.data() + key.size(), end, source).ptr != end)
    throw input_error(fmt::format("the model's calibration has the query '{}', expected source=VERTEX", query));
  return source;
}

struct calibration_run {
  double milliseconds = std::numeric_limits<double>::infinity();
  double items = 0;
};

/// Returns the median time of several searches on a generated graph, from the given source or the generator's. The
/// first search does not count, as in recorded measurements (experiments/candidates_cpu.yaml). The minimum of many runs
/// would be half as long, with warmer caches than a single search has.
calibration_run run_calibration(backends::backend& device, const problems::search& search,
                                const tuner::configuration& configuration, const std::string& name,
                                std::optional<std::uint64_t> source) {
  constexpr int attempts = 4;
  constexpr double time_limit_ms = 10'000;
  constexpr auto nothing_more = tuner::instrumentation::none;
  const graph::generated_graph generated = graph::generate_named(name);
  const auto instance = search.load_graph(device, generated.graph, generated.name);
  instance->prepare(configuration, device.compile(instance->variant(configuration, nothing_more)), nothing_more);
  calibration_run result;
  result.items =
      static_cast<double>(generated.graph.vertex_count()) + static_cast<double>(generated.graph.edge_count());
  const auto source_vertex = static_cast<graph::vertex_id>(source.value_or(generated.source));
  if (source_vertex >= generated.graph.vertex_count()) return result;  // recorded on another graph of this name
  std::vector<double> milliseconds;
  for (int i = 0; i < attempts; ++i) {
    const tuner::run_report report = instance->run_from(source_vertex, time_limit_ms);
    if (i > 0 && report.result == db::outcome::ok) milliseconds.push_back(report.milliseconds);
  }
  if (!milliseconds.empty()) result.milliseconds = db::median(milliseconds);
  return result;
}

}  // namespace

processors::processors()
    : backend_(backends::open_device(backends::processors_selector())), transfer_(measure_transfer(*backend_)) {}

double processors::item_ms(const problems::search& search, const labelled_configuration& configuration) {
  const auto [entry, is_new] = item_ms_.try_emplace(key_of(search, configuration), 0.0);
  if (is_new) {
    for (const char* const name : selector::calibration_workloads) {
      const calibration_run run = run_calibration(*backend_, search, configuration, name, std::nullopt);
      entry->second = std::max(entry->second, run.milliseconds / run.items);
    }
  }
  return entry->second;
}

processors::fastest_option processors::fastest(const problems::search& search, std::span<const option> options,
                                               unsigned recorded_threads) {
  for (;;) {
    fastest_option best{.index = 0, .milliseconds = std::numeric_limits<double>::infinity()};
    bool is_certain = true;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::optional<double> slowdown = known_slowdown(search, calibrated_by(options, options[i]));
      const double milliseconds = options[i].measured_ms.value_or(options[i].recorded_ms * slowdown.value_or(1.0) *
                                                                  for_lack_of_threads(options[i], recorded_threads));
      if (milliseconds >= best.milliseconds) continue;
      best = {.index = i, .milliseconds = milliseconds};
      is_certain = slowdown || options[i].measured_ms;
    }
    if (is_certain) return best;
    calibrate(search, calibrated_by(options, options[best.index]));
  }
}

const processors::option& processors::calibrated_by(std::span<const option> options, const option& chosen) {
  const auto match = std::find_if(options.begin(), options.end(), [](const option& candidate) {
    return !is_parallel(candidate.configuration) && !candidate.calibrations.empty();
  });
  return match == options.end() ? chosen : *match;
}

double processors::for_lack_of_threads(const option& chosen, unsigned recorded_threads) const {
  const unsigned threads = backend_->info().multiprocessors;
  if (!is_parallel(chosen.configuration) || recorded_threads <= threads || threads == 0) return 1;
  return static_cast<double>(recorded_threads) / threads;
}

std::optional<double> processors::known_slowdown(const problems::search& search, const option& chosen) const {
  double logarithms = 0;
  int count = 0;
  for (const selector::calibration& calibration : chosen.calibrations) {
    const auto run = runs_.find({key_of(search, chosen.configuration), calibration.workload, calibration.query});
    if (run == runs_.end()) return std::nullopt;
    if (!std::isfinite(run->second) || !(run->second > 0)) continue;
    logarithms += std::log(run->second / calibration.milliseconds);
    ++count;
  }
  return count > 0 ? std::exp(logarithms / count) : 1.0;
}

void processors::calibrate(const problems::search& search, const option& chosen) {
  for (const selector::calibration& calibration : chosen.calibrations) {
    const auto [run, is_new] =
        runs_.try_emplace({key_of(search, chosen.configuration), calibration.workload, calibration.query});
    if (is_new)
      run->second =
          run_calibration(*backend_, search, chosen.configuration, calibration.workload, source_of(calibration.query))
              .milliseconds;
  }
}

}  // namespace mlmq::detail
