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
#include "db/statistics.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/mlmq.hpp"
#include "tuner/measurement.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

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

/// @throws input_error saying which option it comes from
void check_configuration(const tuner::parameter_set& parameters, const std::string& text) {
  try {
    (void)parameters.parse_label(text);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

}  // namespace

model model_for(const std::string& name) {
  return name.empty() ? model::standard() : name == "shipped" ? model::shipped() : model::read(name);
}

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
  if (!asked.output.empty()) check_output(asked.output);
  const teller tell = asked.results.tell(asked.output);
  const auto print = [&tell](const std::string& name, const std::string& text) { tell("{:<15}{}\n", name, text); };
  const auto problem = entry.make();
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations(), problem->presets());
  const std::array given{asked.configuration};
  const bool automatic = asked.configuration == "auto";
  if (!automatic) check_configuration(parameters, asked.configuration);
  const auto inputs = tuner::list_workloads(problem->workloads(), std::array{asked.workload});
  if (inputs.size() != 1) {
    throw input_error(fmt::format("'{}' names {} workloads; one is solved at a time", asked.workload, inputs.size()));
  }
  const std::shared_ptr<const tuner::workload> loaded = problem->workloads().load(inputs.front());
  print_notes(loaded->notes);
  const tuner::query query = query_in(*problem, *loaded, asked.query);

  device where(asked.device);
  where.set_seed(asked.seed);
  const device_facts& facts = where.facts();
  detail::workload_runner runs(detail::access::share(where), entry, loaded, [&](std::string_view feature) {
    return loaded->record.feature(feature).value_or(std::numeric_limits<double>::quiet_NaN());
  });
  const detail::run_request request{
      .configurations = automatic ? std::span<const std::string>() : std::span<const std::string>(given),
      .chosen_by = model_for(asked.model),
      .mode = asked.counters ? tuner::instrumentation::counters : tuner::instrumentation::none,
      .adapt = {},
      .what = fmt::format("{}, {}", asked.workload, query.text())};
  const auto run_once = [&](tuner::problem_instance& ready, solve_times&) {
    tuner::run_report report = ready.run(query, asked.time_limit_ms);
    if (asked.check && report.result == db::outcome::ok) tuner::check_answer(ready, report);
    return report;
  };
  const detail::run_result first = detail::translated([&] { return runs.run(request, run_once); });
  tuner::run_report report = first.report;
  std::vector<double> times = {report.milliseconds};
  for (unsigned i = 1; i < asked.repeat; ++i) {
    report = detail::translated([&] { return runs.run(request, run_once); }).report;
    times.push_back(report.milliseconds);
  }
  const double median = db::median(times);
  const solve_times& took = first.times;

  print("workload", loaded->record.name);
  print("query", query.text());
  print("configuration", asked.results.shown(first.chosen.configuration) + chosen_by(first.chosen));
  print("device", fmt::format("{} ({})", facts.name, facts.selector));
  print("kernel", !runs.device().own->info().grid ? "compiled in"
                                                  : fmt::format("{:.0f} ms to {}", took.compile,
                                                                took.compiled ? "compile" : "load from the cache"));
  print("time", fmt::format("{:.4f} ms{}{}", median, facts.modelled ? " modelled, not measured" : "",
                            times.size() > 1 ? fmt::format(", median of {}", times.size()) : ""));
  report.milliseconds = median;
  std::vector<std::pair<std::string, std::string>> answer;
  if (entry.solve->describe != nullptr) answer = entry.solve->describe(runs.instance(), report);
  for (const auto& [name, text] : answer) print(name, text);
  if (asked.counters) {
    for (const auto& [name, value] : report.counters) print(name, fmt::format("{:.0f}", value));
  }
  if (asked.check) print("check", "the answer is right");
  if (!asked.output.empty()) write_output(asked.output, entry.solve->output(runs.instance(), *loaded));
  if (asked.results.as_json()) {
    json_document document = begin_document("solve-workload");
    document["problem"] = entry.name;
    document["workload"] = loaded->record.name;
    document["query"] = query.text();
    document["configuration"] = first.chosen.configuration;
    document["device"] = {{"name", facts.name}, {"selector", facts.selector}};
    document["modelled"] = facts.modelled;
    document["time_ms"] = median;
    document["times_ms"] = times;
    document["compile_ms"] = took.compile;
    document["checked"] = asked.check;
    for (const char* const part : {"answer", "counters"}) document[part] = json_document::object();
    for (const auto& [name, text] : answer) document["answer"][name] = text;
    if (asked.counters) {
      for (const auto& [name, value] : report.counters) document["counters"][name] = value;
    }
    print_document(document);
  }
  return exit_ok;
}

}  // namespace mlmq::cli
