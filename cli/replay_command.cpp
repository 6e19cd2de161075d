// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/deprecation.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/result_options.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "problems/strategy_guide.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/replay.hpp"

namespace mlmq::cli {
namespace {

struct replay_options {
  std::string database = "results.sqlite";
  std::string experiment;
  std::vector<std::string> strategies;
  std::uint64_t seeds = 100;
  std::uint64_t budget = 100;
  double tolerance = 0.02;
  std::string output;

  /// Returns a printer that is silent if the curves go to standard output.
  [[nodiscard]] printer make_printer() const { return printer(!is_standard_output(output)); }
};

constexpr std::string_view warm_ending = "+selector";

/// Parses "local" or "local+selector"; the latter has a warm start.
tuner::strategy_settings strategy_of(const std::string& text, std::uint64_t budget) {
  tuner::strategy_settings settings;
  settings.warm_start = text.ends_with(warm_ending);
  settings.name = settings.warm_start ? text.substr(0, text.size() - warm_ending.size()) : text;
  const std::vector<std::string> names = tuner::strategy_names();
  if (std::ranges::find(names, settings.name) == names.end() || settings.name == "exhaustive") {
    throw input_error(
        fmt::format("--strategies: unknown strategy '{}'{}; known strategies: random, local, annealing, genetic, "
                    "model; all but random also with '+selector' for a warm start",
                    text, did_you_mean(settings.name, names)));
  }
  (settings.learns() ? settings.budget : settings.count) = budget;
  tuner::check_strategy(settings);
  return settings;
}

/// Runs of one strategy with all seeds on one workload.
struct replayed_strategy {
  std::string name;
  std::vector<tuner::replayed_run> runs;

