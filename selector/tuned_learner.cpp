// SPDX-License-Identifier: Apache-2.0
#include "selector/tuned_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "selector/cholesky.hpp"
#include "selector/evaluate.hpp"
#include "selector/inference.hpp"
#include "selector/train.hpp"
#include "selector/tuned_model.hpp"

namespace mlmq::selector {
namespace {

/// Prior variance that hardly shrinks a mean over the own workloads.
constexpr double free_shift = 100;
/// Prior variance with which the prediction of a model of the record has the weight of four own workloads.
constexpr double shrunk_shift = 0.25;
constexpr std::array ridges{3.0, 1.0, 0.3, 0.1};
constexpr std::size_t inner_folds = 5;
/// Discount for unrecorded configurations: random changes are seldom better, so recorded configurations are preferred
/// until the others are measured.
constexpr float unrecorded_discount = 0.02F;
/// Thresholds for a significant difference of means, in multiples of its uncertainty. A record of the same device is
/// seldom wrong; one of another device can be.
constexpr double beyond_chance_here = 1;
constexpr double beyond_chance_elsewhere = 0.5;

/// Returns the corrections in the order in which they are considered, the most careful one first.
std::vector<correction> possible_corrections(bool has_record, bool same_device) {
  constexpr correction as_recorded{.from_record = true, .shift = 0, .ridge = 1, .by_similarity = false};
  std::vector<correction> result;
  if (has_record) {
    if (same_device) result.push_back(as_recorded);
    result.push_back({.from_record = true, .shift = shrunk_shift, .ridge = 1, .by_similarity = false});
    for (const double ridge : ridges) result.push_back({true, shrunk_shift, ridge, true});
  }
  result.push_back({.from_record = false, .shift = free_shift, .ridge = 1, .by_similarity = false});
  for (const double ridge : ridges) result.push_back({false, free_shift, ridge, true});
  if (has_record && !same_device) result.push_back(as_recorded);
  return result;
}

/// Counts the parameters that differ, including those that only one of the candidates has.
std::size_t differences(const candidate& a, const candidate& b) {
  const std::map<std::string, std::string> first_values(a.parameters.begin(), a.parameters.end());
  const std::map<std::string, std::string> second_values(b.parameters.begin(), b.parameters.end());
  std::size_t count = 0;
  for (const auto& [name, value] : first_values) {
    const auto match = second_values.find(name);
    count += match == second_values.end() || match->second != value ? 1 : 0;
  }
  for (const auto& [name, value] : second_values) count += first_values.contains(name) ? 0 : 1;
  return count;
}

void check_own(const training_set& own_set) {
  validate(own_set);
  const performance_matrix performance(own_set);
  for (std::size_t w = 0; w < own_set.workloads.size(); ++w) {
    if (!performance.solved(w))
      throw input_error(fmt::format("no configuration solved '{}'", own_set.workloads[w].name));
    for (std::size_t c = 0; c < own_set.candidates.size(); ++c) {
      if (!performance.measured(w, c))
        throw input_error(
            fmt::format("'{}' was not measured with '{}'", own_set.workloads[w].name, own_set.candidates[c].label));
    }
  }
}

/// Returns the recorded workloads of other groups, with the candidates that are also among the own ones.
std::optional<training_set> usable(const std::optional<training_set>& recorded, const training_set& own_set) {
  if (!recorded) return std::nullopt;
  std::set<std::string_view> groups;
  std::set<std::string_view> labels;
  for (const workload_example& workload : own_set.workloads) groups.insert(workload.group);
  for (const candidate& candidate : own_set.candidates) labels.insert(candidate.label);
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < recorded->candidates.size(); ++c) {
    if (labels.contains(recorded->candidates[c].label)) candidates.push_back(c);
  }
  if (candidates.size() < 2) return std::nullopt;
  const training_set shared = keep_candidates(*recorded, candidates);
  const performance_matrix performance(shared);
  std::vector<std::size_t> workloads;
  for (std::size_t w = 0; w < shared.workloads.size(); ++w) {
    if (performance.solved(w) && !groups.contains(shared.workloads[w].group)) workloads.push_back(w);
  }
  // Minimum number of workloads to learn from; fewer do not generalise.
  constexpr std::size_t least = 20;
  if (workloads.size() < least) return std::nullopt;
  return in_canonical_order(keep_workloads(shared, workloads));
}

}  // namespace

