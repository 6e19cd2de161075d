// SPDX-License-Identifier: Apache-2.0
#include "cli/selector_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "cli/usage.hpp"
#include "graph/feature_list.hpp"
#include "selector/grouping.hpp"

namespace mlmq::cli {
namespace {

std::string known_methods() {
  std::vector<std::string_view> names;
  for (const selector::method one : selector::all_methods) names.push_back(selector::to_string(one));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void source_options::add_to(CLI::App& command) {
  command.add_option("databases", databases, "databases of finished sweeps")->capture_default_str();
  command.add_option("--problem", problem, "problem to learn")->capture_default_str();
  command.add_option("--device", device, "part of a device's name, when the databases hold several");
}

void source_options::add_processors_to(CLI::App& command) {
  processors.emplace();
  command.add_option("--processors", *processors,
                     "part of the name of the processors, when the databases hold times of several beside a GPU's");
}

void source_options::add_groups_to(CLI::App& command) {
  command
      .add_option("--group", groups,
                  "what is never split: graph (its weightings and sources) or family (all sizes of a generator too)")
      ->capture_default_str();
}

void source_options::add_sources_to(CLI::App& command) {
  command.add_flag(
      "--each-source", each_source,
      "take each source of a graph for an instance of its own, instead of the mean over them; where to search is "
      "judged for each in any case");
}

void source_options::add_features_to(CLI::App& command) {
  // How deep a graph is says more than all else that a pass does not find, and can be looked for while the graph is
  // brought to the device: docs/selector.md.
  features = {"standard"};
  command
      .add_option("--features", features,
                  "what to learn from: table2, pass (what a pass over the graph gives), standard (that, hops and "
                  "frontier), all, and names "
                  "(mlmq graph features --list), one after the other")
      ->delimiter(',')
      ->capture_default_str();
}

training_data source_options::load() const {
  training_data data = load_training_data(databases, problem, {.device = device, .processors = processors}, {{}},
                                          selector::grouping_from(groups));
  if (!features.empty()) data.set = selector::keep_features(data.set, wanted_of(data.set.features));
  return data;
}

selector::training_set source_options::instances(const training_data& data) const {
  return each_source ? data.set : selector::mean_over_sources(data.set);
}

/// The names that the options stand for, out of those on record.
std::vector<std::string> source_options::wanted_of(const std::vector<std::string>& known) const {
  std::vector<std::string> wanted;
  const auto is_known = [&](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  const auto add = [&](std::string_view name) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.emplace_back(name);
  };
  for (const std::string& entry : features) {
    std::size_t first = 0;
    if (entry == "table2") {
      first = graph::feature_count;
    } else if (entry == "pass" || entry == "standard") {
      first = graph::pass_feature_count();
    } else if (entry == "all") {
      first = graph::feature_definitions().size();
    } else {
      add(entry);
      continue;
    }
    for (const graph::feature_definition& one : graph::feature_definitions().first(first)) {
      if (is_known(one.name)) add(one.name);
    }
    if (entry != "standard") continue;
    for (const char* const name : {"hops", "frontier"}) {
      if (is_known(name)) add(name);
    }
  }
  return wanted;
}

void candidate_options::add_to(CLI::App& command) {
  command
      .add_option("--tolerance", tolerance,
                  "keep as few candidates as leave every graph within this share of its best time")
      ->check(positive_number(true, 1))
      ->capture_default_str();
  command.add_option("--candidates", most, "no more candidates than these; 0: as many as the tolerance needs")
      ->check(whole_number(0, 1'000'000))
      ->capture_default_str();
}

void learning_options::add_to(CLI::App& command, const std::string& default_methods) {
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

std::vector<selector::learning> learning_options::learnings(const std::vector<selector::method>& standard) const {
  std::vector<selector::learning> result;
  for (const std::string& name : methods) result.push_back(adjusted(selector::method_from(name)));
  if (methods.empty()) {
    for (const selector::method one : standard) result.push_back(adjusted(one));
  }
  require_takers(result);
  return result;
}

selector::learning learning_options::only_learning() const {
  if (methods.size() > 1) throw input_error("--method: one model has one method");
  return learnings({standard_method}).front();
}

/// @throws input_error for an option that no method among these has
void learning_options::require_takers(const std::vector<selector::learning>& learnings) const {
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

selector::learning learning_options::adjusted(selector::method how) const {
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

}  // namespace mlmq::cli
