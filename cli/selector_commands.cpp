// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "cli/output_file.hpp"
#include "cli/training_data.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "graph/feature_list.hpp"
#include "selector/candidates.hpp"
#include "selector/evaluate.hpp"
#include "selector/evaluate_place.hpp"
#include "selector/export_header.hpp"
#include "selector/grouping.hpp"
#include "selector/importance.hpp"
#include "selector/inference.hpp"
#include "selector/scorer.hpp"
#include "selector/shipped.hpp"
#include "selector/time_model.hpp"
#include "selector/train.hpp"

namespace mlmq::cli {
namespace {

/// What is trained unless said otherwise: the best on the recorded trials, see docs/selector.md.
constexpr selector::method standard_method = selector::method::kernel;

/// Which trials to learn from, and what is known of their graphs.
struct source_options {
  std::vector<std::string> databases = {"results.sqlite"};
  std::string problem = "sssp";
  std::string device;
  std::optional<std::string> processors;  ///< absent: of no interest to the command
  std::string groups = "family";
  std::vector<std::string> features;  ///< empty: all

  void add_to(CLI::App& command) {
    command.add_option("databases", databases, "databases of finished sweeps")->capture_default_str();
    command.add_option("--problem", problem, "problem to learn")->capture_default_str();
    command.add_option("--device", device, "part of a device's name, when the databases hold several");
  }

  void add_processors_to(CLI::App& command) {
    processors.emplace();
    command.add_option("--processors", *processors,
                       "part of the name of the processors, when the databases hold times of several beside a GPU's");
  }

  void add_groups_to(CLI::App& command) {
    command
        .add_option("--group", groups,
                    "what is never split: graph (its weightings and sources) or family (all sizes of a generator too)")
        ->capture_default_str();
  }

  void add_features_to(CLI::App& command) {
    // What sampling adds is worth a point of the share within 0.9, and costs more than many a search: docs/selector.md.
    features = {"pass"};
    command
        .add_option(
            "--features", features,
            "what to learn from: table2, pass (what a pass over the graph gives), all, or names (mlmq graph features "
            "--list)")
        ->delimiter(',')
        ->capture_default_str();
  }

  [[nodiscard]] training_data load() const {
    training_data data = load_training_data(databases, problem, {.device = device, .processors = processors}, {{}},
                                            selector::grouping_from(groups));
    if (!features.empty()) data.set = selector::keep_features(data.set, wanted_of(data.set.features));
    return data;
  }

 private:
  /// The names that the options stand for, out of those on record.
  [[nodiscard]] std::vector<std::string> wanted_of(const std::vector<std::string>& known) const {
    if (features.size() > 1) return features;
    std::size_t first = 0;
    if (features.front() == "table2") {
      first = graph::feature_count;
    } else if (features.front() == "pass") {
      first = graph::pass_feature_count();
    } else if (features.front() == "all") {
      first = graph::feature_definitions().size();
    } else {
      return features;
    }
    std::vector<std::string> wanted;
    for (const graph::feature_definition& one : graph::feature_definitions().first(first)) {
      if (std::find(known.begin(), known.end(), one.name) != known.end()) wanted.emplace_back(one.name);
    }
    return wanted;
  }
};

/// Which of the recorded configurations a selector chooses from.
struct candidate_options {
  double tolerance = 0.03;
  std::size_t most = 20;  // with more, what the best of them gains is lost by choosing wrongly: docs/selector.md

  void add_to(CLI::App& command) {
    command
        .add_option("--tolerance", tolerance,
                    "keep as few candidates as leave every graph within this share of its best time")
        ->check(positive_number(true, 1))
        ->capture_default_str();
    command.add_option("--candidates", most, "no more candidates than these; 0: as many as the tolerance needs")
        ->check(whole_number(0, 1'000'000))
        ->capture_default_str();
  }
};

/// How to learn. What is not given is the method's own.
struct learning_options {
  std::vector<std::string> methods;
  std::optional<int> rounds;
  std::optional<int> depth;
  std::optional<double> eta;
  std::optional<double> subsample;
  std::optional<double> colsample;
  std::optional<double> lambda;
  std::optional<double> min_child_weight;
  std::optional<double> kernel_scale;
  std::optional<double> ridge;
  std::optional<int> members;
  std::optional<std::uint32_t> seed;
  std::optional<bool> start_at_mean;