  [[nodiscard]] tuner::quartiles needed() const {
    std::vector<double> counts;
    for (const tuner::replayed_run& run : runs) {
      counts.push_back(run.needed ? static_cast<double>(*run.needed) : std::numeric_limits<double>::infinity());
    }
    return tuner::quartiles_of(std::move(counts));
  }
  [[nodiscard]] tuner::quartiles relative_after(std::size_t evaluations) const {
    std::vector<double> values;
    for (const tuner::replayed_run& run : runs) values.push_back(run.relative[evaluations - 1]);
    return tuner::quartiles_of(std::move(values));
  }
  [[nodiscard]] std::size_t converged_runs() const {
    return static_cast<std::size_t>(std::ranges::count_if(runs, [](const auto& s) { return s.needed.has_value(); }));
  }
  [[nodiscard]] double median_seconds() const {
    std::vector<double> seconds;
    for (const tuner::replayed_run& run : runs) {
      seconds.push_back(run.needed ? run.seconds : std::numeric_limits<double>::infinity());
    }
    return tuner::quartiles_of(std::move(seconds)).median;
  }
};

db::cell limited_cell(double value, std::uint64_t budget) {
  return std::isinf(value) ? db::text_cell(fmt::format("> {}", budget)) : db::text_cell(fmt::format("{:g}", value));
}

void print_table(const printer& print, const std::vector<replayed_strategy>& strategies, std::uint64_t budget,
                 double tolerance) {
  db::table table;
  table.columns = {"strategy",
                   fmt::format("runs within {:g} %", 100 * tolerance),
                   "evaluations needed: quartile",
                   "median",
                   "quartile ",
                   "seconds (median)",
                   fmt::format("relative after {}", std::max<std::uint64_t>(budget / 4, 1)),
                   fmt::format("after {}", budget)};
  for (const replayed_strategy& strategy : strategies) {
    const tuner::quartiles needed = strategy.needed();
    const double seconds = strategy.median_seconds();
    table.rows.push_back(
        {db::text_cell(strategy.name),
         db::text_cell(fmt::format("{} of {}", strategy.converged_runs(), strategy.runs.size())),
         limited_cell(needed.lower, budget), limited_cell(needed.median, budget), limited_cell(needed.upper, budget),
         std::isinf(seconds) ? db::text_cell("-") : db::text_cell(fmt::format("{:.3g}", seconds)),
         db::text_cell(fmt::format("{:.4f}", strategy.relative_after(std::max<std::uint64_t>(budget / 4, 1)).median)),
         db::text_cell(fmt::format("{:.4f}", strategy.relative_after(budget).median))});
  }
  print("{}\n", db::render(table, db::table_format::aligned));
}

void add_curves(db::table& curves, const tuner::recorded_workload& recorded, const replayed_strategy& strategy,
                std::uint64_t budget) {
  for (std::uint64_t evaluations = 1; evaluations <= budget; ++evaluations) {
    const tuner::quartiles relative = strategy.relative_after(evaluations);
    curves.rows.push_back({db::text_cell(recorded.device.name), db::text_cell(recorded.times_modelled ? "yes" : "no"),
                           db::text_cell(recorded.workload.name), db::text_cell(strategy.name),
                           db::count_cell(strategy.runs.size()), db::count_cell(evaluations),
                           db::number_cell(relative.lower), db::number_cell(relative.median),
                           db::number_cell(relative.upper), db::text_cell(program_version())});
  }
}

void replay(const replay_options& options) {
  const printer print = options.make_printer();
  if (!options.output.empty() && print.is_enabled()) check_replaceable_output(options.output);
  const auto store = db::store::open(options.database, db::open_mode::read_only);
  const std::vector<db::experiment_row> experiments = store.experiments();
  if (options.experiment.empty() && experiments.size() != 1) {
    throw input_error(
        fmt::format("{}: has {} experiments; choose one with --experiment", options.database, experiments.size()));
  }
  const db::experiment_row experiment =
      options.experiment.empty() ? experiments.front() : store.find_experiment(options.experiment);
  const tuner::experiment_file file = tuner::parse_experiment(experiment.space_text, experiment.name);
  const auto problem = problems::problem_of(file);
  std::vector<std::string> strategies = options.strategies;
  if (strategies.empty()) {
    strategies = {"random", "local", "annealing", "genetic", "model"};
    if (problems::can_warm_start(*problem)) strategies.push_back("model+selector");
  }
  for (const std::string& name : strategies) problems::check_warm_start(strategy_of(name, options.budget), *problem);

  db::table curves;
  curves.columns = {"device",      "modelled",       "workload", "strategy",       "runs",
                    "evaluations", "lower_quartile", "median",   "upper_quartile", "mlmq"};
  const std::vector<tuner::recorded_workload> all_recorded = tuner::read_recorded(store, experiment);
  progress_line line;
  std::size_t finished_runs = 0;
  const std::size_t runs = all_recorded.size() * strategies.size() * options.seeds;
  for (const tuner::recorded_workload& recorded : all_recorded) {
    const tuner::replayed_space replayed = tuner::space_of_recorded(experiment, *problem, recorded);
    const std::uint64_t count = replayed.space.count();
    const std::uint64_t budget = std::min(options.budget, count);
    const double enough = recorded.best_ms * (1 + options.tolerance);
    const auto good = std::ranges::count_if(recorded.results, [&](const auto& entry) {
      return entry.second.milliseconds && *entry.second.milliseconds <= enough;
    });
    print("{} on {}: {} configurations{}, best {:.4g} ms{}, {} within {:g} %; {} runs of {} evaluations\n",
          recorded.workload.name, recorded.device.name, count,
          replayed.is_whole ? "" : " recorded (not the whole space of the experiment)", recorded.best_ms,
          recorded.times_modelled ? " (modelled)" : "", good, 100 * options.tolerance, options.seeds, budget);
    std::vector<replayed_strategy> results;
    for (const std::string& name : strategies) {
      tuner::strategy_settings settings = strategy_of(name, budget);
      const tuner::strategy_guide guide =
          problems::search_guide_for(settings, *problem, recorded.workload, problems::device_of(recorded.device));
      replayed_strategy strategy{.name = name, .runs = {}};
      for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
        settings.seed = seed;
        strategy.runs.push_back(tuner::replay(settings, replayed.space, guide, recorded, budget, options.tolerance));
        ++finished_runs;
        if (line.due()) line.show({.done = finished_runs, .total = runs, .unit = "runs", .details = name});
      }
      add_curves(curves, recorded, strategy, budget);
      results.push_back(std::move(strategy));
    }
    line.end();
    print_table(print, results, budget, options.tolerance);
  }
  if (options.output.empty()) return;
  write_output(options.output, db::render(curves, db::table_format::csv));
  print("{}\n", options.output);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "replay", "Compare search strategies on a recorded exhaustive sweep, without new measurements");
  const auto options = std::make_shared<replay_options>();
  CLI::Option* const database =
      command->add_option("database", options->database, "database of the sweep")->capture_default_str();
  add_deprecated_option(*command, "--db", options->database, *database);
  command->add_option("--experiment", options->experiment, "experiment to replay, if the database has several");
  command
      ->add_option("--strategies", options->strategies,
                   "strategies to compare: random, local, annealing, genetic, model; append '+selector' for a warm "
                   "start [all, and model+selector]")
      ->delimiter(',');
  command->add_option("--seeds", options->seeds, "runs per strategy, with seeds 1, 2, …")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
  command->add_option("--budget", options->budget, "evaluations per search, at most the size of the space")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--tolerance", options->tolerance,
                   "relative deviation from the best time that counts as found: 0.02 is 2 %")
      ->check(positive_number(true, 10))
      ->capture_default_str();
  command->add_option(
      "--output", options->output,
      "CSV file of the curves, for plots/performance_over_budget.py; -: standard output, without the tables");
  reads_files(*command, {"database", "--db"});
  writes_files(*command, {"--output"});
  takes_no_files(*command, {"--experiment", "--strategies"});
  command->callback([options] { replay(*options); });
}

}  // namespace mlmq::cli
