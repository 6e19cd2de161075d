// SPDX-License-Identifier: Apache-2.0
// The commands that say what a model chooses: for the graphs on record, or for one that is given.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_commands.hpp"
#include "cli/selector_options.hpp"
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
db::table pick_table(const selector::training_data& data, const selector::selector& chosen,
                     const std::function<std::string(const std::string&)>& shown) {
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
                          db::text_cell(data.inputs[g].query), db::text_cell(shown(set.candidates[best].label)),
                          db::number_cell(best_ms), db::text_cell(shown(pick)),
                          relative > 0 ? db::number_cell(best_ms / relative) : db::cell{}, db::number_cell(relative)});
  }
  return table;
}

/// Median microseconds of choosing among all candidates, features given.
template <typename Choose>
double time_of(Choose choose) {
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
  return db::median(microseconds);
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

struct predicting {
  graph_options graph;
  std::string model;
  std::size_t count = 10;
  bool timed = false;
  result_options results;
};

/// What a selector says of a graph.
struct prediction {
  std::vector<std::pair<std::string, double>> features;  ///< NaN: not known
  std::vector<std::pair<std::string, float>> ranking;
  std::optional<double> choosing_us;
};

prediction predict_shipped(const graph::csr_graph& graph, bool timed) {
  prediction result;
  const auto features = features_in(graph, selector::shipped_features());
  for (const std::size_t candidate : selector::shipped_ranked(features)) {
    result.ranking.emplace_back(selector::shipped_label(candidate), selector::shipped_predict(features, candidate));
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    result.features.emplace_back(selector::shipped_features()[i], features[i]);
  }
  if (timed) result.choosing_us = time_of([&] { return selector::shipped_select(features); });
  return result;
}

prediction predict_by(const selector::selector& chosen, const graph::csr_graph& graph, bool timed) {
  prediction result;
  const std::vector<std::string_view> names(chosen.features().begin(), chosen.features().end());
  const auto features = features_in(graph, names);
  for (const selector::ranked_candidate& candidate : chosen.ranked(features)) {
    result.ranking.emplace_back(chosen.label(candidate.candidate), candidate.predicted);
  }
  for (std::size_t i = 0; i < features.size(); ++i) result.features.emplace_back(names[i], features[i]);
  if (timed) result.choosing_us = time_of([&] { return chosen.select(features); });
  return result;
}

void predict(const predicting& options) {
  const graph::generated_graph loaded = options.graph.load();
  prediction found = options.model.empty()
                         ? predict_shipped(loaded.graph, options.timed)
                         : predict_by(selector::selector::from_model_file(options.model), loaded.graph, options.timed);
  found.ranking.resize(std::min(found.ranking.size(), options.count));
  if (!options.results.as_json()) {
    for (const auto& [label, predicted] : found.ranking) {
      print_text("{:.4f}  {}\n", predicted, options.results.shown(label));
    }
    if (found.choosing_us) print_text("choosing takes {:.2f} us\n", *found.choosing_us);
    return;
  }
  json_document document = begin_document("predict");
  document["graph"] = {
      {"name", loaded.name}, {"vertices", loaded.graph.vertex_count()}, {"edges", loaded.graph.edge_count()}};
  document["model"] = nullptr;
  if (!options.model.empty()) document["model"] = options.model;
  document["features"] = json_document::object();
  for (const auto& [name, value] : found.features) {
    document["features"][name] = std::isnan(value) ? json_document() : json_document(value);
  }
  document["ranking"] = json_document::array();
  for (const auto& [label, predicted] : found.ranking) {
    document["ranking"].push_back({{"configuration", label}, {"predicted", predicted}});
  }
  if (found.choosing_us) document["choosing_us"] = *found.choosing_us;
  print_document(document);
}

}  // namespace

void add_selector_picks_command(CLI::App& group) {
  struct picking {
    source_options source;
    std::string model = "model.json";
    std::string format = "table";
    result_options results;
  };
  CLI::App* const picks_command =
      group.add_subcommand("picks", "What a model picks for each recorded workload, next to the best measured");
  const auto picked = std::make_shared<picking>();
  picked->source.add_to(*picks_command);
  picks_command->add_option("--model", picked->model, "model.json")->capture_default_str();
  picks_command->add_option("--format", picked->format, "of the answer")
      ->check(one_of({"table", "csv", "json"}))
      ->capture_default_str();
  picked->results.add_verbose(*picks_command);
  reads_files(*picks_command, {"--model"});
  picks_command->callback([picked] {
    const auto format = db::table_format_from(picked->format);
    // Programs get labels as the record has them.
    picked->results.verbose = picked->results.verbose || format != db::table_format::aligned;
    const auto chosen = selector::selector::from_model_file(picked->model);
    print_data(db::render(pick_table(picked->source.load(), chosen,
                                     [&](const std::string& label) { return picked->results.shown(label); }),
                          format));
  });
}

void add_selector_predict_command(CLI::App& group) {
  CLI::App* const predict_command =
      group.add_subcommand("predict", "The configurations that suit a graph best, with predicted relative performance");
  const auto predicted = std::make_shared<predicting>();
  predicted->graph.add_to(*predict_command);
  predict_command->add_option("--model", predicted->model, "model.json [the shipped selector]");
  predict_command->add_option("--count", predicted->count, "how many to show")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  predict_command->add_flag("--time", predicted->timed, "say how long choosing takes, with the features known");
  predicted->results.add_format(*predict_command);
  predicted->results.add_verbose(*predict_command);
  reads_files(*predict_command, {"--model"});
  predict_command->callback([predicted] { predict(*predicted); });
}

}  // namespace mlmq::cli
