// SPDX-License-Identifier: Apache-2.0
// Training set of a selector: workloads, candidate configurations, and the time of each candidate on each workload.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mlmq::selector {

/// One value per name in training_set::features; NaN: unknown. The model sees them rounded to float32.
using feature_values = std::vector<double>;

/// One problem instance: a workload with a query, or with several (mean_over_queries()).
struct workload_example {
  std::string name;            ///< unique in the set
  std::string group;           ///< instances of one group (same workload, other query or weights) stay in one fold
  std::string workload_class;  ///< for reports per class: "road", "power-law", …
  feature_values features;
  std::string workload = {};  ///< common to all instances of this workload with other queries; "": there are no others
  bool is_generated = false;  ///< not from a file; for reports
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
  double milliseconds = 0;    ///< median time; valid only if `ok`
  bool ok = false;            ///< false: the trial failed, its relative performance is 0
  double spread = 0;          ///< interquartile range / median of the runs, for estimates of noise; not learned from
  std::size_t samples = 0;    ///< number of runs; 0: unknown
};

/// At most one observation per workload and candidate; pairs without one were not measured.
struct training_set {
  std::vector<std::string>
      features;  ///< names of the known features of the workloads, in the order of the model's inputs
  std::vector<workload_example> workloads;
  std::vector<candidate> candidates;
  std::vector<observation> observations;
};

/// @throws input_error naming the workload or candidate: nothing to learn from, a duplicate name, an invalid time or
/// feature (NaN is allowed: unknown), an index out of range, or a pair observed twice
void validate(const training_set& set);

/// Sorts workloads by name, candidates by label (with former names of renamed parameters), and observations by workload
/// and candidate, so that the same record in any order gives the same model. The set must be valid.
[[nodiscard]] training_set in_canonical_order(const training_set& set);

/// Returns the set with only these workloads, in this order, without the observations of other workloads.
[[nodiscard]] training_set keep_workloads(const training_set& set, std::span<const std::size_t> workloads);

/// Returns the set with only these candidates, in this order, without the observations of other candidates.
[[nodiscard]] training_set keep_candidates(const training_set& set, std::span<const std::size_t> candidates);

/// Returns the set with only these features, in this order.
/// @throws input_error for a feature that the set lacks, listing the available ones
[[nodiscard]] training_set keep_features(const training_set& set, std::span<const std::string> names);

/// Returns the values of the features `selected_names`, in that order. @param values one per entry of `names`
/// @return NaN for names that are not in `names`
[[nodiscard]] feature_values pick_features(std::span<const std::string> selected_names,
                                           std::span<const std::string> names, std::span<const double> values);

/// Returns the set with one instance per workload, named like the workload, in canonical order. The time of a candidate
/// is the mean over the workload's queries, its spread that of all runs, and a failure if any of them failed, because a
/// choice is made without knowing the query. To keep the means comparable, queries with fewer measured candidates than
/// another query of the same workload are left out, and so are candidates that were not measured with every remaining
/// query.
[[nodiscard]] training_set mean_over_queries(const training_set& set);

/// Returns a content hash of the whole set, independent of its order: 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(const training_set& set);

/// Relative performance (MLMQ §5.5): best time on the workload / time of the candidate on it, in (0,1], 1 for the best
/// candidate.
class performance_matrix {
 public:
  /// The set must be valid.
  explicit performance_matrix(const training_set& set);

  [[nodiscard]] std::size_t workloads() const { return best_.size(); }
  [[nodiscard]] std::size_t candidates() const { return candidates_; }

  /// Returns 0 if the trial failed or was never run, because choosing that candidate gives no answer.
  [[nodiscard]] double relative(std::size_t workload, std::size_t candidate) const;

  /// Returns whether the pair was measured, successfully or not.
  [[nodiscard]] bool measured(std::size_t workload, std::size_t candidate) const;

  /// Returns whether any candidate succeeded on the workload. Otherwise there is no best time to compare with.
  [[nodiscard]] bool solved(std::size_t workload) const;

  /// Returns the best time on the workload in milliseconds; infinity if it was not solved.
  [[nodiscard]] double best_milliseconds(std::size_t workload) const { return best_.at(workload); }

 private:
  std::size_t candidates_;
  std::vector<double> best_;      // one per workload
  std::vector<double> relative_;  // workload-major; negative: not measured
};

}  // namespace mlmq::selector