  void add_to(CLI::App& command, const std::string& default_methods) {
    const std::string own = " [the method's own]";
    command.add_option("--method", methods, fmt::format("{} [{}]", known_methods(), default_methods))->delimiter(',');
    command.add_option("--rounds", rounds, "rounds of boosting, or trees of a forest" + own)
        ->check(whole_number(1, 100'000));
    command.add_option("--depth", depth, "levels of a tree" + own)->check(whole_number(1, 30));
    command.add_option("--eta", eta, "learning rate" + own)->check(positive_number(false, 1));
    command.add_option("--subsample", subsample, "share of the rows that a tree sees" + own)
        ->check(positive_number(false, 1));
    command.add_option("--colsample", colsample, "share of the inputs that a split may use" + own)
        ->check(positive_number(false, 1));
    command.add_option("--lambda", lambda, "shrinks leaves towards 0" + own)->check(positive_number(true));
    command.add_option("--min-child-weight", min_child_weight, "least rows in a leaf" + own)
        ->check(positive_number(true));
    command.add_option("--kernel-scale", kernel_scale, "kernel: the larger, the fewer graphs are alike" + own)
        ->check(positive_number());
    command.add_option("--ridge", ridge, "kernel: how much of a recorded time is taken for noise" + own)
        ->check(positive_number());
    command.add_option("--members", members, "models with other seeds to average, a power of two" + own)
        ->check(whole_number(1, 1024));
    command.add_option("--model-seed", seed, "of subsamples" + own);
    command.add_option("--start-at-mean", start_at_mean,
                       "learn how a graph differs from each candidate's mean: true or false" + own);
  }

  [[nodiscard]] std::vector<selector::learning> learnings(const std::vector<selector::method>& standard) const {
    std::vector<selector::learning> result;
    for (const std::string& name : methods) result.push_back(adjusted(selector::method_from(name)));
    if (methods.empty()) {
      for (const selector::method one : standard) result.push_back(adjusted(one));
    }
    require_takers(result);
    return result;
  }

 private:
  /// @throws input_error for an option that no method among these has
  void require_takers(const std::vector<selector::learning>& learnings) const {
    const auto is_kernel = [](const selector::learning& one) { return one.how == selector::method::kernel; };
    if ((kernel_scale || ridge) && std::none_of(learnings.begin(), learnings.end(), is_kernel))
      throw input_error("--kernel-scale and --ridge are for the method 'kernel' only");
    const bool of_trees = rounds || depth || eta || subsample || colsample || lambda || min_child_weight || members ||
                          seed || start_at_mean;
    if (of_trees && std::all_of(learnings.begin(), learnings.end(), is_kernel))
      throw input_error(
          "the method 'kernel' has no trees: of the options it takes --kernel-scale and --ridge; name another method "
          "with --method");
  }

  static std::string known_methods() {
    std::vector<std::string_view> names;
    for (const selector::method one : selector::all_methods) names.push_back(selector::to_string(one));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[nodiscard]] selector::learning adjusted(selector::method how) const {
    selector::learning learned = selector::standard_learning(how);
    const auto set = [](auto& to, const auto& given) {
      if (given) to = *given;
    };
    set(how == selector::method::forest ? learned.trees.trees_per_round : learned.trees.rounds, rounds);
    set(learned.trees.max_depth, depth);
    set(learned.trees.eta, eta);
    set(learned.trees.subsample, subsample);
    set(learned.trees.colsample, colsample);
    set(learned.trees.lambda, lambda);
    set(learned.trees.min_child_weight, min_child_weight);
    set(learned.trees.seed, seed);
    set(learned.kernel.scale, kernel_scale);
    set(learned.kernel.ridge, ridge);
    set(learned.members, members);
    set(learned.start_at_mean, start_at_mean);
    return learned;
  }
};

/// How to split the graphs for an evaluation.
struct split_options {
  std::size_t folds = 5;
  std::size_t repeats = 3;
  std::uint64_t seed = 1;

  void add_to(CLI::App& command) {
    command.add_option("--folds", folds, "parts that the graphs are split into")
        ->check(whole_number(2, 1'000'000))
        ->capture_default_str();
    command.add_option("--repeats", repeats, "whole cross-validations, each with other parts")
        ->check(whole_number(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--seed", seed, "of the first split")->capture_default_str();
  }
};

/// What bringing a graph to a device is taken to cost. The standard is a copy over PCIe 4.0 with 16 lanes.
struct transfer_options {
  double latency_us = 10;
  double gigabytes_per_second = 25;

  void add_to(CLI::App& command) {
    command
        .add_option("--transfer-latency", latency_us,
                    "microseconds that each array of a graph takes to a device, whatever its size")
        ->check(positive_number(true))
        ->capture_default_str();
    command.add_option("--transfer-rate", gigabytes_per_second, "GB that are brought to a device in a second")
        ->check(positive_number())
        ->capture_default_str();
  }

  operator selector::transfer_cost() const {
    return {.array_ms = latency_us * 1e-3, .byte_ms = 1e-6 / gigabytes_per_second};
  }
};

struct training_options {
  source_options source;
  candidate_options candidates;
  learning_options learning;
  split_options split;
  transfer_options transfer;
  std::string output;

  [[nodiscard]] selector::evaluation_options evaluation() const {
    selector::evaluation_options how;
    how.folds = split.folds;
    how.repeats = split.repeats;
    how.seed = split.seed;
    how.cover_tolerance = candidates.tolerance;
    how.most_candidates = candidates.most;
    return how;
  }

  [[nodiscard]] selector::learning only_learning() const {
    if (learning.methods.size() > 1) throw input_error("--method: one model has one method");
    return learning.learnings({standard_method}).front();
  }
};

void train(const training_options& options) {
  check_replaceable_output(options.output);
  const selector::learning learned = options.only_learning();
  const training_data data = options.source.load();
  const selector::training_set set = selector::in_canonical_order(data.set);
  const auto kept = selector::covering_candidates(selector::performance_matrix(set), options.candidates.tolerance,
                                                  options.candidates.most);
  const selector::training_set reduced = selector::keep_candidates(set, kept);
  selector::model model = selector::train_model(reduced, learned, data.source);
  // A modelled time is none that a machine takes.
  if (data.source.times == "measured")
    model.times = selector::fit_times(reduced, data.processors ? &*data.processors : nullptr,
                                      selector::make_scorer(model).graph.features, data.source.problem);
  selector::save_model(model, options.output);
  fmt::print("{}: {} of {} configurations as candidates, learned from {} trials on {} inputs, {} times of {}\n",
             options.output, kept.size(), set.candidates.size(), model.provenance.observations, set.graphs.size(),
             data.source.times, data.source.device_name);
  if (model.times && !model.times->searchers.empty())
    fmt::print("times expected of {} configurations for processors too, learned from those of {}\n",
               model.times->searchers.size(), model.times->processors);
}

/// How well the place is chosen, or why that cannot be said.
std::string place_table(const training_data& data, const std::vector<selector::learning>& learnings,
                        const training_options& options) {
  const auto standard = std::find_if(learnings.begin(), learnings.end(),
                                     [](const selector::learning& one) { return one.how == standard_method; });
  const selector::learning& learned = standard == learnings.end() ? learnings.front() : *standard;
  try {
    return selector::to_table(
        selector::evaluate_place(data.set, *data.processors, learned, options.evaluation(), options.transfer));
  } catch (const input_error& error) {
    return fmt::format("where to search cannot be judged: {}\n", error.what());
  }
}

void evaluate(const training_options& options) {
  if (!options.output.empty()) check_output(options.output);
  const auto learnings = options.learning.learnings({selector::all_methods.begin(), selector::all_methods.end()});
  const training_data data = options.source.load();
  const selector::evaluation_report report = selector::evaluate(data.set, learnings, options.evaluation());
  fmt::print("{} times of {}\n\n{}", data.source.times, data.source.device_name, selector::to_table(report));
  if (data.processors) fmt::print("\n{}", place_table(data, learnings, options));
  if (!options.output.empty()) write_output(options.output, selector::to_csv(report));
}

void draw_curve(const training_options& options, std::size_t points) {
  if (!options.output.empty()) check_output(options.output);
  const selector::learning learned = options.only_learning();
  const training_data data = options.source.load();
  std::vector<double> shares;
  for (std::size_t i = 1; i <= points; ++i) shares.push_back(static_cast<double>(i) / static_cast<double>(points));
  const auto curve = selector::learning_curve(data.set, learned, options.evaluation(), shares);
  if (options.output.empty()) {
    fmt::print("{}", selector::to_csv(curve));
  } else {
    write_output(options.output, selector::to_csv(curve));
  }
}

void show_candidates(const source_options& source, const candidate_options& options) {
  const training_data data = source.load();
  const selector::training_set set = selector::in_canonical_order(data.set);
  const auto steps = selector::candidate_steps(selector::performance_matrix(set), options.tolerance, options.most);
  fmt::print("{}", selector::to_table(steps, set, options.tolerance));
}

/// What a model wants to know. @throws input_error naming what is not on record: a choice without it would be a guess
selector::graph_features known_features(const std::vector<std::string>& wanted, const selector::training_set& set,
                                        const selector::graph_example& graph) {
  selector::graph_features known = selector::pick_features(wanted, set.features, graph.features);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(known[i]))
      throw input_error(fmt::format(
          "graph '{}' has no feature '{}' on record, which the model asks for; 'mlmq db features' adds it, without "
          "measuring anew",
          graph.name, wanted[i]));
  }
  return known;
}

/// For every recorded input: the best configuration, the selector's pick, and what the pick is worth.
db::table pick_table(const training_data& data, const selector::selector& chosen) {
  const selector::training_set& set = data.set;
  const selector::performance_matrix performance(set);
  std::map<std::string, std::size_t> candidate_of;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) candidate_of.emplace(set.candidates[c].label, c);
  db::table table;
  table.columns = {"graph", "class", "source", "best_configuration", "best_ms", "pick", "pick_ms", "relative"};
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    if (!performance.solved(g)) continue;
    std::size_t best = 0;
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      if (performance.relative(g, c) > performance.relative(g, best)) best = c;
    }
    const std::string& pick = chosen.label(chosen.select(known_features(chosen.features(), set, set.graphs[g])));
    const auto known = candidate_of.find(pick);
    const double relative = known == candidate_of.end() ? 0 : performance.relative(g, known->second);
    const double best_ms = performance.best_milliseconds(g);
    table.rows.push_back({db::text_cell(data.inputs[g].graph), db::text_cell(data.inputs[g].graph_class),
                          db::count_cell(data.inputs[g].source), db::text_cell(set.candidates[best].label),
                          db::number_cell(best_ms), db::text_cell(pick),
                          relative > 0 ? db::number_cell(best_ms / relative) : db::cell{}, db::number_cell(relative)});
  }
  return table;
}

void print_ranking(const std::vector<std::pair<std::string, float>>& ranking, std::size_t count) {
  for (std::size_t i = 0; i < ranking.size() && i < count; ++i) {
    fmt::print("{:.4f}  {}\n", ranking[i].second, ranking[i].first);
  }
}

/// Median time of choosing among all candidates, features given.
template <typename Choose>
void print_time(Choose choose) {
  constexpr int batches = 1001;
  constexpr int calls = 16;  // a clock's resolution is tens of nanoseconds
  std::vector<double> microseconds;
  volatile std::size_t chosen = 0;  // or the compiler would leave the calls out
  for (int i = 0; i < batches; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) chosen = choose();
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    microseconds.push_back(taken.count() / calls);
  }
  (void)chosen;
  fmt::print("choosing takes {:.2f} us\n", db::median(microseconds));
}

