// SPDX-License-Identifier: Apache-2.0
#include "tuner/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "backends/hardware_profiler.hpp"
#include "db/store.hpp"
#include "tuner/measurement.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::tuner {
namespace {

constexpr const char* time_name = "time_ms";

}  // namespace

workload_metrics::workload_metrics(std::span<const metric_request> requests, const parameter_set& parameters,
                                   const problem& tuned, const db::workload_record& workload)
    : parameters_(parameters), symbols_(parameters.symbols()), features_(workload.features) {
  const auto add = [this](const std::string& name) {
    if (!symbols_.slot(name)) symbols_.add_parameter(name, value_type::real);
  };
  for (const auto& [name, number] : features_) add(name);
  add(time_name);
  for (const named_meaning& counter : tuned.counters()) add(std::string(counter.name));
  for (const backends::hardware_counter& counter : backends::all_hardware_counters()) add(std::string(counter.name));
  for (const auto& [name, meaning] : energy_values) add(std::string(name));
  for (const char* const name : db::resource_names) add(name);
  for (const metric_request& request : requests)
    formulas_.emplace_back(request.name, expression(request.formula, symbols_));
}

std::vector<std::pair<std::string, double>> workload_metrics::evaluate(const db::metric_source& trial) const {
  const parameter_set::decisions decided = parameters_.decided(configuration::from_json(trial.parameters_json));
  std::vector<exact_number> slots(symbols_.parameter_count(), std::numeric_limits<double>::quiet_NaN());
  const auto set = [&](const std::string& name, double number) {
    const auto slot = symbols_.slot(name);
    if (slot && *slot >= decided.numbers.size() && std::isnan(slots[*slot].real())) slots[*slot] = number;
  };
  for (std::size_t i = 0; i < decided.numbers.size(); ++i) {
    if (decided.active[i] != 0) slots[i] = decided.numbers[i];
  }
  for (const auto& [name, number] : features_) set(name, number);
  set(time_name, trial.median_ms);
  for (const auto& [name, number] : trial.values) set(name, number);
  std::vector<std::pair<std::string, double>> metrics;
  for (const auto& [name, formula] : formulas_) {
    const auto is_absent = [&](std::size_t slot) { return std::isnan(slots[slot].real()); };
    if (std::ranges::any_of(formula.mentions(), is_absent)) continue;
    if (const double result = formula.evaluate(slots).real(); std::isfinite(result)) metrics.emplace_back(name, result);
  }
  return metrics;
}

void update_metrics(const experiment_file& file, const problem& tuned, db::store& store, std::int64_t experiment,
                    std::span<const std::int64_t> workloads) {
  if (file.metrics.empty()) return;
  const parameter_set parameters(check_against(file.space, tuned.declarations()), tuned.presets());
  std::map<std::int64_t, workload_metrics> of_workload;
  for (const std::int64_t workload : workloads) {
    if (of_workload.contains(workload)) continue;
    of_workload.emplace(workload, workload_metrics(file.metrics, parameters, tuned, store.workload(workload)));
  }
  std::vector<db::trial_metric> metrics;
  for (const db::metric_source& trial : db::read_metric_sources(store, experiment)) {
    const auto formulas = of_workload.find(trial.workload);
    if (formulas == of_workload.end()) continue;  // a workload of an earlier sweep with other --workloads
    for (auto& [name, number] : formulas->second.evaluate(trial)) metrics.push_back({trial.trial, name, number});
  }
  db::replace_metrics(store, experiment, metrics);
}

void record_metrics(const workload_metrics& metrics, db::store& store, std::int64_t experiment, std::int64_t trial) {
  std::vector<db::trial_metric> computed;
  for (const db::metric_source& source : db::read_metric_sources(store, experiment, trial)) {
    for (auto& [name, number] : metrics.evaluate(source)) computed.push_back({trial, name, number});
  }
  db::replace_metrics(store, experiment, computed, trial);
}

}  // namespace mlmq::tuner