std::string correction::text() const {
  const char* const basis = from_record ? "the shipped record" : "the best fixed configuration";
  if (by_similarity) return fmt::format("{}, corrected by what was measured on graphs that are alike", basis);
  if (from_record && shift > 0) return fmt::format("{}, corrected by how each configuration did here", basis);
  return basis;
}

tuned_learner::tuned_learner(tuning_record data, const tuned_settings& settings)
    : data_(std::move(data)), settings_(settings), performance_(data_.own_set) {
  data_.own_set = in_canonical_order(data_.own_set);
  check_own(data_.own_set);
  performance_ = performance_matrix(data_.own_set);
  data_.recorded = usable(data_.recorded, data_.own_set);
  corrections_ = possible_corrections(data_.recorded.has_value(), data_.same_device);
  if (data_.recorded) learn_record();
  place_workloads();
}

void tuned_learner::learn_record() {
  const training_set& own_set = data_.own_set;
  record_model_ = train_model(*data_.recorded, standard_learning(method::boosted), {});
  const selector predictor(*record_model_);
  for (const candidate& candidate : own_set.candidates) {
    std::size_t nearest = 0;
    for (std::size_t c = 1; c < record_model_->candidates.size(); ++c) {
      if (differences(candidate, record_model_->candidates[c]) <
          differences(candidate, record_model_->candidates[nearest]))
        nearest = c;
    }
    source_.push_back(nearest);
    discount_.push_back(candidate.label == record_model_->candidates[nearest].label ? 0.0F : unrecorded_discount);
  }
  for (const workload_example& workload : own_set.workloads) {
    const std::vector<float> predictions =
        predictor.predict_all(pick_features(predictor.features(), own_set.features, workload.features));
    std::vector<float>& row = predicted_.emplace_back();
    for (std::size_t c = 0; c < source_.size(); ++c) row.push_back(predictions[source_[c]] - discount_[c]);
  }
  for (const std::size_t c : covering_candidates(*data_.recorded, settings_.tolerance, settings_.most)) {
    const auto match = std::find_if(
        own_set.candidates.begin(), own_set.candidates.end(),
        [&](const candidate& candidate) { return candidate.label == data_.recorded->candidates[c].label; });
    covering_recorded_.push_back(static_cast<std::size_t>(match - own_set.candidates.begin()));
  }
}

void tuned_learner::place_workloads() {
  std::vector<feature_ratio> ratios(standard_ratios.begin(), standard_ratios.end());
  ratios.insert(ratios.end(), kernel_ratios.begin(), kernel_ratios.end());
  inputs_ = encode_inputs(data_.own_set.features, ratios);
  rows_.columns = inputs_.size();
  const auto add = [this](dense_matrix& matrix, const training_set& set) {
    for (const workload_example& workload : set.workloads) {
      const std::vector<float> row =
          inputs_.inputs(pick_features(data_.own_set.features, set.features, workload.features));
      matrix.values.insert(matrix.values.end(), row.begin(), row.end());
      ++matrix.rows;
    }
  };
  add(rows_, data_.own_set);
  dense_matrix everything = rows_;
  if (data_.recorded) add(everything, *data_.recorded);
  frame_ = place_kernel(everything, inputs_of_kernel(inputs_), data_.own_set.candidates.size(),
                        standard_learning(method::kernel).kernel.scale);
  similarities_ = similarity_matrix(frame_, rows_);
}

double tuned_learner::base_prediction(const correction& correction, std::size_t workload, std::size_t candidate) const {
  return correction.from_record ? double{predicted_[workload][candidate]} : 0.0;
}

