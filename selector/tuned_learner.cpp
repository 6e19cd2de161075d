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

/// A mean over the own workloads is hardly shrunk.
constexpr double free_shift = 100;
/// What a model of the record says of a candidate counts as much as four own workloads.
constexpr double shrunk_shift = 0.25;
constexpr std::array ridges{3.0, 1.0, 0.3, 0.1};
constexpr std::size_t inner_folds = 5;
/// What is changed at random is seldom better: until it was measured, the recorded configuration is preferred.
constexpr float unrecorded_discount = 0.02F;
/// How many times the uncertainty of a difference of means it must be above to count. What a record of the same device says
/// is seldom wrong; what one of another device says can be.
constexpr double beyond_chance_here = 1;
constexpr double beyond_chance_elsewhere = 0.5;

std::vector<correction> possible_corrections(bool has_record, bool same_device) {
  std::vector<correction> from_record;
  std::vector<correction> from_means = {{.from_record = false, .shift = free_shift, .ridge = 1, .by_likeness = false}};
  for (const double ridge : ridges) from_means.push_back({false, free_shift, ridge, true});
  if (has_record) {
    from_record = {{true, 0, 1, false}, {true, shrunk_shift, 1, false}};
    for (const double ridge : ridges) from_record.push_back({true, shrunk_shift, ridge, true});
  }
  std::vector<correction>& first = same_device ? from_record : from_means;
  const std::vector<correction>& then = same_device ? from_means : from_record;
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

/// How many parameters differ; one that only one of them has counts, too.
std::size_t differences(const candidate& a, const candidate& b) {
  const std::map<std::string, std::string> left(a.parameters.begin(), a.parameters.end());
  const std::map<std::string, std::string> right(b.parameters.begin(), b.parameters.end());
  std::size_t count = 0;
  for (const auto& [name, value] : left) {
    const auto found = right.find(name);
    count += found == right.end() || found->second != value ? 1 : 0;
  }
  for (const auto& [name, value] : right) count += left.contains(name) ? 0 : 1;
  return count;
}

void check_own(const training_set& own) {
  validate(own);
  const performance_matrix performance(own);
  for (std::size_t w = 0; w < own.workloads.size(); ++w) {
    if (!performance.solved(w)) throw input_error(fmt::format("no configuration solved '{}'", own.workloads[w].name));
    for (std::size_t c = 0; c < own.candidates.size(); ++c) {
      if (!performance.measured(w, c))
        throw input_error(
            fmt::format("'{}' was not measured with '{}'", own.workloads[w].name, own.candidates[c].label));
    }
  }
}

/// The recorded workloads of other groups, with those of the candidates that are among the own ones.
std::optional<training_set> usable(const std::optional<training_set>& recorded, const training_set& own) {
  if (!recorded) return std::nullopt;
  std::set<std::string_view> groups;
  std::set<std::string_view> labels;
  for (const workload_example& one : own.workloads) groups.insert(one.group);
  for (const candidate& one : own.candidates) labels.insert(one.label);
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
  // Fewer say nothing of a workload that is unlike them.
  constexpr std::size_t least = 20;
  if (workloads.size() < least) return std::nullopt;
  return in_canonical_order(keep_workloads(shared, workloads));
}

}  // namespace

std::string correction::text() const {
  const char* const basis = from_record ? "the shipped record" : "the best fixed configuration";
  if (by_likeness) return fmt::format("{}, corrected by what was measured on graphs that are alike", basis);
  if (from_record && shift > 0) return fmt::format("{}, corrected by how each configuration did here", basis);
  return basis;
}

tuned_learner::tuned_learner(tuning_record data, const tuned_settings& settings)
    : data_(std::move(data)), settings_(settings), performance_(data_.own) {
  data_.own = in_canonical_order(data_.own);
  check_own(data_.own);
  performance_ = performance_matrix(data_.own);
  data_.recorded = usable(data_.recorded, data_.own);
  corrections_ = possible_corrections(data_.recorded.has_value(), data_.same_device);
  if (data_.recorded) learn_record();
  place_workloads();
}

