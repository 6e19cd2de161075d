// SPDX-License-Identifier: Apache-2.0
// Workloads and configurations as the numbers that the trees compare.
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

/// The names of two features whose quotient is one more input of a model. A tree compares one input at a time, so it
/// would need many splits to follow a quotient.
struct feature_ratio {
  std::string_view numerator;
  std::string_view denominator;
};

/// Hubs, how unequal the degrees are, how unequal the weights are, and the largest weight against the usual one. A model
/// has those of which it has both features.
inline constexpr std::array<feature_ratio, 5> standard_ratios{{{"max_nnz", "m"},
                                                               {"max_nnz", "avg_nnz"},
                                                               {"dev_nnz", "avg_nnz"},
                                                               {"dev_weight", "avg_weight"},
                                                               {"max_weight", "avg_weight"}}};

/// What a kernel fit looks at besides features: how far the tails of degrees and of weights lie from the average, which
/// bucket widths and the limits of what counts as a heavy vertex are multiples of.
inline constexpr std::array<feature_ratio, 2> kernel_ratios{{{"degree_p99", "avg_nnz"}, {"weight_p99", "avg_weight"}}};

/// What a model sees of a workload: features by name, and quotients of them.
struct input_encoding {
  struct ratio {
    std::size_t numerator = 0;  ///< index into `features`
    std::size_t denominator = 0;
  };

  std::vector<std::string> features;
  std::vector<ratio> ratios;

  /// How many inputs that makes.
  [[nodiscard]] std::size_t size() const { return features.size() + ratios.size(); }

  /// The inputs: the features in float32, in their order, then the ratios of those. `values`: one per feature.
  [[nodiscard]] std::vector<float> inputs(std::span<const double> values) const;

  /// "m" … "max_nnz/m" …: what the inputs are called.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Where a feature is. Nothing when it is not among them.
  [[nodiscard]] std::optional<std::size_t> place_of(std::string_view feature) const;
};

/// @throws input_error for no feature, more inputs than runtime::most_inputs, and a ratio of what is no feature
void check_inputs(const input_encoding& inputs);

/// These features and those of the ratios whose features are both among them. @throws input_error for more than
/// runtime::most_inputs
[[nodiscard]] input_encoding encode_inputs(std::span<const std::string> features,
                                           std::span<const feature_ratio> ratios = standard_ratios);

/// The candidates' columns of the model input.
struct candidate_encoding {
  std::vector<std::string> column_names;  ///< "param.delta" (numeric) or "param.l1=filter" (1 when l1 is filter)
  std::vector<std::vector<float>> rows;   ///< one per candidate, one value per column; NaN: the parameter is absent
};

/// One column for a parameter whose present values are all finite decimals; else one 0/1 column per
/// distinct value, or a single one when there are two. A parameter that a candidate lacks is NaN
/// there, so the trees send it to their default child. Columns are ordered by parameter name, then
/// value; columns that are the same for every candidate are left out. The candidates' labels and
/// parameter names must be unique.
/// @throws input_error when two candidates cannot be told apart.
[[nodiscard]] candidate_encoding encode(std::span<const candidate> candidates);

/// The inputs that are wanted, and the features that those are quotients of; at least one feature, because a function of
/// nothing would be a special case everywhere.
struct kept_inputs {
  input_encoding encoding;
  std::vector<std::size_t> renamed;  ///< for each of the former inputs its index now, where it is wanted
};
[[nodiscard]] kept_inputs keep_inputs(const input_encoding& all, const std::vector<bool>& is_wanted);

}  // namespace mlmq::selector