std::size_t tuned_learner::best_fixed(std::span<const std::size_t> training_workloads) const {
  std::size_t best = 0;
  double best_sum = -1;
  for (std::size_t c = 0; c < data_.own_set.candidates.size(); ++c) {
    double sum = 0;
    for (const std::size_t w : training_workloads) sum += performance_.relative(w, c);
    if (sum > best_sum) {
      best = c;
      best_sum = sum;
    }
  }
  return best;
}

std::vector<std::size_t> tuned_learner::candidate_subset(std::span<const std::size_t> training_workloads,
                                                         bool from_record) const {
  std::set<std::size_t> subset{best_fixed(training_workloads)};
  const std::size_t most = from_record ? (settings_.most + 1) / 2 : settings_.most;
  const auto covering =
      covering_candidates(keep_workloads(data_.own_set, training_workloads), settings_.tolerance, most);
  subset.insert(covering.begin(), covering.end());
  if (from_record) subset.insert(covering_recorded_.begin(), covering_recorded_.end());
  return {subset.begin(), subset.end()};
}

tuned_fit tuned_learner::fit(std::span<const std::size_t> training_workloads,
                             std::vector<std::size_t> chosen_candidates, const correction& correction) const {
  const std::size_t count = training_workloads.size();
  const std::size_t candidates = data_.own_set.candidates.size();
  tuned_fit result{.chosen_correction = correction,
                   .training_workloads = {training_workloads.begin(), training_workloads.end()},
                   .candidates = std::move(chosen_candidates),
                   .shifts = {},
                   .weights = {}};
  result.shifts.assign(candidates, 0);
  if (correction.by_similarity) result.weights.assign(candidates, {});
  if (correction.shift == 0) return result;
  const double shift = correction.shift * correction.ridge;
  std::vector<double> system(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const double similarity =
          correction.by_similarity
              ? similarities_[training_workloads[a] * data_.own_set.workloads.size() + training_workloads[b]]
              : 0.0;
      system[a * count + b] = shift + similarity + (a == b ? correction.ridge : 0.0);
    }
  }
  decompose_cholesky(system, count);
  for (const std::size_t c : result.candidates) {
    std::vector<double> column;
    for (const std::size_t w : training_workloads)
      column.push_back(performance_.relative(w, c) - base_prediction(correction, w, c));
    solve_cholesky(system, count, column);
    for (const double weight : column) result.shifts[c] += shift * weight;
    if (correction.by_similarity) result.weights[c] = std::move(column);
  }
  return result;
}

std::size_t tuned_learner::choose(const tuned_fit& fit, std::size_t workload) const {
  std::size_t best = fit.candidates.front();
  double best_score = -1e30;
  for (const std::size_t c : fit.candidates) {
    double score = base_prediction(fit.chosen_correction, workload, c) + fit.shifts[c];
    if (fit.chosen_correction.by_similarity) {
      for (std::size_t i = 0; i < fit.training_workloads.size(); ++i)
        score +=
            similarities_[workload * data_.own_set.workloads.size() + fit.training_workloads[i]] * fit.weights[c][i];
    }
    if (score > best_score) {
      best = c;
      best_score = score;
    }
  }
  return best;
}