void tuned_learner::learn_record() {
  const training_set& own = data_.own;
  of_record_ = train_model(*data_.recorded, standard_learning(method::boosted), {});
  const selector predictor(*of_record_);
  for (const candidate& one : own.candidates) {
    std::size_t nearest = 0;
    for (std::size_t c = 1; c < of_record_->candidates.size(); ++c) {
      if (differences(one, of_record_->candidates[c]) < differences(one, of_record_->candidates[nearest])) nearest = c;
    }
    source_.push_back(nearest);
    discount_.push_back(one.label == of_record_->candidates[nearest].label ? 0.0F : unrecorded_discount);
  }
  for (const workload_example& one : own.workloads) {
    const std::vector<float> all =
        predictor.predict_all(pick_features(predictor.features(), own.features, one.features));
    std::vector<float>& row = predicted_.emplace_back();
    for (std::size_t c = 0; c < source_.size(); ++c) row.push_back(all[source_[c]] - discount_[c]);
  }
  for (const std::size_t c :
       covering_candidates(performance_matrix(*data_.recorded), settings_.tolerance, settings_.most)) {
    const auto found = std::find_if(own.candidates.begin(), own.candidates.end(), [&](const candidate& one) {
      return one.label == data_.recorded->candidates[c].label;
    });
    covering_recorded_.push_back(static_cast<std::size_t>(found - own.candidates.begin()));
  }
}

void tuned_learner::place_workloads() {
  std::vector<feature_ratio> ratios(standard_ratios.begin(), standard_ratios.end());
  ratios.insert(ratios.end(), kernel_ratios.begin(), kernel_ratios.end());
  inputs_ = encode_inputs(data_.own.features, ratios);
  rows_.columns = inputs_.size();
  const auto add = [this](dense_matrix& to, const training_set& set) {
    for (const workload_example& one : set.workloads) {
      const std::vector<float> row = inputs_.inputs(pick_features(data_.own.features, set.features, one.features));
      to.values.insert(to.values.end(), row.begin(), row.end());
      ++to.rows;
    }
  };
  add(rows_, data_.own);
  dense_matrix everything = rows_;
  if (data_.recorded) add(everything, *data_.recorded);
  frame_ = place_kernel(everything, inputs_of_kernel(inputs_), data_.own.candidates.size(),
                        standard_learning(method::kernel).kernel.scale);
  like_ = likeness_matrix(frame_, rows_);
}

double tuned_learner::known(const correction& how, std::size_t workload, std::size_t candidate) const {
  return how.from_record ? double{predicted_[workload][candidate]} : 0.0;
}

std::size_t tuned_learner::best_fixed(std::span<const std::size_t> from) const {
  std::size_t best = 0;
  double best_sum = -1;
  for (std::size_t c = 0; c < data_.own.candidates.size(); ++c) {
    double sum = 0;
    for (const std::size_t w : from) sum += performance_.relative(w, c);
    if (sum > best_sum) {
      best = c;
      best_sum = sum;
    }
  }
  return best;
}

std::vector<std::size_t> tuned_learner::kept_of(std::span<const std::size_t> from, bool from_record) const {
  std::set<std::size_t> kept{best_fixed(from)};
  const std::size_t most = from_record ? (settings_.most + 1) / 2 : settings_.most;
  const auto own = covering_candidates(performance_matrix(keep_workloads(data_.own, from)), settings_.tolerance, most);
  kept.insert(own.begin(), own.end());
  if (from_record) kept.insert(covering_recorded_.begin(), covering_recorded_.end());
  return {kept.begin(), kept.end()};
}

tuned_fit tuned_learner::fit(std::span<const std::size_t> from, std::vector<std::size_t> kept,
                             const correction& how) const {
  const std::size_t count = from.size();
  const std::size_t candidates = data_.own.candidates.size();
  tuned_fit result{
      .how = how, .from = {from.begin(), from.end()}, .kept = std::move(kept), .shifts = {}, .weights = {}};
  result.shifts.assign(candidates, 0);
  if (how.by_likeness) result.weights.assign(candidates, {});
  if (how.shift == 0) return result;
  const double shift = how.shift * how.ridge;
  std::vector<double> system(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const double like = how.by_likeness ? like_[from[a] * data_.own.workloads.size() + from[b]] : 0.0;
      system[a * count + b] = shift + like + (a == b ? how.ridge : 0.0);
    }
  }
  decompose_cholesky(system, count);
  for (const std::size_t c : result.kept) {
    std::vector<double> column;
    for (const std::size_t w : from) column.push_back(performance_.relative(w, c) - known(how, w, c));
    solve_cholesky(system, count, column);
    for (const double weight : column) result.shifts[c] += shift * weight;
    if (how.by_likeness) result.weights[c] = std::move(column);
  }
  return result;
}