void show_importance(const std::string& file) {
  for (const selector::input_importance& one : selector::importance_of(selector::load_model(file))) {
    fmt::print("{:>5.1f} %  {:>5} splits  {}\n", 100 * one.gain, one.splits, one.name);
  }
}

void predict(const graph_options& graph, const std::string& model_file, std::size_t count, bool timed) {
  const graph::csr_graph loaded = graph.load().graph;
  std::vector<std::pair<std::string, float>> ranking;
  if (model_file.empty()) {
    const auto features = graph::some_features(loaded, selector::shipped_features());
    for (const std::size_t candidate : selector::shipped_ranked(features)) {
      ranking.emplace_back(selector::shipped_label(candidate), selector::shipped_predict(features, candidate));
    }
    print_ranking(ranking, count);
    if (timed) print_time([&] { return selector::shipped_select(features); });
    return;
  }
  const auto chosen = selector::selector::from_model_file(model_file);
  const std::vector<std::string_view> names(chosen.features().begin(), chosen.features().end());
  const auto features = graph::some_features(loaded, names);
  for (const selector::ranked_candidate& candidate : chosen.ranked(features)) {
    ranking.emplace_back(chosen.label(candidate.candidate), candidate.predicted);
  }
  print_ranking(ranking, count);
  if (timed) print_time([&] { return chosen.select(features); });
}

}  // namespace

