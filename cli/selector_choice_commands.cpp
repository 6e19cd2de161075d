// SPDX-License-Identifier: Apache-2.0
// Commands that list choices: of a model for recorded workloads, and of `mlmq solve` for one workload.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_commands.hpp"
#include "cli/selector_options.hpp"
#include "cli/solving_device.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "graph/feature_list.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

problems::workload_facts facts_of(const selector::training_set& set, const selector::workload_example& workload) {
  problems::workload_facts facts{.name = workload.name};
  for (std::size_t i = 0; i < set.features.size(); ++i) {
    if (!std::isnan(workload.features[i])) facts.features.emplace(set.features[i], workload.features[i]);
  }
  return facts;
}

/// Returns the label of the candidate that the model ranks first on the device.
std::string pick_of(problems::recommender& recommends, const problems::workload_facts& facts) {
  for (const problems::recommended_configuration& next : recommends.recommend(facts)) {
    if (next.origin == problems::candidate_origin::model) return next.configuration.label();
  }
  throw input_error(
      fmt::format("{}: none of its candidates runs on {}", recommends.model()->name(), recommends.device().name));
}

/// Returns a table with the best configuration, the selector's choice and its relative performance for each recorded
/// input.
db::table pick_table(const selector::training_data& data, problems::recommender& recommends,
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
    const std::string pick = pick_of(recommends, facts_of(set, set.workloads[g]));
    const auto candidate = candidate_of.find(pick);
    const double relative = candidate == candidate_of.end() ? 0 : performance.relative(g, candidate->second);
    const double best_ms = performance.best_milliseconds(g);
    table.rows.push_back({db::text_cell(data.inputs[g].workload), db::text_cell(data.inputs[g].workload_class),
                          db::text_cell(data.inputs[g].query), db::text_cell(shown(set.candidates[best].label)),
                          db::number_cell(best_ms), db::text_cell(shown(pick)),
                          relative > 0 ? db::number_cell(best_ms / relative) : db::cell{}, db::number_cell(relative)});
  }
  return table;
}

/// Returns the median time of a choice among all candidates in microseconds, without computing features.
template <typename Choose>
double time_of(Choose choose) {
  constexpr int batches = 1001;
  constexpr int calls = 16;  // a clock's resolution is tens of nanoseconds
  std::vector<double> microseconds;
  volatile std::size_t chosen = 0;  // keeps the compiler from removing the calls
  for (int i = 0; i < batches; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) chosen = choose();
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
    microseconds.push_back(elapsed.count() / calls);
  }
  (void)chosen;
  return db::median(microseconds);
}

struct prediction_options {
  graph_options graph;
  std::string problem = default_graph_problem();
  std::string device = "auto";
  std::string model;
  std::size_t count = 10;
  bool timed = false;
  result_options results;
};

problems::model_choice choice_of(const std::string& model) {
  using source = problems::model_choice::source;
  if (model.empty()) return {};
  if (model == "shipped") return {.origin = source::shipped};
  return {.origin = source::given, .model = selector::read_ranking_model(model)};
}

/// Loads a graph with the features that the recommendation needs. Features that models may not use are not computed.
std::shared_ptr<const tuner::workload> load_graph(const graph_options& options,
                                                  std::span<const std::string_view> names) {
  graph::generated_graph loaded = options.load();
  auto workload = std::make_shared<problems::graph_workload>();
  workload->record.name = loaded.name;
  tuner::named_features features{{"nnz", static_cast<double>(loaded.graph.edge_count())}};
  std::vector<std::string_view> usable;
  for (const std::string_view name : names) {
    if (problems::graph_features().is_usable(name, features)) usable.push_back(name);
  }
  const graph::feature_values values = graph::some_features(loaded.graph, usable);
  for (std::size_t i = 0; i < usable.size(); ++i) features.insert_or_assign(std::string(usable[i]), values[i]);
  workload->record.features.assign(features.begin(), features.end());
  workload->graph = std::move(loaded.graph);
  return workload;
}

std::shared_ptr<const tuner::workload> load_workload(const tuner::workload_kind& kind, const graph_options& options,
                                                     std::span<const std::string_view> names) {
  if (&kind == &problems::graph_kind()) return load_graph(options, names);
  const auto inputs = tuner::list_workloads(kind, std::array{options.name});
  if (inputs.size() != 1)
    throw input_error(fmt::format("'{}' refers to {} workloads; specify one", options.name, inputs.size()));
  return kind.load(inputs.front());
}

std::string_view name_of(problems::candidate_origin origin) {
  switch (origin) {
    case problems::candidate_origin::model:
      return "model";
    case problems::candidate_origin::rule:
      return "rule";
    case problems::candidate_origin::standard:
      break;
  }
  return "default";
}