std::size_t tuned_learner::choose(const tuned_fit& fit, std::size_t workload) const {
  std::size_t best = fit.kept.front();
  double best_score = -1e30;
  for (const std::size_t c : fit.kept) {
    double score = known(fit.how, workload, c) + fit.shifts[c];
    if (fit.how.by_likeness) {
      for (std::size_t i = 0; i < fit.from.size(); ++i)
        score += like_[workload * data_.own.workloads.size() + fit.from[i]] * fit.weights[c][i];
    }
    if (score > best_score) {
      best = c;
      best_score = score;
    }
  }
  return best;
}

correction tuned_learner::decide(std::span<const std::size_t> from) const {
  std::vector<workload_example> examples;
  std::set<std::string_view> groups;
  for (const std::size_t w : from) {
    examples.push_back(data_.own.workloads[w]);
    groups.insert(data_.own.workloads[w].group);
  }
  if (groups.size() < 2) return corrections_.front();
  const std::vector<std::size_t> folds = assign_folds(examples, inner_folds, 1);
  std::vector<std::vector<double>> achieved(corrections_.size(), std::vector<double>(from.size(), 0));
  for (std::size_t fold = 0; fold <= *std::max_element(folds.begin(), folds.end()); ++fold) {
    std::vector<std::size_t> training;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (folds[i] != fold) training.push_back(from[i]);
    }
    const std::array kept{kept_of(training, false), kept_of(training, true)};
    for (std::size_t v = 0; v < corrections_.size(); ++v) {
      const tuned_fit tried = fit(training, kept[corrections_[v].from_record ? 1 : 0], corrections_[v]);
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (folds[i] == fold) achieved[v][i] = performance_.relative(from[i], choose(tried, from[i]));
      }
    }
  }
  const double beyond_chance = data_.same_device ? beyond_chance_here : beyond_chance_elsewhere;
  std::size_t best = 0;
  for (std::size_t v = 1; v < corrections_.size(); ++v) {
    double sum = 0;
    double squares = 0;
    const auto count = static_cast<double>(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
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

tuned_fit tuned_learner::learn(std::span<const std::size_t> from) const { return learn(from, decide(from)); }

tuned_fit tuned_learner::learn(std::span<const std::size_t> from, const correction& how) const {
  return fit(from, kept_of(from, how.from_record), how);
}

model tuned_learner::build_fixed(std::size_t candidate, const time_source& source) const {
  const std::array only{candidate};
  return train_model(keep_candidates(data_.own, only), standard_learning(method::boosted), source);
}

model tuned_learner::build(const tuned_fit& fit, const time_source& source) const {
  // Without features there is one choice for all workloads.
  if (!fit.how.from_record && !fit.how.by_likeness) return build_fixed(choose(fit, fit.from.front()), source);
  model result;
  result.provenance = {.source = source,
                       .training_set_hash = hash_of(data_.own),
                       .workloads = fit.from.size() + (fit.how.from_record ? recorded_workloads() : 0),
                       .candidates = fit.kept.size(),
                       .observations = fit.from.size() * fit.kept.size(),
                       .learned = standard_learning(fit.how.from_record ? method::boosted : method::kernel),
                       .xgboost_version = xgboost_version()};
  result.inputs = inputs_;
  for (const std::size_t c : fit.kept) {
    result.candidates.push_back(data_.own.candidates[c]);
    result.starts.push_back(static_cast<float>(fit.shifts[c]));
  }
  if (fit.how.by_likeness) {
    kernel_fit kernel = frame_;
    kernel.candidates = fit.kept.size();
    dense_matrix rows{.rows = 0, .columns = rows_.columns, .values = {}};
    for (const std::size_t w : fit.from) {
      const auto first = rows_.values.begin() + static_cast<std::ptrdiff_t>(w * rows_.columns);
      rows.values.insert(rows.values.end(), first, first + static_cast<std::ptrdiff_t>(rows_.columns));
      ++rows.rows;
    }
    std::vector<std::vector<double>> weights;
    for (const std::size_t c : fit.kept) weights.push_back(fit.weights[c]);
    set_points(kernel, rows, weights);
    result.kernel = std::move(kernel);
  }
  if (fit.how.from_record) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < fit.kept.size(); ++i) {
      columns.push_back(source_[fit.kept[i]]);
      result.starts[i] -= discount_[fit.kept[i]];
    }
    add_trees_of(result, *of_record_, columns);
  }
  return with_used_inputs(std::move(result));
}

}  // namespace mlmq::selector
