// SPDX-License-Identifier: Apache-2.0
// Learns a selector from a few workloads of the user by correcting a base prediction.
//
// The base prediction comes either from a model of recorded workloads, or it is each candidate's mean over the own
// workloads, which chooses the best fixed configuration. The correction is a ridge regression with one number per
// candidate, and one per own workload, weighted by similarity. With few workloads the correction is small.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/candidates.hpp"
#include "selector/kernel_fit.hpp"
#include "selector/model_file.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Training data of a tuned selector. Both sets have one instance per workload (mean_over_queries()).
struct tuning_record {
  training_set own_set;  ///< every workload measured with every candidate, and solved by at least one
  /// Other workloads, of any device, on which some of these candidates were measured; may have more candidates.
  std::optional<training_set> recorded = std::nullopt;
  bool same_device = false;  ///< whether `recorded` and `own_set` are from the same device
};

struct tuned_settings {
  double tolerance = standard_tolerance;  ///< see covering_candidates()
  /// Maximum number of candidates from the record; half as many from own workloads; 0: no limit.
  std::size_t most = standard_candidates;
};

/// Kind and strength of the correction.
struct correction {
  bool from_record = false;    ///< corrects a model of the record; else the candidates' means over own workloads
  double shift = 0;            ///< prior variance of a candidate's offset, relative to `ridge`
  double ridge = 1;            ///< assumed noise of the measurements of a workload
  bool by_similarity = false;  ///< whether workloads are weighted by similarity; else only `shift` corrects

  /// Readable description: "the shipped record, corrected by …".
  [[nodiscard]] std::string text() const;
};

/// A correction fitted to some of the own workloads.
struct tuned_fit {
  correction chosen_correction;
  std::vector<std::size_t> training_workloads;  ///< indices of the own workloads it was fitted to
  std::vector<std::size_t> candidates;          ///< candidates to choose from, ascending
  std::vector<double> shifts;                   ///< one per candidate
  std::vector<std::vector<double>> weights;     ///< candidates × training workloads; empty without similarity
};

class tuned_learner {
 public:
  /// Recorded workloads in the same groups as own ones are left out, because they would leak into the evaluation.
  /// @throws input_error if a set is invalid or an own workload lacks a candidate
  tuned_learner(tuning_record data, const tuned_settings& settings);

  [[nodiscard]] const training_set& own_set() const { return data_.own_set; }
  [[nodiscard]] const performance_matrix& performance() const { return performance_; }
  /// Returns the number of recorded workloads used for training.
  [[nodiscard]] std::size_t recorded_workloads() const { return data_.recorded ? data_.recorded->workloads.size() : 0; }

  /// Learns from these own workloads, at least one. The correction is chosen by cross-validation among them: in the
  /// order of corrections(), a later one only if it is significantly better.
  [[nodiscard]] tuned_fit learn(std::span<const std::size_t> training_workloads) const;
  /// Learns with this correction.
  [[nodiscard]] tuned_fit learn(std::span<const std::size_t> training_workloads, const correction& correction) const;

  /// Returns the corrections that are possible with this record, the most conservative first.
  [[nodiscard]] const std::vector<correction>& corrections() const { return corrections_; }

  /// Chooses the candidate for an own workload, whether it was used for training or not.
  [[nodiscard]] std::size_t choose(const tuned_fit& fit, std::size_t workload) const;

  /// Returns the candidate with the highest mean relative performance on these own workloads.
  [[nodiscard]] std::size_t best_fixed(std::span<const std::size_t> training_workloads) const;

  /// Converts the fit to a model without times.
  [[nodiscard]] model build(const tuned_fit& fit, const time_source& source) const;

  /// Creates a model with this candidate only.
  [[nodiscard]] model build_fixed(std::size_t candidate, const time_source& source) const;

 private:
  [[nodiscard]] double base_prediction(const correction& correction, std::size_t workload, std::size_t candidate) const;
  [[nodiscard]] std::vector<std::size_t> candidate_subset(std::span<const std::size_t> training_workloads,
                                                          bool from_record) const;
  [[nodiscard]] tuned_fit fit(std::span<const std::size_t> training_workloads,
                              std::vector<std::size_t> chosen_candidates, const correction& correction) const;
  [[nodiscard]] correction decide(std::span<const std::size_t> training_workloads) const;
  void learn_record();
  void place_workloads();

  tuning_record data_;
  tuned_settings settings_;
  performance_matrix performance_;
  std::vector<correction> corrections_;
  std::optional<model> record_model_;           ///< model of the recorded workloads, with all its candidates
  std::vector<std::size_t> source_;             ///< per own candidate: the most similar candidate of of_record_
  std::vector<float> discount_;                 ///< per own candidate: expected loss against that candidate
  std::vector<std::vector<float>> predicted_;   ///< predictions of of_record_: own workloads × own candidates
  std::vector<std::size_t> covering_recorded_;  ///< own candidates that cover the recorded workloads
  input_encoding inputs_;
  dense_matrix rows_;  ///< inputs of the own workloads
  kernel_fit frame_;   ///< scaling of the inputs, without points
  std::vector<double> similarities_;
};

}  // namespace mlmq::selector
