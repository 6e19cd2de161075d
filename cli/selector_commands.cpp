// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "cli/output_file.hpp"
#include "cli/training_data.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "graph/features.hpp"
#include "selector/candidates.hpp"
#include "selector/evaluate.hpp"
#include "selector/export_header.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"
#include "selector/train.hpp"

namespace mlmq::cli {
namespace {

struct training_options {
  std::vector<std::string> databases = {"results.sqlite"};
  std::string problem = "sssp";
  std::string device;
  double tolerance = 0.03;
  selector::train_settings settings;

  void add_source_to(CLI::App& command) {
    command.add_option("databases", databases, "databases of finished sweeps")->capture_default_str();
    command.add_option("--problem", problem, "problem to learn")->capture_default_str();
    command.add_option("--device", device, "part of a device's name, when the databases hold several");
  }

  void add_to(CLI::App& command) {
    add_source_to(command);
    command
        .add_option("--tolerance", tolerance,
                    "keep as few candidates as leave every graph within this share of its best time")
        ->check(positive_number(true, 1))
        ->capture_default_str();
    command.add_option("--rounds", settings.rounds, "boosted trees")
        ->check(whole_number(1, 100'000))
        ->capture_default_str();
    command.add_option("--depth", settings.max_depth, "levels of a tree")
        ->check(whole_number(1, 30))
        ->capture_default_str();
    command.add_option("--eta", settings.eta, "learning rate")->check(positive_number(false, 1))->capture_default_str();
  }

  [[nodiscard]] training_data load() const { return load_training_data(databases, problem, device); }
};

void train(const training_options& options, const std::string& output) {
  check_replaceable_output(output);
  const training_data data = options.load();
  const selector::training_set set = selector::in_canonical_order(data.set);
  const auto kept = selector::covering_candidates(selector::performance_matrix(set), options.tolerance);
  const selector::model model =
      selector::train_model(selector::keep_candidates(set, kept), options.settings, data.source);
  selector::save_model(model, output);
  fmt::print("{}: {} of {} configurations as candidates, learned from {} trials on {} inputs, {} times of {}\n", output,
             kept.size(), set.candidates.size(), model.provenance.observations, set.graphs.size(), data.source.times,
             data.source.device_name);
}

void evaluate(const training_options& options, std::size_t folds, std::uint64_t seed) {
  selector::evaluation_options how;
  how.folds = folds;
  how.seed = seed;
  how.cover_tolerance = options.tolerance;
  const training_data data = options.load();
  const selector::evaluation_report report = selector::evaluate(data.set, options.settings, how);
  fmt::print("{} times of {}, {}-fold cross-validation over graphs\n{}", data.source.times, data.source.device_name,
             report.folds, selector::to_table(report));
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
    const std::string& pick = chosen.label(chosen.select(set.graphs[g].features));
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

void predict(const graph_options& graph, const std::string& model_file, std::size_t count) {
  const std::array<double, 8> features = graph::compute_features(graph.load().graph).as_array();
  std::vector<std::pair<std::string, float>> ranking;
  if (model_file.empty()) {
    for (const std::size_t candidate : selector::shipped_ranked(features)) {
      ranking.emplace_back(selector::shipped_label(candidate), selector::shipped_predict(features, candidate));
    }
  } else {
    const auto chosen = selector::selector::from_model_file(model_file);
    for (const selector::ranked_candidate& candidate : chosen.ranked(features)) {
      ranking.emplace_back(chosen.label(candidate.candidate), candidate.predicted);
    }
  }
  print_ranking(ranking, count);
}

}  // namespace

void add_selector_commands(CLI::App& app) {
  CLI::App* const group = app.add_subcommand("selector", "Train, judge, export and ask the selector");
  group->require_subcommand(1);

  struct training {
    training_options options;
    std::string output = "model.json";
    std::size_t folds = 5;
    std::uint64_t seed = 1;
  };
  CLI::App* const train_command = group->add_subcommand("train", "Learn a selector from recorded trials");
  const auto trained = std::make_shared<training>();
  trained->options.add_to(*train_command);
  train_command->add_option("--output", trained->output, "model to write")->capture_default_str();
  train_command->callback([trained] { train(trained->options, trained->output); });

  CLI::App* const evaluate_command =
      group->add_subcommand("evaluate", "How well a selector chooses on graphs that it has not seen");
  const auto evaluated = std::make_shared<training>();
  evaluated->options.add_to(*evaluate_command);
  evaluate_command->add_option("--folds", evaluated->folds, "parts that the graphs are split into")
      ->check(whole_number(2, 1'000'000))
      ->capture_default_str();
  evaluate_command->add_option("--seed", evaluated->seed, "of the split")->capture_default_str();
  evaluate_command->callback([evaluated] { evaluate(evaluated->options, evaluated->folds, evaluated->seed); });

  struct picking {
    training_options options;
    std::string model = "model.json";
    std::string format = "table";
  };
  CLI::App* const picks_command =
      group->add_subcommand("picks", "What a model picks for each recorded graph, next to the best measured");
  const auto picked = std::make_shared<picking>();
  picked->options.add_source_to(*picks_command);
  picks_command->add_option("--model", picked->model, "model.json")->capture_default_str();
  picks_command->add_option("--format", picked->format, "table, csv or json")->capture_default_str();
  picks_command->callback([picked] {
    const auto format = db::table_format_from(picked->format);
    const auto chosen = selector::selector::from_model_file(picked->model);
    fmt::print("{}", db::render(pick_table(picked->options.load(), chosen), format));
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

  struct predicting {
    graph_options graph;
    std::string model;
    std::size_t count = 10;
  };
  CLI::App* const predict_command = group->add_subcommand(
      "predict", "The configurations that suit a graph best, with predicted relative performance");
  const auto predicted = std::make_shared<predicting>();
  predicted->graph.add_to(*predict_command);
  predict_command->add_option("--model", predicted->model, "model.json [the shipped selector]");
  predict_command->add_option("--count", predicted->count, "how many to show")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  predict_command->callback([predicted] { predict(predicted->graph, predicted->model, predicted->count); });
}

}  // namespace mlmq::cli
