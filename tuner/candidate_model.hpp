// SPDX-License-Identifier: Apache-2.0
// A Gaussian process over the candidates of a search, which predicts their times from those that were measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mlmq::tuner {

/// Coordinates of candidates. Columns of one group belong to one parameter and share a length scale.
struct candidate_points {
  std::vector<std::size_t> groups;  ///< group of each column, from 0
  std::size_t group_count = 0;
  std::vector<float> values;  ///< one row per candidate, about 0 to 1

  [[nodiscard]] std::size_t columns() const { return groups.size(); }
  [[nodiscard]] std::size_t size() const { return groups.empty() ? 0 : values.size() / groups.size(); }
  [[nodiscard]] const float* row(std::size_t candidate) const { return values.data() + candidate * columns(); }
};

/// Learns the logarithm of the time with a Matérn kernel (ν = 5/2) that has a length scale per parameter, and
/// separately the probability that a candidate fails. Deterministic.
///
/// Times of neighbours differ in ways that no smooth function has. This part belongs to the configuration, not to the
/// measurement, so the model expects it in every candidate: of two with the same mean, either may be the best.
///
/// An observation costs time proportional to observations × candidates. The length scales have the largest posterior
/// probability; they are fitted again whenever the number of observations has grown by a half. At most `most_active`
/// observations are used: beyond that, the fastest and an even share of the others.
class candidate_model {
 public:
  static constexpr std::size_t most_active = 240;

  /// @param points  must have at least one column
  explicit candidate_model(candidate_points points);

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  /// Adds a candidate.
  void append(std::span<const float> row);
  /// Adds the result of a candidate. @param logarithm  of its time; nothing if it failed
  void observe(std::size_t candidate, std::optional<double> logarithm);
  /// Number of observed candidates that did not fail.
  [[nodiscard]] std::size_t observed_times() const { return observed_.size(); }

  /// Returns for each candidate the expected improvement of the logarithm over the best one, in a fixed unit,
  /// multiplied by the probability that the candidate does not fail. Needs at least two observed times.
  [[nodiscard]] std::vector<double> improvements();

 private:
  struct observation {
    std::size_t candidate = 0;
    double logarithm = 0;
  };

  [[nodiscard]] double correlation(const float* a, const float* b) const;
  /// Adds the result of an observed candidate to what is known about failures close to `candidate`.
  void count_failure(std::size_t candidate, std::size_t tried, bool failed);
  [[nodiscard]] double failure_probability(std::size_t candidate) const;
  void choose_active();
  void fit_scales();
  /// Returns the logarithm of the posterior density of the scales and the noise, up to a constant.
  [[nodiscard]] double log_posterior(std::span<const std::size_t> subset, std::span<const double> targets) const;
  /// Returns the logarithms of observations, limited from above and standardised.
  [[nodiscard]] std::vector<double> targets_of(std::span<const std::size_t> subset) const;
  /// Returns indices of the `count`/2 fastest and an even share of the other members of `subset`.
  [[nodiscard]] std::vector<std::size_t> thinned(std::vector<std::size_t> subset, std::size_t count) const;
  void forget_predictions();
  void add_to_factor(std::size_t active);

  candidate_points points_;
  std::vector<observation> observed_;
  std::vector<std::size_t> failed_;
  std::vector<std::size_t> active_;  // indices into observed_ that the model uses
  std::size_t fitted_at_ = 0;        // number of observations at the last fit

  std::vector<double> inverse_squares_;  // 1 / (length scale)², per group
  double noise_ = 1e-2;                  // variance of a candidate's own part, relative to the smooth part

  // For the first factor_.size() entries of active_:
  std::vector<std::vector<double>> factor_;   // rows of the Cholesky factor L
  std::vector<std::vector<float>> whitened_;  // rows of L⁻¹ K for all candidates
  std::vector<float> explained_;              // per candidate: explained share of the smooth variance

  std::vector<float> failure_weights_;  // per candidate: weights of close failures, and of all close results
  std::vector<float> weights_;
};

}  // namespace mlmq::tuner
