// SPDX-License-Identifier: Apache-2.0
#include "cli/selector_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "cli/file_roles.hpp"
#include "cli/record_options.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "selector/grouping.hpp"
#include "selector/model_inputs.hpp"

namespace mlmq::cli {
namespace {

std::string known_methods() {
  std::vector<std::string_view> names;
  for (const selector::method method : selector::all_methods) names.push_back(selector::to_string(method));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void source_options::add_to(CLI::App& command) {
  command.add_option("databases", databases, "databases of finished sweeps")->capture_default_str();
  command.add_option("--problem", problem, "problem to train for [the only recorded one]");
  command.add_option("--device", device, "part of the device's name, if the databases have several devices");
  code.add_to(command);
  reads_files(command, {"databases"});
  takes_no_files(command, {"--problem", "--device"});
}

void source_options::add_groups_to(CLI::App& command) {
  command
      .add_option("--group", groups,
                  "unit that is never split between training and testing: workload (with all its weightings and "
                  "queries) or family (also all sizes of a generator)")
      ->check(one_of({"workload", "family"}))
      ->capture_default_str();
}

void source_options::add_features_to(CLI::App& command) {
  features = {"standard"};
  command
      .add_option(
          "--features", features,
          "comma-separated features to train on: names (see 'mlmq graph features --list'), all, standard (recommended "
          "for the kind of workload, else all), or another list of that kind; for graphs: pass (computed in one pass "
          "over the graph), table2 (the eight of the paper), standard (pass, hops, frontier)")
      ->delimiter(',')
      ->capture_default_str();
  takes_no_files(command, {"--features"});
}

selector::training_data source_options::load() const {
  const std::string recorded = recorded_problem(databases, problem);
  selector::training_data data =
      selector::load_training_data(databases, recorded, problems::features_of_problem(recorded), device, {{}},
                                   selector::grouping_from(groups), code.code);
  note_hidden_trials(data.other_code);
  if (!features.empty())
    data.set =
        selector::keep_features(data.set, selector::expand_feature_list(features, data.set.features, *data.kind));
  return data;
}

void candidate_options::add_to(CLI::App& command) {
  command
      .add_option("--tolerance", tolerance,
                  "keep the fewest candidates that leave every workload within this fraction of its best time")
      ->check(positive_number(true, 1))
      ->capture_default_str();
  command.add_option("--candidates", most, "maximum number of candidates; 0: as many as the tolerance needs")
      ->check(whole_number(0, 1'000'000))
      ->capture_default_str();
}

void learning_options::add_to(CLI::App& command, const std::string& default_methods) {
  const std::string default_note = " [depends on the method]";
  command
      .add_option("--method", methods,
                  fmt::format("comma-separated methods: {} [{}]", known_methods(), default_methods))
      ->delimiter(',');
  command.add_option("--rounds", rounds, "number of boosting rounds, or of trees in a forest" + default_note)
      ->check(whole_number(1, 100'000));
  command.add_option("--depth", depth, "maximum depth of a tree" + default_note)->check(whole_number(1, 30));
  command.add_option("--eta", eta, "learning rate" + default_note)->check(positive_number(false, 1));
  command.add_option("--subsample", subsample, "fraction of the rows used per tree" + default_note)
      ->check(positive_number(false, 1));
  command.add_option("--colsample", colsample, "fraction of the inputs considered per split" + default_note)
      ->check(positive_number(false, 1));
  command.add_option("--lambda", lambda, "regularization that shrinks leaf values towards 0" + default_note)
      ->check(positive_number(true));
  command.add_option("--min-child-weight", min_child_weight, "minimum number of rows per leaf" + default_note)
      ->check(positive_number(true));
  command
      .add_option("--kernel-scale", kernel_scale,
                  "scale of the kernel's similarity; larger values make fewer workloads similar" + default_note)
      ->check(positive_number());
  command
      .add_option("--ridge", ridge,
                  "ridge of the kernel: the larger, the more of a recorded time is treated as noise" + default_note)
      ->check(positive_number());
  command.add_option("--model-seed", seed, "random seed of the method" + default_note);
  takes_no_files(command, {"--method"});
}

std::vector<selector::learning> learning_options::learnings(const std::vector<selector::method>& standard) const {
  std::vector<selector::learning> result;
  for (const std::string& name : methods) result.push_back(adjusted(selector::method_from(name)));
  if (methods.empty()) {
    for (const selector::method method : standard) result.push_back(adjusted(method));
  }
  require_takers(result);
  return result;
}

selector::learning learning_options::only_learning() const {
  if (methods.size() > 1) throw input_error("--method: a model has exactly one method");
  return learnings({selector::standard_method}).front();
}

/// @throws input_error for an option that none of these methods has
void learning_options::require_takers(const std::vector<selector::learning>& learnings) const {
  const auto is_kernel = [](const selector::learning& candidate) {
    return candidate.algorithm == selector::method::kernel;
  };
  const auto has_kernel = [](const selector::learning& candidate) {
    return candidate.algorithm == selector::method::kernel || candidate.algorithm == selector::method::combined;
  };
  if ((kernel_scale || ridge) && std::none_of(learnings.begin(), learnings.end(), has_kernel))
    throw input_error("--kernel-scale and --ridge are for the methods 'kernel' and 'combined' only");
  const bool of_trees = rounds || depth || eta || subsample || colsample || lambda || min_child_weight || seed;
  if (of_trees && std::all_of(learnings.begin(), learnings.end(), is_kernel))
    throw input_error(
        "the method 'kernel' has no trees: it takes only --kernel-scale and --ridge; choose another method with "
        "--method");
}

selector::learning learning_options::adjusted(selector::method method) const {
  selector::learning learned = selector::standard_learning(method);
  const auto set = [](auto& target, const auto& value) {
    if (value) target = *value;
  };
  set(method == selector::method::forest ? learned.trees.trees_per_round : learned.trees.rounds, rounds);
  set(learned.trees.max_depth, depth);
  set(learned.trees.eta, eta);
  set(learned.trees.subsample, subsample);
  set(learned.trees.colsample, colsample);
  set(learned.trees.lambda, lambda);
  set(learned.trees.min_child_weight, min_child_weight);
  set(learned.trees.seed, seed);
  set(learned.kernel.scale, kernel_scale);
  set(learned.kernel.ridge, ridge);
  return learned;
}

}  // namespace mlmq::cli
