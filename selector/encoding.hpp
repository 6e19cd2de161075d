// SPDX-License-Identifier: Apache-2.0
// Encodes workloads and configurations as the numbers that the trees compare.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

using runtime::to_float32;

/// Names of two features whose quotient is an additional model input. A tree compares one input at a time, so it would
/// need many splits to approximate a quotient.
struct feature_ratio {
  std::string_view numerator;
  std::string_view denominator;
};

/// Ratios that describe hubs, inequality of degrees, inequality of weights, and the largest weight relative to the
/// average. A model uses those ratios of which it has both features.
inline constexpr std::array<feature_ratio, 5> standard_ratios{{{"max_nnz", "m"},
                                                               {"max_nnz", "avg_nnz"},
                                                               {"dev_nnz", "avg_nnz"},
                                                               {"dev_weight", "avg_weight"},
                                                               {"max_weight", "avg_weight"}}};

/// Ratios that a kernel fit uses in addition to features: the tails of degrees and weights relative to the averages.
/// Bucket widths and the threshold for heavy vertices are multiples of these averages.
inline constexpr std::array<feature_ratio, 2> kernel_ratios{{{"degree_p99", "avg_nnz"}, {"weight_p99", "avg_weight"}}};

/// The inputs that describe a workload: named features, and quotients of them.
struct input_encoding {
  struct ratio {
    std::size_t numerator = 0;  ///< index into `features`
    std::size_t denominator = 0;
  };

  std::vector<std::string> features;
  std::vector<ratio> ratios;

  /// Returns the number of inputs.
  [[nodiscard]] std::size_t size() const { return features.size() + ratios.size(); }

  /// Returns the inputs: the features in float32, in their order, then their ratios. @param values one per feature
  [[nodiscard]] std::vector<float> inputs(std::span<const double> values) const;

  /// Returns the names of the inputs: "m" … "max_nnz/m" ….
  [[nodiscard]] std::vector<std::string> names() const;

  /// Returns the index of a feature; nothing if the encoding does not have it.
  [[nodiscard]] std::optional<std::size_t> place_of(std::string_view feature) const;
};

/// @throws input_error for no features, more inputs than runtime::most_inputs, or a ratio with an invalid feature index
void check_inputs(const input_encoding& inputs);

/// Encodes these features, and those ratios whose two features are among them.
/// @throws input_error for more inputs than runtime::most_inputs
[[nodiscard]] input_encoding encode_inputs(std::span<const std::string> features,
                                           std::span<const feature_ratio> ratios = standard_ratios);

/// The candidates' columns of the model input.
struct candidate_encoding {
  std::vector<std::string> column_names;  ///< "param.delta" (numeric) or "param.l1=filter" (1 when l1 is filter)
  std::vector<std::vector<float>> rows;   ///< one per candidate, one value per column; NaN: the parameter is absent
};

/// Encodes candidates. A parameter whose present values are all finite decimals gets one column; any other gets one 0/1
/// column per distinct value, or a single one if there are two values. A parameter that a candidate lacks is NaN, so
/// that the trees send the candidate to their default child. Columns are ordered by parameter name, then value; columns
/// that are equal for all candidates are left out. The candidates' labels and parameter names must be unique.
/// @throws input_error if two candidates have the same parameters
[[nodiscard]] candidate_encoding encode(std::span<const candidate> candidates);

/// A subset of a model's inputs: the wanted inputs and the features of their ratios. There is always at least one
/// feature, because a model without inputs would be a special case everywhere.
struct kept_inputs {
  input_encoding encoding;
  std::vector<std::size_t> renamed;  ///< new index of each former input; 0 for inputs that were dropped
};
[[nodiscard]] kept_inputs keep_inputs(const input_encoding& inputs, const std::vector<bool>& is_wanted);

}  // namespace mlmq::selector
