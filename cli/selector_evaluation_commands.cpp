// SPDX-License-Identifier: Apache-2.0
// Commands that evaluate learning methods on recorded trials.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_commands.hpp"
#include "cli/selector_options.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "selector/candidates.hpp"
#include "selector/completion.hpp"
#include "selector/evaluate.hpp"
#include "selector/evaluation_table.hpp"
#include "selector/learning_curve.hpp"
#include "selector/time_model.hpp"

namespace mlmq::cli {
namespace {

/// Splits of the workloads for an evaluation.
struct split_options {
  std::size_t folds = 5;
  std::size_t repeats = 3;
  std::uint64_t seed = 1;
  std::string test_groups_file;

  void add_to(CLI::App& command) {
    command.add_option("--folds", folds, "number of parts that the workloads are divided into for cross-validation")
        ->check(whole_number(2, 1'000'000))
        ->capture_default_str();
    command.add_option("--repeats", repeats, "number of cross-validations, each with a different division")
        ->check(whole_number(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--seed", seed, "seed of the first division")->capture_default_str();
    command.add_option("--test-groups", test_groups_file,
                       "file with the groups of workloads to evaluate on, one per line; other groups are only learned "
                       "from [all]");
    reads_files(command, {"--test-groups"});
  }

  /// Reads the groups to evaluate on; empty: all. @throws input_error naming the file
  [[nodiscard]] std::set<std::string> test_groups() const {
    std::set<std::string> groups;
    if (test_groups_file.empty()) return groups;
    std::istringstream lines(read_file(test_groups_file));
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty() && line.front() != '#') groups.insert(line);
    }
    if (groups.empty()) throw input_error(fmt::format("--test-groups {}: it names no groups", test_groups_file));
    return groups;
  }
};

struct judging_options {
  source_options source;
  candidate_options candidates;
  learning_options learning;
  split_options split;
  std::vector<std::size_t> tries;
  std::size_t try_queries = 0;
  std::string output;