void add_selector_commands(CLI::App& app) {
  CLI::App* const group = app.add_subcommand("selector", "Train, judge, export and ask the selector");
  group->require_subcommand(1);

  CLI::App* const train_command = group->add_subcommand("train", "Learn a selector from recorded trials");
  const auto trained = std::make_shared<training_options>();
  trained->output = "model.json";
  trained->source.add_to(*train_command);
  trained->source.add_processors_to(*train_command);
  trained->source.add_features_to(*train_command);
  trained->candidates.add_to(*train_command);
  trained->learning.add_to(*train_command, std::string(selector::to_string(standard_method)));
  train_command->add_option("--output", trained->output, "model to write")->capture_default_str();
  train_command->callback([trained] { train(*trained); });

  CLI::App* const evaluate_command =
      group->add_subcommand("evaluate", "How well selectors choose on graphs that they have not seen");
  const auto evaluated = std::make_shared<training_options>();
  evaluated->source.add_to(*evaluate_command);
  evaluated->source.add_processors_to(*evaluate_command);
  evaluated->source.add_features_to(*evaluate_command);
  evaluated->source.add_groups_to(*evaluate_command);
  evaluated->candidates.add_to(*evaluate_command);
  evaluated->learning.add_to(*evaluate_command, "all");
  evaluated->split.add_to(*evaluate_command);
  evaluated->transfer.add_to(*evaluate_command);
  evaluate_command->add_option("--output", evaluated->output, "CSV with every choice for every graph");
  evaluate_command->callback([evaluated] { evaluate(*evaluated); });

  struct curving {
    training_options options;
    std::size_t points = 8;
  };
  CLI::App* const curve_command =
      group->add_subcommand("curve", "Would more graphs help: the evaluation with shares of the graphs to learn from");
  const auto curved = std::make_shared<curving>();
  curved->options.source.add_to(*curve_command);
  curved->options.source.add_features_to(*curve_command);
  curved->options.source.add_groups_to(*curve_command);
  curved->options.candidates.add_to(*curve_command);
  curved->options.learning.add_to(*curve_command, std::string(selector::to_string(standard_method)));
  curved->options.split.add_to(*curve_command);
  curve_command->add_option("--points", curved->points, "how many shares, from 1/N to 1")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  curve_command->add_option("--output", curved->options.output, "CSV to write [standard output]");
  curve_command->callback([curved] { draw_curve(curved->options, curved->points); });

  struct covering {
    source_options source;
    candidate_options candidates;
  };
  CLI::App* const candidates_command =
      group->add_subcommand("candidates", "How few configurations serve every recorded graph, and how well");
  const auto covered = std::make_shared<covering>();
  covered->source.add_to(*candidates_command);
  covered->candidates.most = 0;  // the whole table
  covered->candidates.add_to(*candidates_command);
  candidates_command->callback([covered] { show_candidates(covered->source, covered->candidates); });

  struct picking {
    source_options source;
    std::string model = "model.json";
    std::string format = "table";
  };
  CLI::App* const picks_command =
      group->add_subcommand("picks", "What a model picks for each recorded graph, next to the best measured");
  const auto picked = std::make_shared<picking>();
  picked->source.add_to(*picks_command);
  picks_command->add_option("--model", picked->model, "model.json")->capture_default_str();
  picks_command->add_option("--format", picked->format, "table, csv or json")->capture_default_str();
  picks_command->callback([picked] {
    const auto format = db::table_format_from(picked->format);
    const auto chosen = selector::selector::from_model_file(picked->model);
    fmt::print("{}", db::render(pick_table(picked->source.load(), chosen), format));
  });

  struct exporting {
    std::string model = "model.json";
    std::string output = "model.hpp";
    std::string name_space = "mlmq_selector";
  };
  CLI::App* const export_command =
      group->add_subcommand("export", "Write a model as a C++ header without dependencies");
  const auto exported = std::make_shared<exporting>();
  export_command->add_option("model", exported->model, "model.json")->capture_default_str();
  export_command->add_option("--output", exported->output, "header to write")->capture_default_str();
  export_command->add_option("--namespace", exported->name_space, "namespace of the functions")->capture_default_str();
  export_command->callback([exported] {
    check_replaceable_output(exported->output);
    selector::export_header(selector::load_model(exported->model), exported->output, exported->name_space);
    fmt::print("{}\n", exported->output);
  });

  CLI::App* const importance_command =
      group->add_subcommand("importance", "Which of its inputs a model uses, and how much");
  const auto weighed = std::make_shared<std::string>("model.json");
  importance_command->add_option("model", *weighed, "model.json")->capture_default_str();
  importance_command->callback([weighed] { show_importance(*weighed); });

  struct predicting {
    graph_options graph;
    std::string model;
    std::size_t count = 10;
    bool timed = false;
  };
  CLI::App* const predict_command = group->add_subcommand(
      "predict", "The configurations that suit a graph best, with predicted relative performance");
  const auto predicted = std::make_shared<predicting>();
  predicted->graph.add_to(*predict_command);
  predict_command->add_option("--model", predicted->model, "model.json [the shipped selector]");
  predict_command->add_option("--count", predicted->count, "how many to show")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  predict_command->add_flag("--time", predicted->timed, "say how long choosing takes, with the features known");
  predict_command->callback(
      [predicted] { predict(predicted->graph, predicted->model, predicted->count, predicted->timed); });
}

}  // namespace mlmq::cli
