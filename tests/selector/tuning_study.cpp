// SPDX-License-Identifier: Apache-2.0
// Measures how good a selector tuned on few graphs is on unseen graphs. Draws graphs from a record, tunes on them with
// and without the rest of the record, and judges on graphs of other families. usage: tuning_study RECORD.trials
// GRAPHS DRAWS [near|far [SPREAD|OTHER.trials]]
//   near: the tuned and the judged graphs are of one class, for example roads; far: of all classes
//   SPREAD: makes the tuned device differ from the record's: the times of each configuration are multiplied by e to the
//   power of SPREAD times a normal deviate
//   OTHER: the record of another device, from which tuned and judged graphs are drawn
// Prints the mean relative performance, the share within 0.9, and the 95 % interval, bootstrapped over families, of the
// difference in this share to the method of the shipped selector, trained on the rest of the record.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/features.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "selector/candidates.hpp"
#include "selector/inference.hpp"
#include "selector/model_inputs.hpp"
#include "selector/random.hpp"
#include "selector/train.hpp"
#include "selector/training_data.hpp"
#include "selector/tuned_evaluation.hpp"
#include "tuner/workload.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::selector;

constexpr const char* shipped_name = "shipped method";

/// Sums over choices for graphs of one family.
struct sums {
  double relative = 0;
  double near_best = 0;
  double count = 0;

  void add(double value) {
    relative += value;
    near_best += value >= 0.9 ? 1 : 0;
    ++count;
  }
  sums& operator+=(const sums& other) {
    relative += other.relative;
    near_best += other.near_best;
    count += other.count;
    return *this;
  }
};

/// Scores of strategies, by name and family. Every strategy is judged on the same graphs.
using scores_by_family = std::map<std::string, std::map<std::string, sums>>;

/// Adds the performance of a choice for one of the learner's own workloads.
void add_score(scores_by_family& scores, const std::string& name, const tuned_learner& learner, std::size_t workload,
               std::size_t choice) {
  scores[name][learner.own_set().workloads[workload].group].add(learner.performance().relative(workload, choice));
}

/// Prints each strategy's mean and share within 0.9, and its difference to the shipped method with an interval.
void print_scores(const scores_by_family& scores) {
  constexpr std::size_t samples = 2000;
  const auto& reference = scores.at(shipped_name);
  std::vector<std::string> families;
  for (const auto& [family, sum] : reference) families.push_back(family);
  for (const auto& [name, by_family] : scores) {
    portable_random random(1);
    std::vector<double> differences;
    sums total;
    for (const auto& [family, sum] : by_family) total += sum;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      sums drawn;
      sums drawn_reference;
      for (std::size_t i = 0; i < families.size(); ++i) {
        const std::string& family = families[random.below(families.size())];
        drawn += by_family.at(family);
        drawn_reference += reference.at(family);
      }
      differences.push_back(100 * (drawn.near_best - drawn_reference.near_best) / drawn.count);
    }
    std::sort(differences.begin(), differences.end());
    fmt::print("{:<50} {:.4f} {:5.1f} %  {:+5.1f} to {:+5.1f}  ({:.0f} choices)\n", name, total.relative / total.count,
               100 * total.near_best / total.count, differences[samples / 40], differences[samples - 1 - samples / 40],
               total.count);
  }
}

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
          const std::string& name, scores_by_family& scores) {
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
    add_score(scores, name, learner, w, learner.choose(fit, w));
    if (record == nullptr) add_score(scores, "best fixed", learner, w, fixed);
  }
  if (same_device) return;  // the same corrections as for another device, in another order
  for (const correction& settings : learner.corrections()) {
    const tuned_fit fitted = learner.learn(learned_workloads, settings);
    const std::string label =
        fmt::format("  {} {}{}{} {}", name, settings.from_record ? "record" : "means",
                    settings.shift > 0 ? " shift" : "", settings.by_similarity ? " likeness" : "", settings.ridge);
    for (const std::size_t w : rest) add_score(scores, label, learner, w, learner.choose(fitted, w));
  }
}

/// Evaluates the method of the shipped selector, which learns from the record only.
void choose_as_shipped(const training_set& measured, const std::vector<std::size_t>& evaluated,
                       const training_set& record, scores_by_family& scores) {
  const model trained =
      train_model(keep_candidates(record, covering_candidates(record, standard_tolerance, standard_candidates)),
                  standard_learning(standard_method), {});
  const selector::selector shipped(trained);
  const performance_matrix performance(measured);
  for (const std::size_t w : evaluated) {
    const workload_example& workload = measured.workloads[w];
    const std::string& label =
        trained.candidates[shipped.select(pick_features(shipped.features(), measured.features, workload.features))]
            .label;
    const auto same = std::find_if(measured.candidates.begin(), measured.candidates.end(),
                                   [&](const candidate& entry) { return entry.label == label; });
    scores[shipped_name][workload.group].add(
        performance.relative(w, static_cast<std::size_t>(same - measured.candidates.begin())));
  }
}

/// Loads one instance per graph, with times of all configurations and the standard features.
training_set load_complete(const std::string& file) {
  const tuner::workload_features& kind = problems::graph_kind().features();
  training_data data = load_training_data({file}, "sssp", kind, "", {{}}, grouping::family);
  data.set =
      keep_features(data.set, expand_feature_list(std::vector<std::string>{"standard"}, data.set.features, kind));
  const training_set set = mean_over_queries(data.set);
  const performance_matrix performance(set);
  std::vector<std::size_t> complete;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    bool whole = performance.solved(w);
    for (std::size_t c = 0; c < set.candidates.size(); ++c) whole = whole && performance.measured(w, c);
    if (whole) complete.push_back(w);
  }
  return keep_workloads(set, complete);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::size_t group_count = std::strtoull(argv[2], nullptr, 10);
  const std::size_t draws = std::strtoull(argv[3], nullptr, 10);
  const std::string device = argc > 5 ? argv[5] : "0";
  const bool has_other_record = std::filesystem::exists(device);
  const bool near = argc > 4 && std::string(argv[4]) == "near";
  const training_set recorded = load_complete(argv[1]);
  const training_set set = has_other_record ? load_complete(device) : recorded;
  fmt::print("{} workloads on record, {} to draw from, with all {} configurations\n", recorded.workloads.size(),
             set.workloads.size(), set.candidates.size());
  scores_by_family scores;
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
    const training_set record = keep_workloads(recorded, workloads_of(recorded, outside, false));
    const training_set measured =
        has_other_record ? set : on_other_device(set, std::strtod(device.c_str(), nullptr), random);
    choose_as_shipped(measured, evaluated, record, scores);
    tune(measured, learned, evaluated, nullptr, false, "alone", scores);
    tune(measured, learned, evaluated, &record, true, "with the record", scores);
    tune(measured, learned, evaluated, &record, false, "with another's record", scores);
  }
  if (scores.empty()) {
    fmt::print("too few families to draw {} graphs from\n", group_count);
    return 1;
  }
  print_scores(scores);
  return 0;
}
