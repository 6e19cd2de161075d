// SPDX-License-Identifier: Apache-2.0
#include "problems/searches/paper_rules.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "graph/classify.hpp"

namespace mlmq::problems {
namespace {

using selector::candidate;
using selector::feature_values;
using selector::performance_matrix;
using selector::rule_choice;
using selector::rule_of_thumb;
using selector::training_set;

constexpr double small_below = 1 << 19;
constexpr double large_from = 1 << 22;

std::string_view parameter(const candidate& entry, std::string_view name) {
  for (const auto& [key, value] : entry.parameters) {
    if (key == name) return value;
  }
  return {};
}

template <typename Predicate>
std::optional<std::size_t> best_of(const training_set& training, const performance_matrix& performance,
                                   Predicate is_eligible) {
  std::optional<std::size_t> best;
  double best_sum = -1;
  for (std::size_t c = 0; c < training.candidates.size(); ++c) {
    if (!is_eligible(training.candidates[c])) continue;
    double sum = 0;
    for (std::size_t g = 0; g < performance.workloads(); ++g) sum += performance.relative(g, c);
    if (sum > best_sum) {
      best = c;
      best_sum = sum;
    }
  }
  return best;
}

bool has_queues(const candidate& entry) { return !parameter(entry, "l1").empty() || !parameter(entry, "l2").empty(); }

/// Returns the features that tell kinds of graphs; 0 for those that are not known.
graph::graph_features degrees_of(const training_set& training, const feature_values& features) {
  static const std::vector<std::string> needed{"m", "nnz", "avg_nnz", "max_nnz", "dev_nnz"};
  const feature_values values = selector::pick_features(needed, training.features, features);
  graph::graph_features degrees;
  degrees.m = values[0];
  degrees.nnz = values[1];
  degrees.avg_nnz = values[2];
  degrees.max_nnz = values[3];
  degrees.dev_nnz = values[4];
  return degrees;
}

template <queue_family (*family_of)(const graph::graph_features&)>
rule_choice choose(const training_set& training, const performance_matrix& performance,
                   const feature_values& features) {
  const queue_family family = family_of(degrees_of(training, features));
  const auto has_l1 = [&](const candidate& entry) { return parameter(entry, "l1") == family.l1; };
  const auto has_l2 = [&](const candidate& entry) { return parameter(entry, "l2") == family.l2; };
  const auto has_both_queues = [&](const candidate& entry) { return has_l1(entry) && has_l2(entry); };
  if (const auto best = best_of(training, performance, has_both_queues)) return {*best, true};
  if (const auto best = best_of(training, performance, has_l2)) return {*best, false};
  if (const auto best = best_of(training, performance, has_l1)) return {*best, false};
  return {best_of(training, performance, [](const candidate&) { return true; }).value(), false};
}

}  // namespace

queue_family paper_family(const graph::graph_features& features) {
  const std::string kind = graph::graph_class(features);
  if (kind == "power_law") return {"slf", "bucket"};
  if (kind != "road") return {"filter", "vector"};
  if (features.m < small_below) return {"vector", "vector"};
  if (features.m < large_from) return {"near_far", "vector"};
  return {"vector", "bucket"};
}

queue_family program_family(const graph::graph_features& features) {
  if (features.dev_nnz > 10) return {"vector", "bucket"};
  if (features.avg_nnz > 3) return {"vector", "vector"};
  return {"near_far", "vector"};
}

const rule_of_thumb paper_rules{
    .name = "paper's rules", .names = "queues", .covers = has_queues, .choose = choose<paper_family>};
const rule_of_thumb program_rules{
    .name = "program's rules", .names = "queues", .covers = has_queues, .choose = choose<program_family>};

}  // namespace mlmq::problems
