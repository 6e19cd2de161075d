// SPDX-License-Identifier: Apache-2.0
// The commands that say what a model chooses: for the graphs on record, or for one that is given.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/graph_source.hpp"
#include "cli/selector_commands.hpp"
#include "cli/selector_options.hpp"
#include "cli/short_label.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "graph/feature_list.hpp"
#include "problems/shortest_paths/told_features.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"
#include "selector/told_features.hpp"

namespace mlmq::cli {
namespace {

/// What a model wants to know. @throws input_error naming what is not on record: a choice without it would be a guess
selector::feature_values known_features(const std::vector<std::string>& wanted, const selector::training_set& set,
                                        const tuner::workload_features& kind,
                                        const selector::workload_example& workload) {
  selector::named_features known;
  for (std::size_t i = 0; i < set.features.size(); ++i) {
    if (!std::isnan(workload.features[i])) known.emplace(set.features[i], workload.features[i]);
  }
  return selector::told_features(known, std::vector<std::string_view>(wanted.begin(), wanted.end()), kind,
                                 workload.name);
}

/// For every recorded input: the best configuration, the selector's pick, and what the pick is worth.
db::table pick_table(const selector::training_data& data, const selector::selector& chosen) {
  const selector::training_set& set = data.set;
  const selector::performance_matrix performance(set);
  std::map<std::string, std::size_t> candidate_of;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) candidate_of.emplace(set.candidates[c].label, c);
  db::table table;
  table.columns = {"workload", "class", "query", "best_configuration", "best_ms", "pick", "pick_ms", "relative"};
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    if (!performance.solved(g)) continue;
    std::size_t best = 0;
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      if (performance.relative(g, c) > performance.relative(g, best)) best = c;
    }
    const std::string& pick =
        chosen.label(chosen.select(known_features(chosen.features(), set, *data.kind, set.workloads[g])));
    const auto known = candidate_of.find(pick);
    const double relative = known == candidate_of.end() ? 0 : performance.relative(g, known->second);
    const double best_ms = performance.best_milliseconds(g);
    table.rows.push_back({db::text_cell(data.inputs[g].workload), db::text_cell(data.inputs[g].workload_class),
                          db::text_cell(data.inputs[g].query), db::text_cell(set.candidates[best].label),
                          db::number_cell(best_ms), db::text_cell(pick),
                          relative > 0 ? db::number_cell(best_ms / relative) : db::cell{}, db::number_cell(relative)});
  }
  return table;
}

void print_ranking(const std::vector<std::pair<std::string, float>>& ranking, std::size_t count) {
  for (std::size_t i = 0; i < ranking.size() && i < count; ++i) {
    fmt::print("{:.4f}  {}\n", ranking[i].second, short_label(ranking[i].first));
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

/// What a model wants to know, found in the graph; what it is not told costs nothing.
selector::feature_values features_in(const graph::csr_graph& graph, std::span<const std::string_view> wanted) {
  const tuner::workload_features& kind = problems::graph_features();
  selector::named_features known{{"nnz", static_cast<double>(graph.edge_count())}};
  std::vector<std::string_view> told;
  for (const std::string_view name : wanted) {
    if (kind.is_told(name, known)) told.push_back(name);
  }
  const graph::feature_values found = graph::some_features(graph, told);
  for (std::size_t i = 0; i < told.size(); ++i) known.insert_or_assign(std::string(told[i]), found[i]);
  return selector::told_features(known, wanted, kind, "the graph");
}

void predict(const graph_options& graph, const std::string& model_file, std::size_t count, bool timed) {
  const graph::csr_graph loaded = graph.load().graph;
  std::vector<std::pair<std::string, float>> ranking;
  if (model_file.empty()) {
    const auto features = features_in(loaded, selector::shipped_features());
    for (const std::size_t candidate : selector::shipped_ranked(features)) {
      ranking.emplace_back(selector::shipped_label(candidate), selector::shipped_predict(features, candidate));
    }
    print_ranking(ranking, count);
    if (timed) print_time([&] { return selector::shipped_select(features); });
    return;
  }
  const auto chosen = selector::selector::from_model_file(model_file);
  const std::vector<std::string_view> names(chosen.features().begin(), chosen.features().end());
  const auto features = features_in(loaded, names);
  for (const selector::ranked_candidate& candidate : chosen.ranked(features)) {
    ranking.emplace_back(chosen.label(candidate.candidate), candidate.predicted);
  }
  print_ranking(ranking, count);
  if (timed) print_time([&] { return chosen.select(features); });
}

}  // namespace

void add_selector_picks_command(CLI::App& group) {
  struct picking {
    source_options source;
    std::string model = "model.json";
    std::string format = "table";
  };
  CLI::App* const picks_command =
      group.add_subcommand("picks", "What a model picks for each recorded workload, next to the best measured");
  const auto picked = std::make_shared<picking>();
  picked->source.add_to(*picks_command);
  picks_command->add_option("--model", picked->model, "model.json")->capture_default_str();
  picks_command->add_option("--format", picked->format, "table, csv or json")->capture_default_str();
  picks_command->callback([picked] {
    const auto format = db::table_format_from(picked->format);
    const auto chosen = selector::selector::from_model_file(picked->model);
    fmt::print("{}", db::render(pick_table(picked->source.load(), chosen), format));
  });
}

void add_selector_predict_command(CLI::App& group) {
  struct predicting {
    graph_options graph;
    std::string model;
    std::size_t count = 10;
    bool timed = false;
  };
  CLI::App* const predict_command =
      group.add_subcommand("predict", "The configurations that suit a graph best, with predicted relative performance");
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
