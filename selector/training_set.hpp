// SPDX-License-Identifier: Apache-2.0
// What the selector learns from: workloads, candidate configurations, and the time each took on each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mlmq::selector {

/// One value for each name in training_set::features; NaN: unknown. The model sees them rounded to float32.
using feature_values = std::vector<double>;

/// One problem instance: a workload with a query, or with several (mean_over_queries()).
struct workload_example {
  std::string name;            ///< unique in the set
  std::string group;           ///< instances of one group (same workload, other query or weights) stay in one fold
  std::string workload_class;  ///< for reports per class: "road", "power-law", …
  feature_values features;
  std::string workload =
      {};  ///< what the instances with other queries of the same workload have, too; "": there are none
};

/// One configuration that the selector may choose.
struct candidate {
  std::string label;                                            ///< unique in the set
  std::vector<std::pair<std::string, std::string>> parameters;  ///< inactive parameters are absent
};

/// The outcome of one configuration on one workload.
struct observation {
  std::size_t workload = 0;   ///< index into training_set::workloads
  std::size_t candidate = 0;  ///< index into training_set::candidates
  double milliseconds = 0;    ///< median time; read only when `ok`
  bool ok = false;            ///< false: the trial failed, its relative performance is 0
};

/// At most one observation per workload and candidate; pairs without one were not measured.
struct training_set {
  std::vector<std::string>
      features;  ///< names of what is known of the workloads; their order is that of the model's inputs
  std::vector<workload_example> workloads;
  std::vector<candidate> candidates;
  std::vector<observation> observations;
};

/// @throws input_error naming the workload or candidate: nothing to learn from, a name twice, a
/// feature (other than NaN, unknown) or time that is not a usable number, an index out of range, a pair observed twice.
void validate(const training_set& set);

/// Workloads by name, candidates by label (with former names of renamed parameters), observations by workload and
/// candidate: the same record in any order gives the same model. The set must be valid.
[[nodiscard]] training_set in_canonical_order(const training_set& set);

/// The set with only these workloads, in the order given. Other workloads' observations are dropped.
[[nodiscard]] training_set keep_workloads(const training_set& set, std::span<const std::size_t> workloads);

/// The set with only these candidates, in the order given. Other candidates' observations are
/// dropped.
[[nodiscard]] training_set keep_candidates(const training_set& set, std::span<const std::size_t> candidates);

/// The set with only these features, in the order given. @throws input_error for one that it does not have, listing
/// those that it has
[[nodiscard]] training_set keep_features(const training_set& set, std::span<const std::string> names);

/// The values of the features named `wanted`, in that order, out of those named `names`; NaN for one that is not there.
[[nodiscard]] feature_values pick_features(std::span<const std::string> wanted, std::span<const std::string> names,
                                           std::span<const double> values);

/// The set with one instance for each workload, named as the workload, in canonical order: the time of a candidate is the mean
/// of its times from the workload's queries, a failure where one of them failed. A choice is for a workload, whose query it does
/// not know. So that means can be compared, a query from which fewer candidates were measured than from another one of
/// the same workload is left out, as is a candidate that was not measured from each of those that remain.
[[nodiscard]] training_set mean_over_queries(const training_set& set);

/// Content hash of everything in the set, independent of its order. 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(const training_set& set);

/// Relative performance (MLMQ §5.5): best time on the workload / time of the candidate there, in
/// (0,1], 1 for the best.
class performance_matrix {
 public:
  /// The set must be valid.
  explicit performance_matrix(const training_set& set);

  [[nodiscard]] std::size_t workloads() const { return best_.size(); }
  [[nodiscard]] std::size_t candidates() const { return candidates_; }

  /// 0 when the trial failed or was never run: to choose that candidate is to have no answer.
  [[nodiscard]] double relative(std::size_t workload, std::size_t candidate) const;

  /// Whether there is an observation, be it a failure.
  [[nodiscard]] bool measured(std::size_t workload, std::size_t candidate) const;

  /// Whether any candidate succeeded on the workload. Without one there is no best time to compare
  /// with.
  [[nodiscard]] bool solved(std::size_t workload) const;

  /// The best time on the workload in milliseconds; infinity when not solved.
  [[nodiscard]] double best_milliseconds(std::size_t workload) const { return best_.at(workload); }

 private:
  std::size_t candidates_;
  std::vector<double> best_;      // one per workload
  std::vector<double> relative_;  // workload-major; negative: not measured
};

}  // namespace mlmq::selector
