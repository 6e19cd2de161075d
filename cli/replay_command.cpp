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
#include "cli/file_roles.hpp"
#include "cli/json_output.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/replay_inputs.hpp"
#include "cli/result_options.hpp"
#include "cli/sweep_summary.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "problems/recommendation.hpp"
#include "problems/strategy_guide.hpp"
#include "tuner/replay.hpp"
#include "tuner/search_score.hpp"

namespace mlmq::cli {
namespace {

struct replay_options {
  replay_files files;
  std::vector<std::string> t4;
  std::vector<std::string> strategies;
  std::uint64_t seeds = 100;
  std::uint64_t budget = 100;
  double tolerance = 0.02;
  bool score = false;
  tuner::score_range range;
  std::string output;
  result_options results;
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

/// Returns the strategies to compare on this input: those named by the user, or all.
std::vector<std::string> strategies_for(const replay_options& options, const std::vector<replay_input>& inputs) {
  std::vector<std::string> strategies = options.strategies;
  const auto has_recommendations = [](const replay_input& input) {
    return input.problem != nullptr && problems::can_warm_start(*input.problem);
  };
  if (strategies.empty()) {
    for (const std::string& name : tuner::strategy_names()) {
      if (name != "exhaustive") strategies.push_back(name);
    }
    if (std::ranges::all_of(inputs, has_recommendations)) strategies.emplace_back("model+selector");
  }
  for (const std::string& name : strategies) {
    const tuner::strategy_settings settings = strategy_of(name, options.budget);
    for (const replay_input& input : inputs) {
      if (input.problem != nullptr) {
        problems::check_warm_start(settings, *input.problem);
      } else if (settings.warm_start) {
        throw input_error(fmt::format("{}: results of another auto-tuner have no selector for a warm start", name));
      }
    }
  }
  return strategies;
}

/// Shows the progress of all runs of a command.
class run_counter {
 public:
  explicit run_counter(std::size_t total) : total_(total) {}

  void count(const std::string& strategy) {
    ++finished_;
    if (line_.due()) line_.show({.done = finished_, .total = total_, .unit = "runs", .details = strategy});
  }
  void end() { line_.end(); }

 private:
  progress_line line_;
  std::size_t finished_ = 0;
  std::size_t total_;
};

/// @param index    of the input: runs on different inputs have different seeds, so that they are independent
/// @param seconds  limit of a run in recorded time, for strategies that learn instead of the budget; 0: none
replayed_strategy replay_strategy(const replay_options& options, const replay_input& input, std::size_t index,
                                  const std::string& name, std::uint64_t budget, double seconds, run_counter& counter) {
  tuner::strategy_settings settings = strategy_of(name, budget);
  if (seconds > 0 && settings.learns()) {
    settings.budget.reset();
    settings.seconds = seconds;
  }
  tuner::strategy_guide guide;
  if (input.problem != nullptr) {
    guide = problems::search_guide_for(settings, *input.problem, input.recorded.workload,
                                       problems::device_of(input.recorded.device));
  }
  replayed_strategy strategy{.name = name, .runs = {}};
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    settings.seed = index * options.seeds + seed;
    strategy.runs.push_back(tuner::replay(settings, input.space.space, guide, input.recorded, budget, options.tolerance,
                                          seconds > 0 ? seconds : std::numeric_limits<double>::infinity()));
    counter.count(name);
  }
  return strategy;
}

json_document document_of(const tuner::recorded_workload& recorded) {
  return {{"workload", recorded.workload.name},
          {"device", recorded.device.name},
          {"modelled", recorded.times_modelled},
          {"configurations", recorded.results.size()},
          {"failed", std::ranges::count_if(recorded.results, [](const auto& entry) { return !entry.second.cost; })},
          {recorded.criterion.is_time() ? "best_ms" : "best_value", recorded.criterion.value_of(recorded.best_cost)}};
}

json_document finite_or_null(double value) { return std::isinf(value) ? json_document(nullptr) : json_document(value); }

json_document document_of(const tuner::quartiles& values) {
  return {{"lower", finite_or_null(values.lower)},
          {"median", finite_or_null(values.median)},
          {"upper", finite_or_null(values.upper)}};
}

json_document document_of(const replayed_strategy& strategy, std::uint64_t budget) {
  return {{"strategy", strategy.name},
          {"runs", strategy.runs.size()},
          {"converged", strategy.converged_runs()},
          {"evaluations", document_of(strategy.needed())},
          {"seconds", finite_or_null(strategy.median_seconds())},
          {"relative_quarter", document_of(strategy.relative_after(std::max<std::uint64_t>(budget / 4, 1)))},
          {"relative", document_of(strategy.relative_after(budget))}};
}

void compare_strategies(const replay_options& options, const std::vector<replay_input>& inputs,
                        const std::vector<std::string>& strategies, const printer& print) {
  db::table curves;
  curves.columns = {"device",      "modelled",       "workload", "strategy",       "runs",
                    "evaluations", "lower_quartile", "median",   "upper_quartile", "mlmq"};
  json_document document = begin_document("replay");
  document["tolerance"] = options.tolerance;
  document["workloads"] = json_document::array();
  run_counter counter(inputs.size() * strategies.size() * options.seeds);
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const replay_input& input = inputs[index];
    const tuner::recorded_workload& recorded = input.recorded;
    const std::uint64_t count = input.space.space.count();
    const std::uint64_t budget = std::min(options.budget, count);
    const double enough = recorded.best_cost * (1 + options.tolerance);
    const auto good = std::ranges::count_if(
        recorded.results, [&](const auto& entry) { return entry.second.cost && *entry.second.cost <= enough; });
    const std::string best = objective_text(recorded.criterion, recorded.criterion.value_of(recorded.best_cost));
    print("{} on {}: {} configurations{}, best {}{}, {} within {:g} %; {} runs of {} evaluations\n",
          recorded.workload.name, recorded.device.name, count,
          input.space.is_whole ? "" : " recorded (not the whole space of the experiment)", best,
          recorded.times_modelled ? " (modelled)" : "", good, 100 * options.tolerance, options.seeds, budget);
    json_document workload = document_of(recorded);
    workload["budget"] = budget;
    std::vector<replayed_strategy> results;
    for (const std::string& name : strategies) {
      results.push_back(replay_strategy(options, input, index, name, budget, 0, counter));
      add_curves(curves, recorded, results.back(), budget);
      workload["strategies"].push_back(document_of(results.back(), budget));
    }
    document["workloads"].push_back(std::move(workload));
    counter.end();
    print_table(print, results, budget, options.tolerance);
  }
  if (options.results.as_json()) print_document(document);
  if (options.output.empty()) return;
  write_output(options.output, db::render(curves, db::table_format::csv));
  print("{}\n", options.output);
}

std::string decimal(double value) { return fmt::format("{:.3f}", value); }

/// Runs of a strategy on all inputs, compared with random search over one axis.
class strategy_scores {
 public:
  strategy_scores(const replay_options& options, const std::vector<replay_input>& inputs, tuner::score_axis axis)
      : options_(options), inputs_(inputs), axis_(axis) {
    for (const replay_input& input : inputs) baselines_.emplace_back(input.recorded, options.range, axis);
  }

