// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/graph_source.hpp"
#include "cli/output_file.hpp"
#include "db/statistics.hpp"
#include "selector/inference.hpp"
#include "tuner/measurement.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

void print(const std::string& name, const std::string& text) { fmt::print("{:<15}{}\n", name, text); }

/// The one query that the text means.
tuner::query query_in(const tuner::problem& of, const tuner::workload& on, const std::string& text) {
  tuner::query_rules rules;
  if (!text.empty()) {
    tuner::query_rule rule;
    for (const std::string& entry : split(text, ':')) {
      const std::size_t equals = entry.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
        throw input_error(fmt::format("--query {}: '{}' is not NAME=VALUE", text, entry));
      }
      rule.settings.push_back(
          {.name = entry.substr(0, equals), .values = {entry.substr(equals + 1)}, .place = {"--query"}});
    }
    rules.push_back(std::move(rule));
  }
  std::vector<tuner::query> queries = of.choose_queries(on, rules);
  if (queries.size() != 1) {
    throw input_error(fmt::format("--query {}: this means {} queries; one is solved at a time", text, queries.size()));
  }
  return std::move(queries.front());
}

std::string label_by_model(const std::string& file, const std::string& problem, const db::workload_record& record) {
  const auto chosen = selector::selector::from_model_file(file);
  if (chosen.provenance().source.problem != problem) {
    throw input_error(fmt::format("--model {}: it was trained for problem '{}', not '{}'", file,
                                  chosen.provenance().source.problem, problem));
  }
  std::vector<double> values;
  for (const std::string& name : chosen.features()) {
    values.push_back(record.feature(name).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return chosen.label(chosen.select(values));
}

struct chosen_configuration {
  tuner::configuration values;
  std::string by;  ///< for a person
};

chosen_configuration choose(const problems::problem_entry& entry, const tuner::parameter_set& parameters,
                            const solve_request& asked, const db::workload_record& record,
                            const backends::device_info& device) {
  if (asked.configuration != "auto") {
    try {
      return {parameters.parse_label(asked.configuration), ""};
    } catch (const input_error& error) {
      throw input_error(std::string("--config: ") + error.what());
    }
  }
  if (!asked.model.empty()) {
    return {parameters.parse_label(label_by_model(asked.model, entry.name, record)), " (chosen by the selector)"};
  }
  const std::string label = entry.solve->choose == nullptr ? "" : entry.solve->choose(record, device);
  return {parameters.parse_label(label), label.empty() ? "" : " (chosen for this workload)"};
}

/// One run, which must end well.
tuner::run_report run_once(tuner::problem_instance& instance, const tuner::query& query, const solve_request& asked) {
  tuner::run_report report = instance.run(query, asked.time_limit_ms);
  if (asked.check && report.result == db::outcome::ok) tuner::check_answer(instance, report);
  if (report.result != db::outcome::ok) {
    throw work_error(
        fmt::format("{}, {}: {}: {}", asked.workload, query.text(), db::to_string(report.result), report.message));
  }
  return report;
}

}  // namespace

const problems::problem_entry* problem_for(const std::string& workload) {
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.solve == nullptr) continue;
    const auto made = entry.make();
    if (made->workloads().is_generated_by(workload) || made->workloads().is_file(workload)) return &entry;
  }
  return nullptr;
}

int solve_workload(const problems::problem_entry& entry, const solve_request& asked) {
  if (asked.configuration != "auto" && !asked.model.empty()) {
    throw input_error("--config and --model cannot go together: a model chooses the configuration");
  }
  if (!asked.output.empty() && entry.solve->output == nullptr) {
    throw input_error(fmt::format("--output: problem {} has no answer to write to a file", entry.name));
  }
  check_output_of(asked.output, asked.workload);
  const auto problem = entry.make();
  const tuner::parameter_set parameters =
      tuner::parameter_set::from_declarations(problem->declarations(), problem->presets());
  const auto inputs = tuner::list_workloads(problem->workloads(), std::array{asked.workload});
  if (inputs.size() != 1) {
    throw input_error(fmt::format("'{}' names {} workloads; one is solved at a time", asked.workload, inputs.size()));
  }
  const auto loaded = problem->workloads().load(inputs.front());
  print_notes(loaded->notes);
  const tuner::query query = query_in(*problem, *loaded, asked.query);

  const auto device = backends::open_device(asked.device);
  device->set_seed(asked.seed);
  const chosen_configuration chosen = choose(entry, parameters, asked, loaded->record, device->info());
  const auto instance = problem->load(*device, *loaded);
  const auto mode = asked.counters ? tuner::instrumentation::counters : tuner::instrumentation::none;
  const auto kernel = device->compile(instance->variant(chosen.values, mode));
  instance->prepare(chosen.values, kernel, mode);
  std::vector<double> times;
  tuner::run_report report;
  for (unsigned i = 0; i < asked.repeat; ++i) {
    report = run_once(*instance, query, asked);
    times.push_back(report.milliseconds);
  }
  const double median = db::median(times);

  print("workload", loaded->record.name);
  print("query", query.text());
  print("configuration", parameters.short_label(chosen.values) + chosen.by);
  print("device", fmt::format("{} ({})", device->info().name, device->info().selector));
  const backends::kernel_properties& properties = kernel->properties();
  print("kernel", !device->info().grid ? "compiled in"
                                       : fmt::format("{:.0f} ms to {}", properties.compile_ms,
                                                     properties.from_cache ? "load from the cache" : "compile"));
  print("time", fmt::format("{:.4f} ms{}{}", median, device->info().modelled ? " modelled, not measured" : "",
                            times.size() > 1 ? fmt::format(", median of {}", times.size()) : ""));
  report.milliseconds = median;
  if (entry.solve->describe != nullptr) {
    for (const auto& [name, text] : entry.solve->describe(*instance, report)) print(name, text);
  }
  if (asked.counters) {
    for (const auto& [name, value] : report.counters) print(name, fmt::format("{:.0f}", value));
  }
  if (!asked.output.empty()) write_output(asked.output, entry.solve->output(*instance, *loaded));
  if (asked.check) print("check", "the answer is right");
  return exit_ok;
}

}  // namespace mlmq::cli
