// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_picks.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "cli/output_file.hpp"
#include "db/format.hpp"
#include "db/store.hpp"
#include "graph/features.hpp"
#include "problems/registry.hpp"
#include "selector/evaluate.hpp"
#include "selector/grouping.hpp"
#include "selector/ranking_model.hpp"
#include "selector/training_data.hpp"

namespace mlmq::cli {
namespace {

/// Restricts a training set to those of some features that it has; no restriction if it has none of them.
template <class Names>
selector::training_set with_features(const selector::training_set& set, const Names& names) {
  std::vector<std::string> chosen;
  for (const std::string_view name : names) {
    if (std::find(set.features.begin(), set.features.end(), name) != set.features.end()) chosen.emplace_back(name);
  }
  return chosen.empty() ? set : selector::keep_features(set, chosen);
}

/// Returns whether a candidate is a multi-level queue that searches the whole graph.
bool is_queue(const selector::candidate& entry) {
  const auto value_of = [&entry](std::string_view name) {
    const auto position = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                       [name](const auto& parameter) { return parameter.first == name; });
    return position == entry.parameters.end() ? std::string_view() : std::string_view(position->second);
  };
  const std::string_view reduction = value_of("reduction");
  return !value_of("l2").empty() && (reduction.empty() || reduction == "none");
}

/// Restricts a training set to the queues that were tried on all workloads; no restriction if there are none. In a
/// record of searches through a space, the others were tried where a search led to them, and nothing is known about a
/// choice of them for another workload.
selector::training_set common_queues(const selector::training_set& set) {
  std::vector<std::size_t> trials(set.candidates.size());
  for (const selector::observation& trial : set.observations) ++trials[trial.candidate];
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < trials.size(); ++c) {
    if (trials[c] == set.workloads.size() && is_queue(set.candidates[c])) chosen.push_back(c);
  }
  return chosen.empty() ? set : selector::keep_candidates(set, chosen);
}

/// The choices of selectors for workloads that they have not seen, in a cross-validation.
class unseen_choices {
 public:
  unseen_choices(const selector::training_set& set, selector::method method,
                 const selector::evaluation_options& options)
      : learned_(selector::standard_learning(method)),
        report_(selector::evaluate(selector::mean_over_queries(set), {&learned_, 1}, options)) {
    for (std::size_t i = 0; i < report_.workloads.size(); ++i) place_of_.emplace(report_.workloads[i].name, i);
  }

  /// Returns the choice for a workload; "" if no configuration solved it from all of its sources.
  [[nodiscard]] std::string choice_for(const std::string& workload) const {
    return selected_by(selector::to_string(learned_.algorithm), workload);
  }
  [[nodiscard]] std::string best_fixed(const std::string& workload) const {
    return selected_by(selector::best_fixed_name, workload);
  }

 private:
  [[nodiscard]] std::string selected_by(std::string_view strategy, const std::string& workload) const {
    const auto place = place_of_.find(workload);
    return place == place_of_.end() ? "" : report_.strategy(strategy).workloads.at(place->second).front().selected;
  }

  selector::learning learned_;
  selector::evaluation_report report_;
  std::map<std::string, std::size_t> place_of_;  // position of a workload in the report
};

}  // namespace

void write_picks(const std::filesystem::path& path, const reproduce::figure& figure,
                 const reproduce::plot_request& request, const std::string& device_name) {
  // Several experiments may have the same name, since a changed file or other settings make a new experiment.
  std::vector<db::trial_filter> scopes;
  for (const db::experiment_row& row : db::store::open(request.database, db::open_mode::read_only).experiments()) {
    if (std::find(request.experiments.begin(), request.experiments.end(), row.name) == request.experiments.end())
      continue;
    scopes.emplace_back().experiment = row.id;
  }
  const auto load = [&](selector::grouping groups) {
    return selector::load_training_data({request.database.string()}, figure.problem,
                                        problems::features_of_problem(figure.problem), device_name, scopes, groups);
  };
  selector::training_data by_family = load(selector::grouping::family);
  by_family.set = common_queues(by_family.set);
  const selector::training_set by_graph = common_queues(load(selector::grouping::workload).set);
  const selector::evaluation_options ten_folds_of_70_percent{.folds = 10, .train_share = 7.0 / 9};
  const std::vector<std::string_view> shipped_features = [] {
    const auto names = selector::shipped_ranking_model("sssp")->features();
    return std::vector<std::string_view>(names.begin(), names.end());
  }();
  const unseen_choices ours(with_features(by_family.set, shipped_features), selector::standard_method, {});
  const unseen_choices forest(with_features(by_graph, graph::feature_names()), selector::method::forest,
                              ten_folds_of_70_percent);
  const unseen_choices same_split(with_features(by_graph, shipped_features), selector::standard_method,
                                  ten_folds_of_70_percent);
  db::table table;
  table.columns = {"workload", "query", "pick", "fixed", "forest", "same_split"};
  for (std::size_t i = 0; i < by_family.inputs.size(); ++i) {
    const std::string& workload = by_family.set.workloads[i].workload;
    table.rows.push_back({db::text_cell(by_family.inputs[i].workload), db::text_cell(by_family.inputs[i].query),
                          db::text_cell(ours.choice_for(workload)), db::text_cell(ours.best_fixed(workload)),
                          db::text_cell(forest.choice_for(workload)), db::text_cell(same_split.choice_for(workload))});
  }
  write_output(path, db::render(table, db::table_format::csv));
}

}  // namespace mlmq::cli
