// SPDX-License-Identifier: Apache-2.0
#include "selector/told_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "graph/feature_list.hpp"

namespace mlmq::selector {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool is_sampled(std::string_view feature) {
  const auto definitions = graph::feature_definitions();
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&](const graph::feature_definition& one) { return one.name == feature; });
  return found != definitions.end() && found->cost == graph::feature_cost::sampling;
}

bool is_of_graphs(std::string_view feature) {
  const auto definitions = graph::feature_definitions();
  return std::any_of(definitions.begin(), definitions.end(),
                     [&](const graph::feature_definition& one) { return one.name == feature; });
}

double value_in(const named_features& known, std::string_view name) {
  const auto found = known.find(name);
  return found == known.end() ? unknown : found->second;
}

/// How many of feature_definitions() a word stands for.
std::size_t count_named(std::string_view word) {
  if (word == "table2") return graph::feature_count;
  if (word == "pass" || word == "standard") return graph::pass_feature_count();
  if (word == "all") return graph::feature_definitions().size();
  return 0;
}

}  // namespace

bool is_told(std::string_view feature, double nnz) { return !(nnz < least_sampled_edges) || !is_sampled(feature); }

bool need_sampling(std::span<const std::string_view> features, double nnz) {
  return std::any_of(features.begin(), features.end(),
                     [nnz](std::string_view one) { return is_sampled(one) && is_told(one, nnz); });
}

std::vector<double> told_features(const named_features& known, std::span<const std::string_view> names,
                                  std::string_view workload) {
  const double nnz = value_in(known, "nnz");
  std::vector<double> values;
  for (const std::string_view name : names) {
    if (is_told(name, nnz) && !known.contains(name))
      throw input_error(fmt::format(
          "'{}' has no feature '{}' on record, which the model asks for; 'mlmq db features' adds it, without measuring "
          "anew",
          workload, name));
    values.push_back(is_told(name, nnz) ? value_in(known, name) : unknown);
  }
  return values;
}

std::vector<double> told_features(const graph::csr_graph& graph, std::span<const std::string_view> names) {
  const auto nnz = static_cast<double>(graph.edge_count());
  std::vector<std::string_view> told;
  for (const std::string_view name : names) {
    if (is_told(name, nnz)) told.push_back(name);
  }
  const std::vector<double> found = graph::some_features(graph, told);
  named_features known{{"nnz", nnz}};
  for (std::size_t i = 0; i < told.size(); ++i) known.insert_or_assign(std::string(told[i]), found[i]);
  return told_features(known, names, "the graph");
}

std::vector<std::string> named_by(std::span<const std::string> list, std::span<const std::string> known) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  };
  const auto add_known = [&](std::string_view name) {
    if (std::find(known.begin(), known.end(), name) != known.end()) add(name);
  };
  for (const std::string& word : list) {
    const std::size_t count = count_named(word);
    if (count == 0) add(word);
    for (const graph::feature_definition& one : graph::feature_definitions().first(count)) add_known(one.name);
    // Nothing is known of what features of other kinds of workloads cost.
    if (word == "standard" || word == "all") {
      for (const std::string& name : known) {
        if (!is_of_graphs(name)) add(name);
      }
    }
    // How deep a graph is says more than all else that a pass does not find, and can be looked for while the graph is
    // brought to the device: docs/selector.md.
    if (word != "standard") continue;
    add_known("hops");
    add_known("frontier");
  }
  return names;
}

}  // namespace mlmq::selector
