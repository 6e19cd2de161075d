// SPDX-License-Identifier: Apache-2.0
// Measures how good a selector tuned on few graphs is on unseen graphs. Draws graphs from a record, tunes on them with
// and without the rest of the record, and judges on graphs of other families. usage: tuning_study RECORD.sqlite.gz
// GRAPHS DRAWS [near|far [SPREAD]]
//   near: the tuned and the judged graphs are of one class, for example roads; far: of all classes
//   SPREAD: makes the tuned device differ from the record's: the times of each configuration are multiplied by e to the
//   power of SPREAD times a normal deviate
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "graph/features.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "selector/model_inputs.hpp"
#include "selector/random.hpp"
#include "selector/shipped.hpp"
#include "selector/training_data.hpp"
#include "selector/tuned_evaluation.hpp"
#include "tuner/workload.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::selector;

struct mean_score {
  double relative = 0;
  double near_best = 0;
  double count = 0;

  void add(double value) {
    relative += value;
    near_best += value >= 0.9 ? 1 : 0;
    ++count;
  }
};

std::vector<std::size_t> workloads_of(const training_set& set, const std::set<std::string>& groups, bool inside) {
  std::vector<std::size_t> result;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (groups.contains(set.workloads[w].group) == inside) result.push_back(w);
  }
  return result;
}

/// Returns the record as if measured on a device where some configurations are faster and others slower.
training_set on_other_device(training_set set, double spread, portable_random& random) {
  std::vector<double> factors;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) {
    double deviate = -6;
    for (int i = 0; i < 12; ++i) deviate += random.uniform();
    factors.push_back(std::exp(spread * deviate));
  }
  for (observation& measurement : set.observations) measurement.milliseconds *= factors[measurement.candidate];
  return set;
}

/// Learns from the workloads `learned` and evaluates on the other workloads of `measured`.
void tune(const training_set& measured, const std::vector<std::size_t>& learned,
          const std::vector<std::size_t>& evaluated, const training_set* record, bool same_device,
          const std::string& name, std::map<std::string, mean_score>& scores) {
  tuning_record data{
      .own_set = keep_workloads(measured, learned), .recorded = std::nullopt, .same_device = same_device};
  if (record != nullptr) data.recorded = *record;
  // The learner sees the evaluated workloads as its own, but does not learn from them.
  std::vector<std::size_t> combined = learned;
  combined.insert(combined.end(), evaluated.begin(), evaluated.end());
  std::set<std::string> learned_names;
  for (const std::size_t w : learned) learned_names.insert(measured.workloads[w].name);
  data.own_set = keep_workloads(measured, combined);
  const tuned_learner learner(std::move(data), {});
  std::vector<std::size_t> learned_workloads;
  std::vector<std::size_t> rest;
  for (std::size_t w = 0; w < learner.own_set().workloads.size(); ++w)
    (learned_names.contains(learner.own_set().workloads[w].name) ? learned_workloads : rest).push_back(w);
  const tuned_fit fit = learner.learn(learned_workloads);
  const std::size_t fixed = learner.best_fixed(learned_workloads);
  for (const std::size_t w : rest) {
    scores[name].add(learner.performance().relative(w, learner.choose(fit, w)));
    if (record == nullptr) scores["best fixed"].add(learner.performance().relative(w, fixed));
  }
  for (const correction& settings : learner.corrections()) {
    const tuned_fit fitted = learner.learn(learned_workloads, settings);
    const std::string label =
        fmt::format("  {} {}{}{} {}", name, settings.from_record ? "record" : "means",
                    settings.shift > 0 ? " shift" : "", settings.by_similarity ? " likeness" : "", settings.ridge);
    for (const std::size_t w : rest) scores[label].add(learner.performance().relative(w, learner.choose(fitted, w)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::size_t group_count = std::strtoull(argv[2], nullptr, 10);
  const std::size_t draws = std::strtoull(argv[3], nullptr, 10);
  const double spread = argc > 5 ? std::strtod(argv[5], nullptr) : 0;
  const bool near = argc > 4 && std::string(argv[4]) == "near";
  const tuner::workload_features& kind = problems::graph_kind().features();
  training_data data = load_training_data({argv[1]}, "sssp", kind, {.device = "H200"}, {{}}, grouping::family);
  data.set =
      keep_features(data.set, expand_feature_list(std::vector<std::string>{"standard"}, data.set.features, kind));
  training_set set = mean_over_queries(data.set);
  const performance_matrix performance(set);
  std::vector<std::size_t> complete;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    bool whole = performance.solved(w);
    for (std::size_t c = 0; c < set.candidates.size(); ++c) whole = whole && performance.measured(w, c);
    if (whole) complete.push_back(w);
  }
  set = keep_workloads(set, complete);
  fmt::print("{} workloads with all {} configurations\n", set.workloads.size(), set.candidates.size());
  std::map<std::string, mean_score> scores;
  portable_random random(7);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    // Families of one class, or of all classes.
    std::vector<std::string> groups;
    {
      std::set<std::string> names;
      const std::string of_class = set.workloads[random.below(set.workloads.size())].workload_class;
      for (const workload_example& workload : set.workloads) {
        if (!near || workload.workload_class == of_class) names.insert(workload.group);
      }
      groups.assign(names.begin(), names.end());
    }
    shuffle(groups, random.next());
    if (groups.size() < 2 * group_count) continue;
    const std::set<std::string> own_groups(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(group_count));
    const std::set<std::string> evaluated_groups(
        groups.begin() + static_cast<std::ptrdiff_t>(group_count),
        groups.begin() + static_cast<std::ptrdiff_t>(std::min(groups.size(), 3 * group_count + 30)));
    // Takes one graph of each family, as in a user's folder.
    std::vector<std::size_t> learned;
    std::set<std::string> taken;
    for (const std::size_t w : workloads_of(set, own_groups, true)) {
      if (taken.insert(set.workloads[w].group).second) learned.push_back(w);
    }
    const std::vector<std::size_t> evaluated = workloads_of(set, evaluated_groups, true);
    std::set<std::string> outside = own_groups;
    outside.insert(evaluated_groups.begin(), evaluated_groups.end());
    const training_set record = keep_workloads(set, workloads_of(set, outside, false));
    const training_set measured = on_other_device(set, spread, random);
    tune(measured, learned, evaluated, nullptr, false, "alone", scores);
    tune(measured, learned, evaluated, &record, true, "with the record", scores);
    tune(measured, learned, evaluated, &record, false, "with another's record", scores);
  }
  for (const auto& [name, score] : scores)
    fmt::print("{:<50} {:.4f} {:5.1f} %  ({:.0f} graphs)\n", name, score.relative / score.count,
               100 * score.near_best / score.count, score.count);
  return 0;
}