  [[nodiscard]] const tuner::random_baseline& baseline(std::size_t input) const { return baselines_[input]; }
  /// Returns whether durations are on record of all inputs.
  [[nodiscard]] bool have_times() const {
    return std::ranges::all_of(baselines_, [](const auto& baseline) { return baseline.last_seconds() > 0; });
  }

  /// Returns the runs of a strategy, ready for mean_score(). @param scores  gets the score of each input
  [[nodiscard]] std::vector<tuner::scored_space> run(const std::string& name, run_counter& counter,
                                                     std::vector<double>& scores) const {
    std::vector<tuner::scored_space> spaces;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const tuner::random_baseline& baseline = baselines_[i];
      const bool over_time = axis_ == tuner::score_axis::time;
      const std::uint64_t count = inputs_[i].space.space.count();
      const std::uint64_t budget = over_time ? count : std::min(baseline.last(), count);
      const replayed_strategy replayed =
          replay_strategy(options_, inputs_[i], i, name, budget, over_time ? baseline.last_seconds() : 0, counter);
      tuner::scored_space space{.baseline = &baseline, .ranks = {}};
      for (const tuner::replayed_run& run : replayed.runs) space.ranks.push_back(baseline.ranks_of(run));
      scores.push_back(baseline.score(space.ranks));
      spaces.push_back(std::move(space));
    }
    return spaces;
  }

 private:
  const replay_options& options_;
  const std::vector<replay_input>& inputs_;
  tuner::score_axis axis_;
  std::vector<tuner::random_baseline> baselines_;
};

