// SPDX-License-Identifier: Apache-2.0
// `mlmq solve` for problems with a solve_hook, through the interfaces of the tuner.
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
#include "cli/output_file.hpp"
#include "cli/result_report.hpp"
#include "cli/solve.hpp"
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

int solve_workload(const problems::problem_entry& entry, const solve_arguments& options) {
  if (!options.output.empty() && entry.solve->output == nullptr) {
    throw input_error(fmt::format("--output: problem {} has no output to write", entry.name));
  }
  if (!options.output.empty()) {
    (void)kind_of_output("--output", options.output, {output_kind::text});
    check_output(options.output);
  }
  result_report report(options.results, "solve-workload", options.output);
  const auto problem = entry.make();
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations(), problem->presets());
  const std::array configurations{options.configuration};
  const bool automatic = options.chooses_configuration();
  search_code code = options.counters || !options.model.empty() ? search_code::kernels : search_code::any;
  if (!automatic) code = code_of(parameters, options.configuration);
  const auto inputs = tuner::list_workloads(problem->workloads(), std::array{options.graph.name});
  if (inputs.size() != 1) {
    throw input_error(
        fmt::format("'{}' refers to {} workloads; specify exactly one", options.graph.name, inputs.size()));
  }
  const std::shared_ptr<const tuner::workload> loaded = problem->workloads().load(inputs.front());
  print_notes(loaded->notes);
  const tuner::query query = query_in(*problem, *loaded, options.query);

  const solving_device chosen_device = solving_device_for(options.device, code);
  if (chosen_device.replaces_gpu) print_note("{}", no_gpu_note);
  device search_device = options.open_device(chosen_device.selector);
  const device_facts& facts = search_device.facts();
  detail::workload_runner runs(search_device, entry, loaded, [&](std::string_view feature) {
    return loaded->record.feature(feature).value_or(std::numeric_limits<double>::quiet_NaN());
  });
  const detail::run_request run_settings{
      .configurations = automatic ? std::span<const std::string>() : std::span<const std::string>(configurations),
      .chosen_by = options.chosen_model(),
      .mode = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
      .adapt = {},
      .description = fmt::format("{}, {}", options.graph.name, query.text())};
  const auto run_once = [&](tuner::problem_instance& ready, solve_times&) {
    tuner::run_report run = ready.run(query, options.time_limit_ms);
    if (options.check && run.result == db::outcome::ok) tuner::check_answer(ready, run);
    return run;
  };
  const detail::run_result first = detail::translated([&] { return runs.run(run_settings, run_once); });
  tuner::run_report last = first.report;
  std::vector<double> times = {last.milliseconds};
  for (unsigned i = 1; i < options.repeat; ++i) {
    last = detail::translated([&] { return runs.run(run_settings, run_once); }).report;
    times.push_back(last.milliseconds);
  }
  last.milliseconds = db::median(times);

  report["problem"] = entry.name;
  report.line("workload", "{}", loaded->record.name);
  report["workload"] = loaded->record.name;
  report.line("query", "{}", query.text());
  report["query"] = query.text();
  report.configuration(first.chosen.configuration, chosen_by(first.chosen));
  report.device(facts.name, facts.selector, facts.modelled);
  report.kernel(first.times, !detail::info_of(search_device).grid);
  report.times(times, facts.modelled);
  report["checked"] = options.check;
  report["answer"] = json_document::object();
  if (entry.solve->describe != nullptr) {
    for (const auto& [name, text] : entry.solve->describe(runs.instance(), last)) {
      report.line(name, "{}", text);
      report["answer"][name] = text;
    }
  }
  report.counters(options.counters ? last.counters : decltype(last.counters)());
  if (options.check) report.line("check", "the answer is right");
  if (!options.output.empty()) write_output(options.output, entry.solve->output(runs.instance(), *loaded));
  report.end();
  return exit_ok;
}

}  // namespace mlmq::cli
