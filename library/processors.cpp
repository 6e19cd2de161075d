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
#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/solver.hpp"

namespace mlmq::detail {
namespace {

std::string key_of(const problems::search& of, const labelled_configuration& chosen) {
  return of.name() + ' ' + chosen.label();
}

bool is_parallel(const tuner::configuration& chosen) {
  return problems::takes_all_threads(problems::solver_of(chosen));
}

/// Of a query "source=5". @throws input_error for another one
std::uint64_t source_of(std::string_view query) {
  constexpr std::string_view key = "source=";
  std::uint64_t source = 0;
  const char* const end = query.data() + query.size();
  if (!query.starts_with(key) || std::from_chars(query.data() + key.size(), end, source).ptr != end)
    throw input_error(fmt::format("a model's calibration is of the query '{}', expected source=VERTEX", query));
  return source;
}

struct calibration_run {
  double milliseconds = std::numeric_limits<double>::infinity();
  double items = 0;
};

/// The median of some searches of a generated graph, from this vertex or from the one that its generator names: after one
/// that does not count, as in a record (experiments/candidates-cpu.yaml). The fastest of many would be twice as fast, with
/// caches that no search on its own finds.
calibration_run run_calibration(backends::backend& device, const problems::search& of,
                                const tuner::configuration& chosen, const std::string& name,
                                std::optional<std::uint64_t> source) {
  constexpr int attempts = 4;
  constexpr double time_limit_ms = 10'000;
  constexpr auto nothing_more = tuner::instrumentation::none;
  const graph::generated_graph made = graph::generate_named(name);
  const auto instance = of.load_graph(device, made.graph, made.name);
  instance->prepare(chosen, device.compile(instance->variant(chosen, nothing_more)), nothing_more);
  calibration_run result;
  result.items = static_cast<double>(made.graph.vertex_count()) + static_cast<double>(made.graph.edge_count());
  const auto from = static_cast<graph::vertex_id>(source.value_or(made.source));
  if (from >= made.graph.vertex_count()) return result;  // of a record with another graph of this name
  std::vector<double> milliseconds;
  for (int i = 0; i < attempts; ++i) {
    const tuner::run_report report = instance->run_from(from, time_limit_ms);
    if (i > 0 && report.result == db::outcome::ok) milliseconds.push_back(report.milliseconds);
  }
  if (!milliseconds.empty()) result.milliseconds = db::median(milliseconds);
  return result;
}

}  // namespace

processors::processors()
    : backend_(backends::open_device(backends::processors_selector())), transfer_(measure_transfer(*backend_)) {}

double processors::item_ms(const problems::search& of, const labelled_configuration& chosen) {
  const auto [place, is_new] = item_ms_.try_emplace(key_of(of, chosen), 0.0);
  if (is_new) {
    for (const char* const name : selector::calibration_workloads) {
      const calibration_run run = run_calibration(*backend_, of, chosen, name, std::nullopt);
      place->second = std::max(place->second, run.milliseconds / run.items);
    }
  }
  return place->second;
}

processors::fastest_option processors::fastest(const problems::search& of, std::span<const option> options,
                                               unsigned recorded_threads) {
  for (;;) {
    fastest_option best{.index = 0, .milliseconds = std::numeric_limits<double>::infinity()};
    bool is_certain = true;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::optional<double> slowdown = known_slowdown(of, calibrated_by(options, options[i]));
      const double milliseconds = options[i].measured_ms.value_or(options[i].recorded_ms * slowdown.value_or(1.0) *
                                                                  for_lack_of_threads(options[i], recorded_threads));
      if (milliseconds >= best.milliseconds) continue;
      best = {.index = i, .milliseconds = milliseconds};
      is_certain = slowdown || options[i].measured_ms;
    }
    if (is_certain) return best;
    calibrate(of, calibrated_by(options, options[best.index]));
  }
}

const processors::option& processors::calibrated_by(std::span<const option> options, const option& chosen) {
  const auto found = std::find_if(options.begin(), options.end(), [](const option& one) {
    return !is_parallel(one.configuration) && !one.calibrations.empty();
  });
  return found == options.end() ? chosen : *found;
}

double processors::for_lack_of_threads(const option& chosen, unsigned recorded_threads) const {
  const unsigned threads = backend_->info().multiprocessors;
  if (!is_parallel(chosen.configuration) || recorded_threads <= threads || threads == 0) return 1;
  return static_cast<double>(recorded_threads) / threads;
}

std::optional<double> processors::known_slowdown(const problems::search& of, const option& chosen) const {
  double logarithms = 0;
  int count = 0;
  for (const selector::calibration& one : chosen.calibrations) {
    const auto run = runs_.find({key_of(of, chosen.configuration), one.workload, one.query});
    if (run == runs_.end()) return std::nullopt;
    if (!std::isfinite(run->second) || !(run->second > 0)) continue;
    logarithms += std::log(run->second / one.milliseconds);
    ++count;
  }
  return count > 0 ? std::exp(logarithms / count) : 1.0;
}

void processors::calibrate(const problems::search& of, const option& chosen) {
  for (const selector::calibration& one : chosen.calibrations) {
    const auto [run, is_new] = runs_.try_emplace({key_of(of, chosen.configuration), one.workload, one.query});
    if (is_new)
      run->second =
          run_calibration(*backend_, of, chosen.configuration, one.workload, source_of(one.query)).milliseconds;
  }
}

}  // namespace mlmq::detail