/// Scores all strategies on all inputs; the number of evaluations is that of the methodology.
void score_strategies(const replay_options& options, const std::vector<replay_input>& inputs,
                      const std::vector<std::string>& strategies, const printer& print) {
  const strategy_scores over_evaluations(options, inputs, tuner::score_axis::evaluations);
  const strategy_scores over_time(options, inputs, tuner::score_axis::time);
  const bool have_times = over_time.have_times();
  run_counter counter(inputs.size() * strategies.size() * options.seeds * (have_times ? 2 : 1));
  json_document document = begin_document("replay-score");
  document["from"] = options.range.start;
  document["to"] = options.range.end;
  document["runs"] = options.seeds;
  document["strategies"] = json_document::array();
  document["spaces"] = json_document::array();
  db::table by_space;
  by_space.columns = {"workload", "device", "configurations", "failed", "evaluations"};
  if (have_times) by_space.columns.emplace_back("seconds");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tuner::recorded_workload& recorded = inputs[i].recorded;
    const tuner::random_baseline& baseline = over_evaluations.baseline(i);
    document["spaces"].push_back(document_of(recorded));
    json_document& space = document["spaces"].back();
    const auto failed = space["failed"].get<std::size_t>();
    space["evaluations"] = baseline.last();
    space["scores"] = json_document::object();
    by_space.rows.push_back({db::text_cell(recorded.workload.name), db::text_cell(recorded.device.name),
                             db::count_cell(recorded.results.size()), db::count_cell(failed),
                             db::count_cell(baseline.last())});
    if (!have_times) continue;
    space["seconds"] = baseline.last_seconds();
    space["scores_over_time"] = json_document::object();
    by_space.rows.back().push_back(db::text_cell(fmt::format("{:.3g}", baseline.last_seconds())));
  }
  db::table means;
  means.columns = {"strategy", "P", "95 % interval", "lowest", "highest"};
  if (have_times) means.columns.insert(means.columns.end(), {"P over time", "95 % interval "});
  const auto interval = [](const tuner::score_interval& mean) {
    return db::text_cell(fmt::format("{:.3f} to {:.3f}", mean.lower, mean.upper));
  };
  for (const std::string& name : strategies) {
    by_space.columns.push_back(name);
    std::vector<double> scores;
    const tuner::score_interval mean = tuner::mean_score(over_evaluations.run(name, counter, scores));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      by_space.rows[i].push_back(db::text_cell(decimal(scores[i])));
      document["spaces"][i]["scores"][name] = scores[i];
    }
    const auto [lowest, highest] = std::ranges::minmax(scores);
    document["strategies"].push_back(
        {{"strategy", name}, {"score", mean.score}, {"lower", mean.lower}, {"upper", mean.upper}});
    means.rows.push_back({db::text_cell(name), db::text_cell(decimal(mean.score)), interval(mean),
                          db::text_cell(decimal(lowest)), db::text_cell(decimal(highest))});
    if (!have_times) continue;
    std::vector<double> time_scores;
    const tuner::score_interval time_mean = tuner::mean_score(over_time.run(name, counter, time_scores));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      document["spaces"][i]["scores_over_time"][name] = time_scores[i];
    }
    document["strategies"].back()["over_time"] = {
        {"score", time_mean.score}, {"lower", time_mean.lower}, {"upper", time_mean.upper}};
    means.rows.back().push_back(db::text_cell(decimal(time_mean.score)));
    means.rows.back().push_back(interval(time_mean));
  }
  counter.end();
  print("score P from {:g} % to {:g} % of the way from the median to the best time; {} runs per strategy and space\n",
        100 * options.range.start, 100 * options.range.end, options.seeds);
  print("{}\n{}", db::render(by_space, db::table_format::aligned), db::render(means, db::table_format::aligned));
  if (options.results.as_json()) print_document(document);
  if (!options.output.empty()) write_output(options.output, db::render(by_space, db::table_format::csv));
}

void replay(replay_options options) {
  const printer print = options.results.make_printer(options.output);
  if (!options.output.empty()) (void)kind_of_output("--output", options.output, {output_kind::csv});
  if (!options.output.empty() && !is_standard_output(options.output)) check_replaceable_output(options.output);
  if (!options.t4.empty()) options.files.names = options.t4;
  if (!(options.range.start < options.range.end)) throw input_error("--score-from must be less than --score-to");
  const std::vector<replay_input> inputs = read_replay_inputs(options.files);
  const std::vector<std::string> strategies = strategies_for(options, inputs);
  (options.score ? score_strategies : compare_strategies)(options, inputs, strategies, print);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "replay", "Compare search strategies on a recorded exhaustive sweep, without new measurements");
  const auto options = std::make_shared<replay_options>();
  CLI::Option* const files =
      command
          ->add_option("files", options->files.names,
                       "databases of sweeps, Kernel Tuner cache files, or T4 results (JSON, also gzip)")
          ->capture_default_str();
  command->add_option("--t4", options->t4, "T4 results to replay, in place of FILES")->excludes(files);
  command->add_option("--t1", options->files.t1,
                      "T1 input: the search space of the cache files and T4 results [their configurations]");
  command->add_option("--experiment", options->files.experiment, "experiment to replay, if a database has several");
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
  command->add_flag("--score", options->score,
                    "score the strategies: share of the way from random search to the best time (P)");
  command
      ->add_option("--score-from", options->range.start,
                   "with --score: begin where random search has gone this share of the way from median to best")
      ->check(positive_number(true, 1))
      ->capture_default_str();
  command
      ->add_option("--score-to", options->range.end,
                   "with --score: end at this share, which sets the number of evaluations")
      ->check(positive_number(false, 1))
      ->capture_default_str();
  command->add_option("--output", options->output,
                      "CSV file of the curves, for plots/performance_over_budget.py, or of the scores; -: standard "
                      "output, without the tables");
  options->results.add_format(*command);
  reads_files(*command, {"files", "--t4", "--t1"});
  writes_files(*command, {"--output"});
  takes_no_files(*command, {"--experiment", "--strategies"});
  command->callback([options] { replay(*options); });
}

}  // namespace mlmq::cli
