// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/graph_source.hpp"
#include "cli/json_output.hpp"
#include "cli/output_file.hpp"
#include "cli/solving_device.hpp"
#include "db/statistics.hpp"
#include "library/conversions.hpp"
#include "library/errors.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/mlmq.hpp"
#include "tuner/measurement.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

/// Returns the query that the text describes. @throws input_error unless it is exactly one
tuner::query query_in(const tuner::problem& problem, const tuner::workload& workload, const std::string& text) {
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
  std::vector<tuner::query> queries = problem.choose_queries(workload, rules);
  if (queries.size() != 1) {
    throw input_error(fmt::format("--query {}: matches {} queries; specify exactly one", text, queries.size()));
  }
  return std::move(queries.front());
}

/// Returns what runs the configuration: in every problem, the names of solvers on processors begin with cpu_.
/// @throws input_error that names --config
search_code code_of(const tuner::parameter_set& parameters, const std::string& text) {
  try {
    const bool is_on_processors = parameters.parse_label(text).label().find("solver=cpu_") != std::string::npos;
    return is_on_processors ? search_code::processors : search_code::kernels;
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

}  // namespace

model model_for(const std::string& name) {
  return name.empty() ? model::standard() : name == "shipped" ? model::shipped() : model::read(name);
}

const problems::problem_entry* problem_for(const std::string& workload) {
  const std::string file = tuner::split_file_options(workload).file;
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.solve == nullptr) continue;
    const auto problem = entry.make();
    if (problem->workloads().is_generated_by(workload) || problem->workloads().is_file(file)) return &entry;
  }
  return nullptr;
}

int solve_workload(const problems::problem_entry& entry, const solve_request& request) {
  if (request.configuration != "auto" && !request.model.empty()) {
    throw input_error("--config and --model cannot be combined: a model chooses the configuration");
  }
  if (!request.output.empty() && entry.solve->output == nullptr) {
    throw input_error(fmt::format("--output: problem {} has no output to write", entry.name));
  }
  if (!request.output.empty()) {
    (void)kind_of_output("--output", request.output, {output_kind::text});
    check_output(request.output);
  }
  const printer print = request.results.make_printer(request.output);
  const auto print_line = [&print](const std::string& name, const std::string& text) {
    print("{:<15}{}\n", name, text);
  };
  const auto problem = entry.make();
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations(), problem->presets());
  const std::array configurations{request.configuration};
  const bool automatic = request.configuration == "auto";
  search_code code = request.counters || !request.model.empty() ? search_code::kernels : search_code::any;
  if (!automatic) code = code_of(parameters, request.configuration);
  const auto inputs = tuner::list_workloads(problem->workloads(), std::array{request.workload});
  if (inputs.size() != 1) {
    throw input_error(fmt::format("'{}' refers to {} workloads; specify exactly one", request.workload, inputs.size()));
  }
  const std::shared_ptr<const tuner::workload> loaded = problem->workloads().load(inputs.front());
  print_notes(loaded->notes);
  const tuner::query query = query_in(*problem, *loaded, request.query);

  const solving_device chosen_device = solving_device_for(request.device, code);
  if (chosen_device.replaces_gpu) print_note("{}", no_gpu_note);
  device search_device(chosen_device.selector);
  search_device.set_seed(request.seed);
  const device_facts& facts = search_device.facts();
  detail::workload_runner runs(search_device, entry, loaded, [&](std::string_view feature) {
    return loaded->record.feature(feature).value_or(std::numeric_limits<double>::quiet_NaN());
  });
  const detail::run_request run_settings{
      .configurations = automatic ? std::span<const std::string>() : std::span<const std::string>(configurations),
      .chosen_by = model_for(request.model),
      .mode = request.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
      .adapt = {},
      .description = fmt::format("{}, {}", request.workload, query.text())};
  const auto run_once = [&](tuner::problem_instance& ready, solve_times&) {
    tuner::run_report report = ready.run(query, request.time_limit_ms);
    if (request.check && report.result == db::outcome::ok) tuner::check_answer(ready, report);
    return report;
  };
  const detail::run_result first = detail::translated([&] { return runs.run(run_settings, run_once); });
  tuner::run_report report = first.report;
  std::vector<double> times = {report.milliseconds};
  for (unsigned i = 1; i < request.repeat; ++i) {
    report = detail::translated([&] { return runs.run(run_settings, run_once); }).report;
    times.push_back(report.milliseconds);
  }
  const double median = db::median(times);
  const solve_times& first_times = first.times;

  print_line("workload", loaded->record.name);
  print_line("query", query.text());
  print_line("configuration", request.results.shown(first.chosen.configuration) + chosen_by(first.chosen));
  print_line("device", fmt::format("{} ({})", facts.name, facts.selector));
  print_line("kernel", !detail::info_of(search_device).grid
                           ? "compiled in"
                           : fmt::format("{:.0f} ms to {}", first_times.compile,
                                         first_times.compiled ? "compile" : "load from the cache"));
  print_line("time", fmt::format("{:.4f} ms{}{}", median, facts.modelled ? " modelled, not measured" : "",
                                 times.size() > 1 ? fmt::format(", median of {}", times.size()) : ""));
  report.milliseconds = median;
  std::vector<std::pair<std::string, std::string>> answer;
  if (entry.solve->describe != nullptr) answer = entry.solve->describe(runs.instance(), report);
  for (const auto& [name, text] : answer) print_line(name, text);
  if (request.counters) {
    for (const auto& [name, value] : report.counters) print_line(name, fmt::format("{:.0f}", value));
  }
  if (request.check) print_line("check", "the answer is right");
  if (!request.output.empty()) write_output(request.output, entry.solve->output(runs.instance(), *loaded));
  if (request.results.as_json()) {
    json_document document = begin_document("solve-workload");
    document["problem"] = entry.name;
    document["workload"] = loaded->record.name;
    document["query"] = query.text();
    document["configuration"] = first.chosen.configuration;
    document["device"] = {{"name", facts.name}, {"selector", facts.selector}};
    document["modelled"] = facts.modelled;
    document["time_ms"] = median;
    document["times_ms"] = times;
    document["compile_ms"] = first_times.compile;
    document["checked"] = request.check;
    for (const char* const part : {"answer", "counters"}) document[part] = json_document::object();
    for (const auto& [name, text] : answer) document["answer"][name] = text;
    if (request.counters) {
      for (const auto& [name, value] : report.counters) document["counters"][name] = value;
    }
    print_document(document);
  }
  return exit_ok;
}

}  // namespace mlmq::cli