correction tuned_learner::decide(std::span<const std::size_t> training_workloads) const {
  std::vector<workload_example> examples;
  std::set<std::string_view> groups;
  for (const std::size_t w : training_workloads) {
    examples.push_back(data_.own_set.workloads[w]);
    groups.insert(data_.own_set.workloads[w].group);
  }
  if (groups.size() < 2) return corrections_.front();
  const std::vector<std::size_t> folds = assign_folds(examples, inner_folds, 1);
  std::vector<std::vector<double>> achieved(corrections_.size(), std::vector<double>(training_workloads.size(), 0));
  for (std::size_t fold = 0; fold <= *std::max_element(folds.begin(), folds.end()); ++fold) {
    std::vector<std::size_t> training;
    for (std::size_t i = 0; i < training_workloads.size(); ++i) {
      if (folds[i] != fold) training.push_back(training_workloads[i]);
    }
    const std::array subsets{candidate_subset(training, false), candidate_subset(training, true)};
    for (std::size_t v = 0; v < corrections_.size(); ++v) {
      const tuned_fit tried = fit(training, subsets[corrections_[v].from_record ? 1 : 0], corrections_[v]);
      for (std::size_t i = 0; i < training_workloads.size(); ++i) {
        if (folds[i] == fold)
          achieved[v][i] = performance_.relative(training_workloads[i], choose(tried, training_workloads[i]));
      }
    }
  }
  const double beyond_chance = data_.same_device ? beyond_chance_here : beyond_chance_elsewhere;
  std::size_t best = 0;
  for (std::size_t v = 1; v < corrections_.size(); ++v) {
    double sum = 0;
    double squares = 0;
    const auto count = static_cast<double>(training_workloads.size());
    for (std::size_t i = 0; i < training_workloads.size(); ++i) {
      const double gain = achieved[v][i] - achieved[best][i];
      sum += gain;
      squares += gain * gain;
    }
    const double mean = sum / count;
    const double uncertainty = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
    if (mean > 1e-9 && mean > beyond_chance * uncertainty) best = v;
  }
  return corrections_[best];
}

tuned_fit tuned_learner::learn(std::span<const std::size_t> training_workloads) const {
  return learn(training_workloads, decide(training_workloads));
}

tuned_fit tuned_learner::learn(std::span<const std::size_t> training_workloads, const correction& correction) const {
  return fit(training_workloads, candidate_subset(training_workloads, correction.from_record), correction);
}

model tuned_learner::build_fixed(std::size_t candidate, const time_source& source) const {
  const std::array only{candidate};
  return train_model(keep_candidates(data_.own_set, only), standard_learning(method::boosted), source);
}

model tuned_learner::build(const tuned_fit& fit, const time_source& source) const {
  // Without features, all workloads get the same choice.
  if (!fit.chosen_correction.from_record && !fit.chosen_correction.by_similarity)
    return build_fixed(choose(fit, fit.training_workloads.front()), source);
  model result;
  result.provenance = {
      .source = source,
      .training_set_hash = hash_of(data_.own_set),
      .workloads = fit.training_workloads.size() + (fit.chosen_correction.from_record ? recorded_workloads() : 0),
      .candidates = fit.candidates.size(),
      .observations = fit.training_workloads.size() * fit.candidates.size(),
      .learned = standard_learning(fit.chosen_correction.from_record ? method::boosted : method::kernel),
      .xgboost_version = xgboost_version()};
  result.inputs = inputs_;
  for (const std::size_t c : fit.candidates) {
    result.candidates.push_back(data_.own_set.candidates[c]);
    result.starts.push_back(static_cast<float>(fit.shifts[c]));
  }
  if (fit.chosen_correction.by_similarity) {
    kernel_fit kernel = frame_;
    kernel.candidates = fit.candidates.size();
    dense_matrix rows{.rows = 0, .columns = rows_.columns, .values = {}};
    for (const std::size_t w : fit.training_workloads) {
      const auto first = rows_.values.begin() + static_cast<std::ptrdiff_t>(w * rows_.columns);
      rows.values.insert(rows.values.end(), first, first + static_cast<std::ptrdiff_t>(rows_.columns));
      ++rows.rows;
    }
    std::vector<std::vector<double>> weights;
    for (const std::size_t c : fit.candidates) weights.push_back(fit.weights[c]);
    set_points(kernel, rows, weights);
    result.kernel = std::move(kernel);
  }
  if (fit.chosen_correction.from_record) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < fit.candidates.size(); ++i) {
      columns.push_back(source_[fit.candidates[i]]);
      result.starts[i] -= discount_[fit.candidates[i]];
    }
    add_trees_of(result, *record_model_, columns);
  }
  return with_used_inputs(std::move(result));
}

}  // namespace mlmq::selector
