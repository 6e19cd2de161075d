// SPDX-License-Identifier: Apache-2.0
// Learning from few workloads of one's own: what is known without them is corrected as far as they say it is wrong.
//
// What is known is either what a model of recorded workloads predicts, or no more than each candidate's mean over the own
// workloads, by which the best fixed configuration is chosen. The correction is a ridge regression: one number for each
// candidate, and one for each own workload that counts as far as a workload is like that one. With few workloads it is
// small.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/kernel_fit.hpp"
#include "selector/model_file.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// What there is to learn from. Both sets have one instance for each workload (mean_over_queries()).
struct tuning_record {
  training_set own;  ///< every workload with every candidate, and solved by one
  /// Other workloads, of any device, on which some of these candidates were measured; may have more candidates.
  std::optional<training_set> recorded = std::nullopt;
  bool same_device = false;  ///< whether the recorded ones are of the device of `own`
};

struct tuned_settings {
  double tolerance = 0.03;  ///< as for covering_candidates()
  std::size_t most = 24;    ///< candidates from the record, and half as many from the own workloads; 0: no limit
};

/// How what is known is corrected.
struct correction {
  bool from_record = false;  ///< a model of the record is corrected, else the candidates' means over own workloads
  double shift = 0;          ///< how much a candidate as a whole may differ, as a share of `ridge`
  double ridge = 1;          ///< how much of what was measured of a workload is taken for noise
  bool by_likeness = false;  ///< whether workloads count by likeness; else all alike, and only `shift` corrects

  /// For a person: "the record, corrected by likeness".
  [[nodiscard]] std::string text() const;
};

/// What was learned from some of the own workloads.
struct tuned_fit {
  correction how;
  std::vector<std::size_t> from;             ///< own workloads
  std::vector<std::size_t> kept;             ///< candidates that are chosen from, ascending
  std::vector<double> shifts;                ///< one for each candidate
  std::vector<std::vector<double>> weights;  ///< per candidate: one for each of `from`; empty without likeness
};

class tuned_learner {
 public:
  /// Recorded workloads of the groups of own ones are left out: these would be judged by what was known of them.
  /// @throws input_error when a set is not valid or an own workload lacks a candidate
  tuned_learner(tuning_record data, const tuned_settings& settings);

  [[nodiscard]] const training_set& own() const { return data_.own; }
  [[nodiscard]] const performance_matrix& performance() const { return performance_; }
  /// How many recorded workloads are learned from.
  [[nodiscard]] std::size_t recorded_workloads() const { return data_.recorded ? data_.recorded->workloads.size() : 0; }

  /// Learns from these own workloads, at least one. How what is known is corrected is decided by cross-validation among
  /// them: in the order of corrections(), the next one only where it is better beyond chance.
  [[nodiscard]] tuned_fit learn(std::span<const std::size_t> from) const;
  /// The same with a given correction.
  [[nodiscard]] tuned_fit learn(std::span<const std::size_t> from, const correction& how) const;

  /// What can be done with this record, the most careful first.
  [[nodiscard]] const std::vector<correction>& corrections() const { return corrections_; }

  /// The candidate for an own workload, whether it was learned from or not.
  [[nodiscard]] std::size_t choose(const tuned_fit& fit, std::size_t workload) const;

  /// The candidate with the highest mean relative performance on these own workloads.
  [[nodiscard]] std::size_t best_fixed(std::span<const std::size_t> from) const;

  /// The fit as a model; without times.
  [[nodiscard]] model build(const tuned_fit& fit, const time_source& source) const;

  /// A model that knows this candidate only.
  [[nodiscard]] model build_fixed(std::size_t candidate, const time_source& source) const;

 private:
  [[nodiscard]] double known(const correction& how, std::size_t workload, std::size_t candidate) const;
  [[nodiscard]] std::vector<std::size_t> kept_of(std::span<const std::size_t> from, bool from_record) const;
  [[nodiscard]] tuned_fit fit(std::span<const std::size_t> from, std::vector<std::size_t> kept,
                              const correction& how) const;
  [[nodiscard]] correction decide(std::span<const std::size_t> from) const;
  void learn_record();
  void place_workloads();

  tuning_record data_;
  tuned_settings settings_;
  performance_matrix performance_;
  std::vector<correction> corrections_;
  std::optional<model> of_record_;             ///< of all its candidates
  std::vector<std::size_t> source_;            ///< for each own candidate the one of of_record_ that it is taken for
  std::vector<float> discount_;                ///< for each own candidate what it is expected to be worse than that one
  std::vector<std::vector<float>> predicted_;  ///< by of_record_: own workloads × own candidates
  std::vector<std::size_t> covering_recorded_;  ///< own candidates that are enough for the record
  input_encoding inputs_;
  dense_matrix rows_;  ///< inputs of the own workloads
  kernel_fit frame_;   ///< where workloads are; no points
  std::vector<double> like_;
};

}  // namespace mlmq::selector
