// SPDX-License-Identifier: Apache-2.0
#include "tuner/import_results.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/version.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::tuner {
namespace {

using nlohmann::json;

/// Writes the experiment file of imported results. JSON is YAML, which takes care of quotes.
std::string experiment_text(const std::string& name, const std::string& problem, const std::string& workload,
                            const results_file& results, const t1_input* space) {
  std::string text = fmt::format("name: {}\nproblem: {}\ndescription: {}\nparameters:\n", json(name).dump(),
                                 json(problem).dump(), json("results of a " + results.format).dump());
  const auto add = [&](const std::string& parameter, const std::vector<value>& values) {
    std::string list;
    for (const value& v : values) list += (list.empty() ? "" : ", ") + to_json(v);
    text += fmt::format("  {}: {{bind: compile, values: [{}]}}\n", parameter, list);
  };
  if (space != nullptr) {
    for (const parameter_request& request : space->space.parameters) {
      std::vector<value> values;
      for (const auto& [v, place] : request.values) values.push_back(v);
      add(request.name, values);
    }
    if (!space->space.restrictions.empty()) text += "restrictions:\n";
    for (const condition& restriction : space->space.restrictions) {
      text += fmt::format("  - {}\n", json(restriction.text).dump());
    }
  } else {
    std::map<std::string, std::set<value>> values;
    for (const auto& [c, result] : results.results) {
      for (const auto& [parameter, v] : c.values()) values[parameter].insert(v);
    }
    for (const std::string& parameter : results.parameters) {
      add(parameter, {values.at(parameter).begin(), values.at(parameter).end()});
    }
  }
  return text + fmt::format("workloads: [{{generate: {}}}]\n", json(workload).dump());
}

std::string hash_of_results(const results_file& results) {
  content_hash hash;
  for (const auto& [c, result] : results.results) {
    hash.add(c.to_json()).add(db::to_string(result.outcome)).add(fmt::format("{}", result.milliseconds.value_or(-1)));
    for (const double sample : result.samples_ms) hash.add(fmt::format("{}", sample));
  }
  return hash.hex().substr(0, 16);
}

db::trial_result trial_of(const foreign_result& imported, const results_file& results) {
  db::trial_result trial;
  trial.result = imported.outcome;
  trial.message = imported.message;
  trial.samples_ms = imported.samples_ms;
  if (imported.milliseconds && trial.samples_ms.empty()) trial.samples_ms = {*imported.milliseconds};
  trial.compile_ms = imported.compile_ms;
  trial.upload_ms = imported.other_ms;
  trial.measure_ms = imported.measure_ms;
  trial.check_ms = imported.check_ms;
  trial.program_version = program_version();
  json environment = {{"imported_from", results.format}};
  if (!imported.timestamp.empty()) environment["timestamp"] = imported.timestamp;
  if (imported.milliseconds) environment["objective_ms"] = *imported.milliseconds;
  trial.environment_json = environment.dump();
  return trial;
}

}  // namespace

import_report import_results(db::store& store, const results_file& results, const t1_input* space) {
  const std::string problem = imported_problem_prefix + results.kernel;
  const std::string workload_name = results.problem.empty() ? "unknown" : results.problem;
  const std::string name = fmt::format("{} {}", results.kernel, results.device);
  const std::string text = experiment_text(name, problem, workload_name, results, space);
  (void)parse_experiment(text, results.file);  // before anything is written
  const std::int64_t device = store.put_device({.name = results.device, .kind = "imported", .architecture = ""});
  const std::int64_t workload = store.put_workload({.hash = hash_text(fmt::format("{}\n{}", problem, workload_name)),
                                                    .kind = "imported",
                                                    .name = workload_name,
                                                    .workload_class = "imported",
                                                    .origin = "",
                                                    .family = workload_name});
  const std::int64_t experiment = store.put_experiment(name, text, "{}");
  std::vector<db::configuration_record> configurations;
  for (const auto& [c, result] : results.results) configurations.push_back({problem, c.to_json(), c.label()});
  const std::vector<std::int64_t> rows = store.put_configurations(configurations);
  const std::string source = hash_of_results(results);
  std::vector<db::trial_key> keys;
  for (const std::int64_t row : rows) {
    keys.push_back({.workload = workload,
                    .configuration = row,
                    .device = device,
                    .query = "call=1",
                    .kernel_source_hash = source});
  }
  store.plan(experiment, keys);
  import_report report;
  std::size_t next = 0;
  for (const auto& [c, result] : results.results) {
    const std::int64_t trial = store.find_trial(keys[next++]).value();
    if (store.finish(trial, trial_of(result, results))) {
      ++report.added;
      if (!result.milliseconds) ++report.failed;
    } else {
      ++report.already_present;
    }
  }
  return report;
}

}  // namespace mlmq::tuner
