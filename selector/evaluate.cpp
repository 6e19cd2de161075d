// SPDX-License-Identifier: Apache-2.0
#include "selector/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "selector/inference.hpp"
#include "selector/train.hpp"

namespace mlmq::selector {
namespace {

constexpr double near_best_threshold = 0.9;

/// SplitMix64: the standard library's shuffles differ between implementations.
class portable_random {
 public:
  explicit portable_random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

training_set keep_solved_graphs(const training_set& set, const performance_matrix& performance) {
  std::vector<std::size_t> solved;
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    if (performance.solved(g)) solved.push_back(g);
  }
  return keep_graphs(set, solved);
}

/// What was learned without one fold: the selector and the best fixed candidate. Labels, because
/// the reduction renumbers the candidates.
struct fold_strategies {
  selector chooser;
  std::string fixed;
};

fold_strategies learn(const training_set& training, const train_settings& settings, const evaluation_options& options) {
  const std::string fixed = training.candidates[best_fixed_candidate(performance_matrix(training))].label;
  if (!options.cover_tolerance) return {selector(train_model(training, settings, {})), fixed};
  const auto kept = covering_candidates(performance_matrix(training), *options.cover_tolerance);
  return {selector(train_model(keep_candidates(training, kept), settings, {})), fixed};
}

strategy_score score(std::span<const double> values) {
  strategy_score result;
  for (double value : values) {
    result.near_best += value >= near_best_threshold ? 1.0 : 0.0;
    result.mean_relative += value;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, values.size()));
  result.near_best /= count;
  result.mean_relative /= count;
  return result;
}

score_row score_graphs(const std::string& graph_class, std::span<const held_out_graph> graphs) {
  std::vector<double> selector_values;
  std::vector<double> fixed_values;
  for (const held_out_graph& graph : graphs) {
    selector_values.push_back(graph.selector_value);
    fixed_values.push_back(graph.fixed_value);
  }
  return {graph_class, graphs.size(), score(selector_values), score(fixed_values),
          score(std::vector<double>(graphs.size(), 1.0))};
}

}  // namespace

std::vector<std::size_t> assign_folds(std::span<const graph_example> graphs, std::size_t folds, std::uint64_t seed) {
  if (folds < 2) throw input_error("cross-validation needs at least 2 folds");
  std::set<std::string> names;
  for (const graph_example& graph : graphs) names.insert(graph.group);
  if (names.size() < 2)
    throw input_error(
        fmt::format("cross-validation needs at least 2 groups of graphs, and there {}; measure "
                    "other graphs too",
                    names.empty() ? "is none" : "is 1"));
  std::vector<std::string> shuffled(names.begin(), names.end());
  portable_random random(seed);
  for (std::size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random.next() % (i + 1)]);
  std::map<std::string, std::size_t> fold_of;
  const std::size_t used = std::min(folds, shuffled.size());
  for (std::size_t i = 0; i < shuffled.size(); ++i) fold_of[shuffled[i]] = i % used;
  std::vector<std::size_t> result;
  for (const graph_example& graph : graphs) result.push_back(fold_of.at(graph.group));
  return result;
}

std::size_t best_fixed_candidate(const performance_matrix& performance) {
  std::size_t best = 0;
  double best_sum = -1;
  for (std::size_t c = 0; c < performance.candidates(); ++c) {
    double sum = 0;
    for (std::size_t g = 0; g < performance.graphs(); ++g) sum += performance.relative(g, c);
    if (sum > best_sum) {
      best = c;
      best_sum = sum;
    }
  }
  return best;
}

evaluation_report summarise(std::vector<held_out_graph> graphs, std::size_t folds, std::size_t unsolved) {
  std::map<std::string, std::vector<held_out_graph>> classes;
  for (const held_out_graph& graph : graphs) classes[graph.graph_class].push_back(graph);
  evaluation_report report;
  report.folds = folds;
  report.unsolved = unsolved;
  report.overall = score_graphs("", graphs);
  for (const auto& [name, members] : classes) report.graph_classes.push_back(score_graphs(name, members));
  report.graphs = std::move(graphs);
  return report;
}

evaluation_report evaluate(const training_set& set, const train_settings& settings, const evaluation_options& options) {
  validate(set);
  const training_set ordered = in_canonical_order(set);
  const training_set solved = keep_solved_graphs(ordered, performance_matrix(ordered));
  const std::vector<std::size_t> folds = assign_folds(solved.graphs, options.folds, options.seed);
  const std::size_t fold_count = *std::max_element(folds.begin(), folds.end()) + 1;
  const performance_matrix performance(solved);
  std::map<std::string, std::size_t> index_of;
  for (std::size_t c = 0; c < solved.candidates.size(); ++c) index_of[solved.candidates[c].label] = c;

  std::vector<held_out_graph> choices(solved.graphs.size());
  for (std::size_t fold = 0; fold < fold_count; ++fold) {
    std::vector<std::size_t> training;
    for (std::size_t g = 0; g < folds.size(); ++g) {
      if (folds[g] != fold) training.push_back(g);
    }
    const fold_strategies learned = learn(keep_graphs(solved, training), settings, options);
    for (std::size_t g = 0; g < folds.size(); ++g) {
      if (folds[g] != fold) continue;
      const graph_example& graph = solved.graphs[g];
      const std::string& selected = learned.chooser.label(learned.chooser.select(graph.features));
      choices[g] = {graph.name,
                    graph.graph_class,
                    fold,
                    selected,
                    learned.fixed,
                    performance.relative(g, index_of.at(selected)),
                    performance.relative(g, index_of.at(learned.fixed))};
    }
  }
  return summarise(std::move(choices), fold_count, set.graphs.size() - solved.graphs.size());
}

std::string to_table(const evaluation_report& report) {
  std::size_t width = 10;
  for (const score_row& row : report.graph_classes) width = std::max(width, row.graph_class.size());
  std::string text = fmt::format("{:<{}}  {:>6}  {:<10}  {:>13}  {:>13}\n", "graphs", width, "count", "strategy",
                                 "within 0.9", "mean relative");
  const auto add_line = [&](std::string_view name, std::string_view count, std::string_view strategy,
                            const strategy_score& scores) {
    text += fmt::format("{:<{}}  {:>6}  {:<10}  {:>12.1f}%  {:>13.3f}\n", name, width, count, strategy,
                        100 * scores.near_best, scores.mean_relative);
  };
  const auto add_row = [&](const score_row& row, std::string_view name) {
    add_line(name, std::to_string(row.graphs), "selector", row.selector);
    add_line("", "", "best fixed", row.fixed);
    add_line("", "", "oracle", row.oracle);
  };
  add_row(report.overall, "all");
  for (const score_row& row : report.graph_classes)
    add_row(row, row.graph_class.empty() ? "(no class)" : row.graph_class);
  text += fmt::format("{}-fold cross-validation over groups of graphs", report.folds);
  if (report.unsolved > 0)
    text += fmt::format("; left out, because no candidate succeeded: {} graphs", report.unsolved);
  return text + ".\n";
}

}  // namespace mlmq::selector