json_document document_of(const prediction_options& options, const tuner::workload& workload,
                          const problems::recommender& recommends, const problems::workload_facts& facts,
                          std::span<const problems::recommended_configuration> recommended) {
  json_document document = begin_document("predict");
  document["problem"] = options.problem;
  document["device"] = {{"name", recommends.device().name}, {"selector", recommends.device().selector}};
  document["graph"] = {{"name", workload.record.name}};
  if (const auto* const graph = dynamic_cast<const problems::graph_workload*>(&workload)) {
    document["graph"]["vertices"] = graph->graph.vertex_count();
    document["graph"]["edges"] = graph->graph.edge_count();
  }
  document["model"] = nullptr;
  if (!options.model.empty()) document["model"] = options.model;
  document["features"] = json_document::object();
  if (recommends.model() != nullptr) {
    const std::vector<double> values = recommends.model_values(facts);
    for (std::size_t i = 0; i < values.size(); ++i) {
      document["features"][std::string(recommends.model()->features()[i])] =
          std::isnan(values[i]) ? json_document() : json_document(values[i]);
    }
  }
  document["ranking"] = json_document::array();
  for (const problems::recommended_configuration& next : recommended) {
    json_document predicted;
    if (next.origin == problems::candidate_origin::model && next.predicted) predicted = *next.predicted;
    document["ranking"].push_back({{"configuration", next.configuration.label()},
                                   {"predicted", predicted},
                                   {"by", name_of(next.origin)},
                                   {"reason", next.reason}});
  }
  return document;
}

void predict(const prediction_options& options) {
  const problems::problem_entry& entry = problems::find_problem(options.problem);
  const solving_device device =
      solving_device_for(options.device, options.model.empty() ? search_code::any : search_code::kernels);
  problems::recommender recommends(entry, backends::inspect_device(backends::list_devices(device.selector).front()),
                                   choice_of(options.model));
  const auto workload = load_workload(entry.make()->workloads(), options.graph, recommends.features());
  const problems::workload_facts facts = problems::facts_of(workload->record, workload.get());
  std::vector<problems::recommended_configuration> recommended = recommends.recommend(facts);
  recommended.resize(std::min(recommended.size(), options.count));
  std::optional<double> choosing_us;
  if (options.timed && recommends.model() != nullptr) {
    const std::vector<double> values = recommends.model_values(facts);
    choosing_us = time_of([&] { return recommends.select(values); });
  } else if (options.timed) {
    choosing_us = time_of([&] { return recommends.recommend(facts).size(); });
  }
  if (options.results.as_json()) {
    json_document document = document_of(options, *workload, recommends, facts, recommended);
    if (choosing_us) document["choosing_us"] = *choosing_us;
    print_document(document);
    return;
  }
  for (const problems::recommended_configuration& next : recommended) {
    const std::string performance = next.origin == problems::candidate_origin::model && next.predicted
                                        ? fmt::format("{:.4f}", *next.predicted)
                                        : std::string(name_of(next.origin));
    print_text("{:<6}  {}\n", performance, options.results.shown(next.configuration.label()));
  }
  if (choosing_us) print_text("choosing takes {:.2f} us\n", *choosing_us);
}

}  // namespace

void add_selector_picks_command(CLI::App& group) {
  struct picking {
    source_options source;
    std::string model = "model.json";
    std::string format = "table";
    result_options results;
  };
  CLI::App* const picks_command = group.add_subcommand(
      "picks", "List a model's choice for each recorded workload, next to the best measured configuration");
  const auto picked = std::make_shared<picking>();
  picked->source.add_to(*picks_command);
  picks_command->add_option("--model", picked->model, "model file of 'mlmq selector train'")->capture_default_str();
  picks_command->add_option("--format", picked->format, "output format")
      ->check(one_of({"table", "csv", "json"}))
      ->capture_default_str();
  picked->results.add_verbose(*picks_command);
  reads_files(*picks_command, {"--model"});
  picks_command->callback([picked] {
    const auto format = db::table_format_from(picked->format);
    // Formats for programs have the recorded labels.
    picked->results.verbose = picked->results.verbose || format != db::table_format::aligned;
    const selector::training_data data = picked->source.load();
    db::device_record device;
    device.name = data.source.device_name;
    device.kind = data.source.device_kind;
    device.modelled = data.source.times == "modelled";
    problems::recommender recommends(
        problems::find_problem(data.source.problem), problems::device_of(device),
        {.origin = problems::model_choice::source::given, .model = selector::read_ranking_model(picked->model)});
    print_data(db::render(
        pick_table(data, recommends, [&](const std::string& label) { return picked->results.shown(label); }), format));
  });
}

void add_selector_predict_command(CLI::App& group) {
  CLI::App* const predict_command =
      group.add_subcommand("predict", "List the configurations that 'mlmq solve' tries for a workload, best first");
  const auto predicted = std::make_shared<prediction_options>();
  predicted->graph.add_to(*predict_command);
  predict_command->add_option("--problem", predicted->problem, "problem to solve; 'mlmq problems' lists them")
      ->capture_default_str();
  predict_command
      ->add_option("--device", predicted->device,
                   "device to recommend for; auto: the device that 'mlmq solve' uses for the same options")
      ->capture_default_str();
  predict_command->add_option(
      "--model", predicted->model,
      "model.json; or shipped: the shipped selector [the selector installed for the device, or else the shipped one]");
  predict_command->add_option("--count", predicted->count, "number of configurations to show")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  predict_command->add_flag("--time", predicted->timed, "show how long the choice takes, excluding the features");
  predicted->results.add_format(*predict_command);
  predicted->results.add_verbose(*predict_command);
  reads_files(*predict_command, {"--model"}, {"shipped"});
  takes_no_files(*predict_command, {"--problem", "--device"});
  predict_command->callback([predicted] { predict(*predicted); });
}

}  // namespace mlmq::cli