  [[nodiscard]] selector::evaluation_options evaluation() const {
    selector::evaluation_options result;
    result.folds = split.folds;
    result.repeats = split.repeats;
    result.seed = split.seed;
    result.cover_tolerance = candidates.tolerance;
    result.most_candidates = candidates.most;
    result.tries = tries;
    result.try_queries = try_queries;
    result.test_groups = split.test_groups();
    return result;
  }
};

/// Evaluates the published method by the published protocol: the forest chooses among the candidates that the first
/// rule of thumb covers, and the workloads are divided into three parts at random, so that a family can be in several.
std::string published_protocol(const selector::training_set& set, const selector::learning& forest,
                               selector::evaluation_options evaluation) {
  selector::training_set queue_record = selector::keep_candidates(set, evaluation.rules.front()->covered(set));
  for (selector::workload_example& example : queue_record.workloads)
    example.group = example.workload.empty() ? example.name : example.workload;
  evaluation.folds = 3;
  evaluation.tries = {};
  evaluation.test_groups = {};
  evaluation.cover_tolerance = std::nullopt;
  evaluation.on_progress = {};
  const selector::evaluation_report report = selector::evaluate(queue_record, {&forest, 1}, evaluation);
  std::string text = fmt::format("The protocol of MLMQ 5.5: {} configurations of queues, workloads divided at random\n",
                                 queue_record.candidates.size());
  for (const std::string_view name : {selector::to_string(forest.algorithm), selector::best_fixed_name}) {
    const selector::strategy_score score = selector::score_of(report, report.strategy(name)).value();
    text += fmt::format("{:<20}  slowdown {}, within 0.9 {} %, mean relative {}\n", name,
                        selector::decimal_text(score.slowdown), selector::percent_text(score.near_best),
                        selector::decimal_text(score.mean_relative));
  }
  return text;
}

/// @param line  must outlive the result
std::function<void(std::size_t, std::size_t)> show_folds(progress_line& line) {
  return [&line](std::size_t finished, std::size_t folds) {
    if (line.due()) line.show({.done = finished, .total = folds, .unit = "folds"});
  };
}

void evaluate(const judging_options& options) {
  if (!options.output.empty()) {
    (void)kind_of_output("--output", options.output, {output_kind::csv});
    check_output(options.output);
  }
  const auto learnings = options.learning.learnings({selector::all_methods.begin(), selector::all_methods.end()});
  const selector::training_data data = options.source.load();
  selector::evaluation_options evaluation = options.evaluation();
  if (const auto* const entry = problems::known_problem(data.source.problem)) evaluation.rules = entry->rules;
  progress_line line;
  evaluation.on_progress = show_folds(line);
  const selector::evaluation_report report = selector::evaluate(data.set, learnings, evaluation);
  line.end();
  const printer print(!is_standard_output(options.output));
  print("{} times of {}\n\n{}", data.source.times, data.source.device_name, selector::to_table(report));
  const auto forest = std::find_if(learnings.begin(), learnings.end(), [](const selector::learning& candidate) {
    return candidate.algorithm == selector::method::forest;
  });
  if (forest != learnings.end() && !report.rules.empty() && print.is_enabled())
    print("\n{}", published_protocol(data.set, *forest, evaluation));
  if (data.source.times == "measured" && print.is_enabled()) {
    if (const auto errors = selector::cross_validate_times(data.set, options.split.folds, options.split.seed))
      print("\nExpected times of unseen workloads: mean factor {:.2f} from the best time, {:.2f} by size alone\n",
            errors->by_features, errors->by_size);
  }
  if (!options.output.empty()) write_output(options.output, selector::to_csv(report));
}

void draw_curve(const judging_options& options, std::size_t points) {
  if (!options.output.empty()) {
    (void)kind_of_output("--output", options.output, {output_kind::csv});
    check_output(options.output);
  }
  const selector::learning learned = options.learning.only_learning();
  const selector::training_data data = options.source.load();
  std::vector<double> shares;
  for (std::size_t i = 1; i <= points; ++i) shares.push_back(static_cast<double>(i) / static_cast<double>(points));
  progress_line line;
  selector::evaluation_options evaluation = options.evaluation();
  evaluation.on_progress = show_folds(line);
  const auto curve = selector::learning_curve(data.set, learned, evaluation, shares);
  line.end();
  if (options.output.empty()) {
    print_data(selector::to_csv(curve));
  } else {
    write_output(options.output, selector::to_csv(curve));
  }
}

void show_candidates(const source_options& source, const candidate_options& options, const result_options& display) {
  const selector::training_data data = source.load();
  selector::training_set set = selector::complete_missing_times(selector::mean_over_queries(data.set));
  const auto steps = selector::candidate_steps(set, options.tolerance, options.most);
  for (auto& candidate : set.candidates) candidate.label = display.shown(candidate.label);
  print_text("{}", selector::to_table(steps, set, options.tolerance));
}

}  // namespace

void add_selector_evaluate_command(CLI::App& group) {
  CLI::App* const evaluate_command =
      group.add_subcommand("evaluate", "Evaluate selectors on workloads that they have not seen");
  const auto evaluated = std::make_shared<judging_options>();
  evaluated->source.add_to(*evaluate_command);
  evaluated->source.add_features_to(*evaluate_command);
  evaluated->source.add_groups_to(*evaluate_command);
  evaluated->candidates.add_to(*evaluate_command);
  evaluated->learning.add_to(*evaluate_command, "all");
  evaluated->split.add_to(*evaluate_command);
  evaluate_command
      ->add_option(
          "--tries", evaluated->tries,
          "numbers N: also evaluate timing the N best-ranked configurations on one query and using the fastest "
          "of them on the others")
      ->delimiter(',')
      ->check(whole_number(1, 1'000));
  evaluate_command
      ->add_option("--try-queries", evaluated->try_queries,
                   "with --tries: also compare 2 * N configurations on N times this many further queries, simulated "
                   "from the variation on record, and use the one that is expected to be the fastest")
      ->check(whole_number(1, 1'000));
  evaluate_command->add_option("--output", evaluated->output,
                               "CSV with every choice for every workload; -: standard output, without the tables");
  writes_files(*evaluate_command, {"--output"});
  evaluate_command->callback([evaluated] { evaluate(*evaluated); });
}

void add_selector_curve_command(CLI::App& group) {
  struct curving {
    judging_options options;
    std::size_t points = 8;
  };
  CLI::App* const curve_command =
      group.add_subcommand("curve",
                           "Evaluate with shares of the workloads to learn from, to see whether more "
                           "workloads would help");
  const auto curved = std::make_shared<curving>();
  curved->options.source.add_to(*curve_command);
  curved->options.source.add_features_to(*curve_command);
  curved->options.source.add_groups_to(*curve_command);
  curved->options.candidates.add_to(*curve_command);
  curved->options.learning.add_to(*curve_command, std::string(selector::to_string(selector::standard_method)));
  curved->options.split.add_to(*curve_command);
  curve_command->add_option("--points", curved->points, "how many shares, from 1/N to 1")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  curve_command->add_option("--output", curved->options.output, "CSV to write; -: standard output [standard output]");
  writes_files(*curve_command, {"--output"});
  curve_command->callback([curved] { draw_curve(curved->options, curved->points); });
}

void add_selector_candidates_command(CLI::App& group) {
  struct covering {
    source_options source;
    candidate_options candidates;
    result_options results;
  };
  CLI::App* const candidates_command =
      group.add_subcommand("candidates", "Show how few configurations serve every recorded workload, and how well");
  const auto covered = std::make_shared<covering>();
  covered->source.add_to(*candidates_command);
  covered->candidates.most = 0;  // the whole table
  covered->candidates.add_to(*candidates_command);
  covered->results.add_verbose(*candidates_command);
  candidates_command->callback([covered] { show_candidates(covered->source, covered->candidates, covered->results); });
}

}  // namespace mlmq::cli
